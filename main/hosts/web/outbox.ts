import {
  type EventFrame,
  type EventName,
  events,
  isEventName,
  type Payload,
} from '#shared/contract/index.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The fields that say what an event is about. Of those about the same thing a slow page needs the last only. */
const subjectFields: { readonly [N in EventName]: readonly Extract<keyof Payload<N>, string>[] } = {
  'approvals/changed': [],
  'servers/changed': [],
  'sessions/changed': ['id'],
  'sessions/forgotten': ['sessionId'],
  'sessions/switches-changed': ['serverId'],
  'catalog/changed': ['sessionId', 'list'],
  'calls/changed': ['sessionId', 'id'],
  'inbox/changed': ['sessionId', 'id'],
  'subscriptions/changed': ['sessionId', 'id'],
  'tasks/changed': ['sessionId', 'owner', 'id'],
  'trace/grew': ['sessionId'],
  'trace/filtered': ['sessionId', 'filterId'],
  'settings/changed': [],
  'traces/changed': [],
  'traces/opened-changed': ['sessionId'],
  'traces/closed': ['sessionId'],
  'traces/show': [],
};

/** Events held back while a page cannot keep up: at most one for each thing they are about. */
export interface Outbox {
  readonly isEmpty: boolean;
  add(frame: EventFrame): void;
  /** Takes all that is held, oldest subject first. */
  drain(): EventFrame[];
}

export function createOutbox(): Outbox {
  const held = new Map<string, EventFrame>();
  return {
    get isEmpty() {
      return held.size === 0;
    },
    add(frame) {
      if (!isEventName(frame.event)) return;
      const subject = `${frame.event} ${subjectOf(frame.event, frame.payload)}`;
      const older = held.get(subject);
      held.delete(subject);
      held.set(subject, older === undefined ? frame : merged(older, frame));
    },
    drain() {
      const frames = [...held.values()];
      held.clear();
      return frames;
    },
  };
}

function subjectOf(name: EventName, payload: unknown): string {
  return JSON.stringify(subjectFields[name].map((field) => isObject(payload) && payload[field]));
}

/** Two notices of growth are one that reaches back to where the older one began; of others the newer counts. */
function merged(older: EventFrame, newer: EventFrame): EventFrame {
  if (newer.event !== 'trace/grew') return newer;
  const [before, after] = [older, newer].map((frame) => events['trace/grew'].parse(frame.payload));
  if (before === undefined || after === undefined) return newer;
  return {
    event: 'trace/grew',
    payload: { ...after, changedFrom: Math.min(before.changedFrom, after.changedFrom) },
  };
}
