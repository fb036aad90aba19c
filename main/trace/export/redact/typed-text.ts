import { isSecretHeader, secretField } from '#shared/secret-names.ts';
import { isJson, type Token, tokensOf, unquoted } from '#shared/json/tokens.ts';
import { redactorFor } from '#trace/recorder/credentials.ts';
import { redactJsonTexts, redactText } from './redact-text.ts';

/** The secrets of one server. */
interface KnownSecrets {
  /** Those of its settings, by kind, such as `env:API_KEY` or `header:Authorization`. */
  readonly held: ReadonlyMap<string, string>;
  /** Those of its stored credentials. */
  readonly stored: readonly (readonly [kind: string, value: string])[];
  /** Redacts as each of its sessions does. */
  readonly sessions: readonly ((text: string) => string)[];
}

/** Replaces the secrets of a server that are known by their value. */
export function redactorOf({ held, stored, sessions }: KnownSecrets): (text: string) => string {
  // A token may be typed without the scheme that its header has.
  const redactor = redactorFor(held);
  for (const [kind, value] of stored) redactor.mark(kind, value);
  return (text) =>
    sessions.reduce(
      (redacted, redact) => redact(redacted),
      redactor.redactUnit(Buffer.from(text)).toString(),
    );
}

/**
 * What a user typed, without the values that an export would replace: in JSON they become empty strings, or null if they were
 * none. Any other text that holds one is dropped as a whole.
 *
 * @param redactKnown replaces the secrets that are known by their value, such as tokens in use
 * @param patterns the user's own regular expressions
 */
export function withoutSecretValues(
  text: string,
  redactKnown: (text: string) => string,
  patterns: readonly string[] = [],
): string {
  const tokens = [...tokensOf(text)];
  const secret = namedSecrets(text, tokens);
  if (!isJson(text)) {
    return secret.size > 0 || holdsSecretLine(text) || redactText(redactKnown(text), [], patterns) !== text
      ? ''
      : text;
  }
  const [redacted = ''] = redactJsonTexts([redactKnown(text)], patterns).texts;
  const others = [...tokensOf(redacted)];
  // A placeholder takes the place of a value, so the structure stays.
  if (others.length !== tokens.length) return '';
  let kept = '';
  let from = 0;
  for (const [place, token] of tokens.entries()) {
    const other = others[place];
    const own = text.slice(token.start, token.end);
    const isSame = other !== undefined && redacted.slice(other.start, other.end) === own;
    if (isSame && !secret.has(place)) continue;
    if (tokens[place + 1]?.kind === ':') return '';
    kept += text.slice(from, token.start) + (token.kind === 'string' ? '""' : 'null');
    from = token.end;
  }
  return kept + text.slice(from);
}

/** Lines such as those of headers, `X-Pin: 1234`, with a name that says that the value is secret. */
const holdsSecretLine = (text: string): boolean =>
  text.split('\n').some((line) => isSecretHeader(/^\s*([\w-]+)\s*[:=]\s*\S/.exec(line)?.[1] ?? ''));

/** An object or a list that is being read. */
interface Level {
  /** Whether the names in it are those of a schema, which describes values. */
  readonly isDescription: boolean;
  /** The row of the table of secret names that all values in it are named by; null if they are not. */
  readonly secret: string | null;
  /** The name of the member that is next; null in a list. */
  name: string | null;
  /** The value of the member `value`, and whether another member has the name of a secret: `{"name": "pin", "value": …}`. */
  value: number | null;
  namesSecret: boolean;
}

const descriptions: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);
const naming: ReadonlySet<string> = new Set(['name', 'key', 'header']);

/** The tokens that are secret by the names above them, also in JSON that is not complete. */
function namedSecrets(text: string, tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  const levels: Level[] = [];
  for (const [place, { kind, start, end }] of tokens.entries()) {
    const level = levels.at(-1);
    const written = text.slice(start, end);
    if (kind === '{' || kind === '[') {
      const name = level?.name ?? '';
      const isDescription = kind === '{' && descriptions.has(name);
      levels.push({ isDescription, secret: secretAt(level), name: null, value: null, namesSecret: false });
    } else if (kind === '}' || kind === ']') {
      const ended = levels.pop();
      if (ended?.namesSecret === true && ended.value !== null) found.add(ended.value);
    } else if (kind === 'string' && tokens[place + 1]?.kind === ':') {
      if (level !== undefined) level.name = unquoted(written);
    } else if (kind === 'string' || kind === 'word') {
      if (isSecretValue(secretAt(level), written)) found.add(place);
      if (level?.name === 'value') level.value = place;
      else if (
        naming.has(level?.name ?? '') &&
        secretField(unquoted(written)) !== null &&
        level !== undefined
      )
        level.namesSecret = true;
    }
  }
  return found;
}

/** The row of the table that names the next value; null if the value is not a secret. */
const secretAt = (level: Level | undefined): string | null =>
  level === undefined ? null : (level.secret ?? (level.isDescription ? null : secretField(level.name ?? '')));

/** Whether a value is hidden by its name: not a switch, nor the text of a program in a field called `code`. */
function isSecretValue(secret: string | null, written: string): boolean {
  if (/^[{["]\s*[{[]/.test(written) && holdsSecretJson(unquoted(written))) return true;
  return (
    secret !== null &&
    !/^(?:null|true|false)$/.test(written) &&
    !(secret === 'code' && /\s/.test(unquoted(written)))
  );
}

const holdsSecretJson = (text: string): boolean => namedSecrets(text, [...tokensOf(text)]).size > 0;
