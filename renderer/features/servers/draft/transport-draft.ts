import { joinCommandLine, splitCommandLine } from '#model/command-line.ts';
import type { StdioSettings, HttpSettings } from '#shared/contract/servers.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { type NamedValue, namedValues, readRows, rowsSetTwice } from './named-values.ts';
import { type DraftOptions, type ReadPart, textOrNull } from './draft-part.ts';
import { validateUrl, urlIn } from './validate-url.ts';

/** How a server's process is run, as it is being edited. */
export interface StdioDraft {
  readonly commandLine: string;
  readonly cwd: string;
  readonly env: readonly NamedValue[];
  readonly inherit: StdioSettings['inherit'];
}

export const emptyStdioDraft = (): StdioDraft => ({ commandLine: '', cwd: '', env: [], inherit: 'safe' });

export const stdioDraftOf = (
  { command, args, cwd, env, inherit }: StdioSettings,
  options: DraftOptions,
): StdioDraft => ({
  commandLine: joinCommandLine([command, ...args], options),
  cwd: cwd ?? '',
  env: namedValues(env),
  inherit,
});

export function readStdioDraft(draft: StdioDraft, options: DraftOptions): ReadPart {
  const line = splitCommandLine(draft.commandLine, options);
  const [command = '', ...args] = line.words;
  const env = readRows(draft.env);
  const errors: Record<string, string> = {};
  for (const [place, why] of rowsSetTwice(draft.env)) errors[`env.${place}`] = why;
  if (line.error !== null) errors.commandLine = line.error;
  else if (command.trim() === '') errors.commandLine = 'Write the command that starts the server.';
  else if (urlIn(draft.commandLine) !== null) errors.commandLine = 'A URL cannot be run.';
  return {
    name: nameOfCommand(command, args),
    transport: {
      kind: 'stdio',
      command,
      args,
      cwd: textOrNull(draft.cwd),
      env: env.entries,
      inherit: draft.inherit,
    },
    errors,
    placeOf: ([head, entry]) => {
      if (head === 'env') return `env.${env.rowOf(Number(entry))}`;
      return head === 'cwd' ? 'cwd' : 'commandLine';
    },
  };
}

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
  const validation = validateUrl(url);
  return validation.state === 'ok' ? {} : { url: validation.why };
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
