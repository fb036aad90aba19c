import { createHmac, randomBytes } from 'node:crypto';
import { characterBoundary } from '#wire/framing.ts';
import { formsOf } from './secret-forms.ts';

/** Shorter values would be found by chance in ordinary text. */
const SHORTEST_SECRET = 4;
/** Each form is looked for in each unit, and a server may set a new cookie with each answer. */
export const MOST_LEARNED = 64;
/** Made anew at each start, so that no placeholder can be compared with guesses later. */
const key = randomBytes(32);

/** Bytes as Latin-1, where each byte is one character, so that bytes which are no text are searched too. */
type Latin1 = string;

interface Secret {
  readonly placeholder: string;
  /** As which bytes it is looked for. */
  readonly forms: readonly Latin1[];
}

/** Where a secret stands in a text, and what comes in its place. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly placeholder: Latin1;
}

/**
 * Replaces secret values before they are written anywhere. The placeholder keeps what kind of secret it was,
 * its length and a short keyed hash: equal values stay recognisable, none can be guessed.
 */
export class Redactor {
  /** By their values. */
  readonly #marked = new Map<string, Secret>();
  /** What the user marked, also where it is too short to be looked for. */
  readonly #markedKinds = new Map<string, string>();
  /** What was seen to be a secret while the session runs; what was seen last stands last. */
  readonly #learned = new Map<string, Secret>();
  /** What to look for, longest first: a secret that contains another one must not be torn by it. */
  #forms: readonly Latin1[] = [];
  #shortest = Number.POSITIVE_INFINITY;
  /** Something was learned since: a text may teach any number at once, and preparing takes its time. */
  #isPrepared = false;
  /** What comes in the place of each form. */
  readonly #placeholders = new Map<Latin1, Latin1>();

  /** @param secrets values by what they are, such as `env:API_KEY`. */
  constructor(secrets: ReadonlyMap<string, string>) {
    for (const [kind, value] of secrets) {
      this.#markedKinds.set(kind.toLowerCase(), value);
      if (value.length >= SHORTEST_SECRET && !this.#marked.has(value)) {
        this.#marked.set(value, secretOf(kind, value));
      }
    }
  }

  /** The most bytes a secret can take up. */
  get longest(): number {
    this.#prepare();
    return this.#forms[0]?.length ?? 0;
  }

  /** Whether the user marked this value of this kind, whatever the case of the kind. */
  isMarked(kind: string, value: string): boolean {
    return value !== '' && this.#markedKinds.get(kind.toLowerCase()) === value;
  }

  /** From now on replaces this value too, wherever it stands. Of very many the oldest are forgotten. */
  learn(kind: string, value: string): void {
    if (value.length < SHORTEST_SECRET || this.#marked.has(value)) return;
    const known = this.#learned.get(value);
    this.#learned.delete(value);
    this.#learned.set(value, known ?? secretOf(kind, value));
    if (known !== undefined) return;
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > MOST_LEARNED && oldest !== undefined) this.#learned.delete(oldest);
    this.#isPrepared = false;
  }

  /** What stands for a value that is a secret because of where it was found. */
  placeholder(kind: string, value: string): string {
    const known = this.#marked.get(value) ?? this.#learned.get(value);
    return known?.placeholder ?? placeholderFor(kind, value);
  }

  redact(text: string): string {
    this.#prepare();
    // Nearly every text is ASCII, where bytes and characters are one.
    if (!NOT_ASCII.test(text) && (text.length < this.#shortest || !this.#holdsSecret(text))) return text;
    return this.redactBytes(Buffer.from(text)).toString();
  }

  /** Redacts a text that stands for bytes, a Latin-1 character a byte, or for characters: HTTP leaves that open. */
  redactByteText(text: string): string {
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

  /** Redacts as much as can be told without what follows; `rest` is to be put before that. */
  redactStart(bytes: Buffer): { redacted: Buffer; rest: Buffer } {
    this.#prepare();
    const text = bytes.toString('latin1');
    const certain = Math.max(0, text.length - Math.max(0, this.longest - 1));
    const found = this.#find(text).filter(({ start }) => start < certain);
    const end = Math.max(characterBoundary(bytes, certain), found.at(-1)?.end ?? 0);
    const redacted = found.length === 0 ? bytes.subarray(0, end) : replaced(text, found, end);
    return { redacted, rest: Buffer.from(bytes.subarray(end)) };
  }

  #find(text: Latin1): Found[] {
    if (!this.#holdsSecret(text)) return [];
    const present = this.#forms.filter((form) => text.includes(form));
    // A placeholder stands for itself, so that a secret such as `secret` is not replaced inside of it.
    const own = [...new Set(this.#placeholders.values())].filter((placeholder) => text.includes(placeholder));
    const found: Found[] = [];
    for (const { start, form } of leftmostLongest(text, [...present, ...own])) {
      found.push({ start, end: start + form.length, placeholder: this.#placeholders.get(form) ?? form });
    }
    return found;
  }

  #holdsSecret(text: Latin1): boolean {
    for (const form of this.#forms) if (text.includes(form)) return true;
    return false;
  }

  #prepare(): void {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    this.#placeholders.clear();
    for (const { placeholder, forms } of [...this.#marked.values(), ...this.#learned.values()]) {
      const written = asLatin1(placeholder);
      for (const form of forms) if (!this.#placeholders.has(form)) this.#placeholders.set(form, written);
    }
    this.#forms = [...this.#placeholders.keys()].sort((a, b) => b.length - a.length);
    this.#shortest = this.#forms.at(-1)?.length ?? Number.POSITIVE_INFINITY;
  }
}

/** Where these strings stand in a text: the first that comes, of several at one place the longest, and so on. */
function* leftmostLongest(
  text: string,
  forms: readonly string[],
): Generator<{ start: number; form: string }> {
  let waiting = forms.map((form) => ({ form, start: text.indexOf(form) }));
  let from = 0;
  for (;;) {
    for (const one of waiting) if (one.start < from) one.start = text.indexOf(one.form, from);
    waiting = waiting.filter(({ start }) => start !== -1);
    const [first, ...others] = waiting;
    if (first === undefined) return;
    const next = others.reduce((best, one) => (isBefore(one, best) ? one : best), first);
    yield { start: next.start, form: next.form };
    from = next.start + next.form.length;
  }
}

type Standing = { readonly start: number; readonly form: string };
const isBefore = (one: Standing, other: Standing): boolean =>
  one.start < other.start || (one.start === other.start && one.form.length > other.form.length);

/** Redacts units that come in pieces: what may be the beginning of a secret is written with the next piece. */
export class PieceRedactor {
  readonly #redactor: Redactor;
  readonly #heldBack = new Map<number, Buffer>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What is to be written now of a piece of this unit. */
  redact(unit: number, bytes: Buffer, more: boolean): Buffer {
    const before = this.#heldBack.size === 0 ? undefined : this.#heldBack.get(unit);
    const whole = before ? Buffer.concat([before, bytes]) : bytes;
    if (!more) {
      if (before) this.#heldBack.delete(unit);
      return this.#redactor.redactBytes(whole);
    }
    if (this.#redactor.longest === 0) return whole;
    const { redacted, rest } = this.#redactor.redactStart(whole);
    this.#heldBack.set(unit, rest);
    return redacted;
  }
}

const secretOf = (kind: string, value: string): Secret => ({
  placeholder: placeholderFor(kind, value),
  forms: [...formsOf(value)].map(asLatin1),
});

function placeholderFor(kind: string, value: string): string {
  const hash = createHmac('sha256', key).update(value).digest('hex').slice(0, 8);
  // It stands inside strings of JSON, which it must not end.
  const name = kind.replaceAll(/["\\\p{Cc}]/gu, '_');
  return `[secret ${name}, ${value.length} characters, ${hash}]`;
}

/** The text up to a place, with what was found before it replaced. */
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
