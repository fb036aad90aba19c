import { isUtf8 } from 'node:buffer';
import { idOf, readEnvelopes, withId } from '#shared/protocol/jsonrpc.ts';
import { JsonOutline } from './json-outline.ts';
import { MOST_IN_BATCH } from '#shared/trace/row.ts';
import { LARGEST_PARSED, messages, noise, type Reading, readUnit } from './read-unit.ts';

/** Bytes, and values in them, of a unit that is parsed as a whole: about 100 ms of this thread at most. */
const LARGEST_WHOLE = 32 * 1024 * 1024;
const MOST_VALUES = 150_000;
/** Pieces kept side by side before they are made one. */
const MOST_PIECES = 1024;

/** What a unit in pieces turned out to be, now that it is whole. */
export interface ReadPieces {
  readonly reading: Reading;
  /** Its bytes; null when it was too large to be held, and its values are in the reading only in part. */
  readonly bytes: Buffer | null;
}

/** Reads a unit that comes in pieces: each as it comes, so that a large one holds nothing else up. */
export class UnitReader {
  readonly #outline = new JsonOutline();
  #pieces: Buffer[] | null = [];
  #size = 0;
  #isUtf8 = true;

  /** @param bytes a piece, which ends between two characters when the unit is UTF-8 */
  push(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#isUtf8 &&= isUtf8(bytes);
    // A line may never end; what will not be read is not kept.
    if (this.#size > LARGEST_WHOLE) this.#pieces = null;
    this.#pieces?.push(bytes);
    // A line without its newline may come a few bytes at a time.
    if (this.#pieces !== null && this.#pieces.length > MOST_PIECES)
      this.#pieces = [Buffer.concat(this.#pieces)];
    if (this.#isUtf8 && this.#size <= LARGEST_PARSED) this.#outline.push(bytes.toString('utf8'));
    if (this.#outline.values > MOST_VALUES) this.#pieces = null;
  }

  end(): ReadPieces {
    if (this.#pieces !== null) {
      const bytes = Buffer.concat(this.#pieces);
      return { reading: readUnit(bytes), bytes };
    }
    if (this.#size > LARGEST_PARSED) return { reading: noise('too-large'), bytes: null };
    if (!this.#isUtf8) return { reading: noise('not-utf8'), bytes: null };
    const outline = this.#outline.end();
    if (outline.type === 'noise') return { reading: noise(outline.reason), bytes: null };
    const envelopes = readEnvelopes(outline.value, MOST_IN_BATCH).map((envelope, position) => {
      const exact = this.#outline.exactIds.get(position);
      return exact !== undefined && idOf(envelope) === Number(exact) ? withId(envelope, exact) : envelope;
    });
    return { reading: messages(envelopes, this.#outline.messages), bytes: null };
  }
}
