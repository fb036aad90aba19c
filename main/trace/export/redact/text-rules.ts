import { partsOfBody } from '#shared/body-secrets.ts';
import { isDistinct } from '#shared/secret-names.ts';
import { type Parts, urlParts } from '#trace/recorder/credentials.ts';
import { isUserAndPassword, secretLabel, USER_OPTION } from './names.ts';
import { shapeSpans } from './shapes.ts';
import type { Span } from './spans.ts';

/** Text without any of these has no match for a rule; testing this first saves time. */
const HINT = /[=:%\\_.\-\s]|eyJ|A[KSBC][IC]A|AIza/;

export const mayHoldSecret = (text: string): boolean => HINT.test(text);

/** Secrets in a text of any kind: by their form, by the name before them, or by the scheme before them. */
export function ruleSpans(text: string): Span[] {
  return [
    ...shapeSpans(text),
    ...urlSpans(text),
    ...assignments(text),
    ...flags(text),
    ...userOptions(text),
    ...schemeCredentials(text),
  ];
}

/** The kinds of the recorder's rules as exports report them. */
export function spansOfParts(parts: Parts, from = 0): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (const part of parts) {
    const written = typeof part === 'string' ? part : part.value;
    const end = start + written.length;
    if (typeof part !== 'string') {
      const { kind, value, repeatedAs } = part;
      spans.push({ start, end, kind: kind.replace(':', ' '), value, learned: [value, ...repeatedAs] });
    }
    start = end;
  }
  return spans;
}

/** The credentials of OAuth in a body that is not a message. */
export function bodySpans(text: string, isOurs: boolean): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const part of partsOfBody(text, isOurs ? 'sent' : 'document')) {
    if (typeof part === 'string') {
      start += part.length;
      continue;
    }
    const { name, written, value, needsQuotes } = part;
    const end = start + written.length;
    const learned = [value, written];
    spans.push({ start, end, kind: `body ${name}`, value, learned, ...(needsQuotes && { quoted: true }) });
    start = end;
  }
  return spans;
}

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`\\]+/gi;

function urlSpans(text: string): Span[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(URL_IN_TEXT)].flatMap(({ 0: url, index }) => spansOfParts(urlParts(url), index));
}

const NAME = /[\w.%$-]/;
const MAX_NAME = 80;
const MAX_QUOTED = 64 * 1024;

/** `name=value`, `name: value`, `"name": "value"`, `name[…]=value` and the like, where the name means a secret. */
function assignments(text: string): Span[] {
  const spans: Span[] = [];
  const sign = /[=:]/g;
  for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
    const at = match.index;
    const name = nameBefore(text, at);
    const label = name === '' ? null : secretLabel(percentFree(name));
    if (label === null || text.startsWith('://', at)) continue;
    const found = valueAfter(text, at, label);
    if (found === null) continue;
    spans.push(found);
    sign.lastIndex = Math.max(sign.lastIndex, found.end);
  }
  return spans;
}

/** The name before a sign, without quote, bracket and spaces in between. */
function nameBefore(text: string, at: number): string {
  let end = at;
  while (end > 0 && at - end < 8 && ' \t"\'`\\])'.includes(text.charAt(end - 1))) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME && NAME.test(text.charAt(start - 1))) start--;
  return text.slice(start, end);
}

const percentFree = (name: string): string =>
  name.includes('%')
    ? name.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : name;

const OPENING = /(?:[=>:]{0,2})[ \t]{0,8}(?:\[[ \t]{0,8})?/y;
const QUOTE = /\\?["'`]/y;
const ENDS_UNQUOTED = /[\s"'`<>&]/g;
/** After an `&`: another parameter begins, or it is an entity of HTML. */
const NEXT_PARAMETER = /[\w%.[\]-]{1,64}=|[a-z]{2,6};/y;
const ENDS_LINE = /[\r\n"]/g;
const KIND = 'value of';

function valueAfter(text: string, at: number, label: string): Span | null {
  const open = matchAt(OPENING, text, at + 1);
  const from = at + 1 + open.length;
  const quote = matchAt(QUOTE, text, from);
  const kind = `${KIND} ${label}`;
  if (quote !== '') return quoted(text, from + quote.length, quote, kind);
  const isHeader = HEADERS.test(label);
  const scheme = isHeader ? matchAt(SCHEME, text, from) : '';
  const isLine = isHeader && (scheme === '' ? matchAt(COOKIE, text, from) !== '' : MANY_WORDS.test(scheme));
  const start = from + scheme.length;
  const value = withoutTail(
    text.slice(start, isLine ? nextOf(ENDS_LINE, text, start) : endOfWord(text, start)),
  );
  if (value === '') return null;
  if (text.charAt(at) === ':' && (scheme === '' ? isProse(value) : isProseOfCredentials(value))) return null;
  return { start, end: start + value.length, kind, value, learned: [value] };
}

/** The end of an unquoted value: the end of a parameter or a word. */
function endOfWord(text: string, from: number): number {
  for (let end = nextOf(ENDS_UNQUOTED, text, from); ; end = nextOf(ENDS_UNQUOTED, text, end + 1)) {
    if (text.charAt(end) !== '&' || matchAt(NEXT_PARAMETER, text, end + 1) !== '') return end;
  }
}

/** Trims the punctuation of the surrounding sentence or code. */
function withoutTail(value: string): string {
  let end = value.length;
  while (end > 0 && (' .,;:!?)]}'.includes(value.charAt(end - 1)) || isSpace(value, end - 1))) end--;
  return value.slice(0, end);
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

const HEADERS = /authorization$|cookie$/i;
const SCHEME = /(?:bearer|basic|digest|dpop|negotiate|token|ntlm|hawk|oauth|apikey|aws4-hmac-sha256)[ \t]+/iy;
/** Schemes whose credentials are parameters (RFC 9110 section 11.4). */
const MANY_WORDS = /^(?:digest|hawk|oauth|aws4-hmac-sha256)/i;
const COOKIE = /[^\s=;,"]{1,80}=/y;

/** Prose may follow a colon, too: "password: the word to log in with". */
const isProse = (value: string): boolean => /^[A-Z]?[a-z'-]{0,15}[.,]?$/.test(value);

/** Words in place of a token in a sentence about tokens: `Authorization: Bearer token`. */
const ABOUT_TOKENS: ReadonlySet<string> = new Set(
  (
    'token tokens auth authentication authorization credential credentials header headers scheme based ' +
    'protected only style type types access refresh id jwt oauth api key keys string value format prefix ' +
    'realm challenge challenges method methods security flow usage use cookie cookies session or and is was are'
  ).split(' '),
);

const WORDS = /[-_/.,;:!?'()+\s]+/;

/** Whether a scheme is followed by such a word, not by a token. */
const isProseOfCredentials = (value: string): boolean =>
  value.length <= MAX_NAME &&
  value
    .toLowerCase()
    .split(WORDS)
    .every((word) => word === '' || ABOUT_TOKENS.has(word));

function quoted(text: string, start: number, quote: string, kind: string): Span | null {
  let end = text.indexOf(quote, start);
  // The text may itself be JSON, where a quote can be escaped.
  while (quote.length === 1 && end !== -1 && isEscaped(text, end, start)) end = text.indexOf(quote, end + 1);
  if (end === -1 || end - start > MAX_QUOTED) end = Math.min(text.length, start + MAX_QUOTED);
  const value = text.slice(start, end);
  if (value === '') return null;
  return { start, end, kind, value, learned: [value, ...meantBy(value)] };
}

function isEscaped(text: string, at: number, from: number): boolean {
  let first = at;
  while (first > from && text.charAt(first - 1) === '\\') first--;
  return (at - first) % 2 === 1;
}

function meantBy(written: string): string[] {
  if (!written.includes('\\')) return [];
  try {
    return [String(JSON.parse(`"${written}"`))];
  } catch {
    // Not valid JSON, so there is nothing to decode.
    return [];
  }
}

const FLAG = /(?<![\w-])--?([a-z][\w.-]{2,60})[ \t]+("[^"]*"|'[^']*'|[^\s"'-][^\s"']*)/gi;

/** `--token value` of a command line. */
function flags(text: string): Span[] {
  if (!text.includes('-')) return [];
  const spans: Span[] = [];
  for (const { 0: whole, 1: name = '', 2: written = '', index } of text.matchAll(FLAG)) {
    const label = secretLabel(name);
    if (label === null) continue;
    const value = written.replace(/^["'](.*)["']$/s, '$1');
    if (value === '') continue;
    const start = index + whole.length - written.length + (written.length - value.length) / 2;
    spans.push({ start, end: start + value.length, kind: `${KIND} ${label}`, value, learned: [value] });
  }
  return spans;
}

const CURL = /\bcurl(?:\.exe)?[ \t]/g;
const USER =
  /(?<![\w-])(?:-[uU][ \t]*|--(?:proxy-)?user(?:[ \t]+|=))(["']?)([^\s"':]{0,200}:[^\s"']{1,1000}|(?<=["'])[^"'\n]{0,200}:[^"'\n]{1,1000})/g;

/** `curl -u user:password`, up to the end of the command. */
function userOptions(text: string): Span[] {
  if (!text.includes('curl')) return [];
  const spans: Span[] = [];
  let end = 0;
  for (const { index } of text.matchAll(CURL)) {
    if (index < end) continue;
    end = endOfCommand(text, index);
    for (const match of text.slice(index, end).matchAll(USER)) {
      const [whole, , written = ''] = match;
      if (!isUserAndPassword(written)) continue;
      const last = index + match.index + whole.length;
      const password = written.slice(written.indexOf(':') + 1);
      const kind = `${KIND} ${USER_OPTION}`;
      spans.push({
        start: last - written.length,
        end: last,
        kind,
        value: written,
        learned: [written, password],
      });
    }
  }
  return spans;
}

/** The end of the line, unless a backslash joins the next one to it. */
function endOfCommand(text: string, from: number): number {
  for (let end = text.indexOf('\n', from); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (text.charAt(end - 1) !== '\\' && text.slice(end - 2, end) !== '\\\r') return end;
  }
  return text.length;
}

const CREDENTIALS = /\b(bearer|basic|dpop|negotiate)(?:\s|%20|\+)+([\w.~+/=%-]{6,})/gi;

const SCHEME_HINT = /[bB](?:[eE][aA][rR]|[aA][sS][iI])|[dD][pP][oO][pP]|[nN][eE][gG][oO]/;

/** Credentials after the name of their scheme (RFC 9110 section 11.4), wherever they are quoted. */
function schemeCredentials(text: string): Span[] {
  if (!SCHEME_HINT.test(text)) return [];
  const spans: Span[] = [];
  for (const { 0: whole, 1: scheme = '', 2: value = '', index } of text.matchAll(CREDENTIALS)) {
    const isBasic = scheme.toLowerCase() === 'basic';
    const learned = isBasic ? userAndPassword(value) : [value];
    if (isBasic ? learned.length === 0 : !isToken(value)) continue;
    const end = index + whole.length;
    const kind = `credentials ${isBasic ? 'Basic' : scheme.toLowerCase() === 'bearer' ? 'Bearer' : scheme}`;
    spans.push({ start: end - value.length, end, kind, value, learned });
  }
  return spans;
}

/** Whether it is a token, not prose about tokens or a parameter of a challenge (RFC 6750 section 3). */
const isToken = (value: string): boolean =>
  (isDistinct(value) || /\d/.test(value)) && !isProseOfCredentials(value) && !CHALLENGE.test(value);

const CHALLENGE =
  /^(?:realm|scope|error|error_description|error_uri|resource|resource_metadata|authorization_uri|client_id|nonce|charset)=/i;

/** The secrets in Basic credentials (RFC 7617): all, both parts, and the password alone; empty if they are invalid. */
export function userAndPassword(base64: string): string[] {
  const both = Buffer.from(base64, 'base64').toString();
  const colon = both.indexOf(':');
  return colon >= 0 && both.length > 1 && !/[\p{Cc}\ufffd]/u.test(both)
    ? [base64, both, both.slice(colon + 1)]
    : [];
}

/** The position of the next match; the end of the text if there is none. */
function nextOf(global: RegExp, text: string, from: number): number {
  global.lastIndex = from;
  return global.exec(text)?.index ?? text.length;
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}
