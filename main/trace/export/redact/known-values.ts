import { isOrdinary } from '#shared/ordinary-values.ts';
import { isLong } from '#shared/secret-names.ts';
import { decodings } from '#trace/recorder/escapes.ts';
import { formsOf, unescapedFormsOf, type WideForm, wideFormsOf } from '#trace/recorder/secret-forms.ts';
import type { Span } from './spans.ts';

/** Each has some forms that are held in memory. */
export const MAX_KNOWN = 20_000;
const LONGEST = 16 * 1024;
const SHORTEST = 6;

/** A mark is made of four characters, five bits each. */
const MARKS = 1 << 20;

interface Form {
  readonly written: string;
  readonly kind: string;
  readonly value: string;
  readonly write?: WideForm['write'];
}

/** Forms that begin with the same four characters. */
interface Alike {
  readonly byText: Map<string, Form>;
  /** The lengths that occur, longest first: few, however many forms there are. */
  lengths: readonly number[];
}

/**
 * Values that were found to be secret somewhere, to be replaced everywhere, in every form they may be written in. Scans
 * a text once, however many values there are.
 */
export class KnownValues {
  readonly #values = new Set<string>();
  /** The known forms, by the mark of their first four characters. */
  readonly #forms = new Map<number, Alike>();
  readonly #marks = new Uint8Array(MARKS);
  /** The characters of the values where escapes are decoded. */
  readonly #characters = new Set<string>();
  /** Values that a server sent in a header before we sent them. */
  readonly #ofServer = new Set<string>();

  get size(): number {
    return this.#values.size;
  }

  /** Adds a value, unless it would occur by chance in ordinary text. */
  learn(kind: string, value: string): void {
    if (this.#values.size >= MAX_KNOWN || this.#values.has(value) || !isTelling(value)) return;
    this.#values.add(value);
    for (const { form, write } of wideFormsOf(value)) this.#add({ written: form, kind, value, write });
    const unescaped = unescapedFormsOf(value);
    for (const form of unescaped) for (const character of form) this.#characters.add(character);
    for (const form of new Set([...formsOf(value), ...unescaped])) {
      this.#add({ written: form, kind, value });
      // Bytes that are not UTF-8 are searched as Latin-1, one character per byte.
      if (NOT_ASCII.test(form)) this.#add({ written: Buffer.from(form).toString('latin1'), kind, value });
    }
  }

  /**
   * Adds a value that a server sent in a header: it is not our secret when we send it back, and the server
   * could have any text replaced by it. A value that we sent first stays known, even if the server repeats it.
   */
  noteOfServer(value: string): void {
    if (this.#ofServer.size >= MAX_KNOWN || this.#values.has(value) || !isTelling(value)) return;
    this.#ofServer.add(value);
  }

  /** Whether a server sent this value in a header before we did. */
  isOfServer(value: string): boolean {
    return this.#ofServer.has(value);
  }

  /** The known values in a text, also those of which some characters are escaped; each place once, from left to right. */
  find(text: string): Span[] {
    const spans = this.findWritten(text);
    if (this.#values.size === 0) return spans;
    const places = new Set(spans.map(({ start, end }) => `${start} ${end}`));
    for (const decoded of decodings(text, { isBytes: false, wanted: this.#characters })) {
      for (const span of this.findWritten(decoded.text)) {
        const place = decoded.place(span.start, span.end);
        if (place === null || places.has(`${place.start} ${place.end}`)) continue;
        places.add(`${place.start} ${place.end}`);
        spans.push({ ...span, ...place });
      }
    }
    return spans.sort((a, b) => a.start - b.start);
  }

  /** The known values in a text in the forms that are written whole, from left to right; of several at one position, the longest. */
  findWritten(text: string): Span[] {
    if (this.#values.size === 0) return [];
    const spans: Span[] = [];
    let mark = 0;
    let from = 0;
    for (let offset = 0; offset < text.length; offset++) {
      mark = next(mark, text.charCodeAt(offset));
      const start = offset - 3;
      if (this.#marks[mark] === 0 || start < from) continue;
      const form = longestAt(this.#forms.get(mark), text, start);
      if (form === null) continue;
      const { kind, value, written, write } = form;
      from = start + written.length;
      spans.push({ start, end: from, kind, value, learned: [], ...(write && { write }) });
    }
    return spans;
  }

  #add(form: Form): void {
    let mark = 0;
    for (let offset = 0; offset < 4; offset++) mark = next(mark, form.written.charCodeAt(offset));
    this.#marks[mark] = 1;
    const alike = this.#forms.get(mark) ?? { byText: new Map<string, Form>(), lengths: [] };
    this.#forms.set(mark, alike);
    const { written } = form;
    // Tokens of one issuer share a prefix, and there may be many.
    if (!alike.byText.has(written)) alike.byText.set(written, form);
    if (!alike.lengths.includes(written.length)) {
      alike.lengths = [...alike.lengths, written.length].sort((a, b) => b - a);
    }
  }
}

function longestAt(alike: Alike | undefined, text: string, start: number): Form | null {
  for (const length of alike?.lengths ?? []) {
    const form = alike?.byText.get(text.slice(start, start + length));
    if (form !== undefined) return form;
  }
  return null;
}

const next = (mark: number, code: number): number => ((mark << 5) ^ code) & (MARKS - 1);

/** Whether a value is distinct from ordinary text: a word, a number, a method or a media type is not. */
function isTelling(value: string): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || ORDINARY.test(value)) return false;
  return !isOrdinary(value) && (isLong(value) || (/\d/.test(value) && /[a-z]/i.test(value)));
}

const ORDINARY = /^(?:[a-z]+\/)+[a-z_.+-]+$|^\d{4}-\d\d-\d\d$|^\d+(?:\.\d+)+$/i;
const NOT_ASCII = /[^\0-\x7f]/;
