import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { shellWord } from './shell.ts';

/** A body of more bytes fits no single argument on Linux. */
export const LONGEST_BODY = 120_000;

/** Header lines that curl writes by itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

/** To curl, `@` in front of a name is a file of headers. */
const isHeaderName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * The command that sends the request of an exchange again, as it is on record: secrets are placeholders. A trace may
 * come from anybody, so nothing in it becomes an option, or names a file for curl to read.
 *
 * @param body null when it had none
 * @returns null when what is on record is no address of HTTP
 */
export function curlCommand({ request, connected }: ExchangeDetail, body: string | null): string | null {
  const { method, url, headers } = request;
  if (!/^https?:\/\//i.test(url)) return null;
  const lines: string[] = [];
  const usual = body === null ? 'GET' : 'POST';
  const has = (name: string) => headers.some(([header]) => header.toLowerCase() === name);
  lines.push(`curl${method === usual ? '' : ` --request ${shellWord(method)}`} --url ${shellWord(url)}`);
  // Brackets in an address would stand for several.
  if (/[[\]{}]/.test(url)) lines.push('--globoff');
  if (connected?.tls?.untrusted !== undefined) lines.push('--insecure');
  if (has('accept-encoding')) lines.push('--compressed');
  if (
    headers.some(([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/event-stream'))
  ) {
    lines.push('--no-buffer');
  }
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower) || lower === 'accept-encoding' || !isHeaderName.test(name)) continue;
    lines.push(`--header ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  // These two it would add by itself.
  if (!has('accept')) lines.push('--header Accept:');
  if (body !== null && !has('content-type')) lines.push('--header Content-Type:');
  if (body !== null) lines.push(`--data-raw ${shellWord(body)}`);
  return lines.join(' \\\n  ');
}
