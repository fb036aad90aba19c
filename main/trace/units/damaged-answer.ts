import { isUtf8 } from 'node:buffer';
import { isJson, scanString, skipSpace, tokensOf, unquoted, walkValue } from '#shared/json/tokens.ts';
import { type Id, isId, isObject } from '#shared/protocol/jsonrpc.ts';
import { readableText } from '#transports/quote.ts';
import { firstBadByte } from './read-unit.ts';

/** What can still be read of a response that is no message. */
export interface DamagedAnswer {
  /** Null if it cannot be read. */
  readonly id: Id | null;
  /** What is wrong with it, as the end of a sentence. */
  readonly why: string;
  /** As text that can be read. */
  readonly text: string;
}

/** Bytes that are read of a unit: its beginning, and as much of its end as an id takes. */
const MAX_READ = 1024 * 1024;
const TAIL = 400;
/** Tokens that are read of it. */
const MAX_TOKENS = 200_000;
/** Values that are read of one line. */
const MAX_VALUES = 10;

/**
 * Reads a unit that is not JSON but begins as a response does: `NaN`, a raw tab or line break in a string, bytes that are not UTF-8, a
 * second message on the line. Null for any other unit, such as a line of a log, or a request.
 */
export function readDamagedAnswer(content: Buffer | string): DamagedAnswer | null {
  if (!mayBeObject(content)) return null;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const head = bytes.subarray(0, MAX_READ);
  const wide = utf16In(head);
  const text = wide ?? readableText(head);
  const tail =
    wide === null && bytes.length > MAX_READ ? readableText(bytes.subarray(-TAIL)) : text.slice(-TAIL);
  const several = wide === null ? severalIn(text) : null;
  const found = several ?? membersIn(text);
  if (found === null || found.isRequest) return null;
  const id = found.id ?? idAtEnd(tail);
  if (!found.isAnswer && (id === null || !found.hasVersion)) return null;
  const why =
    wide !== null
      ? 'it is UTF-16 text, and messages must be UTF-8'
      : several !== null
        ? 'several JSON values came in one unit, which must be one message'
        : whyDamaged(bytes, text);
  return { id, why, text };
}

/** Reads an event that carries a response but has a name of its own, so that clients do not read it; null for any other event. */
export function readNamedAnswer(name: string, content: Buffer | string): DamagedAnswer | null {
  if (name === 'endpoint' || !mayBeObject(content)) return null;
  const text = content.toString().slice(0, MAX_READ);
  const found = membersIn(text);
  if (found === null || found.isRequest || !found.isAnswer || !found.hasVersion) return null;
  const why = `it came in an event named "${name.slice(0, 60)}", and only events without a name, or named "message", carry messages`;
  return { id: found.id, why, text: `event: ${name}\ndata: ${text}` };
}

const OPENING = 0x7b;

/** Whether a unit begins like an object, in UTF-8 or UTF-16. */
function mayBeObject(content: Buffer | string): boolean {
  if (typeof content === 'string') {
    const first = content.charCodeAt(skipSpace(content, 0));
    return first === OPENING || first === 0;
  }
  const [first = 0, second = 0] = content;
  if (first === OPENING || first === 0 || (first >= 0xfe && second >= 0xfe)) return true;
  const start = content.toString('latin1', 0, 40).trimStart();
  return start.startsWith('{') || start.startsWith('\u00ef\u00bb\u00bf{');
}

/** The text of UTF-16, also of a line that was cut inside the two bytes of its line end; null if it is not that. */
function utf16In(bytes: Buffer): string | null {
  if (!bytes.subarray(0, 8).includes(0)) return null;
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const from = isMarked ? 2 : 0;
  const isBig = isMarked ? bytes[0] === 0xfe : bytes[0] === 0;
  const even = bytes.subarray(from, bytes.length - ((bytes.length - from) % 2));
  const text = new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(even).trim();
  return text.startsWith('{') && text.includes('"') ? text : null;
}

interface Members {
  readonly id: Id | null;
  /** Whether it has a method, so that it is no response. */
  readonly isRequest: boolean;
  /** Whether it has a result or an error. */
  readonly isAnswer: boolean;
  readonly hasVersion: boolean;
}

/** What the members of an object say about it, as far as its tokens can be read. */
function membersIn(text: string): Members | null {
  let depth = 0;
  let key: string | null = null;
  let last = '';
  let id: Id | null = null;
  let count = 0;
  const keys = new Set<string>();
  for (const { kind, start, end } of tokensOf(text)) {
    if (count++ > MAX_TOKENS) break;
    if (count === 1 && kind !== '{') return null;
    if (depth === 1 && kind === ':') key = last;
    else if (depth === 1 && key !== null) {
      keys.add(key);
      if (key === 'id' && (kind === 'word' || kind === 'string')) id = idIn(text.slice(start, end));
      key = null;
    }
    last = depth === 1 && kind === 'string' ? unquoted(text.slice(start, end)) : '';
    if (kind === '{' || kind === '[') depth++;
    if (kind === '}' || kind === ']') depth--;
    if (depth === 0) break;
  }
  return {
    id,
    isRequest: keys.has('method'),
    isAnswer: keys.has('result') || keys.has('error'),
    hasVersion: keys.has('jsonrpc'),
  };
}

/** An id as JSON has it; null if it is none. */
function idIn(written: string): Id | null {
  if (/^-?\d{1,40}$/.test(written)) {
    const number = Number(written);
    return Number.isSafeInteger(number) ? number : BigInt(written);
  }
  return written.startsWith('"') && isJson(written) ? unquoted(written) : null;
}

/** The id at the end of an object whose tokens cannot be told apart, such as after a quote that is not escaped. */
function idAtEnd(tail: string): Id | null {
  const written = /"id" ?: ?(-?\d{1,20}|"[^"\\]{1,200}") ?(?:, ?"jsonrpc" ?: ?"2\.0" ?)?\}\s{0,9}$/.exec(
    tail,
  )?.[1];
  return written === undefined ? null : idIn(written);
}

/** The first response of several values on one line; null if it is not several. */
function severalIn(text: string): Members | null {
  const values: unknown[] = [];
  for (let at = skipSpace(text, 0); at < text.length && values.length < MAX_VALUES; ) {
    const { end } = walkValue(text, at);
    if (end === null || end <= at || text.charAt(at) !== '{') return null;
    const value = parsed(text.slice(at, end));
    if (value === undefined) return null;
    values.push(value);
    at = skipSpace(text, end);
  }
  const answer = values.find((value) => isObject(value) && ('result' in value || 'error' in value));
  if (values.length < 2 || !isObject(answer)) return null;
  const id = isId(answer.id) ? answer.id : null;
  return { id, isRequest: 'method' in answer, isAnswer: true, hasVersion: true };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // Damaged in another way.
  }
}

const NUMBER = /^-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][-+]?\d{1,20})?$/;
const controlNames: Readonly<Record<number, readonly [name: string, escape: string]>> = {
  0x09: ['tab', '\\t'],
  0x0a: ['line feed', '\\n'],
  0x0d: ['carriage return', '\\r'],
};

/** What is wrong with JSON text, as the end of a sentence. Quotes none of it: it may hold a secret. */
function whyDamaged(bytes: Buffer, text: string): string {
  if (!isUtf8(bytes)) {
    const at = firstBadByte(bytes) ?? 0;
    return `byte 0x${bytes.toString('hex', at, at + 1).toUpperCase()} at offset ${at} is not UTF-8`;
  }
  let last = '';
  let count = 0;
  for (const { kind, start, end } of tokensOf(text)) {
    if (count++ > MAX_TOKENS) break;
    if (kind === 'string') {
      const why = whyBadString(text, start);
      if (why !== null) return why;
    }
    if (kind === 'word') {
      const word = text.slice(start, end);
      if (!NUMBER.test(word) && !['true', 'false', 'null'].includes(word)) {
        return /^[-+]?[A-Za-z]{1,20}$/.test(word)
          ? `${word} is no JSON value`
          : 'it holds a value that is not JSON';
      }
    }
    if (last === ',' && (kind === '}' || kind === ']')) return 'a comma has no value after it';
    last = kind;
  }
  return walkValue(text, skipSpace(text, 0)).end === null ? 'it ends before it is closed' : 'it is not JSON';
}

function whyBadString(text: string, start: number): string | null {
  const { end, isWhole } = scanString(text, start);
  if (isWhole) return null;
  const code = text.charCodeAt(end);
  if (code < 0x20) {
    const [name, escape] = controlNames[code] ?? ['control character', '\\u…'];
    return `a raw ${name} (U+${code.toString(16).toUpperCase().padStart(4, '0')}) is in a string, where JSON has ${escape}`;
  }
  return end >= text.length ? 'it ends inside a string' : 'a string has an escape that JSON does not know';
}
