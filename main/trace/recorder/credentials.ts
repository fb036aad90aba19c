import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isDistinct, isLong, isSecretHeader } from '#shared/secret-names.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { decodedUrlPart, partsOfUrl, USER_INFO } from '#shared/url-secrets.ts';
import { MAX_LEARNED, Redactor } from './redaction.ts';

/**
 * Replaces the secrets of a server from the start, by what they are, such as `header:Authorization`: a token without the scheme of
 * its header too.
 */
export function redactorFor(secrets: ReadonlyMap<string, string>): Redactor {
  const redactor = new Redactor(secrets);
  const headers = [...secrets].flatMap(([kind, value]): [string, string][] =>
    // A header that occurs again has a number.
    kind.startsWith('header:') ? [[kind.slice('header:'.length).replace(/\/\d+$/, ''), value]] : [],
  );
  for (const line of headers) learn(redactor, headerParts(redactor, line));
  return redactor;
}

/** A part of a text that is secret because of its position. */
interface Secret {
  /** The kind of secret, such as `header:Cookie`. */
  readonly kind: string;
  readonly value: string;
  /** The values to replace everywhere if the secret is ours, because the server may repeat them. */
  readonly repeatedAs: readonly string[];
}

/** A text as a sequence of readable and secret parts. */
export type Parts = readonly (string | Secret)[];

/**
 * Redacts our own header lines. Learns the secrets of all lines first, so that one line may repeat the secret of
 * another.
 */
export function redactAndLearnHeaders(redactor: Redactor, lines: HeaderLines): [string, string][] {
  for (const line of lines) learn(redactor, headerParts(redactor, line));
  return redactHeaders(redactor, lines);
}

/**
 * Redacts header lines of a server. Learns nothing; otherwise a server could have any text replaced everywhere, such as
 * the description of a tool.
 */
export const redactHeaders = (redactor: Redactor, lines: HeaderLines): [string, string][] =>
  lines.map((line) => [redactor.redactByteText(line[0]), write(redactor, headerParts(redactor, line))]);

/** Redacts our own URL: removes and learns user info and credentials in the query. */
export function redactAndLearnUrl(redactor: Redactor, url: string): string {
  learn(redactor, urlParts(url));
  return redactUrl(redactor, url);
}

/** Redacts a URL or relative reference that may come from the server. Learns nothing. */
export const redactUrl = (redactor: Redactor, url: string): string => write(redactor, urlParts(url));

/** Redacts a text of the user; learns the secrets of the URLs in it. */
export function redactAndLearnProse(redactor: Redactor, text: string): string {
  const parts = proseParts(text);
  learn(redactor, parts);
  return write(redactor, parts);
}

/** Redacts a text of unknown origin. Learns nothing; otherwise its author could have ordinary words replaced. */
export const redactProse = (redactor: Redactor, text: string): string =>
  text.includes('://') ? write(redactor, proseParts(text)) : redactor.redactByteText(text);

function proseParts(text: string): Parts {
  const parts: (string | Secret)[] = [];
  let from = 0;
  for (const { 0: url, index } of text.matchAll(URL_IN_TEXT)) {
    parts.push(text.slice(from, index), ...urlParts(url));
    from = index + url.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function learn(redactor: Redactor, parts: Parts): void {
  const secrets = parts.filter((part) => typeof part !== 'string');
  const learned = secrets.flatMap(({ kind, repeatedAs: values }) => values.map((value) => ({ kind, value })));
  // If there are more than the limit, the first ones would be forgotten at once.
  for (const { kind, value } of learned.slice(-MAX_LEARNED)) redactor.learn(kind, value);
}

const write = (redactor: Redactor, parts: Parts): string =>
  parts
    .map((part) =>
      typeof part === 'string' ? redactor.redactByteText(part) : redactor.placeholder(part.kind, part.value),
    )
    .join('');

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`]+/gi;

export const headerRules: ReadonlyMap<string, (value: string) => Parts> = new Map([
  ['authorization', (value) => credentialParts('header:Authorization', value)],
  ['proxy-authorization', (value) => credentialParts('header:Proxy-Authorization', value)],
  // Each request has another proof, so it is not searched for elsewhere (RFC 9449 section 4).
  ['dpop', (value) => [{ kind: 'header:DPoP', value, repeatedAs: [] }]],
  ['cookie', (value) => cookieParts('header:Cookie', value)],
  ['set-cookie', setCookieParts],
  ['location', urlParts],
  ['content-location', urlParts],
  ['referer', urlParts],
  // RFC 8288; `Refresh` is what browsers read.
  ['link', proseParts],
  ['refresh', proseParts],
]);

const headerParts = (redactor: Redactor, [name, value]: HeaderLines[number]): Parts =>
  headerRules.get(name.toLowerCase())?.(value) ?? otherParts(redactor, name, value);

/** A value that is secret by the mark of the user or the name of its header is replaced there, however short. */
function otherParts(redactor: Redactor, name: string, value: string): Parts {
  const kind = `header:${name}`;
  if (value === '' || !(redactor.isMarked(kind, value) || isSecretHeader(name))) return [value];
  // A server may repeat it without the scheme.
  const [, scheme = '', rest = ''] = CREDENTIALS.exec(value) ?? [];
  return [{ kind, value, repeatedAs: schemes.has(scheme.toLowerCase()) ? [value, rest] : [value] }];
}

/** Schemes of the IANA registry, and some unregistered ones. The first word of anything else may be secret. */
const schemes: ReadonlySet<string> = new Set(
  (
    'basic bearer concealed digest dpop gnap hoba mutual negotiate ntlm oauth privatetoken scram-sha-1 ' +
    'scram-sha-256 vapid token apikey api-key aws4-hmac-sha256'
  ).split(' '),
);

const CREDENTIALS = /^(\S+)(?:\s+(.*))?$/s;

/** Credentials (RFC 9110 section 11.4): the scheme stays readable. */
function credentialParts(kind: string, value: string): Parts {
  const [, scheme, rest] = CREDENTIALS.exec(value) ?? [];
  if (scheme === undefined || !schemes.has(scheme.toLowerCase())) {
    return value === '' ? [] : [{ kind, value, repeatedAs: [value, rest ?? ''].filter(isLong) }];
  }
  if (rest === undefined || rest === '') return [value];
  const repeatedAs =
    scheme.toLowerCase() === 'basic' ? [rest, ...userAndPassword(rest)] : [rest].filter(isLong);
  return [value.slice(0, value.length - rest.length), { kind, value: rest, repeatedAs }];
}

/**
 * The secrets in Basic credentials (RFC 7617): user and password together, and the password alone, which OAuth encodes as in a form
 * (RFC 6749 section 2.3.1).
 */
function userAndPassword(base64: string): string[] {
  const both = Buffer.from(base64, 'base64').toString();
  const password = both.slice(both.indexOf(':') + 1);
  const meant = decodedUrlPart(password);
  return meant === password ? [both, password] : [both, password, meant];
}

/** `Cookie` (RFC 6265 section 4.2): the names stay readable. */
function cookieParts(kind: string, value: string): Parts {
  const pairs = value.split(';').map((pair) => pairParts(kind, pair));
  return pairs.flatMap((parts, index) => (index === 0 ? parts : [';', ...parts]));
}

/** `Set-Cookie` (RFC 6265 section 4.1): the name and the attributes stay readable. */
function setCookieParts(value: string): Parts {
  const end = value.indexOf(';');
  const pair = end === -1 ? value : value.slice(0, end);
  return [...pairParts('header:Set-Cookie', pair), value.slice(pair.length)];
}

function pairParts(kind: string, pair: string): Parts {
  const written = pair.slice(pair.indexOf('=') + 1);
  const secret = written.trim();
  if (secret === '') return [pair];
  const start = pair.length - written.trimStart().length;
  const value = /^"(.*)"$/s.exec(secret)?.[1] ?? secret;
  const repeatedAs = [value, decodedUrlPart(value)].filter(isDistinct);
  return [pair.slice(0, start), { kind, value: secret, repeatedAs }, pair.slice(start + secret.length)];
}

export function urlParts(url: string): Parts {
  return partsOfUrl(url).map((part) => {
    if (typeof part === 'string') return part;
    const { name, key, value } = part;
    if (REPLACED.test(value)) return value;
    if (key === USER_INFO) return { kind: `url:${name}`, value, repeatedAs: userInfoSecrets(value) };
    return { kind: `url:${name}`, value, repeatedAs: [value, decodedUrlPart(value)].filter(isDistinct) };
  });
}

/** What is left of a secret that was replaced before, up to the space in its placeholder, with the end of a sentence. */
const REPLACED = /^(?:•{4}|\[secret)[.,;:!?)\]]*$/;

function userInfoSecrets(userInfo: string): string[] {
  const both = decodedUrlPart(userInfo);
  const colon = both.indexOf(':');
  // User info without a password is most often a token.
  return colon === -1 ? [userInfo, both].filter(isLong) : [userInfo, both, both.slice(colon + 1)];
}

/** Redacts all strings in plain data, including object keys. Data without secrets is returned as it is, not copied. */
export function redactTexts<T>(redactor: Redactor, value: T): T {
  if (!holdsSecret(redactor, value)) return value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts are exchanged, for texts
  return redacted(redactor, value) as T;
}

function holdsSecret(redactor: Redactor, value: unknown): boolean {
  if (typeof value === 'string') return redactProse(redactor, value) !== value;
  if (Array.isArray(value)) return value.some((element) => holdsSecret(redactor, element));
  if (!isObject(value)) return false;
  for (const key in value) {
    if (redactor.redact(key) !== key || holdsSecret(redactor, value[key])) return true;
  }
  return false;
}

function redacted(redactor: Redactor, value: unknown): unknown {
  if (typeof value === 'string') return redactProse(redactor, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => redacted(redactor, element));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redactor.redact(key), redacted(redactor, member)]),
  );
}
