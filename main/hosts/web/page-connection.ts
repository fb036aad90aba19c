import type { RawData, WebSocket } from 'ws';
import type { Engine } from '#main/platform.ts';
import {
  type EventFrame,
  type EventName,
  events,
  isEventName,
  type Payload,
  type ResponseFrame,
  requestFrameSchema,
} from '#shared/contract/index.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The fields that identify the subject of an event. A slow page needs only the last event per subject. */
const subjectFields: { readonly [N in EventName]: readonly Extract<keyof Payload<N>, string>[] } = {
  'approvals/changed': [],
  'authorization/changed': ['id'],
  'authorization/credentials-changed': ['serverId'],
  'servers/changed': [],
  'server-tests/changed': ['sessionId'],
  'sessions/changed': ['id'],
  'sessions/forgotten': ['sessionId'],
  'sessions/switches-changed': ['serverId'],
  'catalog/changed': ['sessionId', 'list'],
  'calls/changed': ['sessionId', 'id'],
  'inbox/changed': ['sessionId', 'id'],
  'subscriptions/changed': ['sessionId', 'id'],
  'tasks/resumable-changed': ['sessionId'],
  'tasks/changed': ['sessionId', 'owner', 'id'],
  'trace/grew': ['sessionId'],
  'trace/filtered': ['sessionId', 'filterId'],
  'removals/changed': [],
  'roots/changed': [],
  'settings/changed': [],
  'negative-inputs/ran': ['sessionId', 'requestRow'],
  'saved-calls/ran': ['path', 'name'],
  'load/advanced': ['sessionId'],
  'mocks/changed': ['serverId'],
  'rebuild/changed': ['serverId'],
  'replay/advanced': ['sessionId'],
  'replay/waiting': ['sessionId'],
  'traces/changed': [],
  'traces/opened-changed': ['sessionId'],
  'traces/closed': ['sessionId'],
  'traces/show': [],
};

/** Events held back while a page cannot keep up: at most one per subject. */
interface Outbox {
  readonly isEmpty: boolean;
  add(frame: EventFrame): void;
  /** Takes all held events, oldest subject first. */
  drain(): EventFrame[];
}

export function createOutbox(): Outbox {
  const held = new Map<string, EventFrame>();
  return {
    get isEmpty() {
      return held.size === 0;
    },
    add({ event, payload }) {
      if (!isEventName(event)) return;
      const subject = `${event} ${subjectOf(event, payload)}`;
      const older = held.get(subject);
      held.delete(subject);
      // Not the frame of the engine, which may hold more than its payload.
      const frame = { event, payload };
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

/** Bytes waiting for the page beyond which events are held back and no further command is read. */
const HIGH_WATER = 4 * 1024 * 1024;

/** Why a connection is closed by us (RFC 6455 section 7.4; 4000 and up are our own). */
const closures = {
  ending: { code: 1001, reason: 'Sightglass is ending' },
  binary: { code: 1003, reason: 'frames are text' },
  notJson: { code: 1007, reason: 'a frame is not JSON' },
  notRequest: { code: 1008, reason: 'a frame is no request of the contract' },
  tooMuch: { code: 1009, reason: 'a token or secret is needed before anything else' },
  rebuilt: { code: 1012, reason: 'the page was rebuilt' },
  refused: { code: 4401, reason: 'a token or secret is needed' },
  replaced: { code: 4409, reason: 'another page took over' },
} as const;

export function closeFor(socket: WebSocket, closure: keyof typeof closures): void {
  socket.resume(); // A paused socket would never read the other side's closing frame.
  const { code, reason } = closures[closure];
  socket.close(code, reason);
}

/** Carries the contract between an admitted page and the engine until the socket closes. */
export function connectPage(socket: WebSocket, engine: Engine): void {
  const outbox = createOutbox();

  function send(frame: ResponseFrame | EventFrame): void {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(frame), onFlushed);
    if (socket.bufferedAmount > HIGH_WATER) socket.pause();
  }

  // A failed write closes the socket by itself.
  function onFlushed(): void {
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > HIGH_WATER / 2) return;
    socket.resume();
    for (const frame of outbox.drain()) sendEvent(frame);
  }

  function sendEvent(frame: EventFrame): void {
    // Send held events first; otherwise the page would get an older state after a newer one.
    if (!outbox.isEmpty || socket.bufferedAmount > HIGH_WATER) outbox.add(frame);
    else send({ event: frame.event, payload: frame.payload });
  }

  async function onMessage(raw: RawData, isBinary: boolean): Promise<void> {
    if (isBinary) return closeFor(socket, 'binary');
    const json = parseJson(raw);
    if (!json.ok) return closeFor(socket, 'notJson');
    const request = requestFrameSchema.safeParse(json.value);
    if (!request.success) return closeFor(socket, 'notRequest');
    const { id, command, params } = request.data;
    send({ id, outcome: await engine.handle(command, params) });
  }

  socket.on('message', (raw: RawData, isBinary: boolean) => {
    onMessage(raw, isBinary).catch((error: unknown) => {
      console.error('sightglass: while answering the page:', error);
      socket.terminate();
    });
  });
  socket.once('close', engine.onEvent(sendEvent));
}

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

export function parseJson(raw: RawData): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(textOf(raw)) };
  } catch {
    return { ok: false };
  }
}

function textOf(raw: RawData): string {
  if (Buffer.isBuffer(raw)) return raw.toString();
  return Buffer.concat(Array.isArray(raw) ? raw : [Buffer.from(raw)]).toString();
}
