import { describe, expect, test } from 'vitest';
import {
  digest,
  flag,
  npm,
  nuget,
  oci,
  packageReader,
  pypi,
  stdio,
  word,
} from '#fixtures/registry-packages.ts';
import { readConfiguration } from '#config/clients/read-configuration.ts';

const { lineOf, readPackages, serverOf } = packageReader(readConfiguration);

describe('a package is started by the program of its type', () => {
  test.each<[object, string]>([
    [npm, 'npx -y @ada/tool@1.2.3'],
    [{ ...npm, version: 'latest' }, 'npx -y @ada/tool@latest'],
    [{ ...npm, version: undefined }, 'npx -y @ada/tool'],
    [{ ...npm, identifier: '@ada/tool@1.2.3' }, 'npx -y @ada/tool@1.2.3'],
    [{ ...npm, runtimeHint: 'bunx' }, 'bunx @ada/tool@1.2.3'],
    [pypi, 'uvx ada-tool@1.2.3'],
    [{ ...pypi, identifier: 'ada-tool[cli]' }, 'uvx ada-tool[cli]@1.2.3'],
    [{ ...pypi, runtimeHint: 'uv' }, 'uv tool run ada-tool@1.2.3'],
    [{ ...pypi, runtimeHint: 'pipx' }, 'pipx run ada-tool==1.2.3'],
    [nuget, 'dnx Ada.Tool@1.2.3 --yes'],
    [{ ...nuget, packageArguments: [word('mcp'), word('start')] }, 'dnx Ada.Tool@1.2.3 --yes -- mcp start'],
    [oci, 'docker run -i --rm ghcr.io/ada/tool:1.2.3'],
    [{ ...oci, runtimeHint: 'podman' }, 'podman run -i --rm ghcr.io/ada/tool:1.2.3'],
    [
      { registryType: 'docker', identifier: 'ada/tool', version: '1.2.3' },
      'docker run -i --rm ada/tool:1.2.3',
    ],
    [{ identifier: 'ada-tool', runtimeHint: 'uvx' }, 'uvx ada-tool'],
    [
      { registryType: 'go', identifier: 'example.com/ada/tool/cmd', version: 'v1.2.3' },
      'go run example.com/ada/tool/cmd@v1.2.3',
    ],
  ])('%j', (entry, line) => {
    expect(lineOf(entry)).toBe(line);
  });

  test.each<[object, string]>([
    [{ identifier: 'ghcr.io/ada/tool', version: digest }, `ghcr.io/ada/tool@${digest}`],
    [{ identifier: `ghcr.io/ada/tool@${digest}` }, `ghcr.io/ada/tool@${digest}`],
    [{ identifier: `ghcr.io/ada/tool:1@${digest}`, version: '1' }, `ghcr.io/ada/tool:1@${digest}`],
    [{ identifier: 'localhost:5000/ada/tool', version: '2' }, 'localhost:5000/ada/tool:2'],
    [{ identifier: 'ada/tool:2', version: '2' }, 'ada/tool:2'],
    [{ identifier: 'oci://ghcr.io/ada/tool:2' }, 'ghcr.io/ada/tool:2'],
    [{ identifier: 'ada/tool', version: '2', registryBaseUrl: 'https://ghcr.io' }, 'ghcr.io/ada/tool:2'],
    [{ identifier: 'ada/tool', version: '2', registryBaseUrl: 'https://docker.io' }, 'ada/tool:2'],
    [{ identifier: 'ghcr.io/ada/tool:2', registryBaseUrl: 'https://ghcr.io' }, 'ghcr.io/ada/tool:2'],
  ])('and the image %j has its host, and its tag or digest, once', (entry, image) => {
    expect(lineOf({ registryType: 'oci', ...entry })).toBe(`docker run -i --rm ${image}`);
  });

  test('names a hint that fetches no package, with the arguments that were meant for it', () => {
    const entry = { ...pypi, runtimeHint: 'python', runtimeArguments: [word('-m'), word('ada_tool')] };
    expect(lineOf(entry)).toBe('uvx ada-tool@1.2.3');
    expect(serverOf(entry).leftOut.map(({ key }) => key)).toEqual(['runtimeHint', 'runtimeArguments']);
  });
});

describe('what cannot be started is refused by name', () => {
  test('a bundle, with its address, its hash and what to do', () => {
    const hash = 'cd'.repeat(32);
    const identifier = 'https://example.com/tool.mcpb';
    const [problem] = readPackages({
      registryType: 'mcpb',
      identifier,
      fileSha256: hash,
      transport: stdio,
    }).problems;
    expect(problem?.what).toContain(identifier);
    expect(problem?.next).toContain(hash);
    expect(problem?.next).toContain('manifest.json');
    expect(readPackages({ identifier, transport: stdio }).problems[0]?.what).toContain('"mcpb"');
  });

  test.each([
    [{ registryType: 'homebrew', identifier: 'ada-tool' }, /"homebrew".*ada-tool/, /command line/],
    [{ registryType: 'constructor', identifier: 'ada-tool' }, /"constructor"/, /command line/],
    [{ registryType: 'npm' }, /no identifier/, /command line/],
    [{ registryType: 'npm', identifier: '--call=evil' }, /"--call=evil" is an option/, /command line/],
    [
      { ...npm, transport: { type: 'pigeon', url: 'https://example.com' } },
      /"pigeon" is no HTTP transport/,
      /Start it yourself.*npx/,
    ],
  ])('%j', (entry, what, next) => {
    const { servers, problems } = readPackages({ transport: stdio, ...entry });
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([
      { what: expect.stringMatching(what), next: expect.stringMatching(next) },
    ]);
  });
});

test.each([
  [{ ...npm, version: '${VERSION}' }, '${VERSION}'],
  [{ ...oci, identifier: 'ghcr.io/ada/tool:{{VERSION}}' }, '{{VERSION}}'],
  [{ ...pypi, identifier: '<your package>' }, '<your package>'],
])('%j is read as it is written, and said to be a template', (entry, template) => {
  const { servers, problems } = readPackages({ transport: stdio, ...entry });
  expect(JSON.stringify(servers[0]?.settings.transport)).toContain(template);
  expect(problems).toMatchObject([{ what: expect.stringContaining(template) }]);
});

test('a crate is the program that it installs, with the command to install it first', () => {
  const { transport, leftOut } = serverOf({
    registryType: 'cargo',
    identifier: 'ada-tool',
    version: '1.0.0',
  });
  expect(transport).toMatchObject({ command: 'ada-tool', args: [] });
  expect(leftOut[0]?.why).toContain('cargo install ada-tool --version 1.0.0');
});

describe('the base URL of a registry', () => {
  test.each<[object, string]>([
    [
      { ...npm, registryBaseUrl: 'https://npm.example.com' },
      'npx -y --registry https://npm.example.com @ada/tool@1.2.3',
    ],
    [
      { ...pypi, registryBaseUrl: 'https://pypi.example.com' },
      'uvx --default-index https://pypi.example.com/simple ada-tool@1.2.3',
    ],
    [
      { ...pypi, registryBaseUrl: 'https://pypi.example.com/root/+simple/' },
      'uvx --default-index https://pypi.example.com/root/+simple ada-tool@1.2.3',
    ],
    [
      { ...nuget, registryBaseUrl: 'https://nuget.example.com/v3/index.json' },
      'dnx --source https://nuget.example.com/v3/index.json Ada.Tool@1.2.3 --yes',
    ],
    [{ ...npm, registryBaseUrl: 'https://registry.npmjs.org/' }, 'npx -y @ada/tool@1.2.3'],
    [{ ...pypi, registryBaseUrl: 'https://pypi.org' }, 'uvx ada-tool@1.2.3'],
    [{ ...nuget, registryBaseUrl: 'https://api.nuget.org/v3/index.json' }, 'dnx Ada.Tool@1.2.3 --yes'],
  ])('reaches the command line of %j unless it is the usual one', (entry, line) => {
    expect(lineOf(entry)).toBe(line);
  });

  test.each([
    ['https://ada:planted@npm.example.com', 'npx'],
    ['https://npm.example.com/?token=planted', 'npx'],
    ['file:///etc', 'npx'],
    ['https://npm.example.com', 'bunx'],
  ])('%s is left out by name where %s cannot have it', (registryBaseUrl, runtimeHint) => {
    const { transport, leftOut } = serverOf({ ...npm, registryBaseUrl, runtimeHint });
    expect(JSON.stringify(transport)).not.toContain('npm.example.com');
    expect(leftOut.map(({ key }) => key)).toEqual(['registryBaseUrl']);
    expect(JSON.stringify(leftOut)).not.toContain('planted');
  });
});

describe('variables of a package', () => {
  const envOf = (...environmentVariables: object[]) => {
    const { transport, variables = [] } = serverOf({ ...npm, environmentVariables });
    return { env: transport.kind === 'stdio' ? transport.env : [], variables };
  };

  test('are asked for, optional ones too, and have their defaults', () => {
    expect(
      envOf(
        { name: 'KEY', isRequired: true, isSecret: true, description: 'A key', placeholder: 'sk-…' },
        { name: 'CACHE', description: 'A folder' },
        { name: 'LEVEL', default: 'info' },
        { name: 'REGION', choices: ['eu', 'us'], default: 'eu' },
        { name: 'FIXED', value: 'x' },
        { name: 'BAD=NAME', value: 'x' },
      ),
    ).toEqual({
      env: [
        { name: 'KEY', value: '${input:KEY}', secret: false },
        { name: 'CACHE', value: '${input:CACHE}', secret: false },
        { name: 'LEVEL', value: 'info', secret: false },
        { name: 'REGION', value: '${input:REGION}', secret: false },
        { name: 'FIXED', value: 'x', secret: false },
      ],
      variables: [
        { name: 'input:KEY', value: null, secret: true, description: 'A key', placeholder: 'sk-…' },
        { name: 'input:CACHE', value: null, secret: false, description: 'A folder', isOptional: true },
        { name: 'input:REGION', value: 'eu', secret: false, description: null, choices: ['eu', 'us'] },
      ],
    });
  });

  test('are secret if the entry or their name says so, and a secret default is not taken over', () => {
    expect(
      envOf({ name: 'PLAIN', value: 'planted', isSecret: true }, { name: 'API_KEY', value: 'planted' }).env,
    ).toEqual([
      { name: 'PLAIN', value: 'planted', secret: true },
      { name: 'API_KEY', value: 'planted', secret: true },
    ]);
    expect(
      JSON.stringify(envOf({ name: 'PLAIN', default: 'planted', isSecret: true, isRequired: true })),
    ).not.toContain('planted');
  });

  test('in arguments are kept where secrets are', () => {
    const secrets = [
      flag('--api-key', { value: 'planted-1' }),
      flag('--plain', { value: 'planted-2', isSecret: true }),
      word('--token=planted-3'),
      word('--password'),
      word('planted-4'),
    ];
    const { transport, variables } = serverOf({ ...npm, packageArguments: secrets });
    expect(JSON.stringify(transport)).not.toContain('planted');
    expect(variables?.map(({ value, secret }) => [value, secret])).toEqual(
      [1, 2, 3, 4].map((number) => [`planted-${number}`, true]),
    );
  });
});

describe('a package that listens at an address', () => {
  const listening = {
    ...npm,
    transport: {
      type: 'streamable-http',
      url: 'http://127.0.0.1:{port}/{--path}/mcp',
      headers: [{ name: 'X-Mode', value: '{MODE}' }],
    },
    packageArguments: [
      flag('--port', { default: '8080', isRequired: true }),
      flag('--path', { isRequired: true }),
    ],
    environmentVariables: [
      { name: 'MODE', value: 'x' },
      { name: 'API_KEY', isRequired: true, isSecret: true },
    ],
  };

  test('is the server at this address, with the command line that starts it', () => {
    const { transport, variables, leftOut } = serverOf(listening);
    expect(transport).toMatchObject({
      kind: 'http',
      url: 'http://127.0.0.1:8080/${input:path}/mcp',
      transport: 'streamable-http',
      headers: [{ name: 'X-Mode', value: 'x', secret: false }],
    });
    expect(variables?.map(({ name }) => name)).toEqual(['input:path']);
    expect(leftOut).toMatchObject([
      {
        key: 'command',
        why: expect.stringContaining(
          "MODE=x API_KEY='<API_KEY>' npx -y @ada/tool@1.2.3 --port 8080 --path '<path>'",
        ),
      },
    ]);
  });

  test('in a container publishes its port', () => {
    const { leftOut } = serverOf({ ...oci, transport: { type: 'sse', url: 'http://localhost:3001/sse' } });
    expect(leftOut[0]?.why).toContain('docker run -p 127.0.0.1:3001:3001 -i --rm ghcr.io/ada/tool:1.2.3');
  });

  test('of a type that cannot be started is the server all the same', () => {
    const { transport, leftOut } = serverOf({
      registryType: 'homebrew',
      identifier: 'tool',
      transport: { type: 'sse', url: 'http://localhost:1/' },
    });
    expect(transport).toMatchObject({ url: 'http://localhost:1/', transport: 'http-sse' });
    expect(leftOut[0]?.why).toContain('"homebrew"');
  });
});
