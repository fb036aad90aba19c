import type { Tool } from '#shared/contract/catalog.ts';
import { tokensOf } from '#shared/json/tokens.ts';
import type { TestedSession } from './tested-session.ts';

/** The tools that a text may call. `isUnclear`: it may call others, too. */
interface CalledTools {
  readonly names: ReadonlySet<string>;
  readonly isUnclear: boolean;
}

/** Why a text may not be sent without leave to write. */
export type WriteReason = 'not-listed' | 'writes';

/**
 * Whether a text may call a tool that writes, by any reading that a server may have of its bytes: names of members without
 * their case (as Go's encoding/json reads them), the first or the last of repeated members, each line or each value as a
 * message of its own, lenient parsers. A tool that is not listed as read-only counts as one that writes.
 *
 * @returns null if it cannot
 */
export function whyMayWrite(session: Pick<TestedSession, 'tools'>, text: string): WriteReason | null {
  const called = calledTools(text);
  if (called === null) return null;
  const tools = [...called.names].map((name) => listedTools(session, name));
  if (called.isUnclear || tools.length === 0) return 'writes';
  if (tools.some((listed) => listed.length === 0)) return 'not-listed';
  return tools.flat().every(({ annotations }) => annotations?.readOnlyHint === true) ? null : 'writes';
}

/** Whether a text calls a tool by any reading. */
export const callsTool = (text: string): boolean => calledTools(text) !== null;

/** Whether a request can only be read as a call of this tool. */
export function callsOnly(tool: string | null, request: string): boolean {
  const called = calledTools(request);
  return called !== null && !called.isUnclear && called.names.size === 1 && called.names.has(tool ?? '');
}

/** The text of a request, which is sent on one line. @param params JSON text of an object; null for none */
export function requestText(method: string, params: string | null): string {
  const members = params === null ? '' : `,"params":${params.replaceAll(/[\r\n]/g, ' ')}`;
  return `{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)}${members}}`;
}

/** The text of a call of a tool. @param args JSON text of an object */
export const toolCallText = (tool: string, args: string): string =>
  requestText('tools/call', `{"name":${JSON.stringify(tool)},"arguments":${args}}`);

/** The tools of this name that the server lists: usually one. */
export const listedTools = ({ tools }: Pick<TestedSession, 'tools'>, name: string | null): Tool[] =>
  tools.entries.flatMap((entry) => (entry.usable && entry.tool.name === name ? [entry.tool] : []));

/** Null if no reading of the text calls a tool. */
function calledTools(written: string): CalledTools | null {
  // As it is sent: UTF-8 has no lone surrogates.
  const text = Buffer.from(written).toString();
  if (!isMessage(text)) return mayHoldCall(text) ? unclear : null;
  const names = new Set<string>();
  let isUnclear = false;
  let isCall = false;
  for (const message of messagesIn(text)) {
    if (!message.callsTool) continue;
    isCall = true;
    for (const name of message.names) names.add(name);
    isUnclear ||= message.isUnclear || message.names.size === 0;
  }
  return isCall ? { names, isUnclear } : null;
}

const unclear: CalledTools = { names: new Set(), isUnclear: true };

/** Whether a text is one object or array by RFC 8259. Anything else may be read leniently, or be a part of a message. */
function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Whether a text that is no message may be understood as a call of a tool: it says so, or has an escape that may. */
const mayHoldCall = (text: string): boolean => text.includes('\\') || lettersOf(text).includes(CALL);

/** An object or array that is being read. */
interface Level {
  readonly isObject: boolean;
  /** Whether a server may take it for a message, or its elements for messages. */
  readonly isMessage: boolean;
  /** Whether it is the params of a message, by some reading. */
  readonly isParams: boolean;
  /** What the member that is read may be. */
  member: ReadonlySet<string>;
  isKey: boolean;
  callsTool: boolean;
  isUnclear: boolean;
  /** Of params: what their members call a name. Of a message: the same of all its params. */
  readonly names: Set<string>;
}

/** Characters at which some reader ends a line, as Python's `splitlines` does. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const lineEnd = /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** Yields the objects that may be messages: those outside of others, and all of them in a text of several lines. */
function* messagesIn(text: string): Generator<Level> {
  const hasLines = lineEnd.test(text);
  const levels: Level[] = [];
  for (const { kind, start, end } of tokensOf(text)) {
    const level = levels.at(-1);
    switch (kind) {
      case '{':
      case '[':
        noteStructure(level, kind, text);
        levels.push({
          isObject: kind === '{',
          isMessage: hasLines || level === undefined || (level.isMessage && !level.isObject),
          isParams: level?.isObject === true && level.member.has('params'),
          member: noMember,
          isKey: kind === '{',
          callsTool: false,
          isUnclear: false,
          names: new Set(),
        });
        break;
      case '}':
      case ']': {
        levels.pop();
        const parent = levels.at(-1);
        if (level?.isParams === true && parent !== undefined) {
          for (const name of level.names) parent.names.add(name);
          // A call without a name is not known to be harmless.
          parent.isUnclear ||= level.isUnclear || level.names.size === 0;
        }
        if (level?.isObject === true && level.isMessage) yield level;
        break;
      }
      case 'string':
        if (level?.isKey === true) {
          level.isKey = false;
          level.member =
            level.isMessage || level.isParams ? readingsOf(unquoted(text.slice(start, end))) : noMember;
        } else if (level !== undefined) noteString(level, text.slice(start, end));
        break;
      case 'word':
        if (level !== undefined) level.isUnclear ||= isRead(level);
        break;
      case ',':
        if (level?.isObject === true) level.isKey = true;
        break;
      case ':':
        break;
    }
  }
}

const noMember: ReadonlySet<string> = new Set();

/** Whether the member that is read may be the params of a message, or the name in such params. */
const isRead = ({ isObject, isParams, member }: Level): boolean =>
  isObject && (member.has('params') || (isParams && member.has('name')));

function noteString(level: Level, written: string): void {
  const { isObject, isParams, member } = level;
  if (!isObject) return;
  if (member.has('method') && readingsOf(unquoted(written)).has(CALL)) level.callsTool = true;
  // Params that are a string may be read as the JSON in it.
  if (member.has('params')) level.isUnclear = true;
  if (!isParams || !member.has('name')) return;
  const name = unquoted(written);
  if (!/\p{Surrogate}/u.test(name)) level.names.add(name);
  else level.isUnclear = true;
}

/** Notes a member whose value is an object or an array. */
function noteStructure(level: Level | undefined, kind: '{' | '[', text: string): void {
  if (level?.isObject !== true) return;
  if (isRead(level) && !(kind === '{' && level.member.has('params'))) level.isUnclear = true;
  // Some languages compare the list ["tools/call"] as its text.
  if (level.member.has('method') && mayHoldCall(text)) level.callsTool = level.isUnclear = true;
}

const unquoted = (string: string): string => String(JSON.parse(string));

/** The letters of `tools/call`. */
const CALL = 'toolscall';

/** How servers may read a name: without its case, as a string of C that ends with a NUL, without what is no letter. */
function readingsOf(name: string): ReadonlySet<string> {
  const [beforeNul = ''] = name.split('\0', 1);
  return new Set([lettersOf(name), lettersOf(beforeNul)]);
}

/** Its letters from a to z. Characters that fold to one of them count, such as ſ and the Kelvin sign (Unicode CaseFolding). */
export const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
