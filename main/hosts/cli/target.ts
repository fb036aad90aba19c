import { z } from 'zod';
import type { NamedServer } from '#engine/platform.ts';
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
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';
import { existingFolder, flagOf, quoted } from './given.ts';

/** The options of every command that connects to a server. */
export const targetOptions: readonly CliOption[] = [
  ['--url <url>', 'connect to the server at this address, instead of a command line'],
  ['--header <name:value>', 'send this header with every request to it; may be repeated', 'repeatable'],
  ['--transport <transport>', `how to talk to it: ${httpTransports.join(', ')}`],
  ['--env <name=value>', 'set a variable for the command line; may be repeated', 'repeatable'],
  ['--cwd <folder>', 'start the command line in this folder'],
  ['--era <era>', `speak this era of the protocol: ${eraChoices.join(', ')}`],
  ['--revision <revision>', 'ask for this revision, such as 2025-06-18, instead of the newest'],
  ['--timeout <time>', 'how long the server may take to answer, such as 500ms, 30s, 2m'],
  ...clientOptions,
];

export const targetNotes = `The server is the command line after "--", or the address after --url. Everything after "--" is the
server's own; it inherits only what every program needs (PATH, HOME, …) and what --env sets.
Values of --header are never written to the trace.
${clientNotes}`;

const optionsSchema = z.object({
  url: z.string().optional(),
  header: z.array(z.string()).default([]),
  transport: z.enum(httpTransports).optional(),
  env: z.array(z.string()).default([]),
  cwd: z.string().optional(),
  era: z.enum(eraChoices).optional(),
  revision: z.string().min(1, 'wants a revision').optional(),
  timeout: z.string().optional(),
  ...clientOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

/** Options that mean something to one kind of server only. */
const onlyForUrl: readonly (keyof Options)[] = ['header', 'transport'];
const onlyForCommand: readonly (keyof Options)[] = ['env', 'cwd'];

const onlyForServer: readonly (keyof Options)[] = [
  ...onlyForCommand,
  'era',
  'revision',
  'timeout',
  ...clientOptionNames,
];

/** Reads which server is meant, and the options that go with it. @throws UsageError */
export function readTarget(invocation: Invocation): NamedServer {
  const target = readOptionalTarget(invocation);
  if (target === null) {
    throw new UsageError(
      'a server is needed, such as: -- node server.js, or: --url http://127.0.0.1:3000/mcp',
    );
  }
  return target;
}

/** The same where no server need be named; null then. @throws UsageError */
export function readOptionalTarget({ commandLine, options: given }: Invocation): NamedServer | null {
  const options = parseOptions(optionsSchema, given);
  const { url, header, transport, env, cwd } = options;
  if (url !== undefined && commandLine !== null) {
    throw new UsageError('a server is named by --url or by the command line after "--", not by both');
  }
  if (url !== undefined) {
    refuse(options, onlyForCommand, 'is for a command line, not for --url');
    return {
      kind: 'http',
      url: readUrl(url),
      headers: header.map(readHeader),
      ...(transport !== undefined && { httpTransport: transport }),
      ...readCommon(options),
    };
  }
  refuse(options, onlyForUrl, 'goes with --url only');
  if (commandLine !== null) {
    return {
      kind: 'stdio',
      ...commandLine,
      env: Object.fromEntries(env.map(readVariable)),
      ...(cwd !== undefined && { cwd: existingFolder('--cwd', cwd) }),
      ...readCommon(options),
    };
  }
  refuse(options, onlyForServer, 'is about a server, and none is named');
  return null;
}

function readCommon(options: Options): Pick<NamedServer, 'era' | 'revision' | 'timeout' | 'client'> {
  const { era, revision, timeout } = options;
  const client = readClient(options);
  return {
    ...(era !== undefined && { era }),
    ...(revision !== undefined && { revision }),
    ...(timeout !== undefined && { timeout: readDuration('--timeout', timeout) }),
    ...(Object.keys(client).length > 0 && { client }),
  };
}

function refuse(options: Options, names: readonly (keyof Options)[], why: string): void {
  const name = names.find((one) => options[one] !== undefined && options[one].length > 0);
  if (name !== undefined) throw new UsageError(`${flagOf(name)} ${why}`);
}

function readUrl(text: string): string {
  const parsed = httpSettingsSchema.shape.url.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    '--url wants an address that begins with http:// or https://, with a port from 1 to 65535 if one is named, ' +
      `such as http://127.0.0.1:3000/mcp; it is ${quoted(withoutCredentials(text))}`,
  );
}

/** What may be secret in an address is not repeated where logs keep it. */
const withoutCredentials = (address: string): string =>
  address.replace(/\/\/[^/@]*@/, '//…@').replace(/[?#].*/s, '?…');

function readVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--env wants NAME=VALUE; it is ${quoted(text)}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** What is said of a wrong header never holds its value, which may be secret. */
function readHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError('--header wants "Name: value"; there is no name before a ":"');
  const name = text.slice(0, colon);
  const value = text.slice(colon + 1).trim();
  const parsed = headerEntrySchema.shape.name.safeParse(name);
  if (!parsed.success) throw new UsageError(`--header: ${quoted(name)} is no name of a header`);
  if (/[\r\n\0]/.test(value))
    throw new UsageError(`--header: the value of ${quoted(name)} is more than one line`);
  return [name, value];
}
