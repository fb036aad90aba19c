import { FaultError } from '#shared/contract/fault.ts';
import { MIN_REPLAY_SECRET, type PlannedSecret } from '#shared/contract/replay.ts';
import { formatQuantity } from '#shared/format.ts';
import { isJson } from '#shared/json/tokens.ts';
import { isNumberPlaceholder, secretPlaceholder } from './compare/noise.ts';
import { mapLeaves } from '#shared/json/inner-json.ts';

/** A secret that a recording has only a placeholder of. */
interface RecordedSecret {
  /** Such as `member password`. */
  readonly kind: string;
  /** What it can be given by: its kind, the last word of it, the hash in the placeholder, or the whole placeholder. */
  readonly names: readonly string[];
}

/** The secrets of a recording, and the values that the user gave for them. */
export class RecordedSecrets {
  /** JSON texts by placeholder. */
  readonly #values = new Map<string, string>();
  readonly #onUse: (kind: string, value: string) => void;

  /** Those of a recording for which the user gave no values. */
  static readonly none = new RecordedSecrets([], {}, () => undefined);

  /**
   * @param texts JSON texts of the recording that may be sent
   * @param given JSON texts by name
   * @param onUse gets each value before it is sent, to keep it out of the trace
   * @throws FaultError if a name fits no secret, or several
   */
  constructor(
    texts: Iterable<string>,
    given: Readonly<Record<string, string>>,
    onUse: (kind: string, value: string) => void,
  ) {
    this.#onUse = onUse;
    const names = Object.keys(given);
    if (names.length === 0) return;
    const secrets = secretsIn(texts);
    for (const name of names) {
      const fitting = [...secrets].filter((one) => one[1].names.includes(name));
      const [placeholder, ...others] = fitting.map(([text]) => text);
      if (placeholder === undefined) throw new FaultError(noSuchSecret(name, secrets));
      if (others.length > 0) throw new FaultError(severalSecrets(name, fitting));
      const value = asNumber(placeholder, given[name] ?? '""');
      if (plainOf(value).length < MIN_REPLAY_SECRET) throw new FaultError(shortSecret(name));
      this.#values.set(placeholder, value);
    }
  }

  /** Whether a text holds a placeholder for which no value was given. */
  isMissingIn(text: string): boolean {
    return (text.match(secretPlaceholder) ?? []).some((placeholder) => !this.#values.has(placeholder));
  }

  /** A JSON text with the given values in place of their placeholders. */
  fill(text: string): string {
    if (this.#values.size === 0) return text;
    return mapLeaves(text, (leaf) => {
      const found = leaf.match(secretPlaceholder) ?? [];
      for (const placeholder of found) {
        const value = this.#values.get(placeholder);
        if (value !== undefined) this.#onUse(kindOf(placeholder), plainOf(value));
      }
      const isWhole = leaf === found[0] || leaf === `"${found[0] ?? ''}"`;
      const whole = isWhole ? this.#values.get(found[0] ?? '') : undefined;
      // A value that is all of a string may be of any type, such as a number that was replaced.
      if (whole !== undefined || found.length === 0) return whole ?? leaf;
      return leaf.replaceAll(secretPlaceholder, (placeholder) => {
        const value = this.#values.get(placeholder);
        return value === undefined ? placeholder : JSON.stringify(plainOf(value)).slice(1, -1);
      });
    });
  }
}

/** The secrets that texts hold placeholders of, in their order. */
export const plannedSecrets = (texts: Iterable<string>): PlannedSecret[] =>
  [...secretsIn(texts)].map(([placeholder, { kind }]) => ({ placeholder, kind }));

/** The placeholders of secrets in a text, each once. */
export const placeholdersIn = (text: string): string[] => [...new Set(text.match(secretPlaceholder))];

function secretsIn(texts: Iterable<string>): Map<string, RecordedSecret> {
  const secrets = new Map<string, RecordedSecret>();
  for (const text of texts) {
    for (const placeholder of text.match(secretPlaceholder) ?? []) {
      const kind = kindOf(placeholder);
      const hash = hashOf(placeholder);
      secrets.set(placeholder, { kind, names: [kind, kind.split(/[ :]/).at(-1) ?? kind, hash, placeholder] });
    }
  }
  return secrets;
}

const kindOf = (placeholder: string): string =>
  isNumberPlaceholder(placeholder) ? 'number' : kindInText(placeholder);

/** The characters at the end of a placeholder that tell it from others. */
const hashOf = (placeholder: string): string =>
  isNumberPlaceholder(placeholder) ? placeholder.slice('0e-'.length) : placeholder.slice(-9, -1);

/** A value given as text for what was a number. */
function asNumber(placeholder: string, json: string): string {
  const plain = plainOf(json);
  return isNumberPlaceholder(placeholder) && /^-?\d/.test(plain) && isJson(plain) ? plain : json;
}

const kindInText = (placeholder: string): string =>
  /^\[secret (.*), \d+ characters, [0-9a-f]{8}\]$/.exec(placeholder)?.[1] ?? placeholder;

/** The characters of a value as they are inside a string. */
function plainOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

const listed = (secrets: Iterable<readonly [string, RecordedSecret]>): string =>
  [...secrets].map(([placeholder, { names }]) => `${names[1] ?? ''}: ${placeholder}`).join('\n');

const noSuchSecret = (name: string, secrets: ReadonlyMap<string, RecordedSecret>) => ({
  code: 'no-such-secret',
  what: `No call of the recording held a secret named ${name}.`,
  ...(secrets.size > 0 && { evidence: listed(secrets) }),
  next:
    secrets.size === 0
      ? 'Leave the value out: no secret was replaced in the calls of this recording.'
      : 'Name it as the placeholder does, by its last word, or by the 8 characters at its end.',
});

const severalSecrets = (name: string, fitting: readonly (readonly [string, RecordedSecret])[]) => ({
  code: 'several-secrets',
  what: `${name} is the name of ${formatQuantity(fitting.length, 'secret')} in the recording.`,
  evidence: listed(fitting),
  next: 'Name each by the 8 characters at the end of its placeholder.',
});

const shortSecret = (name: string) => ({
  code: 'short-secret',
  what: `The value for ${name} is shorter than ${MIN_REPLAY_SECRET} characters.`,
  why: 'It could not be replaced in the trace of this run, because it would match ordinary text.',
  next: 'Use a longer value for this test, or leave out the calls that need it.',
});
