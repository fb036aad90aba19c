import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { isAnswerLike } from './received-callback.ts';

/** Limit of characters of a pasted callback. */
const MAX_PASTED = 32 * 1024;

/**
 * The URL that a pasted text stands for: a whole URL, one without its scheme or host, or its query or fragment alone. Parameters behind
 * the `#` count as the query if that has no answer, because only a paste can bring them.
 *
 * @param redirectUri what a text without an address is added to
 * @throws FaultError if it has nothing of an answer
 */
export function readPasted(pasted: string, redirectUri: string): string {
  if (pasted.length > MAX_PASTED) throw new FaultError(tooLong);
  // A space or a line break is never a part of a URL: a terminal or a mail has wrapped it.
  const text = pasted
    .replaceAll(/\s/g, '')
    .replace(/^["'<]/, '')
    .replace(/["'>]$/, '');
  const url = urlOf(text, redirectUri);
  if (url === null) throw new FaultError(noAnswer);
  const behind = new URL(url);
  behind.search = url.hash.slice(1);
  behind.hash = '';
  const read = !isAnswerLike(url) && isAnswerLike(behind) ? behind : url;
  if (!isAnswerLike(read)) throw new FaultError(noAnswer);
  if (!['code', 'error'].some((name) => read.searchParams.has(name))) throw new FaultError(onlyState);
  return read.href;
}

function urlOf(text: string, redirectUri: string): URL | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return URL.canParse(text) ? new URL(text) : null;
  if (!URL.canParse(redirectUri)) return null;
  const { protocol, origin, host, pathname } = new URL(redirectUri);
  const whole = text.startsWith(`${host}/`)
    ? `${protocol}//${text}`
    : text.startsWith('/')
      ? `${origin}${text}`
      : `${origin}${pathname}${/^[?#]/.test(text) ? text : `?${text.replace(/^&/, '')}`}`;
  return URL.canParse(whole) ? new URL(whole) : null;
}

const next =
  'Copy the whole address of the page that the browser shows after the sign-in, with everything behind the ?, and paste it.';

const noAnswer: Fault = {
  code: 'pasted-no-answer',
  what: 'What you pasted has no code and no error, so it is not the answer. The flow goes on waiting.',
  next,
};

const onlyState: Fault = {
  code: 'pasted-no-code',
  what: 'What you pasted has a state, but no code and no error, so something is missing. The flow goes on waiting.',
  next,
};

const tooLong: Fault = {
  code: 'pasted-too-long',
  what: 'What you pasted is too long for a callback. The flow goes on waiting.',
  next,
};

/** @param why why it is not believed */
export const notOurs = (why: string): Fault => ({
  code: 'pasted-not-ours',
  what: `What you pasted is not the answer to this request. ${why} The flow goes on waiting.`,
  why: 'It was cut off when it was copied, or is of an earlier attempt.',
  next,
});
