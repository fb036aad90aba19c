import type { Findings } from './findings.ts';

/** Plain HTTP is allowed on these hosts only (MCP authorization, communication security). */
export const allowsPlainHttp = (url: URL): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);

/**
 * Checks a URL that a server named, as a string: its scheme, its host and that it has no fragment.
 * @param name what has it, such as `token_endpoint`
 * @returns whether the flow may use it
 */
export function checkEndpoint(name: string, value: string, found: Findings): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || value.includes('#')) {
    found.add('endpoint-invalid', {
      text: `The ${name} is not an absolute URL without fragment.`,
      received: value,
    });
    return false;
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowsPlainHttp(url))) return true;
  if (url.protocol === 'http:')
    found.add('endpoint-not-https', {
      text: `The ${name} is plain http.`,
      expected: value.replace(/^http:/i, 'https:'),
      received: value,
    });
  else
    found.add('endpoint-scheme-forbidden', {
      text: `The ${name} is a ${url.protocol} URL. It was not opened.`,
      expected: 'https:',
      received: value,
    });
  return false;
}

/** Whether one URL contains the other: without its query, or above its path. */
export function containsUrl(parent: URL, child: URL): boolean {
  if (parent.search !== '' || parent.origin !== child.origin) return false;
  if (parent.pathname === child.pathname) return true;
  const path = parent.pathname.endsWith('/') ? parent.pathname : `${parent.pathname}/`;
  return child.pathname.startsWith(path);
}

/** How two URLs differ, as strings first. */
export function differenceOf(expected: string, received: string): 'none' | 'slash' | 'spelling' | 'other' {
  if (expected === received) return 'none';
  if (expected === `${received}/` || received === `${expected}/`) return 'slash';
  const [one, other] = [expected, received].map((text) =>
    URL.canParse(text) ? new URL(text).href.replace(/\/$/, '') : null,
  );
  return one !== null && one === other ? 'spelling' : 'other';
}
