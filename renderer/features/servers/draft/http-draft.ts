import type { HttpSettings } from '#shared/contract/servers.ts';
import { type NamedValue, namedValues, readRows, rowsSetTwice } from '../named-values/named-value.ts';
import { judgeUrl } from './judge-url.ts';
import { type ReadPart, textOrNull } from './part.ts';
import { nameOfUrl } from '#shared/server-names.ts';

/** How a server is reached over HTTP, as it is being edited. */
export interface HttpDraft {
  readonly url: string;
  readonly transport: HttpSettings['transport'];
  readonly headers: readonly NamedValue[];
  readonly tls: TlsDraft;
  readonly proxy: HttpSettings['proxy'];
}

/** Paths; empty is none. */
export interface TlsDraft {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly accepted: string | null;
}

export const emptyHttpDraft = (): HttpDraft => ({
  url: '',
  transport: 'auto',
  headers: [],
  tls: { caFile: '', certFile: '', keyFile: '', accepted: null },
  proxy: 'environment',
});

export const httpDraftOf = ({ url, transport, headers, tls, proxy }: HttpSettings): HttpDraft => ({
  url,
  transport,
  headers: namedValues(headers),
  tls: {
    caFile: tls.caFile ?? '',
    certFile: tls.certFile ?? '',
    keyFile: tls.keyFile ?? '',
    accepted: tls.accepted,
  },
  proxy,
});

export function readHttpDraft({ url, transport, headers, tls, proxy }: HttpDraft): ReadPart {
  const rows = readRows(headers);
  return {
    name: URL.canParse(url) ? nameOfUrl(new URL(url)) : '',
    transport: {
      kind: 'http',
      url: url.trim(),
      transport,
      headers: rows.entries,
      tls: {
        caFile: textOrNull(tls.caFile),
        certFile: textOrNull(tls.certFile),
        keyFile: textOrNull(tls.keyFile),
        accepted: tls.accepted,
      },
      proxy,
    },
    errors: { ...urlErrors(url), ...headerErrors(headers), ...tlsErrors(tls) },
    placeOf: ([head, member]) => {
      if (head === 'headers') return `headers.${rows.rowOf(Number(member))}`;
      return head === 'tls' ? `tls.${String(member)}` : 'url';
    },
  };
}

function urlErrors(url: string): Record<string, string> {
  const verdict = judgeUrl(url);
  return verdict.state === 'ok' ? {} : { url: verdict.why };
}

/** What can stand in a header's value: visible characters, spaces and tabs (RFC 9110 section 5.5). */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function headerErrors(headers: readonly NamedValue[]): Record<string, string> {
  const errors: Record<string, string> = {};
  // A name is the same in any case (RFC 9110 section 5.1).
  for (const [place, why] of rowsSetTwice(headers, (name) => name.toLowerCase()))
    errors[`headers.${place}`] = why;
  for (const [place, { name, value }] of headers.entries()) {
    if (value !== null && !headerValue.test(value))
      errors[`headers.${place}.value`] = 'The value holds a character that no header can carry.';
    if (name === '' && value !== '') errors[`headers.${place}`] = 'The header needs a name.';
  }
  return errors;
}

/** A certificate may bring its key in the same file; a key alone is of no use. */
const tlsErrors = ({ certFile, keyFile }: TlsDraft): Record<string, string> =>
  keyFile.trim() !== '' && certFile.trim() === '' ? { 'tls.certFile': 'The key needs its certificate.' } : {};
