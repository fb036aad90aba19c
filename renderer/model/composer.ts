import { create } from 'zustand';
import { call } from '#bridge';
import type { HeaderChange, UnitBytes } from '#shared/contract/sessions.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import type { PlaceEntry } from '#shared/contract/place.ts';
import { MAX_BYTES_PER_READ } from '#shared/contract/trace.ts';
import { memberText, memberTexts, withValueAt } from '#shared/json/members.ts';
import { compactJson, indentedJson } from '#shared/json/tokens.ts';
import { type TreeNode, treeOf } from '#shared/json/tree.ts';
import { variableNames, withVariables } from '#shared/json/variables.ts';
import { bytesOfRawText, rawTextOf } from '#shared/raw-text.ts';
import { channelKinds, type TraceRow } from '#shared/trace/row.ts';
import { entryOf, keepInPlace } from './place.ts';
import { selectPane, selectServer, useSelection } from './selection.ts';
import { serverNamed } from './servers.ts';
import { isOpen, latestSession, useSessions } from './sessions.ts';
import { offerUndo } from './undo.ts';

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
  /** The replacement of its ids when it was sent last; null if they were left. */
  readonly renewed: RenewedIds | null;
}

/** Ids of requests as JSON text: those that were sent in a session, and those that took their place. */
export interface RenewedIds {
  readonly sessionId: string;
  readonly sent: readonly string[];
  readonly next: readonly string[];
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

interface Composer {
  /** The composition of each server, by its id. */
  readonly compositions: Readonly<Record<string, Composition>>;
}

const useComposerState = create<Composer>()(() => ({ compositions: {} }));

keepInPlace<Composer, Composition>(useComposerState, {
  prefix: 'composition ',
  get: ({ compositions }) => compositions,
  set: (compositions) => ({ compositions }),
  toEntry: compositionEntry,
  fromEntry: compositionFrom,
});

/** The messages as they were typed, with their timeouts. Changed headers may be credentials, so they are not kept. */
function compositionEntry({ messages, selected, order, pause }: Composition, serverId: string) {
  const typed = messages.map(({ text, timeout }, place) => [
    [`text ${place}`, text],
    [`timeout ${place}`, timeout],
  ]);
  const chosen = messages.map(({ isRaw, saved }, place) => [
    [`isRaw ${place}`, isRaw],
    [`saved ${place}`, saved],
  ]);
  return entryOf(serverId, {
    chosen: {
      ...Object.fromEntries(chosen.flat()),
      count: messages.length,
      selected: messages.findIndex(({ id }) => id === selected),
      order,
    },
    typed: { ...Object.fromEntries(typed.flat()), pause },
  });
}

function compositionFrom({ chosen, typed }: PlaceEntry): Composition | undefined {
  const count = typeof chosen.count === 'number' ? chosen.count : 0;
  const messages = Array.from({ length: count }, (_, place): ComposerMessage => {
    const saved = chosen[`saved ${place}`];
    return {
      ...newMessage(typed[`text ${place}`] ?? '', chosen[`isRaw ${place}`] === true),
      timeout: typed[`timeout ${place}`] ?? '',
      saved: typeof saved === 'string' ? saved : null,
    };
  });
  const selected = messages[typeof chosen.selected === 'number' ? chosen.selected : 0] ?? messages[0];
  if (selected === undefined) return undefined;
  const order = sendOrders.find((one) => one === chosen.order) ?? 'one-at-a-time';
  return { messages, selected: selected.id, order, pause: typed.pause ?? '0' };
}

let lastId = 0;

const newMessage = (text: string, isRaw = false): ComposerMessage => ({
  id: ++lastId,
  text,
  isRaw,
  headers: [],
  timeout: '',
  saved: null,
  renewed: null,
});

const first = newMessage('');
const empty: Composition = { messages: [first], selected: first.id, order: 'one-at-a-time', pause: '0' };

export const useComposition = (serverId: string): Composition =>
  useComposerState(({ compositions }) => compositions[serverId] ?? empty);

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

/** Removes a message, which can be undone unless it is empty; the last one is emptied. */
export function closeMessage(serverId: string, id: number): void {
  const before = useComposerState.getState().compositions[serverId]?.messages ?? [];
  const at = before.findIndex((one) => one.id === id);
  const message = before[at];
  removeMessage(serverId, id);
  if (message === undefined || message.text.trim() === '') return;
  offerUndo('Closed a message of the composer', () =>
    change(serverId, (composition) => {
      const others = composition.messages.filter(({ text }) => text !== '');
      return { ...composition, messages: others.toSpliced(at, 0, message), selected: id };
    }),
  );
}

const removeMessage = (serverId: string, id: number): void =>
  change(serverId, (composition) => {
    const at = composition.messages.findIndex((one) => one.id === id);
    const left = composition.messages.filter((one) => one.id !== id);
    const messages = left.length === 0 ? [newMessage('')] : left;
    const next = messages[Math.min(Math.max(at, 0), messages.length - 1)];
    const selected = composition.selected === id && next !== undefined ? next.id : composition.selected;
    return { ...composition, messages, selected };
  });

/**
 * Opens a message in the composer, to be edited and sent again.
 *
 * @param nextId the id of its request; null leaves it as it was
 */
function editInComposer(serverId: string, bytes: Uint8Array, nextId: number | null): void {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // What is sent as typed, or would lose bytes as a text, is edited as bytes.
  const indented = text.startsWith('\ufeff') ? null : indentedJson(text);
  const isSame = indented !== null && compactJson(indented) === text;
  const edited = isSame && nextId !== null ? indentedJson(withNextIds(text, nextId)) : indented;
  addMessage(serverId, isSame && edited !== null ? edited : rawTextOf(bytes), { isRaw: !isSame });
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
  return own ?? serverNamed(name)?.id ?? useSelection.getState().serverId;
}

/**
 * Opens what a row sent in the composer, byte by byte: all messages of a batch, with their keys and digits. Only requests get
 * new ids, because an id is used once in a session (MCP 2025-06-18 basic, requests).
 */
export async function editAndResend(sessionId: string, row: number): Promise<void> {
  const { server } = await call('trace/summary', { sessionId });
  const serverId = serverFor(sessionId, server.name);
  if (serverId === null) throw new FaultError(noServer);
  const bytes = await unitBytes(sessionId, row);
  const target = latestSession(useSessions.getState().sessions, serverId);
  const isOpenSession = target !== null && isOpen(target);
  const nextId = isOpenSession ? (await newMessageContext(target.id, serverId)).nextId : null;
  if (useSelection.getState().openedId !== null) selectServer(serverId);
  editInComposer(serverId, bytes, nextId);
}

/** A unit whose requests have the ids from this one on; also as their progress tokens, where these were the ids. */
function withNextIds(unit: string, nextId: number): string {
  let last = nextId;
  let renamed = '';
  let from = 0;
  for (const { start, end } of messagesIn(unit)) {
    const message = unit.slice(start, end);
    renamed += unit.slice(from, start) + (isRequest(message) ? withId(message, last++) : message);
    from = end;
  }
  return renamed + unit.slice(from);
}

/** The ids of the requests of a unit, as JSON text. */
export const requestIds = (unit: string): readonly string[] =>
  messagesIn(unit).flatMap(({ start, end }) => {
    const message = unit.slice(start, end);
    return isRequest(message) ? (memberText(message, ['id']) ?? []) : [];
  });

/** Where the messages of a unit are: those of a batch, or the one. */
function messagesIn(unit: string): readonly TreeNode[] {
  const root = treeOf(unit);
  if (root === null) return [];
  return root.kind === 'array' ? root.items : [root];
}

const isRequest = (message: string): boolean => {
  const members = memberTexts(message);
  return members.has('id') && members.has('method');
};

function withId(message: string, id: number): string {
  const token = ['params', '_meta', 'progressToken'];
  const isToken = memberText(message, token) === memberText(message, ['id']);
  const renamed = withValueAt(message, ['id'], String(id));
  return isToken ? withValueAt(renamed, token, String(id)) : renamed;
}

/**
 * Gives the requests of a message that was sent the next ids, so that it can be sent again with another argument. Leaves a text
 * that was edited since, and ids that are not in it, because they came from variables.
 */
export async function renewIds(
  { sessionId, serverId }: { readonly sessionId: string; readonly serverId: string },
  { id, text: sentText, isRaw }: ComposerMessage,
  bytes: UnitBytes,
): Promise<void> {
  if (isRaw || bytes.as !== 'text') return;
  const sent = requestIds(bytes.text);
  if (sent.length === 0 || !isSameList(requestIds(sentText), sent)) return;
  const { nextId } = await call('composer/context', { sessionId });
  change(serverId, (composition) => {
    const isUnedited = (one: ComposerMessage) => one.id === id && one.text === sentText && !one.isRaw;
    const text = withNextIds(sentText, unusedId(nextId, composition.messages));
    const renewed = { text, renewed: { sessionId, sent, next: requestIds(text) } };
    return {
      ...composition,
      messages: composition.messages.map((one) => (isUnedited(one) ? { ...one, ...renewed } : one)),
    };
  });
}

/** The replacement of ids when the message was sent last, if that was in this session and the text has the new ones. */
export const renewedIdsIn = ({ text, renewed }: ComposerMessage, sessionId: string): RenewedIds | null =>
  renewed?.sessionId === sessionId && isSameList(requestIds(text), renewed.next) ? renewed : null;

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, place) => value === other[place]);

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
  return { ...context, nextId: unusedId(context.nextId, messages) };
}

/** An id from this one on that is in none of the messages. */
function unusedId(from: number, messages: readonly ComposerMessage[]): number {
  const ids = messages.flatMap(({ text }) => [...text.matchAll(idMember)].map(([, id]) => Number(id)));
  return Math.max(from, ...ids.filter(Number.isSafeInteger).map((id) => id + 1));
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
