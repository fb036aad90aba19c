import { duplicateKeys } from '#shared/json/duplicate-keys.ts';
import { skipSpace } from '#shared/json/tokens.ts';
import type { Channel } from '#shared/trace/record.ts';
import type { NoiseReason } from '#shared/trace/row.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedNoise, RecordedMessage } from '#trace/recorded-message.ts';
import { noise as noiseOf, errorOf } from '#trace/units/read-unit.ts';
import { newFinding, type Rule } from './rules.ts';

/** Bytes above which a unit is not parsed a second time: it would delay other work. */
const MAX_READ = 256 * 1024;
/** Limit of reported duplicate keys per unit. */
const MAX_DUPLICATES = 20;

const BYTE_ORDER_MARK = '\ufeff';

/** The unit that carried messages, checked as it was written. */
export class Unit {
  readonly #recorded: readonly RecordedMessage[];
  /** In bytes. */
  readonly #size: number;
  /** Empty if the unit was too large to keep. */
  readonly #text: string;
  #value: unknown;
  #isParsed = false;

  /** @param recorded the messages of the unit, at least one */
  constructor(recorded: readonly RecordedMessage[], first: RecordedMessage) {
    this.#recorded = recorded;
    this.#size = first.size;
    this.#text = first.unit.text;
  }

  get isBatch(): boolean {
    return this.#text.charAt(skipSpace(this.#text, 0)) === '[';
  }

  /** The JSON value of a message; undefined if the unit is too large to be parsed again. */
  valueOf({ position }: RecordedMessage): unknown {
    if (!this.#isParsed && this.#isReadable) this.#value = JSON.parse(this.#json);
    this.#isParsed = true;
    return Array.isArray(this.#value) ? this.#value[position] : this.#value;
  }

  /** Reports a byte order mark and duplicate keys. */
  check(): readonly NewFinding[] {
    const [first] = this.#recorded;
    if (first === undefined) return NOTHING;
    const duplicates = this.#isReadable ? duplicateKeys(this.#json, MAX_DUPLICATES) : [];
    if (duplicates.length === 0 && !this.#hasByteOrderMark) return NOTHING;
    const found = duplicates.map((pointer) => this.#duplicate(pointer, first));
    if (duplicates.length === MAX_DUPLICATES) {
      const text = `These are the first ${MAX_DUPLICATES} keys that stand more than once; there may be more`;
      found.push(newFinding('jsonrpc/duplicate-key', first, text));
    }
    if (!this.#hasByteOrderMark) return found;
    const text = 'Begins with a byte order mark: JSON on the wire has none, and many readers fail on it';
    return [newFinding('transport/bom', first, text), ...found];
  }

  #duplicate(pointer: string, first: RecordedMessage): NewFinding {
    const [, position = '', ...rest] = pointer.split('/');
    const own = this.isBatch ? this.#recorded[Number(position)] : undefined;
    const text = 'A key that stands more than once in its object: most readers keep the last, some the first';
    return own === undefined
      ? newFinding('jsonrpc/duplicate-key', first, text, { pointer })
      : newFinding('jsonrpc/duplicate-key', own, text, { pointer: ['', ...rest].join('/') });
  }

  get #isReadable(): boolean {
    return this.#text !== '' && this.#size <= MAX_READ;
  }

  get #hasByteOrderMark(): boolean {
    return this.#text.startsWith(BYTE_ORDER_MARK);
  }

  get #json(): string {
    return this.#hasByteOrderMark ? this.#text.slice(BYTE_ORDER_MARK.length) : this.#text;
  }
}

const NOTHING: readonly NewFinding[] = [];

const onAnyChannel = {
  'not-utf8': 'transport/invalid-utf8',
  'too-large': 'transport/message-too-large',
} as const;

const onLines: Readonly<Record<NoiseReason, Rule>> = {
  ...onAnyChannel,
  'not-json': 'stdio/non-mcp-stdout',
  'half-json': 'stdio/embedded-newline',
  'several-values': 'stdio/several-on-a-line',
  blank: 'stdio/blank-line',
};

const everyReason = (rule: Rule): Readonly<Record<NoiseReason, Rule>> => ({
  'not-json': rule,
  'half-json': rule,
  'several-values': rule,
  blank: rule,
  ...onAnyChannel,
});

/** The rule that noise from the server breaks, by channel. */
const rulesOf: Readonly<Record<Channel, Readonly<Record<NoiseReason, Rule>>>> = {
  stdin: onLines,
  stdout: onLines,
  http: everyReason('http/json-reply-not-object'),
  sse: everyReason('sse/data-not-json'),
};

/** Reports noise on a message channel (MCP 2025-06-18 transports). */
export function checkNoise(noise: RecordedNoise): NewFinding {
  const { channel, reason, isCut, direction } = noise;
  const isLine = channel === 'stdout' || channel === 'stdin';
  if (isCut && reason !== 'not-utf8' && reason !== 'too-large') {
    const rule = isLine ? 'stdio/unterminated-last-line' : 'transport/cut';
    const what = isLine ? 'its last line' : 'this message';
    return newFinding(rule, noise, `The output ended inside ${what}`);
  }
  // The trace's descriptions are whole sentences.
  const text = errorOf(noiseOf(reason), 0, channel)?.replace(/\.$/, '') ?? reason;
  return newFinding(direction === 'out' ? 'jsonrpc/invalid-envelope' : rulesOf[channel][reason], noise, text);
}
