import { withoutEnds } from '#shared/trim.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type {
  EnvEntry,
  HttpSettings,
  LeftOut,
  ServerSettings,
  StdioSettings,
} from '#shared/contract/servers.ts';
import { programOf } from '#shared/server-names.ts';
import {
  isOnlyPlaceholders,
  type Placeholder,
  placeholdersIn,
  replacePlaceholders,
} from '#config/placeholders.ts';
import { decodedUrlPart, withUrlSecrets } from '#shared/url-secrets.ts';
import { readConfiguration } from '#config/clients/read-configuration.ts';
import { withoutSecretArguments } from '#config/clients/secret-arguments.ts';
import { splitWords } from './runner-words.ts';
import { packageKinds, type Runner } from './runners.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/**
 * Writes one server as a `server.json` of the registry: a package that npx, uvx, dnx or docker starts, or a remote. Secret
 * values and inputs become variables that are asked for.
 *
 * @param original returned as it is if it says the same already; another one is not changed, because it describes more
 *   than a server of ours
 * @throws FaultError if the registry cannot describe the server
 */
export function writeRegistryEntry(
  original: string | null,
  servers: readonly ServerSettings[],
): { text: string; leftOut: (LeftOut & { server: string })[] } {
  const [server, ...others] = servers;
  if (original !== null && original.trim() !== '') {
    const known = readConfiguration(original, { format: 'registry' }).servers.map(({ settings }) =>
      identityOf(settings),
    );
    if (servers.every((one) => known.includes(identityOf(one)))) return { text: original, leftOut: [] };
    throw notWritable(
      'A server.json that exists is not changed.',
      'Export into a new text, and copy what you need.',
    );
  }
  if (server === undefined || others.length > 0)
    throw notWritable('A server.json describes one server.', 'Choose a single server.');
  const { transport } = server;
  const leftOut: LeftOut[] = [];
  const entry = {
    $schema: SCHEMA,
    name: `com.example/${withoutEnds(server.name.replaceAll(/[^A-Za-z0-9._-]+/g, '-'), '-') || 'server'}`,
    description: server.notes.split('\n')[0]?.slice(0, 100) || server.name.slice(0, 100),
    version: '0.0.1',
    ...(transport.kind === 'http'
      ? { remotes: [remoteOf(server, transport)] }
      : { packages: [packageOf(server, transport, leftOut)] }),
  };
  return {
    text: `${JSON.stringify(entry, null, 2)}\n`,
    leftOut: leftOut.map((one) => ({ ...one, server: server.name })),
  };
}

/** What decides whether two servers are the same to the registry, secret values aside. */
const identityOf = ({ transport }: ServerSettings): string =>
  JSON.stringify(
    transport.kind === 'http'
      ? [transport.url, transport.headers.map(({ name }) => name)]
      : [transport.command, transport.args, transport.env.map(({ name }) => name)],
  );

function packageOf(
  server: ServerSettings,
  { command, args, env, cwd }: StdioSettings,
  leftOut: LeftOut[],
): object {
  const found = runnerNamed(command);
  if (found === null || !found.runner.verbs.every((verb, index) => args[index] === verb))
    throw notAPackage(server.name);
  const { type, runner } = found;
  const { options, rest } = splitWords(runner, args);
  const from = options.findIndex((word) => runner.packageOptions.has(word));
  const [program, ...own] = rest;
  const named = from < 0 ? program : options[from + 1];
  const [, identifier = named, version] = type === 'oci' ? [] : (reference.exec(named ?? '') ?? []);
  if (program === undefined || identifier === undefined) throw notAPackage(server.name);
  if (version === 'latest')
    leftOut.push({ key: 'version', why: 'The registry wants a fixed version in place of "latest".' });
  if (cwd !== null) leftOut.push({ key: 'cwd', why: 'The registry has no working folder for a server.' });
  const words = (list: readonly string[]) =>
    withoutSecretArguments(list, (name) => `\${input:${name}}`).map((value) => ({
      type: 'positional',
      ...described(server, value),
    }));
  // Clients add what every package of its type needs.
  const runtime = words(from < 0 ? withoutAdded(runner, options, env) : [...options, program]);
  const ofPackage = words(from < 0 ? withoutBehind(runner, own) : own);
  return {
    registryType: type,
    identifier,
    ...(version !== undefined && version !== 'latest' && { version }),
    runtimeHint: runner.command,
    transport: { type: 'stdio' },
    ...(runtime.length > 0 && { runtimeArguments: runtime }),
    ...(ofPackage.length > 0 && { packageArguments: ofPackage }),
    ...(env.length > 0 && { environmentVariables: env.map((one) => namedInput(server, one)) }),
  };
}

/** An argument that names a package, with its version. */
const reference = /^(@?[^@=]+)(?:@|==)(.+)$/;

function runnerNamed(command: string): { readonly type: string; readonly runner: Runner } | null {
  const program = programOf(command);
  for (const [type, { runners }] of Object.entries(packageKinds)) {
    const runner = runners.find((one) => one.command === program);
    if (runner !== undefined) return { type, runner };
  }
  return null;
}

/** Options without those that every client adds to start a container: `docker run -i --rm -i --rm` has them twice. */
function withoutAdded(runner: Runner, options: readonly string[], env: readonly EnvEntry[]): string[] {
  if (!runner.namesVariables) return [...options];
  const names = new Set(env.map(({ name }) => name));
  const added = new Set(runner.options.flat());
  return options.filter((word, index) => {
    if (['-e', '--env'].includes(word)) return !names.has(options[index + 1] ?? '');
    if (['-e', '--env'].includes(options[index - 1] ?? '')) return !names.has(word);
    return !added.has(word);
  });
}

/** The arguments of a package without the options and the separator that stand between. */
function withoutBehind({ optionsBehind, separator }: Runner, words: readonly string[]): string[] {
  const end = separator === null ? -1 : words.indexOf(separator);
  const before = end < 0 ? words : words.slice(0, end);
  const added = new Set(optionsBehind.flat());
  return [...before.filter((word) => !added.has(word)), ...(end < 0 ? [] : words.slice(end + 1))];
}

const notAPackage = (name: string): FaultError =>
  notWritable(
    `"${name}" is not started as a package by npx, uvx, dnx or docker.`,
    'The registry only describes packages and remotes. Export to another format.',
  );

function remoteOf(server: ServerSettings, { url, transport, headers }: HttpSettings): object {
  const open = withUrlSecrets(url, ({ name, value }) =>
    isOnlyPlaceholders(decodedUrlPart(value)) ? null : `\${input:${name.replaceAll(/\W+/g, '-')}}`,
  );
  const { value, variables } = described(server, open);
  return {
    type: transport === 'http-sse' ? 'sse' : 'streamable-http',
    url: value,
    ...(variables && { variables }),
    ...(headers.length > 0 && { headers: headers.map((one) => namedInput(server, one)) }),
  };
}

/** A variable or header as an input. */
function namedInput(
  server: ServerSettings,
  { name, value, secret }: { name: string; value: string | null; secret: boolean },
) {
  if (value === null || (secret && !isOnlyPlaceholders(value)))
    return { name, isRequired: true, isSecret: true };
  const [placeholder] = placeholdersIn(value);
  const isItself =
    placeholder?.kind === 'input' && placeholder.written === value && placeholder.name === name;
  return { name, ...(isItself ? inputOf(server, placeholder) : described(server, value)) };
}

interface Described {
  readonly value: string;
  readonly variables?: Readonly<Record<string, object>>;
}

/** A value with its placeholders as variables: `{token}` for `${input:token}`. */
function described(server: ServerSettings, text: string): Described {
  const asked = new Map(placeholdersIn(text).map((one) => [one.name, inputOf(server, one)]));
  const value = replacePlaceholders(text, ({ name }) => `{${name}}`);
  return asked.size === 0 ? { value } : { value, variables: Object.fromEntries(asked) };
}

/** What the user is asked for. A secret value is not among it. */
function inputOf({ variables = [] }: ServerSettings, placeholder: Placeholder): object {
  const variable = variables.find(({ name }) => name === `input:${placeholder.name}`);
  const isSecret = variable?.secret ?? placeholder.kind === 'input';
  const value =
    placeholder.kind === 'env' ? placeholder.fallback : isSecret ? null : (variable?.value ?? null);
  return {
    ...(variable?.description && { description: variable.description }),
    ...(variable?.isOptional !== true && { isRequired: true }),
    ...(isSecret && { isSecret: true }),
    ...(value !== null && { default: value }),
    ...(variable?.placeholder && { placeholder: variable.placeholder }),
    ...(variable?.choices && { choices: variable.choices }),
  };
}

const notWritable = (what: string, next: string): FaultError =>
  new FaultError({ code: 'configuration-not-expressible', what, next });
