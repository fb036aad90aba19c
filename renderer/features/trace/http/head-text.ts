import type { HeaderLines, HttpRequestRecord, HttpResponseRecord } from '#shared/trace/record.ts';

export const requestLine = ({ method, url }: HttpRequestRecord): string => `${method} ${url}`;

/** As a server writes it: `HTTP/1.1 200 OK`. */
export const statusLine = ({ httpVersion, status, reason }: HttpResponseRecord): string =>
  [`HTTP/${httpVersion}`, String(status), reason].filter((part) => part !== '').join(' ');

/** Header lines as text to copy, one below the other, under the line that begins the head. */
export const headText = (headers: HeaderLines, firstLine?: string): string =>
  [
    ...(firstLine === undefined ? [] : [firstLine]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
  ].join('\n');
