import type { Switches } from '#shared/client-switches/switches.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Era, isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { memberText } from '#shared/json/members.ts';
import { acceptedCodings } from '#transports/content-coding.ts';
import { encodeHeaderValue, type ParamHeader, paramHeaderLines } from './param-headers.ts';

/** What the headers of a request depend on when it is sent. */
export interface HeaderState {
  /** Null until the era is known. */
  readonly era: Era | null;
  readonly revision: string;
  /** `Mcp-Session-Id` of the legacy era. */
  readonly sessionId: string | null;
  readonly switches: Switches;
  /** Lines of the user for this server; they replace ours. */
  readonly custom: HeaderLines;
  /** Lines that authorize the request. */
  readonly authorization: HeaderLines;
  readonly userAgent: string;
  /** The parameters of a tool that are mirrored into headers. */
  paramHeadersOf(tool: string): readonly ParamHeader[];
}

/** The header lines of a POST that carries this unit. */
export function postHeaders(state: HeaderState, unit: string): HeaderLines {
  const message = parseMessage(unit);
  const method = message?.method ?? null;
  return withCustom(state, [
    ['Accept', 'application/json, text/event-stream'],
    ['Content-Type', 'application/json'],
    ...versionLine(state, method),
    // The session begins with the answer to `initialize`.
    ...(method === 'initialize' ? [] : sessionLine(state)),
    ...(message !== null && isModern(state, method) ? standardLines(state, message, unit) : []),
  ]);
}

/** The header lines of a GET for an event stream; null in the modern era, which has none. */
export function getHeaders(state: HeaderState, lastEventId: string | null): HeaderLines | null {
  if (state.era === 'modern') return null;
  return withCustom(state, [
    ['Accept', 'text/event-stream'],
    ...versionLine(state, null),
    ...sessionLine(state),
    ...(lastEventId === null ? [] : [['Last-Event-ID', asLatin1(lastEventId)] as const]),
  ]);
}

/** The header lines of the DELETE that ends a session; null if there is no session to end. */
export function deleteHeaders(state: HeaderState): HeaderLines | null {
  // The modern era has no DELETE, although a late response to `initialize` may have set a session id.
  if (state.sessionId === null || state.era === 'modern') return null;
  return withCustom(state, [...versionLine(state, null), ...sessionLine(state)]);
}

/** A request or notification that a unit carries. */
interface SentMessage {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function parseMessage(unit: string): SentMessage | null {
  try {
    const value: unknown = JSON.parse(unit);
    if (!isObject(value) || typeof value.method !== 'string') return null;
    return { method: value.method, params: isObject(value.params) ? value.params : {} };
  } catch {
    // Raw bytes of the user that are not a message.
    return null;
  }
}

/** Whether a request follows the modern era. `server/discover` always does, because only that era has it. */
const isModern = ({ era }: HeaderState, method: string | null): boolean =>
  era === 'modern' || method === 'server/discover';

/** `MCP-Protocol-Version`: on all requests of the modern era, and since 2025-06-18 on those after `initialize`. */
function versionLine({ era, revision, switches }: HeaderState, method: string | null): HeaderLines {
  const { versionHeader } = switches;
  const isBeforeNegotiation = method === 'initialize' || (era === null && method !== 'server/discover');
  if (isBeforeNegotiation || versionHeader.how === 'omit') return [];
  if (versionHeader.how === 'replace') return [[VERSION, versionHeader.value]];
  const isTooOld = isKnownRevision(revision) && !revisionAtLeast(revision, '2025-06-18');
  return isTooOld ? [] : [[VERSION, revision]];
}

const VERSION = 'MCP-Protocol-Version';

const sessionLine = ({ era, sessionId, switches }: HeaderState): HeaderLines =>
  sessionId === null || switches.omitSessionId || era === 'modern' ? [] : [['Mcp-Session-Id', sessionId]];

/** The member of the params that `Mcp-Name` mirrors (MCP 2026-07-28 Streamable HTTP, standard request headers). */
const nameMembers: Readonly<Record<string, 'name' | 'uri' | 'taskId'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  // Of the tasks extension 2026-07-28, routing headers.
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function standardLines(state: HeaderState, { method, params }: SentMessage, unit: string): HeaderLines {
  const { standardHeaders } = state.switches;
  if (standardHeaders === 'omit') return [];
  const member = Object.hasOwn(nameMembers, method) ? nameMembers[method] : undefined;
  const name = member === undefined ? undefined : params[member];
  const lines: HeaderLines = [
    ['Mcp-Method', encodeHeaderValue(method)],
    ...(typeof name === 'string' ? [['Mcp-Name', encodeHeaderValue(name)] as const] : []),
    ...(method === 'tools/call' && typeof name === 'string'
      ? paramHeaderLines(state.paramHeadersOf(name), memberText(unit, ['params', 'arguments']) ?? '{}')
      : []),
  ];
  if (standardHeaders === 'send') return lines;
  return lines.map(([line, value]) => [line, `${value}-at-odds`] as const);
}

/** Our header lines, then those of the user. A header that the user set replaces ours. */
function withCustom({ custom, authorization, userAgent }: HeaderState, lines: HeaderLines): HeaderLines {
  const replaced = new Set(custom.map(([name]) => name.toLowerCase()));
  const ours: HeaderLines = [
    ...lines,
    ...authorization,
    ['Accept-Encoding', acceptedCodings],
    ['User-Agent', userAgent],
  ];
  return [...ours.filter(([name]) => !replaced.has(name.toLowerCase())), ...custom];
}

/** Header values are bytes; text is sent as UTF-8. */
const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
