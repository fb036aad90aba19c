import type { JsonNode } from './jsonc.ts';
import { membersOf } from './json-source.ts';

interface KnownFile {
  /** Keys that it has, all of them. */
  readonly has: readonly string[];
  /** Keys of which it has one. */
  readonly hasOne?: readonly string[];
  readonly what: string;
  readonly next: string;
}

const importServer = 'Import the configuration of a client, or the command line that starts the server.';

/** Files that are often at hand where a configuration is, and have no servers to import. */
const knownFiles: readonly KnownFile[] = [
  {
    has: ['name'],
    hasOne: [
      'scripts',
      'dependencies',
      'devDependencies',
      'bin',
      'main',
      'exports',
      'workspaces',
      'peerDependencies',
    ],
    what: 'This is a package.json.',
    next: 'Import the command line that starts the package, such as "npx -y" and its name.',
  },
  { has: ['lockfileVersion'], what: 'This is a package-lock.json.', next: importServer },
  { has: ['compilerOptions'], what: 'This is a tsconfig.json.', next: importServer },
  {
    has: ['project'],
    hasOne: ['build-system', 'tool', 'dependency-groups'],
    what: 'This is a pyproject.toml.',
    next: importServer,
  },
  { has: ['build-system'], what: 'This is a pyproject.toml.', next: importServer },
  {
    has: ['package'],
    hasOne: ['dependencies', 'lib', 'bin', 'features'],
    what: 'This is a Cargo.toml.',
    next: importServer,
  },
  {
    has: ['info', 'paths'],
    what: 'This is a description of an HTTP API (OpenAPI), which is no MCP server.',
    next: 'Import the MCP server that offers this API.',
  },
  {
    has: ['swagger'],
    what: 'This is a description of an HTTP API (Swagger), which is no MCP server.',
    next: importServer,
  },
  { has: ['jsonrpc'], what: 'This is a message of a protocol (JSON-RPC).', next: importServer },
  { has: ['kind', 'apiVersion'], what: 'This is a file of Kubernetes.', next: importServer },
  { has: ['on', 'jobs'], what: 'This is a workflow of GitHub Actions.', next: importServer },
  {
    has: ['startCommand'],
    what: 'This is a smithery.yaml.',
    next: 'Import the configuration that Smithery shows for the server.',
  },
  {
    has: ['issuer'],
    hasOne: ['authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    what: 'This is the metadata of an authorization server.',
    next: importServer,
  },
  {
    has: ['resource', 'authorization_servers'],
    what: 'This is the metadata of a protected resource (OAuth).',
    next: 'Import the address of the MCP server.',
  },
  { has: ['$schema', 'properties'], what: 'This is a JSON Schema.', next: importServer },
  { has: ['type', 'properties'], what: 'This is a JSON Schema.', next: importServer },
];

const aPackage = {
  what: 'This describes a package or a program, and does not say how an MCP server is started or reached.',
  next: importServer,
};

/** What has a name and a version, and neither says how it is started nor reached. */
const describesPackage = (members: ReadonlyMap<string, JsonNode>): boolean =>
  members.has('name') &&
  members.has('version') &&
  !['command', 'url', 'server'].some((key) => members.has(key));

/** Keys with which a file of another kind has servers nevertheless. */
const containers = [
  'mcpServers',
  'mcp_servers',
  'servers',
  'mcp',
  'context_servers',
  'extensions',
  'amp.mcpServers',
];

/** What a file is that has no servers; null if it may have some. */
export function knownFile(root: JsonNode): Pick<KnownFile, 'what' | 'next'> | null {
  const members = membersOf(root);
  const compose = members.get('services');
  if (containers.some((key) => ['object', 'array'].includes(members.get(key)?.type ?? ''))) {
    // An API has servers too.
    if (!members.has('paths') && !members.has('openapi')) return null;
  }
  if (compose?.type === 'object' && !members.has('command')) {
    return {
      what: 'This is a docker-compose file.',
      next: 'Import the "docker run" or "docker compose run" that starts the server.',
    };
  }
  return (
    knownFiles.find(
      ({ has, hasOne }) =>
        has.every((key) => members.has(key)) &&
        (hasOne === undefined || hasOne.some((key) => members.has(key))),
    ) ?? (describesPackage(members) ? aPackage : null)
  );
}
