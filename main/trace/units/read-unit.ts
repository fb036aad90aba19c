import { isUtf8 } from 'node:buffer';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { isNestedDeeper, skipSpace, walkValue } from '#shared/json/tokens.ts';
import {
  idOf,
  readEnvelopes,
  withId,
  type Envelope,
  envelopeDefects,
  idText,
} from '#shared/protocol/jsonrpc.ts';
import type { Channel } from '#shared/trace/record.ts';
import { MAX_IN_BATCH, type NoiseReason } from '#shared/trace/row.ts';
import type { UnitText } from '#trace/recorded-message.ts';
import { StreamingJson } from './streaming-json.ts';

/** Why a unit is not JSON, in one sentence, by channel. */
const noiseSentences: Readonly<Record<Channel, Readonly<Record<NoiseReason, string>>>> = {
  stdin: onLines('standard input'),
  stdout: onLines('standard output'),
  http: {
    blank: 'A blank body: the body must be one message',
    'half-json': 'Half a JSON value: the body ends before it is closed',
    'several-values': 'Several JSON values in one body: the body must be one message',
    'not-json': 'Not JSON: the body must be one message, and no page of HTML or other text',
    ...onAnyChannel(),
  },
  sse: {
    blank: 'An event with blank data: the data of each event must be one message',
    'half-json': 'Half a JSON value: the event ends before it is closed. An event must carry a whole message',
    'several-values': 'Several JSON values in one event: the data of each event must be one message',
    'not-json': 'Not JSON: the data of an event must be one message',
    ...onAnyChannel(),
  },
};

function onLines(stream: string): Record<NoiseReason, string> {
  return {
    blank: 'A blank line: each line must be one message',
    'half-json': 'Half a JSON value: it ends before it is closed. A message must stand on one line',
    'several-values': 'Several JSON values on one line: each line must be one message',
    'not-json': `Not JSON: only messages may be written to ${stream}`,
    ...onAnyChannel(),
  };
}

function onAnyChannel() {
  return {
    'not-utf8': 'Not valid UTF-8: messages must be UTF-8',
    'too-large': 'Too large to be read as a message; its bytes are on the record',
  };
}

/** The content of a unit: messages (several in a batch), or noise. */
export type Reading =
  | {
      readonly type: 'messages';
      readonly envelopes: readonly Envelope[];
      /** Values of a batch beyond those that are read as messages. */
      readonly unlisted?: number;
    }
  | { readonly type: 'noise'; readonly reason: NoiseReason };

/** A unit above this many bytes does not fit a string comfortably and is not parsed. */
const MAX_UNIT = 256 * 1024 * 1024;

const BYTE_ORDER_MARK = '\ufeff';

export function readUnit(bytes: Buffer): Reading {
  if (bytes.length > MAX_UNIT) return noise('too-large');
  if (!isUtf8(bytes)) return noise('not-utf8');
  return readText(bytes.toString('utf8'));
}

/** First characters of JSON. Noise often comes in floods, and a failing parse is slow. */
const JSON_STARTS = '{["-0123456789tfn';

export function readText(text: string): Reading {
  const first = text.charAt(skipSpace(text, 0));
  if (first === '' || !JSON_STARTS.includes(first)) return noise(whyNotJson(text));
  try {
    // Some runtimes begin their output with a byte order mark; it hides no message.
    const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    const value = parse(json);
    const total = Array.isArray(value) ? value.length : 1;
    return messages(withExactIds(readEnvelopes(value, MAX_IN_BATCH), json), total);
  } catch {
    return noise(whyNotJson(text));
  }
}

/** @param total how many values the unit carried */
function messages(envelopes: readonly Envelope[], total: number): Reading {
  const unlisted = total - envelopes.length;
  return unlisted > 0 ? { type: 'messages', envelopes, unlisted } : { type: 'messages', envelopes };
}

/** The envelopes with the ids as they were written: parsing rounds integers beyond 2^53. */
function withExactIds(envelopes: readonly Envelope[], unit: string): readonly Envelope[] {
  if (!envelopes.some(isRounded)) return envelopes;
  const texts = elementTexts(unit, MAX_IN_BATCH);
  return envelopes.map((envelope, position) => {
    if (!isRounded(envelope)) return envelope;
    const written = memberText(texts[position] ?? unit, ['id']) ?? '';
    return /^-?\d+$/.test(written) ? withId(envelope, BigInt(written)) : envelope;
  });
}

function isRounded(envelope: Envelope): boolean {
  const id = idOf(envelope);
  return typeof id === 'number' && !Number.isSafeInteger(id);
}

/** Deeper levels are cut off: a value of some thousand levels can be neither sent to a screen nor written. */
const DEEPEST = 500;

function parse(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return isNestedDeeper(json, DEEPEST) ? cutBelow(value, DEEPEST) : value;
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '… nested too deeply to be read; the trace has the whole text';
  if (Array.isArray(value)) return value.map((element) => cutBelow(element, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, cutBelow(member, levels - 1)]),
  );
}

/** Why one message of a unit, or the unit itself, is not valid for its channel; null if it is. */
export function errorOf(reading: Reading, position: number, channel: Channel): string | null {
  if (reading.type === 'noise') return `${noiseSentences[channel][reading.reason]}.`;
  const envelope = reading.envelopes[position];
  return envelope && 'defect' in envelope
    ? `No JSON-RPC message: ${envelopeDefects[envelope.defect]}.`
    : null;
}

/** Whether a unit contains a message. */
export const holdsMessage = (reading: Reading): boolean =>
  reading.type === 'messages' && reading.envelopes.some((envelope) => 'message' in envelope);

/** The offset of the first byte that is not UTF-8; null if there is none. */
export function firstBadByte(bytes: Buffer): number | null {
  if (isUtf8(bytes)) return null;
  let low = 0;
  let high = bytes.length;
  // Finds the longest valid prefix, which ends at the invalid byte.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isValidPrefix(bytes, middle)) low = middle;
    else high = middle;
  }
  // The first bad byte is the first byte of the character that was not completed.
  let start = low;
  while (start > 0 && !isUtf8(bytes.subarray(0, start))) start--;
  return start;
}

const isValidPrefix = (bytes: Buffer, end: number): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
    return true;
  } catch {
    return false;
  }
};

export const noise = (reason: NoiseReason): Reading => ({ type: 'noise', reason });

function whyNotJson(text: string): NoiseReason {
  const trimmed = text.trim();
  if (trimmed === '') return 'blank';
  if (trimmed[0] !== '{' && trimmed[0] !== '[') return 'not-json';
  const { end } = walkValue(trimmed, 0);
  if (end === null) return 'half-json';
  const rest = trimmed.slice(end).trimStart();
  return rest.startsWith('{') || rest.startsWith('[') ? 'several-values' : 'not-json';
}

/** Limits of bytes and values of a unit that is parsed as a whole: about 100 ms of this thread. */
const MAX_SAFE_WHOLE = 32 * 1024 * 1024;
const MAX_VALUES = 150_000;
/** Pieces to keep before they are joined. */
const MAX_PIECES = 1024;

/** The content of a unit that came in pieces, once it is complete. */
export interface ReadPieces {
  readonly reading: Reading;
  /** The bytes of the unit; null if it was too large to be held. Some of its values are then missing in `reading`. */
  readonly bytes: Buffer | null;
}

/** Parses a unit that arrives in pieces, piece by piece, so that a large one does not block other work. */
export class UnitReader {
  readonly #json = new StreamingJson();
  #pieces: Buffer[] | null = [];
  #size = 0;
  #isUtf8 = true;

  /** @param bytes a piece, which ends between two characters when the unit is UTF-8 */
  push(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#isUtf8 &&= isUtf8(bytes);
    // A line may never end, so the bytes of one that is too long are not kept.
    if (this.#size > MAX_SAFE_WHOLE) this.#pieces = null;
    this.#pieces?.push(bytes);
    // A line without its newline may come a few bytes at a time.
    if (this.#pieces !== null && this.#pieces.length > MAX_PIECES)
      this.#pieces = [Buffer.concat(this.#pieces)];
    if (this.#isUtf8 && this.#size <= MAX_UNIT) this.#json.push(bytes.toString('utf8'));
    if (this.#json.values > MAX_VALUES) this.#pieces = null;
  }

  end(): ReadPieces {
    if (this.#pieces !== null) {
      const bytes = Buffer.concat(this.#pieces);
      return { reading: readUnit(bytes), bytes };
    }
    if (this.#size > MAX_UNIT) return { reading: noise('too-large'), bytes: null };
    if (!this.#isUtf8) return { reading: noise('not-utf8'), bytes: null };
    const json = this.#json.end();
    if (json.type === 'noise') return { reading: noise(json.reason), bytes: null };
    const envelopes = readEnvelopes(json.value, MAX_IN_BATCH).map((envelope, position) => {
      const exact = this.#json.exactIds.get(position);
      return exact !== undefined && idOf(envelope) === Number(exact) ? withId(envelope, exact) : envelope;
    });
    return { reading: messages(envelopes, this.#json.messages), bytes: null };
  }
}

/** The text of one message of a unit: the element of a batch at that position, or the unit itself. */
export const messageTextIn = (unit: string, position: number): string =>
  elementTexts(unit, position + 1)[position] ?? unit;

/** The messages of the batches that are held at the moment: cut once, not once for each message. */
const batches = new WeakMap<UnitText, readonly string[]>();

/** A message and the unit it came in. */
interface CarriedMessage {
  readonly unit: UnitText;
  readonly position: number;
  /** The parsed part of a truncated unit. */
  readonly envelope?: Envelope;
  readonly isTruncated?: true;
}

/** The text of one message as written; for a truncated unit, the known part. */
export function messageTextOf({ unit, position, envelope, isTruncated }: CarriedMessage): string {
  if (isTruncated && envelope !== undefined) return knownText(envelope);
  const elements = batches.get(unit) ?? elementTexts(unit.text, MAX_IN_BATCH);
  if (elements.length > 1) batches.set(unit, elements);
  return elements[position] ?? unit.text;
}

function knownText(envelope: Envelope): string {
  if ('defect' in envelope) return '';
  const { type: _, ...members } = envelope.message;
  const texts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${JSON.stringify(key)}:${typeof value === 'bigint' ? idText(value) : JSON.stringify(value)}`,
    );
  return `{"jsonrpc":"2.0",${texts.join(',')}}`;
}
