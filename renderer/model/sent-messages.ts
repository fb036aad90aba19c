import { create } from 'zustand';
import { call, on } from '#bridge';
import { offerUndo } from './undo.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { UnitBytes } from '#shared/contract/sessions.ts';
import type { Composed } from '#shared/trace/record.ts';
import { changeMessage, type ComposerMessage, renewIds, type SendOrder } from './composer.ts';
import { faultOf } from './faults.ts';
import type { SessionStatus } from './sessions.ts';

/** What was sent in one go. */
export interface SentGroup {
  readonly id: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Such as `Send` or `Send all, 3 messages, 250 ms apart`. */
  readonly label: string;
  readonly sent: readonly SentUnit[];
  /** Why the rest was not sent. */
  readonly fault: Fault | null;
}

export interface SentUnit {
  /** The message it was made of; null if that is no longer known. */
  readonly messageId: number | null;
  /** Its first row in the trace. */
  readonly row: number;
}

/** The sent messages of each session, the oldest first. */
const useSent = create<Readonly<Record<string, readonly SentGroup[]>>>()(() => ({}));

const noGroups: readonly SentGroup[] = [];

export const useSentGroups = (sessionId: string): readonly SentGroup[] =>
  useSent((groups) => groups[sessionId] ?? noGroups);

let lastId = 0;

/** A message that is ready to be sent. */
export interface ReadyMessage {
  readonly message: ComposerMessage;
  readonly bytes: UnitBytes;
  readonly composed: Composed;
}

/**
 * Sends messages in one go. One at a time: each waits for the response to the one before, and then for the pause; at once:
 * each only waits for the pause. Those that break no rule are ready to be sent again afterwards, with the next ids.
 */
export async function sendMessages(
  { id: sessionId, serverId }: Pick<SessionStatus, 'id' | 'serverId'>,
  ready: readonly ReadyMessage[],
  { order, pause, label }: { readonly order: SendOrder; readonly pause: number; readonly label: string },
): Promise<void> {
  const group = { id: ++lastId, at: Date.now(), label, sent: [] as readonly SentUnit[], fault: null };
  putGroup(sessionId, group);
  const sending: Promise<SentUnit>[] = [];
  for (const [index, one] of ready.entries()) {
    if (index > 0 && pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    // What was said of the ids when it was sent before is no longer true.
    changeMessage(serverId, one.message.id, { renewed: null });
    const sent = sendOne(sessionId, one).then(async (unit) => {
      noteSent(sessionId, group.id, unit);
      if (one.composed === 'sent') {
        // Without the next ids, the warning of the used one says what to do.
        await renewIds({ sessionId, serverId }, one.message, one.bytes).catch(() => undefined);
      }
      return unit;
    });
    sent.catch((error: unknown) => noteFault(sessionId, group.id, faultOf(error)));
    sending.push(sent);
    if (order === 'at-once') continue;
    const unit = await sent.catch(() => null);
    if (unit === null) return;
    if (index < ready.length - 1) await responded(sessionId, unit.row);
  }
  await Promise.allSettled(sending);
}

async function sendOne(sessionId: string, { message, bytes, composed }: ReadyMessage): Promise<SentUnit> {
  const timeout = Number(message.timeout);
  // A row without a name is not filled in yet.
  const headers = message.headers.filter(({ name }) => name.trim() !== '');
  const { row } = await call('sessions/send', {
    sessionId,
    bytes,
    headers: null,
    ...(headers.length > 0 && { headerChanges: headers }),
    composed,
    timeout: message.timeout.trim() === '' || !Number.isFinite(timeout) ? null : timeout,
  });
  return { messageId: message.id, row };
}

/** Milliseconds to wait for a response before the next message is sent anyway. */
const MAX_WAIT = 60_000;

/** Resolves when the messages of a unit wait for no response any more. */
async function responded(sessionId: string, row: number): Promise<void> {
  const isPending = async (): Promise<boolean> => {
    const [head] = await call('trace/rows-by-number', { sessionId, rows: [row] });
    const count = Math.min(head?.batch ?? 1, 500);
    const rows = await call('trace/rows-by-number', {
      sessionId,
      rows: Array.from({ length: count }, (_, position) => row + position),
    });
    return rows.some(({ status }) => status === 'pending');
  };
  await new Promise<void>((resolve) => {
    const end = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    const look = () => void isPending().then((is) => (is ? undefined : end()), end);
    const stop = on('trace/grew', (grown) => {
      if (grown.sessionId === sessionId && grown.changedFrom <= row) look();
    });
    const timer = setTimeout(end, MAX_WAIT);
    look();
  });
}

/** Empties the list of what was sent, which can be undone. */
export function clearSent(sessionId: string): void {
  const before = useSent.getState()[sessionId] ?? [];
  useSent.setState({ [sessionId]: [] });
  offerUndo('Cleared the list of what the composer sent', () =>
    useSent.setState((groups) => ({ [sessionId]: [...before, ...(groups[sessionId] ?? [])] })),
  );
}

const putGroup = (sessionId: string, group: SentGroup): void =>
  useSent.setState((groups) => ({ [sessionId]: [...(groups[sessionId] ?? []), group] }));

function changeGroup(sessionId: string, id: number, edit: (group: SentGroup) => SentGroup): void {
  useSent.setState((groups) => ({
    [sessionId]: (groups[sessionId] ?? []).map((group) => (group.id === id ? edit(group) : group)),
  }));
}

const noteSent = (sessionId: string, id: number, unit: SentUnit): void =>
  changeGroup(sessionId, id, (group) => ({
    ...group,
    sent: [...group.sent, unit].toSorted((a, b) => a.row - b.row),
  }));

const noteFault = (sessionId: string, id: number, fault: Fault): void =>
  changeGroup(sessionId, id, (group) => ({ ...group, fault }));

/** Reads what was sent in a session from its trace, unless it is known: after a reload the page knows nothing. */
export async function recallSent(sessionId: string): Promise<void> {
  if (useSent.getState()[sessionId] !== undefined) return;
  useSent.setState({ [sessionId]: [] });
  const { clock } = await call('trace/summary', { sessionId });
  const found = await firstRows(sessionId, 'is:composed');
  const known = new Set(useSent.getState()[sessionId]?.flatMap(({ sent }) => sent.map(({ row }) => row)));
  const recalled = found
    .filter(({ position, row }) => position === 0 && !known.has(row))
    .map(
      ({ row, at }): SentGroup => ({
        id: ++lastId,
        at: clock.wall + (at - clock.at) / 1000,
        label: 'Send',
        sent: [{ messageId: null, row }],
        fault: null,
      }),
    );
  useSent.setState((groups) => ({ [sessionId]: [...recalled, ...(groups[sessionId] ?? [])] }));
}

/** The rows that match a filter, the first 500. */
async function firstRows(sessionId: string, text: string) {
  let settle: (filterId: string) => void = () => {};
  const done = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const stop = on('trace/filtered', (event) => {
    if (event.sessionId === sessionId && event.done) ended.add(event.filterId);
    if (ended.has(id ?? '')) settle(id ?? '');
  });
  const ended = new Set<string>();
  let id: string | null = null;
  try {
    const { filterId } = await call('trace/filter', { sessionId, text, view: 'messages' });
    id = filterId;
    if (ended.has(filterId)) settle(filterId);
    await done;
    const { rows } = await call('trace/rows', { sessionId, filterId, from: 0, count: 500 });
    await call('trace/end-filter', { sessionId, filterId });
    return rows;
  } finally {
    stop();
  }
}
