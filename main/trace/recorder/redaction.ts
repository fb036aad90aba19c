import { createHmac, randomBytes } from 'node:crypto';
import { isContractWord } from '#shared/contract/words.ts';
import { isOrdinary } from '#shared/ordinary-values.ts';
import { characterBoundary } from '#transports/pieces.ts';
import { isLatin1Json, JSON_START, JsonRanges, type JsonState, mayBeJson } from './json-ranges.ts';
import { decodings, type EscapeReader, undecidedEscapes } from './escapes.ts';
import { formsOf, unescapedFormsOf, wideFormsOf } from './secret-forms.ts';

/** Limits the search: each form is searched for in each unit, and a server may set a new cookie with each response. */
export const MAX_LEARNED = 64;
/** Generated at each start, so that no placeholder can be compared with guesses later. */
const key = randomBytes(32);

/** Bytes as Latin-1, one character per byte, so that binary data can be searched too. */
type Latin1 = string;

interface Secret {
  readonly placeholder: string;
  /** The byte sequences to search for, each with its replacement. */
  readonly forms: readonly (readonly [form: Latin1, written: Latin1])[];
  /** Those to search for where escapes were decoded. */
  readonly unescaped: readonly (readonly [form: Latin1, written: Latin1])[];
}

/** A secret found in a text, with its replacement. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly placeholder: Latin1;
}

/**
 * Replaces secret values before they are written anywhere. The placeholder keeps the kind of secret,
 * its length and a short keyed hash: equal values stay recognisable, and no value can be guessed from its hash.
 */
export class Redactor {
  /** Secrets that the user marked, by their values. */
  readonly #marked = new Map<string, Secret>();
  /** What the user marked as secret, including values that are not searched for. */
  readonly #markedKinds = new Map<string, Set<string>>();
  /** Secrets learned during the session, the newest last. */
  readonly #learned = new Map<string, Secret>();
  /** The forms to search for, longest first: a secret must not be broken up by a shorter one inside it. */
  #forms: readonly Latin1[] = [];
  #shortest = Number.POSITIVE_INFINITY;
  /** Whether the forms are up to date. Preparing them is slow, and one text may contain many new secrets, so it happens late. */
  #isPrepared = false;
  /** The replacement of each form. */
  readonly #placeholders = new Map<Latin1, Latin1>();
  /** The same for the forms in texts whose escapes are decoded. */
  readonly #unescaped = new Map<Latin1, Latin1>();
  #reader: EscapeReader = { isBytes: true, wanted: new Set() };
  #longestUnescaped = 0;
  /** What was found last, because a text is first asked for secrets, and then searched. */
  #lastEscaped: { readonly text: Latin1; readonly found: readonly Found[] } = { text: '', found: [] };

  /** @param secrets values by what they are, such as `env:API_KEY`. */
  constructor(secrets: ReadonlyMap<string, string>) {
    for (const [kind, value] of secrets) {
      this.#noteKind(kind, value);
      if (!this.#marked.has(value) && isSearched(value)) this.#marked.set(value, secretOf(kind, value));
    }
  }

  /** The most bytes a secret can take up. */
  get longest(): number {
    this.#prepare();
    return this.#forms[0]?.length ?? 0;
  }

  /** Whether the user marked this value of this kind; the case of the kind does not matter. */
  isMarked(kind: string, value: string): boolean {
    return value !== '' && this.#markedKinds.get(kind.toLowerCase())?.has(value) === true;
  }

  /**
   * Treats a value as secret that the user marked during the session. It is always replaced where `kind` says it belongs,
   * and everywhere else if it does not occur in ordinary text, as `true` does.
   */
  mark(kind: string, value: string): void {
    this.#noteKind(kind, value);
    this.learn(kind, value);
  }

  /**
   * Replaces this value everywhere from now on, unless it is ordinary. Beyond the limit the oldest learned values are
   * forgotten.
   */
  learn(kind: string, value: string): void {
    if (this.#marked.has(value) || !isSearched(value)) return;
    const known = this.#learned.get(value);
    this.#learned.delete(value);
    this.#learned.set(value, known ?? secretOf(kind, value));
    if (known !== undefined) return;
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > MAX_LEARNED && oldest !== undefined) this.#learned.delete(oldest);
    this.#isPrepared = false;
  }

  /** The placeholder of a value that is secret because of its position. */
  placeholder(kind: string, value: string): string {
    const known = this.#marked.get(value) ?? this.#learned.get(value);
    return known?.placeholder ?? placeholderFor(kind, value);
  }

  redact(text: string): string {
    if (this.#isTooShort(text)) return text;
    // Nearly every text is ASCII, where bytes and characters are one.
    if (!NOT_ASCII.test(text) && (text.length < this.#shortest || !this.#holdsSecret(text))) return text;
    return this.redactBytes(Buffer.from(text)).toString();
  }

  /** Redacts a text of characters or of Latin-1 bytes: HTTP leaves that open. */
  redactByteText(text: string): string {
    if (this.#isTooShort(text)) return text;
    if (!NOT_ASCII.test(text) || NOT_LATIN1.test(text)) return this.redact(text);
    return this.redact(this.redactBytes(Buffer.from(text, 'latin1')).toString('latin1'));
  }

  redactBytes(bytes: Buffer): Buffer {
    this.#prepare();
    if (bytes.length < this.#shortest) return bytes;
    const text = bytes.toString('latin1');
    const found = this.#find(text);
    return found.length === 0 ? bytes : replaced(text, found, text.length);
  }

  /** Redacts a unit or a body; valid JSON stays valid. */
  redactUnit(bytes: Buffer): Buffer {
    this.#prepare();
    if (bytes.length < this.#shortest) return bytes;
    const text = bytes.toString('latin1');
    if (!this.#holdsSecret(text)) return bytes;
    const found = isLatin1Json(text) ? this.#findInJson(text, new JsonRanges(text)).found : this.#find(text);
    return found.length === 0 ? bytes : replaced(text, found, text.length);
  }

  /**
   * Redacts the next piece of a unit, up to where the following piece may matter.
   *
   * @param json the state after the previous pieces if the unit may be JSON, else null
   * @returns `rest` must be prepended to the next piece; `json` is the state at its start
   */
  redactPiece(
    bytes: Buffer,
    { json, isLast }: { json: JsonState | null; isLast: boolean },
  ): { redacted: Buffer; rest: Buffer; json: JsonState | null } {
    this.#prepare();
    const text = bytes.toString('latin1');
    const tail = isLast ? text.length : this.#undecidedTail(text);
    const { found, undecided } =
      json === null
        ? { found: this.#find(text), undecided: text.length }
        : this.#findInJson(text, new JsonRanges(text, json), isLast);
    const decidedEnd = Math.min(tail, undecided);
    const decided = found.filter(({ start }) => start < decidedEnd);
    const end = Math.max(
      isLast ? decidedEnd : characterBoundary(bytes, decidedEnd),
      decided.at(-1)?.end ?? 0,
    );
    const redacted = decided.length === 0 ? bytes.subarray(0, end) : replaced(text, decided, end);
    const after = json && new JsonRanges(text, json).stateAt(end);
    return { redacted, rest: Buffer.from(bytes.subarray(end)), json: after };
  }

  /** Where the tail begins that may be the start of a secret or a placeholder. */
  #undecidedTail(text: Latin1): number {
    const wanted = [...this.#forms, ...new Set(this.#placeholders.values())];
    const longest = wanted.reduce((most, { length }) => Math.max(most, length), 0);
    const values = [...this.#unescaped.keys()];
    const escaped = undecidedEscapes(text, this.#reader, { values, longest: this.#longestUnescaped });
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start++) {
      const last = text.slice(start);
      if (wanted.some((form) => form.length > last.length && form.startsWith(last)))
        return Math.min(start, escaped);
    }
    return escaped;
  }

  /**
   * Finds the secrets in a text that is or may be JSON.
   *
   * @returns `undecided` is where the undecided tail of the text begins
   */
  #findInJson(text: Latin1, json: JsonRanges, isWhole = true): { found: Found[]; undecided: number } {
    const values: Found[] = [];
    let undecided = text.length;
    const inStrings = this.#find(text, (start, end, placeholder) => {
      const ranges = json.replaceableIn(start, end);
      const [first] = ranges;
      if (ranges.length === 1 && first?.start === start && first.end === end && !first.isValue) return true;
      // If the match cannot be part of JSON, the text is not JSON, and replacing it cannot break it.
      if (ranges.length === 0 && !json.isPlausible(start, end)) return true;
      if (ranges.at(-1)?.end === text.length && !isWhole) undecided = Math.min(undecided, start);
      for (const { isValue, ...range } of ranges) {
        const value = text.slice(range.start, range.end);
        values.push({ ...range, placeholder: isValue ? valuePlaceholder(value, placeholder) : placeholder });
      }
      return false;
    });
    if (values.length === 0) return { found: inStrings, undecided };
    return { found: merged(inStrings, distinct(values)), undecided };
  }

  #find(
    text: Latin1,
    accepts: (start: number, end: number, placeholder: Latin1) => boolean = () => true,
  ): Found[] {
    if (!this.#holdsSecret(text)) return [];
    const present = this.#forms.filter((form) => text.includes(form));
    // Placeholders match themselves, so that a secret such as `secret` is not replaced inside them.
    const placeholders = [...new Set(this.#placeholders.values())].filter((placeholder) =>
      text.includes(placeholder),
    );
    const kept = new Set(placeholders);
    const literal = [...present, ...placeholders].map(
      (form) => new Occurrences(text, form, this.#placeholders.get(form) ?? form),
    );
    const sources = [...literal, new ListedOccurrences(this.#escapedIn(text))];
    return [
      ...leftmostLongest(
        sources,
        ({ start, end, placeholder }) => kept.has(text.slice(start, end)) || accepts(start, end, placeholder),
      ),
    ];
  }

  /** The secrets of which some characters are escaped, in order. */
  #escapedIn(text: Latin1): readonly Found[] {
    if (this.#lastEscaped.text === text) return this.#lastEscaped.found;
    const found: Found[] = [];
    for (const decoded of decodings(text, this.#reader)) {
      const present = [...this.#unescaped].filter(([form]) => decoded.text.includes(form));
      const sources = present.map(([form, written]) => new Occurrences(decoded.text, form, written));
      const isEscaped = ({ start, end }: Found) => decoded.place(start, end) !== null;
      for (const { start, end, placeholder } of leftmostLongest(sources, isEscaped)) {
        const place = decoded.place(start, end);
        if (place !== null) found.push({ ...place, placeholder });
      }
    }
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    this.#lastEscaped = { text, found };
    return found;
  }

  /** Whether no secret fits into a text, whatever its characters: in UTF-8 each takes up to three bytes. */
  #isTooShort(text: string): boolean {
    this.#prepare();
    return text.length * 3 < this.#shortest;
  }

  #holdsSecret(text: Latin1): boolean {
    for (const form of this.#forms) if (text.includes(form)) return true;
    return this.#escapedIn(text).length > 0;
  }

  #noteKind(kind: string, value: string): void {
    // A header that occurs again has a number: `header:X-Pin/2`.
    const name = kind.toLowerCase().replace(/\/\d+$/, '');
    this.#markedKinds.set(name, (this.#markedKinds.get(name) ?? new Set()).add(value));
  }

  #prepare(): void {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    this.#placeholders.clear();
    this.#unescaped.clear();
    this.#lastEscaped = { text: '', found: [] };
    for (const { forms, unescaped } of [...this.#marked.values(), ...this.#learned.values()]) {
      for (const [form, written] of forms)
        if (!this.#placeholders.has(form)) this.#placeholders.set(form, written);
      for (const [form, written] of unescaped)
        if (!this.#unescaped.has(form)) this.#unescaped.set(form, written);
    }
    const unescaped = [...this.#unescaped.keys()];
    this.#reader = { isBytes: true, wanted: new Set(unescaped.join('')) };
    this.#longestUnescaped = unescaped.reduce((most, { length }) => Math.max(most, length), 0);
    this.#forms = [...this.#placeholders.keys()].sort((a, b) => b.length - a.length);
    this.#shortest = this.#forms.at(-1)?.length ?? Number.POSITIVE_INFINITY;
  }
}

/** Occurrences of one secret, of which the first is looked at. */
interface Source {
  /** Null if there are no more. */
  readonly first: Found | null;
  /** Goes on to the first one that begins here or later. */
  advance(from: number): void;
}

/** Those of a string in a text. */
class Occurrences implements Source {
  readonly #text: string;
  readonly #form: string;
  readonly #placeholder: string;
  first: Found | null = null;

  constructor(text: string, form: string, placeholder: string) {
    this.#text = text;
    this.#form = form;
    this.#placeholder = placeholder;
    this.#seek(0);
  }

  advance(from: number): void {
    if (this.first !== null && this.first.start < from) this.#seek(from);
  }

  #seek(from: number): void {
    const start = this.#text.indexOf(this.#form, from);
    this.first =
      start === -1 ? null : { start, end: start + this.#form.length, placeholder: this.#placeholder };
  }
}

/** Those that were found before, in order. */
class ListedOccurrences implements Source {
  readonly #all: readonly Found[];
  #at = 0;

  constructor(all: readonly Found[]) {
    this.#all = all;
  }

  get first(): Found | null {
    return this.#all[this.#at] ?? null;
  }

  advance(from: number): void {
    while (this.first !== null && this.first.start < from) this.#at++;
  }
}

/**
 * The occurrences from left to right; of several at the same position, the longest.
 *
 * @param isWanted called in the order of the text; others are skipped
 */
function* leftmostLongest(sources: readonly Source[], isWanted: (found: Found) => boolean): Generator<Found> {
  let waiting = sources.filter(({ first }) => first !== null);
  let from = 0;
  for (;;) {
    for (const one of waiting) one.advance(from);
    waiting = waiting.filter(({ first }) => first !== null);
    const [source, ...others] = waiting;
    if (source === undefined) return;
    const best = others.reduce((one, other) => (isBefore(other.first, one.first) ? other : one), source);
    const next = best.first;
    if (next === null) return;
    if (!isWanted(next)) {
      best.advance(next.start + 1);
      continue;
    }
    yield next;
    from = next.end;
  }
}

const isBefore = (one: Found | null, other: Found | null): boolean =>
  one !== null &&
  (other === null || one.start < other.start || (one.start === other.start && one.end > other.end));

/** Redacts units that arrive in pieces: a possible start of a secret is written with the next piece. */
export class PieceRedactor {
  readonly #redactor: Redactor;
  /** `json` is undefined as long as the unit has only space, and may be either. */
  readonly #begun = new Map<number, { readonly rest: Buffer; readonly json: JsonState | null | undefined }>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The bytes to record for this piece of a unit. */
  redact(unit: number, bytes: Buffer, more: boolean): Buffer {
    const before = this.#begun.size === 0 ? undefined : this.#begun.get(unit);
    if (before === undefined && !more) return this.#redactor.redactUnit(bytes);
    if (before === undefined && this.#redactor.longest === 0) return bytes;
    const whole = before ? Buffer.concat([before.rest, bytes]) : bytes;
    const beginning = whole.toString('latin1', 0, MAX_SPACE);
    if (more && before?.json === undefined && whole.length < MAX_SPACE && isBlank(beginning)) {
      this.#begun.set(unit, { rest: Buffer.from(whole), json: undefined });
      return Buffer.alloc(0);
    }
    const json = before?.json === undefined ? (mayBeJson(beginning) ? JSON_START : null) : before.json;
    const { redacted, ...after } = this.#redactor.redactPiece(whole, { json, isLast: !more });
    if (more) this.#begun.set(unit, after);
    else this.#begun.delete(unit);
    return redacted;
  }
}

const isBlank = (text: string): boolean => /^(?:\u00ef(?:\u00bb\u00bf?)?)?\s*$/.test(text);

/** Leading bytes of a unit that show whether it may be JSON. */
const MAX_SPACE = 1024;

/** The values in order, without duplicates: a value may be part of several matches. */
const distinct = (values: readonly Found[]): Found[] =>
  [...new Map(values.map((one) => [one.start, one])).values()].sort((a, b) => a.start - b.start);

/** Matches and values in order, without the matches inside a value, which is replaced as a whole. */
function merged(inStrings: readonly Found[], values: readonly Found[]): Found[] {
  let next = 0;
  const others = inStrings.filter((one) => {
    while ((values[next]?.end ?? Number.POSITIVE_INFINITY) <= one.start) next++;
    return one.end <= (values[next]?.start ?? Number.POSITIVE_INFINITY);
  });
  return [...others, ...values].sort((a, b) => a.start - b.start);
}

/** Whether a value is replaced wherever it occurs: an ordinary one, or one that we write ourselves, is not. */
const isSearched = (value: string): boolean => !isOrdinary(value) && !isContractWord(value);

function secretOf(kind: string, value: string): Secret {
  const placeholder = placeholderFor(kind, value);
  const written = asLatin1(placeholder);
  const forms = [...formsOf(value)].map((form) => [asLatin1(form), written] as const);
  const unescaped = [...unescapedFormsOf(value)].map((form) => [asLatin1(form), written] as const);
  const wide = wideFormsOf(value).map(({ form, write }) => [form, write(placeholder)] as const);
  return { placeholder, forms: [...forms, ...wide], unescaped };
}

function placeholderFor(kind: string, value: string): string {
  const hash = createHmac('sha256', key).update(value).digest('hex').slice(0, 8);
  // Placeholders occur inside JSON strings and must not end them.
  const name = kind.replaceAll(/["\\\p{Cc}]/gu, '_');
  return `[secret ${name}, ${value.length} characters, ${hash}]`;
}

/**
 * What takes the place of a JSON value other than a string: a number stays a number, so that what reads it still can. It is 0,
 * written with the hash of the placeholder as its exponent.
 */
export function valuePlaceholder(value: string, placeholder: string): string {
  if (!/^-?\d/.test(value)) return `"${placeholder}"`;
  return `0e-${Number.parseInt(placeholder.slice(-9, -1), 16)}`;
}

/** The text up to `end` with the matches replaced. */
function replaced(text: Latin1, found: readonly Found[], end: number): Buffer {
  const parts: string[] = [];
  let from = 0;
  for (const one of found) {
    parts.push(text.slice(from, one.start), one.placeholder);
    from = one.end;
  }
  parts.push(text.slice(from, end));
  return Buffer.from(parts.join(''), 'latin1');
}

const asLatin1 = (text: string): Latin1 => Buffer.from(text).toString('latin1');
const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN1 = /[^\0-\xff]/;
