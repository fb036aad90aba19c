import type { Found } from '#trace/inspector.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { broken } from './rules.ts';

/** Larger units, in bytes, are not read a second time: it would hold up all others. */
const LARGEST_READ = 256 * 1024;
/** Duplicate keys told of one unit. */
const MOST_DUPLICATES = 20;

const BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The unit that messages came in: its bytes, apart from what the messages mean. */
export class Unit {
  readonly #bytes: Buffer;
  readonly #seen: readonly RecordedMessage[];
  #value: unknown;
  #isParsed = false;

  /** @param seen the messages of the unit, at least one */
  constructor(recorded: readonly RecordedMessage[], first: RecordedMessage) {
    this.#seen = recorded;
    this.#bytes = first.bytes;
  }

  get isBatch(): boolean {
    let place = this.#hasByteOrderMark ? BYTE_ORDER_MARK.length : 0;
    while (spaces.has(this.#bytes[place])) place++;
    return this.#bytes[place] === BRACKET;
  }

  /** The JSON value of a message; undefined when the unit is too large to be read again. */
  valueOf({ position }: RecordedMessage): unknown {
    if (!this.#isParsed && this.#isReadable) this.#value = JSON.parse(this.#text);
    this.#isParsed = true;
    return Array.isArray(this.#value) ? this.#value[position] : this.#value;
  }

  /** A byte order mark, and keys that stand twice. */
  check(): readonly Found[] {
    const [first] = this.#seen;
    if (first === undefined) return NOTHING;
    const duplicates = this.#isReadable ? duplicateKeys(this.#text, MOST_DUPLICATES) : [];
    if (duplicates.length === 0 && !this.#hasByteOrderMark) return NOTHING;
    const found = duplicates.map((pointer) => this.#duplicate(pointer, first));
    if (duplicates.length === MOST_DUPLICATES) {
      const text = `These are the first ${MOST_DUPLICATES} keys that stand more than once; there may be more`;
      found.push(broken('jsonrpc/duplicate-key', first, text));
    }
    if (!this.#hasByteOrderMark) return found;
    const text = 'Begins with a byte order mark: JSON on the wire has none, and many readers fail on it';
    return [broken('transport/bom', first, text), ...found];
  }

  #duplicate(pointer: string, first: RecordedMessage): Found {
    const [, position = '', ...rest] = pointer.split('/');
    const own = this.isBatch ? this.#seen[Number(position)] : undefined;
    const text = 'A key that stands more than once in its object: most readers keep the last, some the first';
    return own === undefined
      ? broken('jsonrpc/duplicate-key', first, text, { pointer })
      : broken('jsonrpc/duplicate-key', own, text, { pointer: ['', ...rest].join('/') });
  }

  get #isReadable(): boolean {
    return this.#bytes.length > 0 && this.#bytes.length <= LARGEST_READ;
  }

  get #hasByteOrderMark(): boolean {
    return BYTE_ORDER_MARK.every((byte, place) => this.#bytes[place] === byte);
  }

  /** Without a byte order mark. */
  get #text(): string {
    return this.#bytes.toString('utf8', this.#hasByteOrderMark ? BYTE_ORDER_MARK.length : 0);
  }
}

const NOTHING: readonly Found[] = [];
