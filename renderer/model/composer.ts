import { create } from 'zustand';
import { call, on } from '#bridge';
import type { HeaderChange, UnitBytes } from '#shared/contract/sessions.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import { MAX_BYTES_PER_READ } from '#shared/contract/trace.ts';
import { compactJson, indentedJson } from '#shared/json/tokens.ts';
import { variableNames, withVariables } from '#shared/json/variables.ts';
import { bytesOfRawText, rawTextOf } from '#shared/raw-text.ts';
import type { Composed } from '#shared/trace/record.ts';
import { channelKinds, type TraceRow } from '#shared/trace/row.ts';
import { faultOf } from './faults.ts';
import { selectPane, selectServer, useSelection } from './selection.ts';
import { useServers } from './servers.ts';
import { useSessions } from './sessions.ts';

/** A message in the composer, as it was typed. */
export interface ComposerMessage {
  readonly id: number;
  /** JSON, or with `isRaw` a text that stands for bytes. */
  readonly text: string;
  readonly isRaw: boolean;
  /** Changes of the header lines of its HTTP request. */
  readonly headers: readonly HeaderChange[];
  /** Milliseconds, as typed; empty for none. */
  readonly timeout: string;
  /** The saved call it came from. */
  readonly saved: string | null;
}

export const sendOrders = ['one-at-a-time', 'at-once'] as const;
export type SendOrder = (typeof sendOrders)[number];

/** The messages in the composer of one server, at least one. */
export interface Composition {
  readonly messages: readonly ComposerMessage[];
  readonly selected: number;
  /** How several are sent in one go, and the milliseconds between them, as typed. */
  readonly order: SendOrder;
  readonly pause: string;
}

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

interface Composer {
  /** The composition of each server, by its id. */
  readonly compositions: Readonly<Record<string, Composition>>;
  /** The sent messages of each session, the oldest first. */
  readonly groups: Readonly<Record<string, readonly SentGroup[]>>;
}

const useComposerState = create<Composer>()(() => ({ compositions: {}, groups: {} }));

let lastId = 0;

const newMessage = (text: string, isRaw = false): ComposerMessage => ({
  id: ++lastId,
  text,
  isRaw,
  headers: [],
  timeout: '',
  saved: null,
});

const first = newMessage('');
const empty: Composition = { messages: [first], selected: first.id, order: 'one-at-a-time', pause: '0' };

export const useComposition = (serverId: string): Composition =>
  useComposerState(({ compositions }) => compositions[serverId] ?? empty);

const noGroups: readonly SentGroup[] = [];

export const useSentGroups = (sessionId: string): readonly SentGroup[] =>
  useComposerState(({ groups }) => groups[sessionId] ?? noGroups);

function change(serverId: string, edit: (composition: Composition) => Composition): void {
  useComposerState.setState(({ compositions }) => ({
    compositions: { ...compositions, [serverId]: edit(compositions[serverId] ?? empty) },
  }));
}

export const changeComposition = (
  serverId: string,
  changed: Partial<Pick<Composition, 'selected' | 'order' | 'pause'>>,
): void => change(serverId, (composition) => ({ ...composition, ...changed }));

export const changeMessage = (serverId: string, id: number, changed: Partial<ComposerMessage>): void =>
  change(serverId, (composition) => ({
    ...composition,
    messages: composition.messages.map((one) => (one.id === id ? { ...one, ...changed } : one)),
  }));

/** Adds a message and selects it. It takes the place of the selected one if nothing was typed there. */
export function addMessage(
  serverId: string,
  text: string,
  { isRaw = false, saved = null }: { readonly isRaw?: boolean; readonly saved?: string | null } = {},
): void {
  const added = { ...newMessage(text, isRaw), saved };
  change(serverId, (composition) => {
    const { messages, selected } = composition;
    const isUnused = (one: ComposerMessage) =>
      one.id === selected && one.text.trim() === '' && text !== '' && one.headers.length === 0;
    const others = messages.some(isUnused)
      ? messages.map((one) => (isUnused(one) ? added : one))
      : [...messages, added];
    return { ...composition, messages: others, selected: added.id };
  });
}

/** Removes a message; the last one is emptied. */
export const closeMessage = (serverId: string, id: number): void =>
  change(serverId, (composition) => {
    const at = composition.messages.findIndex((one) => one.id === id);
    const left = composition.messages.filter((one) => one.id !== id);
    const messages = left.length === 0 ? [newMessage('')] : left;
    const next = messages[Math.min(Math.max(at, 0), messages.length - 1)];
    const selected = composition.selected === id && next !== undefined ? next.id : composition.selected;
    return { ...composition, messages, selected };
  });

/** Opens a message in the composer, to be edited and sent again. */
function editInComposer(serverId: string, bytes: Uint8Array): void {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // What is sent as typed, or would lose bytes as a text, is edited as bytes.
  const indented = text.startsWith('\ufeff') ? null : indentedJson(text);
  const isSame = indented !== null && compactJson(indented) === text;
  addMessage(serverId, isSame ? indented : rawTextOf(bytes), { isRaw: !isSame });
  selectPane('composer');
}

/** The row whose unit can be edited and sent again: one that was sent, or the request of a response; null for none. */
export function resendableRow({ row, kind, direction, pair }: TraceRow): number | null {
  if (direction === 'out') return channelKinds.has(kind) ? row : null;
  return kind === 'result' || kind === 'error' ? pair : null;
}

/** The server to send a row of a trace to again: that of the session, or for an opened file the one of the same name. */
function serverFor(sessionId: string, name: string): string | null {
  const own = useSessions.getState().sessions[sessionId]?.serverId;
  const namesake = useServers.getState().servers.find((server) => server.name === name)?.id;
  return own ?? namesake ?? useSelection.getState().serverId;
}

/** Opens what a row sent in the composer, byte by byte: all messages of a batch, with their keys and digits. */
export async function editAndResend(sessionId: string, row: number): Promise<void> {
  const { server } = await call('trace/summary', { sessionId });
  const serverId = serverFor(sessionId, server.name);
  if (serverId === null) throw new FaultError(noServer);
  const bytes = await unitBytes(sessionId, row);
  if (useSelection.getState().openedId !== null) selectServer(serverId);
  editInComposer(serverId, bytes);
}

const noServer: Fault = {
  code: 'no-server',
  what: 'There is no server to send it to.',
  next: 'Select a server first.',
};

/** Limit of bytes that the composer takes. */
const MAX_BYTES = 4 * 1024 * 1024;

async function unitBytes(sessionId: string, row: number): Promise<Uint8Array> {
  const parts: number[] = [];
  for (let total = 1; parts.length < total; ) {
    const answer = await call('trace/bytes', {
      sessionId,
      row,
      from: parts.length,
      count: MAX_BYTES_PER_READ,
    });
    ({ total } = answer);
    if (total > MAX_BYTES) throw new FaultError(tooLong);
    const part = atob(answer.base64);
    if (part === '') break;
    for (let at = 0; at < part.length; at++) parts.push(part.charCodeAt(at));
  }
  return Uint8Array.from(parts);
}

const tooLong: Fault = {
  code: 'too-long-to-edit',
  what: 'The message is longer than 4 MiB, which the composer does not take.',
};

/** What a new message needs to know of its session; the next id is in none of the messages that are composed either. */
export async function newMessageContext(
  sessionId: string,
  serverId: string,
): Promise<Result<'composer/context'>> {
  const context = await call('composer/context', { sessionId });
  const { messages } = useComposerState.getState().compositions[serverId] ?? empty;
  const ids = messages.flatMap(({ text }) => [...text.matchAll(idMember)].map(([, id]) => Number(id)));
  return {
    ...context,
    nextId: Math.max(context.nextId, ...ids.filter(Number.isSafeInteger).map((id) => id + 1)),
  };
}

/** An integer id anywhere in the text. A match that is not an id does no harm: it only makes one more id unavailable. */
const idMember = /"id"\s*:\s*(\d{1,9})\b/g;

/** JSON texts by name. */
export type Variables = ReadonlyMap<string, string>;

/**
 * The bytes that a message is sent as: raw ones as typed, JSON without the whitespace between its tokens. Known variables
 * are replaced in JSON.
 */
export function bytesOf(
  { text, isRaw }: Pick<ComposerMessage, 'text' | 'isRaw'>,
  variables: Variables,
): UnitBytes {
  if (!isRaw) {
    const compact = compactJson(text);
    const usesVariables = compact !== null && variableNames(compact).some((name) => variables.has(name));
    return { as: 'text', text: usesVariables ? withVariables(compact, variables) : (compact ?? text) };
  }
  const bytes = bytesOfRawText(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { as: 'base64', base64: btoa(binary) };
}

/** A message that is ready to be sent. */
export interface ReadyMessage {
  readonly message: ComposerMessage;
  readonly bytes: UnitBytes;
  readonly composed: Composed;
}

/**
 * Sends messages in one go. One at a time: each waits for the response to the one before, and then for the pause; at once:
 * each only waits for the pause.
 */
export async function sendMessages(
  sessionId: string,
  ready: readonly ReadyMessage[],
  { order, pause, label }: { readonly order: SendOrder; readonly pause: number; readonly label: string },
): Promise<void> {
  const group = { id: ++lastId, at: Date.now(), label, sent: [] as readonly SentUnit[], fault: null };
  putGroup(sessionId, group);
  const sending: Promise<SentUnit>[] = [];
  for (const [index, one] of ready.entries()) {
    if (index > 0 && pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const sent = sendOne(sessionId, one).then((unit) => {
      noteSent(sessionId, group.id, unit);
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

/** Empties the list of what was sent. */
export const clearSent = (sessionId: string): void =>
  useComposerState.setState(({ groups }) => ({ groups: { ...groups, [sessionId]: [] } }));

const putGroup = (sessionId: string, group: SentGroup): void =>
  useComposerState.setState(({ groups }) => ({
    groups: { ...groups, [sessionId]: [...(groups[sessionId] ?? []), group] },
  }));

function changeGroup(sessionId: string, id: number, edit: (group: SentGroup) => SentGroup): void {
  useComposerState.setState(({ groups }) => ({
    groups: {
      ...groups,
      [sessionId]: (groups[sessionId] ?? []).map((group) => (group.id === id ? edit(group) : group)),
    },
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
  if (useComposerState.getState().groups[sessionId] !== undefined) return;
  useComposerState.setState(({ groups }) => ({ groups: { ...groups, [sessionId]: [] } }));
  const { clock } = await call('trace/summary', { sessionId });
  const found = await firstRows(sessionId, 'is:composed');
  const known = new Set(
    useComposerState.getState().groups[sessionId]?.flatMap(({ sent }) => sent.map(({ row }) => row)),
  );
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
  useComposerState.setState(({ groups }) => ({
    groups: { ...groups, [sessionId]: [...recalled, ...(groups[sessionId] ?? [])] },
  }));
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
