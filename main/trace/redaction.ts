import { createHmac, randomBytes } from 'node:crypto';

/** Shorter values would be found by chance in ordinary text. */
const SHORTEST_SECRET = 4;
/** Made anew at each start, so that no placeholder can be compared with guesses later. */
const key = randomBytes(32);

/**
 * Replaces secret values in text before it is written anywhere. The placeholder keeps what kind of secret it
 * was, its length and a short keyed hash: equal values stay recognisable, none can be guessed.
 */
export class Redactor {
  readonly #placeholders: readonly (readonly [secret: string, placeholder: string])[];

  /** @param secrets values by what they are, such as `env:API_KEY`. */
  constructor(secrets: ReadonlyMap<string, string>) {
    const found: [string, string][] = [];
    for (const [kind, value] of secrets) {
      if (value.length < SHORTEST_SECRET) continue;
      const placeholder = placeholderFor(kind, value);
      found.push([value, placeholder]);
      // The same value inside a JSON string, where quotes and backslashes are escaped.
      const escaped = JSON.stringify(value).slice(1, -1);
      if (escaped !== value) found.push([escaped, placeholder]);
    }
    // Longest first: a secret that contains another one must not be torn by it.
    this.#placeholders = found.sort(([a], [b]) => b.length - a.length);
  }

  redact(text: string): string {
    let redacted = text;
    for (const [secret, placeholder] of this.#placeholders) {
      if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, placeholder);
    }
    return redacted;
  }
}

function placeholderFor(kind: string, value: string): string {
  const hash = createHmac('sha256', key).update(value).digest('hex').slice(0, 8);
  return `[secret ${kind}, ${value.length} characters, ${hash}]`;
}
