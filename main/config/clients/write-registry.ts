import { withoutEnds } from '#shared/trim.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { HttpSettings, ServerSettings, StdioSettings } from '#shared/contract/servers.ts';
import { isOnlyPlaceholders, placeholdersIn, replacePlaceholders } from '#config/placeholders.ts';
import { decodedUrlPart, withUrlSecrets } from '#shared/url-secrets.ts';
import { readConfiguration } from './read-configuration.ts';
import { withoutSecretArguments } from './secret-arguments.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/**
 * Writes one server as a `server.json` of the registry: a package that npx, uvx or docker starts, or a remote. Secret
 * values and inputs become variables that are asked for.
 *
 * @param original returned as it is if it says the same already; another one is not changed, because it describes more
 *   than a server of ours
 * @throws FaultError if the registry cannot describe the server
 */
export function writeRegistryEntry(original: string | null, servers: readonly ServerSettings[]): string {
  const [server, ...others] = servers;
  if (original !== null && original.trim() !== '') {
    const known = readConfiguration(original, { format: 'registry' }).servers.map(({ settings }) =>
      identityOf(settings),
    );
    if (servers.every((one) => known.includes(identityOf(one)))) return original;
    throw notWritable(
      'A server.json that exists is not changed.',
      'Export into a new text, and copy what you need.',
    );
  }
  if (server === undefined || others.length > 0)
    throw notWritable('A server.json describes one server.', 'Choose a single server.');
  const { transport } = server;
  const entry = {
    $schema: SCHEMA,
    name: `com.example/${withoutEnds(server.name.replaceAll(/[^A-Za-z0-9._-]+/g, '-'), '-') || 'server'}`,
    description: server.notes.split('\n')[0]?.slice(0, 100) || server.name.slice(0, 100),
    version: '0.0.1',
    ...(transport.kind === 'http'
      ? { remotes: [remoteOf(server, transport)] }
      : { packages: [packageOf(server, transport)] }),
  };
  return `${JSON.stringify(entry, null, 2)}\n`;
}

/** What decides whether two servers are the same to the registry, secret values aside. */
const identityOf = ({ transport }: ServerSettings): string =>
  JSON.stringify(
    transport.kind === 'http'
      ? [transport.url, transport.headers.map(({ name }) => name)]
      : [transport.command, transport.args, transport.env.map(({ name }) => name)],
  );

interface PackageReference {
  readonly registryType: string;
  /** Matches the argument that names the package: identifier and version. */
  readonly pattern: RegExp;
  /** Options of the launcher that have a value of their own. */
  readonly valued: ReadonlySet<string>;
}

const launchers: ReadonlyMap<string, PackageReference> = new Map([
  ['npx', { registryType: 'npm', pattern: /^((?:@[^@/]+\/)?[^@/]+)(?:@(.+))?$/, valued: new Set<string>() }],
  [
    'uvx',
    {
      registryType: 'pypi',
      pattern: /^([A-Za-z0-9][\w.-]*)(?:@(.+))?$/,
      valued: new Set(['--from', '--with', '--python']),
    },
  ],
  [
    'docker',
    {
      registryType: 'oci',
      pattern: /^(\S+)()$/,
      valued: new Set([
        '-e',
        '--env',
        '-v',
        '--volume',
        '--mount',
        '--name',
        '--network',
        '-p',
        '-w',
        '--env-file',
      ]),
    },
  ],
]);

function packageOf(server: ServerSettings, { command, args, env }: StdioSettings): object {
  const launcher = launchers.get(command.replace(/\.(?:exe|cmd)$/i, ''));
  const first = command.startsWith('docker') && args[0] === 'run' ? 1 : 0;
  const at = args.findIndex(
    (word, index) =>
      index >= first && !word.startsWith('-') && launcher?.valued.has(args[index - 1] ?? '') !== true,
  );
  const [, identifier, version] = launcher?.pattern.exec(args[at] ?? '') ?? [];
  if (
    launcher === undefined ||
    identifier === undefined ||
    (first === 0 && launcher.registryType === 'oci')
  ) {
    throw notWritable(
      `"${server.name}" is not started as a package by npx, uvx or docker.`,
      'The registry only describes packages and remotes. Export to another format.',
    );
  }
  const words = (list: readonly string[]) =>
    withoutSecretArguments(list, (name) => `\${input:${name}}`).map((value) => ({
      type: 'positional',
      ...described(server, value),
    }));
  const runtime = words(args.slice(0, at));
  const own = words(args.slice(at + 1));
  return {
    registryType: launcher.registryType,
    identifier,
    ...(version && { version }),
    runtimeHint: command,
    transport: { type: 'stdio' },
    ...(runtime.length > 0 && { runtimeArguments: runtime }),
    ...(own.length > 0 && { packageArguments: own }),
    ...(env.length > 0 && { environmentVariables: env.map((one) => named(server, one)) }),
  };
}

function remoteOf(server: ServerSettings, { url, transport, headers }: HttpSettings): object {
  const open = withUrlSecrets(url, ({ name, value }) =>
    isOnlyPlaceholders(decodedUrlPart(value)) ? null : `\${input:${name.replaceAll(/\W+/g, '-')}}`,
  );
  const { value, variables } = described(server, open);
  return {
    type: transport === 'http-sse' ? 'sse' : 'streamable-http',
    url: value,
    ...(variables && { variables }),
    ...(headers.length > 0 && { headers: headers.map((one) => named(server, one)) }),
  };
}

function named(
  server: ServerSettings,
  { name, value, secret }: { name: string; value: string | null; secret: boolean },
) {
  if (value === null || (secret && !isOnlyPlaceholders(value)))
    return { name, isRequired: true, isSecret: true };
  return { name, ...described(server, value) };
}

interface Described {
  readonly value: string;
  readonly variables?: Readonly<Record<string, object>>;
}

/** A value with its placeholders as variables: `{token}` for `${input:token}`. */
function described(server: ServerSettings, text: string): Described {
  const asked = new Map<string, object>();
  for (const placeholder of placeholdersIn(text)) {
    const variable = server.variables?.find(({ name }) => name === `input:${placeholder.name}`);
    const fallback = placeholder.kind === 'env' ? placeholder.fallback : null;
    asked.set(placeholder.name, {
      ...(variable?.description && { description: variable.description }),
      isRequired: true,
      ...((variable?.secret ?? placeholder.kind === 'input') && { isSecret: true }),
      ...(fallback !== null && { default: fallback }),
    });
  }
  const value = replacePlaceholders(text, ({ name }) => `{${name}}`);
  return asked.size === 0 ? { value } : { value, variables: Object.fromEntries(asked) };
}

const notWritable = (what: string, next: string): FaultError =>
  new FaultError({ code: 'configuration-not-expressible', what, next });
