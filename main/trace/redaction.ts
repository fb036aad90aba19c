import { createHmac, randomBytes } from 'node:crypto';
import { characterBoundary } from '#wire/framing.ts';

/** Shorter values would be found by chance in ordinary text. */
const SHORTEST_SECRET = 4;
/** Made anew at each start, so that no placeholder can be compared with guesses later. */
const key = randomBytes(32);

/**
 * Replaces secret values before they are written anywhere. The placeholder keeps what kind of secret it was,
 * its length and a short keyed hash: equal values stay recognisable, none can be guessed.
 */
export class Redactor {
  /** Bytes as Latin-1, where each byte is one character, so that bytes which are no text are searched too. */
  readonly #placeholders: readonly (readonly [secret: string, placeholder: string])[];

  /** @param secrets values by what they are, such as `env:API_KEY`. */
  constructor(secrets: ReadonlyMap<string, string>) {
    const found: [string, string][] = [];
    for (const [kind, value] of secrets) {
      if (value.length < SHORTEST_SECRET) continue;
      const placeholder = asLatin1(placeholderFor(kind, value));
      for (const form of formsOf(value)) found.push([asLatin1(form), placeholder]);
    }
    // Longest first: a secret that contains another one must not be torn by it.
    this.#placeholders = found.sort(([a], [b]) => b.length - a.length);
  }

  /** The most bytes a secret can take up. */
  get longest(): number {
    return this.#placeholders[0]?.[0].length ?? 0;
  }

  redact(text: string): string {
    return this.redactBytes(Buffer.from(text)).toString();
  }

  redactBytes(bytes: Buffer): Buffer {
    if (this.#placeholders.length === 0) return bytes;
    const before = bytes.toString('latin1');
    let after = before;
    for (const [secret, placeholder] of this.#placeholders) {
      if (after.includes(secret)) after = after.replaceAll(secret, placeholder);
    }
    return after === before ? bytes : Buffer.from(after, 'latin1');
  }
}

/** Redacts units that come in pieces: what may be the beginning of a secret is written with the next piece. */
export class PieceRedactor {
  readonly #redactor: Redactor;
  readonly #heldBack = new Map<number, Buffer>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What is to be written now of a piece of this unit. */
  redact(unit: number, bytes: Buffer, more: boolean): Buffer {
    const before = this.#heldBack.get(unit);
    const redacted = this.#redactor.redactBytes(before ? Buffer.concat([before, bytes]) : bytes);
    const held = Math.min(redacted.length, this.#redactor.longest - 1);
    if (!more || held <= 0) {
      this.#heldBack.delete(unit);
      return redacted;
    }
    const end = characterBoundary(redacted, redacted.length - held);
    this.#heldBack.set(unit, Buffer.from(redacted.subarray(end)));
    return redacted.subarray(0, end);
  }
}

function placeholderFor(kind: string, value: string): string {
  const hash = createHmac('sha256', key).update(value).digest('hex').slice(0, 8);
  // It stands inside strings of JSON, which it must not end.
  const name = kind.replaceAll(/["\\\p{Cc}]/gu, '_');
  return `[secret ${name}, ${value.length} characters, ${hash}]`;
}

const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

/** A value as it may stand on the wire: as it is, as JSON has it, and as JSON in a string of JSON has it. */
function formsOf(value: string): Set<string> {
  const inJson = jsonWriters.map((write) => write(inQuotes(value)));
  return new Set([value, ...inJson, ...inJson.map(inQuotes)]);
}

const inQuotes = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What writers of JSON escape beyond what JSON demands. */
const jsonWriters: readonly ((json: string) => string)[] = [
  (json) => json,
  // Python, Ruby: whatever is not ASCII.
  (json) => escapeAs(json, /[^ -~]/g),
  // PHP: the same, and slashes.
  (json) => escapeAs(json, /[^ -~]/g).replaceAll('/', '\\/'),
  // Go, and Gson: what means something in HTML.
  (json) => escapeAs(json, /[<>&]/g),
  (json) => escapeAs(json, /[<>&=']/g),
  // .NET: nearly everything.
  (json) => escapeAs(json.replaceAll('\\"', '"'), /[^ -~]|[<>&'"+`]/g, 'upper'),
];

const escapeAs = (json: string, which: RegExp, letters: 'lower' | 'upper' = 'lower'): string =>
  json.replaceAll(which, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${letters === 'upper' ? code.toUpperCase() : code}`;
  });
