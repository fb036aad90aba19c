import { duplicateKeys } from '#shared/json/duplicate-keys.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { type Findings, headerValues, typeOf } from './findings.ts';

/** A JSON object of a server. Untrusted. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface JsonExpectation {
  /** The status of success. */
  readonly status: number;
  /** What the response is, for texts, such as `resource metadata`. */
  readonly what: string;
  /** Where its form is required, such as `RFC 9728 3.2`. */
  readonly source: string;
}

const MAX_DUPLICATES = 20;
/** Nesting levels of a response; no document of authorization has ten. */
export const DEEPEST = 100;

/**
 * Whether a response has a status that no endpoint of authorization answers with: a failure of the server, or a redirect,
 * which is never followed.
 */
export function checkStatus(
  response: Pick<RawResponse, 'url' | 'status' | 'headers'>,
  found: Findings,
): boolean {
  const { status, url } = response;
  if (status >= 500) {
    found.add('server-error', {
      text: `The server failed: HTTP status ${status}.`,
      received: String(status),
    });
    return false;
  }
  if (status < 300 || status >= 400 || status === 304) return true;
  const [location = ''] = headerValues(response, 'location');
  const target = URL.canParse(location, url.href) ? new URL(location, url.href) : null;
  const leaves = target !== null && target.origin !== url.origin;
  found.add(leaves ? 'redirect-leaves-origin' : 'redirect-not-followed', {
    ...(leaves && { text: `A redirect leaves the origin for ${target.origin}. It was not followed.` }),
    expected: url.origin,
    received: location,
  });
  return false;
}

/** The JSON object in the body, and everything that is wrong with the bytes; null if there is none. */
export function readJson(
  response: RawResponse,
  { what, source }: Pick<JsonExpectation, 'what' | 'source'>,
  found: Findings,
): JsonObject | null {
  const { body, isCut } = response;
  if (isCut) {
    found.add('response-too-long', { text: `The ${what} is longer than ${body.length} bytes and was cut.` });
    return null;
  }
  const type = headerValues(response, 'content-type').join(', ');
  const hasMark = body.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const text = body.toString('utf8', hasMark ? BYTE_ORDER_MARK.length : 0);
  if (isNestedDeeper(text, DEEPEST)) {
    found.add('response-not-json', {
      text: `The ${what} is nested deeper than ${DEEPEST} levels, so it was not read.`,
      source,
      expected: 'application/json',
      received: `more than ${DEEPEST} levels`,
    });
    return null;
  }
  const value = parseJson(text);
  if (!isObject(value)) {
    const isPage = /^\s*<(?:!doctype|html|head|body)/i.test(text) || /^text\/html/i.test(type);
    const received = type === '' ? 'no Content-Type' : type;
    if (isPage)
      found.add('response-is-html', {
        text: `The ${what} is HTML, probably a login page.`,
        source,
        expected: 'application/json',
        received,
      });
    else
      found.add('response-not-json', {
        text: value === undefined ? `The ${what} is not JSON.` : `The ${what} is not a JSON object.`,
        source,
        expected: 'application/json',
        received,
      });
    return null;
  }
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    found.add('content-type-not-json', { source, expected: 'application/json', received: type });
  if (hasMark) found.add('byte-order-mark');
  if (!isUtf8(body)) found.add('response-not-utf8');
  for (const pointer of duplicateKeys(text, MAX_DUPLICATES))
    found.add('member-repeated', {
      text: `The member ${pointer} is repeated. Readers disagree about which one counts.`,
      received: pointer,
    });
  return value;
}

/** A member that must be a text if it is there; null if it is missing or not one. */
export function readText(
  json: JsonObject,
  name: string,
  { found, source }: { readonly found: Findings; readonly source: string },
): string | null {
  const value = json[name];
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  found.add('member-of-wrong-type', {
    text: `The member ${name} is not a text.`,
    source,
    expected: 'a text',
    received: typeOf(value),
  });
  return null;
}

/** A member that must be a list of texts if it is there; null if it is missing or not one. */
export function readTexts(
  json: JsonObject,
  name: string,
  { found, source }: { readonly found: Findings; readonly source: string },
): readonly string[] | null {
  const value = json[name];
  if (value === undefined) return null;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  found.add('member-of-wrong-type', {
    text: `The member ${name} is not a list of texts.`,
    source,
    expected: 'a list of texts',
    received: typeOf(value),
  });
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
