import type { CallbackComparison, ReceivedCallback } from '#shared/contract/authorization-callback.ts';
import { truncate } from '#shared/format.ts';
import { isCredentialParameter } from '#shared/secret-names.ts';
import type { CallbackContext } from './checks/callback.ts';
import { isSameSecret } from './pkce.ts';
import { fingerprintOf } from './tokens.ts';

/** A request to the redirect URI, or a URL that the user pasted, as it is recorded. */
export interface ArrivedCallback {
  readonly by: ReceivedCallback['by'];
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** Row of the trace; null if it has none. */
  readonly row: number | null;
}

/** What is expected of a callback. */
export type ExpectedCallback = Pick<CallbackContext, 'redirectUri' | 'state' | 'issuer' | 'promisesIss'>;

/** Limits of what is shown of one callback; the row in the trace has more. */
const MAX_PARAMETERS = 40;
const MAX_NAME = 100;
const MAX_VALUE = 2000;

/** What came, with a fingerprint for each secret, and what was compared. Decides nothing but whether it is to be believed. */
export function describeCallback(
  { by, method, url: text, row }: ArrivedCallback,
  expected: ExpectedCallback,
): ReceivedCallback {
  const url = new URL(text);
  const all = [
    ...parametersOf(url.searchParams, false),
    ...parametersOf(new URLSearchParams(url.hash.slice(1)), true),
  ];
  return {
    by,
    method: truncate(method, MAX_NAME),
    url: truncate(`${url.origin}${url.pathname}`, MAX_VALUE),
    parameters: all.slice(0, MAX_PARAMETERS),
    moreParameters: Math.max(0, all.length - MAX_PARAMETERS),
    state: compareState(url, expected.state),
    iss: compareIss(url, expected),
    untrusted: whyUntrusted({ method, url: text }, expected),
    row,
  };
}

/** Why nothing of a callback may be used or believed; null if it is the answer to our request. */
export function whyUntrusted(
  { method, url: text }: Pick<ArrivedCallback, 'method' | 'url'>,
  expected: ExpectedCallback,
): string | null {
  const url = new URL(text);
  if (method !== 'GET')
    return `It is a ${truncate(method, 20)}, and an answer in the query is a GET (RFC 6749 4.1.2).`;
  if (!isAnswerLike(url)) return 'It has no code, error or state in its query.';
  if (!isAt(text, expected.redirectUri)) return 'It did not come to the redirect URI.';
  const state = compareState(url, expected.state).result;
  if (state === 'missing') return 'It has no state, so anybody may have sent it.';
  if (state !== 'equal') return 'Its state is not the one that was sent, so it is of another request.';
  const iss = compareIss(url, expected).result;
  if (iss === 'missing') return 'It has no iss, which was promised, so it may be of another issuer.';
  if (iss === 'different') return 'Its iss is not the expected one, so it may be of another issuer.';
  return null;
}

/** Whether a URL is the redirect URI, with whatever query and fragment. */
export function isAt(text: string, redirectUri: string): boolean {
  const [one, other] = [text, redirectUri].map((each) => (URL.canParse(each) ? new URL(each) : null));
  return one != null && other != null && one.origin === other.origin && one.pathname === other.pathname;
}

/** Whether a request that is not the awaited answer looks like one. */
export const isStrayAnswer = ({ method, url }: Pick<ArrivedCallback, 'method' | 'url'>): boolean =>
  method === 'GET' && isAnswerLike(new URL(url));

/** Whether a URL has anything of an answer in its query. */
export const isAnswerLike = ({ searchParams }: URL): boolean =>
  ['code', 'error', 'state'].some((name) => searchParams.has(name));

/**
 * The URL for the trace, which replaces secrets by their names: a JWT is one under any name, such as the `response` of JARM, which has
 * the code in it.
 */
export function recordableUrl(text: string): string {
  const url = truncate(text, MAX_URL);
  return url.replace(JWT, (jwt) => `JWT-${fingerprintOf(jwt)}`);
}

/** Limit of characters of a URL in the trace. */
const MAX_URL = 8192;

const JWT = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;

function parametersOf(parameters: URLSearchParams, isInFragment: boolean): ReceivedCallback['parameters'] {
  return [...parameters].map(([name, value]) => {
    const isSecret = isCredentialParameter(name) || value.search(JWT) !== -1;
    return {
      name: truncate(name, MAX_NAME),
      value: isSecret ? null : truncate(value, MAX_VALUE),
      fingerprint: isSecret ? fingerprintOf(value) : null,
      isInFragment,
    };
  });
}

function compareState(url: URL, expected: string): CallbackComparison {
  const values = url.searchParams.getAll('state');
  const [first] = values;
  const isEqual = expected !== '' && values.every((one) => isSameSecret(one, expected));
  return {
    result: first === undefined ? 'missing' : isEqual ? 'equal' : 'different',
    expected: expected === '' ? null : fingerprintOf(expected),
    received: first === undefined ? null : values.map(fingerprintOf).join(', '),
    rule: 'It must be the one that was sent.',
    source: 'RFC 6749 10.12',
  };
}

function compareIss(url: URL, { issuer, promisesIss }: ExpectedCallback): CallbackComparison {
  const values = url.searchParams.getAll('iss');
  const isEqual = values.length === 1 && values[0] === issuer;
  const received = values.length === 0 ? null : truncate(values.join(', '), MAX_VALUE);
  const compared = values.length === 0 ? (promisesIss ? 'missing' : 'none') : isEqual ? 'equal' : 'different';
  return {
    result: compared,
    expected: issuer,
    received,
    rule: promisesIss
      ? 'The metadata promises it, so it must be there, and equal character by character.'
      : values.length === 0
        ? 'The metadata does not promise it, so it may be left out.'
        : 'The metadata does not promise it, but what comes must be equal character by character.',
    source: 'RFC 9207 2.4',
  };
}
