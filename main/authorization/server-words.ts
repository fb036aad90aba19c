import { challengesOf } from '#shared/authorization/challenge.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { DEEPEST, type JsonObject, parseJson } from './checks/json-response.ts';
import type { FlowResponse } from './exchange.ts';

/** What a server says about an error, without secrets. Untrusted text. */
export interface ServerWords {
  /** The code of the error, such as `invalid_grant`; null if it gives none. */
  readonly error: string | null;
  /** Code, description and link in one line; null if it says nothing. */
  readonly quote: string | null;
}

/** Limit of characters of a quote. */
const MAX_QUOTE = 500;
/** Limit of characters of a response that are read for it. */
const MAX_READ = 64 * 1024;

/**
 * The error of a response of an authorization server: an OAuth error as JSON or as a form (RFC 6749 section 5.2; GitHub), problem details
 * (RFC 9457), the shapes of common frameworks, a web page, or text. The quote falls back to the HTTP status.
 */
export function oauthError({ status, shown }: Pick<FlowResponse, 'status' | 'shown'>): {
  readonly error: string | null;
  readonly quote: string;
} {
  const { error, quote } = wordsOfBody(shown.text, typeOf(shown.headers));
  const challenge = challengeWords(shown.headers);
  return { error: error ?? challenge.error, quote: quote ?? challenge.quote ?? `HTTP status ${status}` };
}

/** What a server says in the body of a response. */
export function wordsOfBody(body: string, contentType: string): ServerWords {
  const text = body.slice(0, MAX_READ).trim();
  const value = isNestedDeeper(text, DEEPEST) ? undefined : parseJson(text);
  if (isObject(value)) return wordsOfObject(value) ?? words(null, [text]);
  if (typeof value === 'string') return words(null, [value]);
  if (contentType.startsWith('text/html') || /^<(?:!doctype|html|head|body|title|h1|p)/i.test(text))
    return words(null, [pageText(text)]);
  const form = /^[\w.%-]+=/.test(text) ? new URLSearchParams(text) : null;
  const code = form?.get('error') ?? null;
  if (form !== null && code !== null)
    return words(code, [code, form.get('error_description'), form.get('error_uri')]);
  return words(null, [text]);
}

/** What the challenges of a 401 or 403 say (RFC 6750 section 3). */
export function challengeWords(headers: HeaderLines): ServerWords {
  for (const { parameters } of challengesOf(headers)) {
    const [error, ...others] = ['error', 'error_description', 'error_uri'].map((name) =>
      parameters.get(name),
    );
    const found = words(error ?? null, [error, ...others]);
    if (found.quote !== null) return found;
  }
  return { error: null, quote: null };
}

/** The members that name an error, and those that describe it, the most telling first. */
const CODES = ['error', 'errorCode', 'error_code', 'code', 'title'];
const TEXTS = [
  'error_description',
  'errorDescription',
  'errorSummary',
  'detail',
  'message',
  'description',
  'msg',
  'reason',
];

/** What an object says; null if it has no member that names or describes an error. */
function wordsOfObject(value: JsonObject): ServerWords | null {
  const { error, errors } = value;
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : null);
  const code = CODES.map(text).find((one) => one !== null) ?? null;
  const description = TEXTS.map(text).find((one) => one !== null) ?? null;
  const nested = isObject(error) ? error : Array.isArray(errors) ? errors[0] : null;
  if (isObject(nested) && typeof error !== 'string') {
    const inner = wordsOfObject(nested);
    const status = typeof nested['status'] === 'string' ? nested['status'] : null;
    if (inner !== null) return { error: inner.error ?? status, quote: inner.quote };
  }
  if (typeof nested === 'string') return words(code, [code, nested]);
  if (code === null && description === null) return null;
  return words(typeof error === 'string' ? error : code, [code, description, text('error_uri')]);
}

function words(error: string | null, parts: readonly (string | null | undefined)[]): ServerWords {
  const said = parts.filter((one): one is string => one != null && one.trim() !== '');
  const quote = [...new Set(said)].join(': ').replaceAll(/\s+/g, ' ').trim().slice(0, MAX_QUOTE);
  return { error: error === '' ? null : error, quote: quote === '' ? null : quote };
}

/** The title of a page and its first text. */
function pageText(page: string): string {
  const title = textBetween(page, '<title', '</title');
  const body = page.slice(Math.max(0, withLowerTags(page).indexOf('<body')));
  const rest = withoutTags(body);
  const first = title !== '' && rest.startsWith(title) ? rest.slice(title.length).trim() : rest;
  return [title, first].filter((one) => one !== '').join(': ');
}

function textBetween(page: string, from: string, to: string): string {
  const lower = withLowerTags(page);
  const start = lower.indexOf('>', lower.indexOf(from));
  if (!lower.includes(from) || start === -1) return '';
  const end = lower.indexOf(to, start);
  return withoutTags(page.slice(start + 1, end === -1 ? undefined : end));
}

/** Elements whose content is not text for a reader. */
const UNREAD = ['script', 'style', 'title', 'noscript', 'template', 'svg'];

/** HTML with ASCII letters in lower case: every character keeps its place, unlike with `toLowerCase`. */
const withLowerTags = (html: string): string =>
  html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The text of HTML without its tags. It is never shown as HTML. */
function withoutTags(html: string): string {
  let text = '';
  const lower = withLowerTags(html);
  for (let at = 0; at < html.length && text.length < 4 * MAX_QUOTE; ) {
    const open = html.indexOf('<', at);
    text += `${html.slice(at, open === -1 ? undefined : open)} `;
    if (open === -1) break;
    const name = /^[a-z]+/.exec(lower.slice(open + 1, open + 20))?.[0] ?? '';
    const isComment = html.startsWith('<!--', open);
    const end = isComment
      ? html.indexOf('-->', open)
      : UNREAD.includes(name)
        ? lower.indexOf(`</${name}`, open)
        : open;
    const close = html.indexOf('>', end === -1 ? html.length : end);
    at = close === -1 ? html.length : close + 1;
  }
  return decoded(text).replaceAll(/\s+/g, ' ').trim();
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

const decoded = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (one) => entities[one] ?? one);

const typeOf = (headers: HeaderLines): string =>
  (headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '').toLowerCase();
