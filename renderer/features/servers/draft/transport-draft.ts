import { joinCommandLine, splitCommandLine } from '#shared/command-line.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import type { StdioSettings, HttpSettings } from '#shared/contract/servers.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { type NamedValue, namedValues, parseRows, duplicateNames } from './named-values.ts';
import { type DraftOptions, type ParsedTransport, textOrNull } from './draft-part.ts';
import { validateUrl, urlIn } from './validate-url.ts';

/** The stdio transport being edited. */
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

export function parseStdioDraft(draft: StdioDraft, options: DraftOptions): ParsedTransport {
  const line = splitCommandLine(draft.commandLine, options);
  const [command = '', ...args] = line.words;
  const env = parseRows(draft.env);
  const errors: Record<string, string> = {};
  for (const [index, error] of duplicateNames(draft.env)) errors[`env.${index}`] = error;
  if (line.error !== null) errors.commandLine = line.error;
  else if (command.trim() === '') errors.commandLine = 'Enter the command that starts the server.';
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
    fieldOf: ([head, entry]) => {
      if (head === 'env') return `env.${env.rowOf(Number(entry))}`;
      return head === 'cwd' ? 'cwd' : 'commandLine';
    },
  };
}

/** The HTTP transport being edited. */
export interface HttpDraft {
  readonly url: string;
  readonly transport: HttpSettings['transport'];
  readonly headers: readonly NamedValue[];
  readonly tls: TlsDraft;
  readonly proxy: HttpSettings['proxy'];
  /** Null for the default. */
  readonly authorization: AuthorizationSettings | null;
}

/** Paths and a fingerprint; empty means none. */
export interface TlsDraft {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** A SHA-256 fingerprint, in any notation. */
  readonly accepted: string;
}

export const emptyHttpDraft = (): HttpDraft => ({
  url: '',
  transport: 'auto',
  headers: [],
  tls: { caFile: '', certFile: '', keyFile: '', accepted: '' },
  proxy: 'environment',
  authorization: null,
});

export const httpDraftOf = ({
  url,
  transport,
  headers,
  tls,
  proxy,
  authorization,
}: HttpSettings): HttpDraft => ({
  url,
  transport,
  headers: namedValues(headers),
  tls: {
    caFile: tls.caFile ?? '',
    certFile: tls.certFile ?? '',
    keyFile: tls.keyFile ?? '',
    accepted: tls.accepted ?? '',
  },
  proxy,
  authorization: authorization ?? null,
});

export function parseHttpDraft({
  url,
  transport,
  headers,
  tls,
  proxy,
  authorization,
}: HttpDraft): ParsedTransport {
  const rows = parseRows(headers);
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
        accepted: textOrNull(tls.accepted),
      },
      proxy,
      ...(authorization !== null && { authorization }),
    },
    errors: { ...urlErrors(url), ...headerErrors(headers), ...tlsErrors(tls) },
    fieldOf: ([head, member]) => {
      if (head === 'headers') return `headers.${rows.rowOf(Number(member))}`;
      return head === 'tls' ? `tls.${String(member)}` : 'url';
    },
  };
}

function urlErrors(url: string): Record<string, string> {
  const validation = validateUrl(url);
  return validation.state === 'ok' ? {} : { url: validation.error };
}

/** Valid in a header's value: visible characters, spaces and tabs (RFC 9110 section 5.5). */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function headerErrors(headers: readonly NamedValue[]): Record<string, string> {
  const errors: Record<string, string> = {};
  // Header names are case-insensitive (RFC 9110 section 5.1).
  for (const [index, error] of duplicateNames(headers, (name) => name.toLowerCase()))
    errors[`headers.${index}`] = error;
  for (const [index, { name, value }] of headers.entries()) {
    if (value !== null && !headerValue.test(value))
      errors[`headers.${index}.value`] = 'The value contains a character that a header cannot carry.';
    if (name === '' && value !== '') errors[`headers.${index}`] = 'The header needs a name.';
  }
  return errors;
}

/** 32 bytes in hexadecimal, as OpenSSL, browsers and this app write them. */
const fingerprint = /^(?:[0-9a-f]{2}[:\s]*){32}$/i;

function tlsErrors({ certFile, keyFile, accepted }: TlsDraft): Record<string, string> {
  const errors: Record<string, string> = {};
  // A certificate file may include its key; a key without a certificate is useless.
  if (keyFile.trim() !== '' && certFile.trim() === '')
    errors['tls.certFile'] = 'The key needs its certificate.';
  if (accepted.trim() !== '' && !fingerprint.test(accepted.trim()))
    errors['tls.accepted'] = 'A SHA-256 fingerprint has 64 hexadecimal digits.';
  return errors;
}
