import { z } from 'zod';

/*
 * URLs of servers may have placeholders anywhere, such as `https://${input:tenant}.example.com:${input:port}/mcp`. Where one
 * is in the host or port, no URL parser reads them before the values are known.
 */

/** Placeholders of settings. One that is not closed matches to the end, so that the end is searched for once. */
const PLACEHOLDER = /\$\{[^}]*(?:\}|$)/g;

/** The URL with an example for each placeholder, by which the rest of it can be validated. */
export function sampleUrl(text: string): string {
  let portEnd = -1;
  return text.replaceAll(PLACEHOLDER, (written, offset: number) => {
    if (!written.endsWith('}')) return written;
    const next = text[offset + written.length] ?? '';
    // The whole beginning may be a placeholder: `${input:baseUrl}/mcp`.
    if (offset === 0) return next === ':' ? 'https' : 'https://x';
    // What follows a port can only be a path: `:${input:port}${input:path}`.
    if (offset === portEnd) return '/x';
    if (text[offset - 1] !== ':' || !(next === '' || '/?#$'.includes(next))) return 'x';
    portEnd = offset + written.length;
    return '1';
  });
}

const httpUrl = z.url({ protocol: /^https?$/ });

/** Whether it is an http(s) URL, or becomes one with values for its placeholders. */
export const isHttpUrlTemplate = (text: string): boolean =>
  [text, sampleUrl(text)].some((one) => httpUrl.safeParse(one).success);
