import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { truncate } from '#shared/format.ts';
import { isJson } from '#shared/json/tokens.ts';
import type { NamedServer } from '#main/platform.ts';
import { messageOf } from '#shared/contract/fault.ts';
import {
  eraChoices,
  headerEntrySchema,
  httpSettingsSchema,
  httpTransports,
} from '#shared/contract/servers.ts';
import {
  clientNotes,
  clientOptionNames,
  clientOptions,
  clientOptionsSchema,
  readClient,
} from './client-options.ts';
import { type CliOption, type Invocation, parseOptions } from './command.ts';
import { UsageError } from './exit.ts';
import { readDuration, existingFolder, flagOf, quoted } from './option-values.ts';

const secretNotes = `A command line is seen by every user of the machine, so secrets are better named than written:
--header NAME=@FILE and --header 'NAME=$VARIABLE' send what the file or the variable holds; a scheme may stand
before it, as in --header 'Authorization=Bearer $TOKEN'. --secret-env takes the same, or a name alone for the
variable of that name here. Whatever is given so is secret, by whatever name.`;

/** The options of every command that connects to a server. */
export const targetOptions: readonly CliOption[] = [
  ['--url <url>', 'connect to the server at this address, instead of a command line'],
  ['--server <name>', 'connect to the saved server of this name, instead of a command line'],
  [
    '--input <id[=source]>',
    'give an input of the saved server the value of the variable of that name here, or of @FILE or $VARIABLE; may be repeated',
    'repeatable',
  ],
  [
    '--allow-variables',
    'send the variables that the settings of the saved server use, such as ${env:TOKEN}, without asking',
  ],
  [
    '--header <name:value>',
    'send this header with every request to it; also NAME=@FILE and NAME=$VARIABLE; may be repeated',
    'repeatable',
  ],
  [
    '--secret-header <name:value>',
    'as --header, and mask its value, by whatever name; may be repeated',
    'repeatable',
  ],
  ['--transport <transport>', `how to talk to it: ${httpTransports.join(', ')}`],
  ['--env <name=value>', 'set a variable for the command line; may be repeated', 'repeatable'],
  [
    '--secret-env <name[=source]>',
    'set a variable to the value it has here, or to @FILE or $VARIABLE, and mask it; may be repeated',
    'repeatable',
  ],
  ['--cwd <folder>', 'start the command line in this folder'],
  [
    '--allow-issuer <url>',
    'let this authorization server, and no other, get the client secret and other credentials; may be repeated',
    'repeatable',
  ],
  [
    '--allow-resource-query',
    "let the authorization server get the query of the server's URL in resource, without secret parameters",
  ],
  ['--era <era>', `speak this era of the protocol: ${eraChoices.join(', ')}`],
  ['--revision <revision>', 'ask for this revision, such as 2025-06-18, instead of the newest'],
  ['--timeout <time>', 'how long the server may take to answer, such as 500ms, 30s, 2m'],
  [
    '--allow-address <host>',
    'let the server lead to this host, with or without a port, on this machine or its network; may be repeated',
    'repeatable',
  ],
  ...clientOptions,
];

export const targetNotes = `The server is the command line after "--", the address after --url, or the saved one after --server: its
settings apply, a command line that was never approved is asked about, and so are variables of the environment in the URL
or the headers of a saved server, which --allow-variables sends without a question; and --secret-env, --header, --secret-header
and --input give it secret values, which only the desktop app keeps. Everything after "--" is the
server's own; it inherits only what every program needs (PATH, HOME, …) and what --env and --secret-env
set. Values of --secret-header and --secret-env, and of --header and --env where the name says so (Authorization, Cookie,
X-Api-Key, API_KEY, …TOKEN, …PASSWORD), are never written to the trace. A plain word such as "http" is hidden in its own
header or variable only.
${secretNotes}
${clientNotes}`;

const optionsSchema = z.object({
  url: z.string().optional(),
  server: z.string().optional(),
  input: z.array(z.string()).default([]),
  allowVariables: z.boolean().optional(),
  header: z.array(z.string()).default([]),
  secretHeader: z.array(z.string()).default([]),
  transport: z.enum(httpTransports).optional(),
  env: z.array(z.string()).default([]),
  secretEnv: z.array(z.string()).default([]),
  confirm: z.boolean().optional(),
  cwd: z.string().optional(),
  era: z.enum(eraChoices).optional(),
  revision: z.string().min(1, 'wants a revision').optional(),
  allowIssuer: z.array(z.string()).default([]),
  allowResourceQuery: z.boolean().default(false),
  timeout: z.string().optional(),
  allowAddress: z.array(z.string()).default([]),
  ...clientOptionsSchema.shape,
});

type Options = z.infer<typeof optionsSchema>;

/** Options for one kind of server only. */
const onlyForUrl: readonly (keyof Options)[] = ['header', 'secretHeader', 'transport'];

/** A server on stdio has no authorization. */
const onlyForAuthorization: readonly (keyof Options)[] = ['allowIssuer', 'allowResourceQuery'];

/** Options that the saved settings decide. */
const notForSaved: readonly (keyof Options)[] = ['transport', 'env', 'cwd'];

const onlyForCommand: readonly (keyof Options)[] = ['env', 'secretEnv', 'cwd'];

const onlyForServer: readonly (keyof Options)[] = [
  ...onlyForCommand,
  'era',
  'revision',
  'timeout',
  'allowAddress',
  'allowIssuer',
  'allowResourceQuery',
  ...clientOptionNames,
];

/** Reads the server and its options. @throws UsageError */
export function readTarget(invocation: Invocation): NamedServer {
  const target = readOptionalTarget(invocation);
  if (target === null) {
    throw new UsageError(
      'a server is needed, such as: -- node server.js, or: --url http://127.0.0.1:3000/mcp, or: --server NAME',
    );
  }
  return target;
}

/** Reads the server of a command that can run without one; null if none is named. @throws UsageError */
export function readOptionalTarget({ commandLine, options: given }: Invocation): NamedServer | null {
  const options = parseOptions(optionsSchema, given);
  const { url, server, transport, env, secretEnv, cwd } = options;
  if (server !== undefined) {
    if (url !== undefined || commandLine !== null) {
      throw new UsageError(
        '--server names a saved server, so leave out --url and the command line after "--"',
      );
    }
    return readSaved(server, options);
  }
  refuse(options, ['input'], 'goes with --server only');
  if (url !== undefined || commandLine !== null)
    refuse(options, ['allowVariables'], 'goes with --server only');
  if (url !== undefined && commandLine !== null) {
    throw new UsageError('a server is named by --url or by the command line after "--", not by both');
  }
  if (url !== undefined) {
    refuse(options, onlyForCommand, 'is for a command line, not for --url');
    return {
      kind: 'http',
      url: readUrl(url),
      ...readHeaders(options),
      ...(transport !== undefined && { httpTransport: transport }),
      ...readCommon(options),
    };
  }
  refuse(options, onlyForUrl, 'goes with --url only');
  if (commandLine !== null) refuse(options, onlyForAuthorization, 'is for a server behind a URL');
  if (commandLine !== null) {
    return {
      kind: 'stdio',
      ...commandLine,
      ...readVariables(env, secretEnv),
      ...(cwd !== undefined && { cwd: existingFolder('--cwd', cwd) }),
      ...readCommon(options),
    };
  }
  refuse(options, onlyForServer, 'is about a server, and none is named');
  return null;
}

function readSaved(name: string, options: Options): NamedServer {
  refuse(options, notForSaved, 'is a part of the settings of a saved server, which --server names');
  refuse(options, ['confirm'], 'is for commands copied from a trace, which name no saved server');
  const { secretEnv, input, allowVariables } = options;
  const inputs = input.map((text): [string, string] => {
    const [id, value] = readSecretVariable('--input', text);
    return [`input:${id}`, value];
  });
  const secrets = secretEnv.map((text) => readSecretVariable('--secret-env', text));
  const values = [...readHeaders(options).headers, ...secrets, ...inputs];
  return {
    kind: 'saved',
    name,
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(allowVariables === true && { allowVariables }),
    ...readCommon(options),
  };
}

function readCommon(
  options: Options,
): Pick<
  NamedServer,
  | 'era'
  | 'revision'
  | 'timeout'
  | 'client'
  | 'confirm'
  | 'allowAddresses'
  | 'allowIssuers'
  | 'allowResourceQuery'
> {
  const { era, revision, timeout, confirm, allowAddress, allowIssuer, allowResourceQuery } = options;
  const client = readClient(options);
  return {
    ...(era !== undefined && { era }),
    ...(revision !== undefined && { revision }),
    ...(timeout !== undefined && { timeout: readDuration('--timeout', timeout) }),
    ...(Object.keys(client).length > 0 && { client }),
    ...(confirm === true && { confirm }),
    ...(allowAddress.length > 0 && { allowAddresses: allowAddress.map(readAllowedAddress) }),
    ...(allowIssuer.length > 0 && { allowIssuers: allowIssuer.map(readIssuer) }),
    ...(allowResourceQuery && { allowResourceQuery }),
  };
}

/** An issuer as it is written: issuers are compared as strings. @throws UsageError */
function readIssuer(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(
    `--allow-issuer wants the URL of an authorization server, such as https://login.example.com; it is ${quoted(withoutCredentials(text))}`,
  );
}

function refuse(options: Options, names: readonly (keyof Options)[], why: string): void {
  const isGiven = (value: Options[keyof Options]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  const name = names.find((one) => isGiven(options[one]));
  if (name !== undefined) throw new UsageError(`${flagOf(name)} ${why}`);
}

/** A host as URLs write it, so that every spelling of an address is the same. @throws UsageError */
function readAllowedAddress(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  // The port that is usual for http is written out, so that it is not left out for https.
  if (url !== null && url.pathname === '/' && /^[^/?#@]+$/.test(text))
    return text.endsWith(':80') ? `${url.hostname}:80` : url.host;
  throw new UsageError(
    `--allow-address wants a host, such as 127.0.0.1:8080 or login.internal; it is ${quoted(text)}`,
  );
}

function readUrl(text: string): string {
  const parsed = httpSettingsSchema.shape.url.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    '--url wants an address that begins with http:// or https://, with a port from 1 to 65535 if one is named, ' +
      `such as http://127.0.0.1:3000/mcp; it is ${quoted(withoutCredentials(text))}`,
  );
}

/** Removes possible secrets from an address, since logs may keep the message. */
const withoutCredentials = (address: string): string =>
  address.replace(/\/\/[^/@]*@/, '//…@').replace(/[?#].*/s, '?…');

function readVariables(env: readonly string[], secretEnv: readonly string[]) {
  const secret = secretEnv.map((text) => readSecretVariable('--secret-env', text));
  return {
    env: Object.fromEntries([...env.map(readVariable), ...secret]),
    ...(secret.length > 0 && { secretNames: secret.map(([name]) => name) }),
  };
}

function readVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--env wants NAME=VALUE; it is ${quoted(text)}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

interface GivenHeader {
  readonly line: [name: string, value: string];
  /** Whether it is secret by the way in which it was given. */
  readonly isMarked: boolean;
}

function readHeaders({ header, secretHeader }: Pick<Options, 'header' | 'secretHeader'>) {
  const given = [
    ...header.map((text) => readHeader('--header', text)),
    ...secretHeader.map((text) => ({ ...readHeader('--secret-header', text), isMarked: true })),
  ];
  const marked = given.flatMap(({ line, isMarked }) => (isMarked ? [line[0]] : []));
  return { headers: given.map(({ line }) => line), ...(marked.length > 0 && { secretNames: marked }) };
}

/** Messages about a bad header never contain its value, which may be secret. */
function readHeader(option: string, text: string): GivenHeader {
  const fromElsewhere = readNamedHeader(option, text);
  const [name, value] = fromElsewhere ?? splitHeader(option, text);
  const parsed = headerEntrySchema.shape.name.safeParse(name);
  if (!parsed.success) throw new UsageError(`${option}: ${quoted(name)} is not a header name`);
  if (/[\r\n\0]/.test(value))
    throw new UsageError(`${option}: the value of ${quoted(name)} is more than one line`);
  return { line: [name, value], isMarked: fromElsewhere !== null };
}

function splitHeader(option: string, text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError(`${option} wants "Name: value"; there is no name before a ":"`);
  return [text.slice(0, colon), text.slice(colon + 1).trim()];
}

/** The text before `@FILE` or `$VARIABLE` is a scheme, such as `Bearer`. */
const named = /^(?:([A-Za-z][A-Za-z0-9-]*) +)?([@$])(.+)$/s;

/** `NAME=@FILE` or `NAME=$VARIABLE`; null if neither. Messages never contain the value. @throws UsageError */
function readNamedHeader(option: string, text: string): [name: string, value: string] | null {
  const [, name, source] = /^([^:=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || source === undefined) return null;
  const value = valueOf(option, source);
  if (value !== null) return [name, value];
  throw new UsageError(
    `${option} ${truncate(name, 40)}= wants @FILE or $VARIABLE behind it; a value goes behind a colon, as in "Name: value"`,
  );
}

/** `NAME`, `NAME=@FILE` or `NAME=$VARIABLE`. @throws UsageError */
export function readSecretVariable(option: string, text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === '')
    throw new UsageError(`${option} wants the name of ${option === '--input' ? 'an input' : 'a variable'}`);
  if (equals === -1) return [name, variable(option, name)];
  const value = valueOf(option, text.slice(equals + 1));
  if (value !== null) return [name, value];
  throw new UsageError(
    `${option} ${truncate(name, 40)}= wants @FILE or $VARIABLE behind it: a value written there would be seen by every user`,
  );
}

/**
 * Secrets as JSON texts by name, from `NAME=@FILE`, `NAME=$VARIABLE`, `NAME=VALUE` and `NAME:=JSON`. Messages never contain a
 * value. @throws UsageError
 */
export function readSecretValues(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, colon, value = ''] = /^([^=]+?)(:)?=(.*)$/s.exec(text) ?? [];
      if (name === undefined) throw new UsageError('--var wants NAME=VALUE');
      if (colon === undefined) return [name, JSON.stringify(valueOf('--var', value) ?? value)];
      if (isJson(value)) return [name, value];
      throw new UsageError(`--var ${truncate(name, 40)}:= wants JSON behind it`);
    }),
  );
}

function valueOf(option: string, source: string): string | null {
  const [, scheme, sign, from] = named.exec(source) ?? [];
  if (from === undefined) return null;
  const value = sign === '@' ? contentOf(option, from) : variable(option, from);
  return scheme === undefined ? value : `${scheme} ${value}`;
}

/** The variables of the environment that hold secrets, as the options of this run say. */
const secretVariables = new Set<string>();

/** The environment for a browser, which outlives us: without the variables that a secret was read from. */
export const browserEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !secretVariables.has(name)));

function variable(option: string, name: string): string {
  const value = process.env[name];
  if (value !== undefined) {
    secretVariables.add(name);
    return value;
  }
  throw new UsageError(`${option}: there is no variable ${truncate(name, 40)} in the environment`);
}

/** The trailing line break of a file is not part of the value, nor the mark of its encoding. */
function contentOf(option: string, path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`${option}: ${messageOf(error)}`);
  }
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes).replace(/\r?\n$/, '');
  if (text.includes('\0'))
    throw new UsageError(
      `${option}: ${path} holds NUL characters, which no value may have; save it as UTF-8 text`,
    );
  return text;
}
