import { isJson, type Token, tokensOf } from '#shared/json/tokens.ts';
import { redactAndLearnHeaders } from '#trace/recorder/credentials.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { secretLabel } from './names.ts';
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
  const redactor = new Redactor(held);
  // A token may be typed without the scheme that its header has.
  redactAndLearnHeaders(redactor, headersAmong(held));
  for (const [kind, value] of stored) redactor.mark(kind, value);
  return (text) =>
    sessions.reduce(
      (redacted, redact) => redact(redacted),
      redactor.redactUnit(Buffer.from(text)).toString(),
    );
}

/** The header lines among the secrets of a server: a header that occurs again has a number. */
const headersAmong = (secrets: ReadonlyMap<string, string>): [string, string][] =>
  [...secrets].flatMap(([kind, value]): [string, string][] =>
    kind.startsWith('header:') ? [[kind.slice('header:'.length).replace(/\/\d+$/, ''), value]] : [],
  );

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
    return secret.size > 0 || redactText(redactKnown(text), [], patterns) !== text ? '' : text;
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

/** The tokens that are the value of a member whose name says that it is secret, also in JSON that is not complete. */
function namedSecrets(text: string, tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [place, { kind, start, end }] of tokens.entries()) {
    if (kind !== 'string' || tokens[place + 1]?.kind !== ':') continue;
    const value = tokens[place + 2]?.kind;
    if (value !== 'string' && value !== 'word') continue;
    if (secretLabel(text.slice(start + 1, end - 1)) !== null) found.add(place + 2);
  }
  return found;
}
