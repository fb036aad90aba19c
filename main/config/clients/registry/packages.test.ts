import { describe, expect, test } from 'vitest';
import type { LeftOut, ServerSettings } from '#shared/contract/servers.ts';
import { withKnownTarget } from '#shared/known-values.ts';
import { readConfiguration } from '#config/clients/read-configuration.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const stdio = { type: 'stdio' };
const word = (value: string) => ({ type: 'positional', value });
const flag = (name: string, more: object = {}) => ({ type: 'named', name, ...more });

const read = (...packages: object[]) =>
  readConfiguration(JSON.stringify({ $schema: SCHEMA, name: 'io.example/mine', version: '1.0.0', packages }));

interface Read extends ServerSettings {
  readonly leftOut: readonly LeftOut[];
  readonly notes: string;
}

/** The only server of a package. */
function serverOf(entry: object): Read {
  const { servers, problems } = read({ transport: stdio, ...entry });
  const [server] = servers;
  if (server === undefined) throw new Error(problems.map(({ what }) => what).join(' '));
  return { ...server.settings, leftOut: server.leftOut };
}

/** The command line with the values that are known. */
function lineOf(entry: object): string {
  const { transport, variables = [] } = serverOf(entry);
  const target = withKnownTarget(transport, variables);
  if (target.kind !== 'stdio') throw new Error('not a command');
  return [target.command, ...target.args].join(' ');
}

const npm = { registryType: 'npm', identifier: '@ada/tool', version: '1.2.3' };
const pypi = { registryType: 'pypi', identifier: 'ada-tool', version: '1.2.3' };
const nuget = { registryType: 'nuget', identifier: 'Ada.Tool', version: '1.2.3' };
const oci = { registryType: 'oci', identifier: 'ghcr.io/ada/tool:1.2.3' };
const digest = `sha256:${'ab'.repeat(32)}`;

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
    const [problem] = read({ registryType: 'mcpb', identifier, fileSha256: hash, transport: stdio }).problems;
    expect(problem?.what).toContain(identifier);
    expect(problem?.next).toContain(hash);
    expect(problem?.next).toContain('manifest.json');
    expect(read({ identifier, transport: stdio }).problems[0]?.what).toContain('"mcpb"');
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
    const { servers, problems } = read({ transport: stdio, ...entry });
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
  const { servers, problems } = read({ transport: stdio, ...entry });
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

describe('runtime arguments', () => {
  const variable = { name: 'API_KEY', isRequired: true, isSecret: true };

  test.each<[object[], string]>([
    [[word('run'), flag('-i'), flag('--rm')], 'docker run -e API_KEY -i --rm'],
    [[flag('-i', { description: 'Keep it open' }), flag('--rm', { value: 'true' })], 'docker run'],
    [[word('run'), word('-it'), word('--rm')], 'docker run'],
    [[word('docker'), word('run'), word('-i')], 'docker run'],
    [[flag('--network', { value: 'host' })], '--network host -e API_KEY'],
    [[word('run'), flag('-e', { value: 'API_KEY' })], '-e API_KEY ghcr.io'],
    [[word('-e'), word('API_KEY')], '-e API_KEY ghcr.io'],
    [[flag('--env=API_KEY')], '--env=API_KEY ghcr.io'],
    [
      [word('run'), word('-i'), word('ghcr.io/ada/tool:1.2.3'), word('serve')],
      '-e API_KEY ghcr.io/ada/tool:1.2.3 serve',
    ],
    [[word('run'), word('ada/tool:1.2.3')], '-e API_KEY ada/tool:1.2.3'],
    [[flag('-v', { description: 'A mount' }), word('/a:/b')], '-v /a:/b -e API_KEY'],
  ])('of a container %j name the variables, the image and its switches once', (runtimeArguments, part) => {
    const line = lineOf({ ...oci, runtimeArguments, environmentVariables: [variable] });
    expect(` ${line} `).toContain(
      ` ${part.replace('docker run -e API_KEY -i --rm', 'docker run -i --rm -e API_KEY')}`,
    );
    for (const one of [' run ', 'ada/tool:1.2.3', 'API_KEY', ' --rm '])
      expect([one, line.split(one).length - 1]).toEqual([one, 1]);
    expect(line).toMatch(/ -i(?:t?) /);
    expect(line.indexOf('API_KEY')).toBeLessThan(line.indexOf('ada/tool'));
  });

  test.each<[object, object[], string]>([
    [npm, [flag('-y')], 'npx -y @ada/tool@1.2.3'],
    [npm, [word('--yes')], 'npx --yes @ada/tool@1.2.3'],
    [npm, [word('-y'), word('@ada/tool@2.0.0'), word('serve')], 'npx -y @ada/tool@2.0.0 serve --x'],
    [npm, [flag('-y', { value: '@ada/tool@latest' })], 'npx -y @ada/tool@latest'],
    [npm, [word('@ada/tool')], 'npx -y @ada/tool@1.2.3'],
    [npm, [word('-p'), word('@ada/tool@2'), word('ada-serve')], 'npx -y -p @ada/tool@2 ada-serve'],
    [npm, [word('--package=@ada/tool'), word('x')], 'npx -y --package=@ada/tool@1.2.3 x'],
    [pypi, [flag('--from', { value: 'ada-tool' }), word('ada-serve')], 'uvx --from ada-tool@1.2.3 ada-serve'],
    [pypi, [word('ada-tool-server')], 'uvx --from ada-tool@1.2.3 ada-tool-server'],
    [npm, [word('--package=@ada/tool@2')], 'npx -y --package=@ada/tool@2 tool'],
    [
      pypi,
      [flag('--from', { value: 'ada-tool==1.2.3' }), word('ada-serve')],
      'uvx --from ada-tool==1.2.3 ada-serve',
    ],
    [
      pypi,
      [flag('--from', { value: 'git+https://example.com/ada' })],
      'uvx --from git+https://example.com/ada ada-tool',
    ],
    [pypi, [word('Ada_Tool[cli]@2.0')], 'uvx Ada_Tool[cli]@2.0'],
    [pypi, [flag('--python', { value: '3.12' })], 'uvx --python 3.12 ada-tool@1.2.3'],
    [nuget, [flag('--prerelease')], 'dnx --prerelease Ada.Tool@1.2.3 --yes -- --x'],
    [nuget, [word('--yes')], 'dnx --yes Ada.Tool@1.2.3 -- --x'],
    [nuget, [word('ada.tool@2.0.0')], 'dnx ada.tool@2.0.0 --yes -- --x'],
  ])('of %j: %j name the package once', (entry, runtimeArguments, line) => {
    const whole = lineOf({ ...entry, runtimeArguments, packageArguments: [flag('--x')] });
    expect(whole).toBe(line.endsWith('--x') ? line : `${line} --x`);
  });

  test('of a container with values that are asked for name the variable, so that no process list has its value', () => {
    const runtimeArguments = [
      flag('-e', { value: 'TOKEN={token}', variables: { token: { isRequired: true, isSecret: true } } }),
      flag('-e', { value: 'TEAM={TEAM}' }),
      word('--env'),
      { ...word('MODE={mode}'), variables: { mode: { default: 'fast' } } },
      flag('-e', { value: 'PLAIN=x' }),
      flag('--user', { value: '{user}', variables: { user: { description: 'User' } } }),
    ];
    const { transport, variables, leftOut } = serverOf({ ...oci, runtimeArguments });
    expect(transport).toMatchObject({
      args: 'run -i --rm -e TOKEN -e TEAM --env MODE -e PLAIN=x ghcr.io/ada/tool:1.2.3'.split(' '),
      env: [
        { name: 'TOKEN', value: '${input:token}', secret: false },
        { name: 'TEAM', value: '${input:TEAM}', secret: false },
        { name: 'MODE', value: '${input:mode}', secret: false },
      ],
    });
    expect(variables?.map(({ value, secret, isOptional }) => [value, secret, isOptional])).toEqual([
      [null, true, undefined],
      [null, false, true],
      ['fast', false, undefined],
    ]);
    expect(leftOut.map(({ key }) => key)).toEqual(['--user']);
  });

  test('that start a container in place of the package are left out by name', () => {
    const runtimeArguments = ['run', '-i', '--rm', 'ghcr.io/other/tool'].map(word);
    const { servers, problems } = read({ ...npm, transport: stdio, runtimeArguments });
    expect(servers[0]?.settings.transport).toMatchObject({ args: ['-y', '@ada/tool@1.2.3'] });
    expect(problems[0]?.what).toContain('start a container');
  });

  test('that the program would take for the package go to the package, and that is said', () => {
    const { servers, problems } = read({
      ...pypi,
      transport: stdio,
      runtimeArguments: [word('serve'), flag('--mcp')],
    });
    expect(servers[0]?.settings.transport).toMatchObject({ args: ['ada-tool@1.2.3', 'serve', '--mcp'] });
    expect(problems[0]?.what).toContain('"serve" is no option of uvx');
  });
});

describe('arguments', () => {
  const argsOf = (...packageArguments: object[]) => {
    const { transport, variables = [], leftOut } = serverOf({ ...npm, packageArguments });
    return {
      args: transport.kind === 'stdio' ? transport.args.slice(2) : [],
      variables: variables.map(({ name, value, secret, choices }) => [name, value, secret, choices]),
      leftOut: leftOut.map(({ key }) => key),
    };
  };

  test.each<[object, string[], string[]]>([
    [flag('--port', { value: '80' }), ['--port', '80'], []],
    [flag('--port', { default: 80 }), ['--port', '80'], []],
    [flag('--port=', { value: '80' }), ['--port=80'], []],
    [flag('--port 80'), ['--port', '80'], []],
    [flag('--city', { isRequired: true }), ['--city', '${input:city}'], []],
    [flag('--city', { description: 'A city' }), [], ['--city']],
    [flag('--city', { value: '' }), ['--city'], []],
    [flag('--verbose'), ['--verbose'], []],
    [flag('--verbose', { format: 'boolean', value: 'true' }), ['--verbose'], []],
    [flag('--verbose', { format: 'boolean', default: true }), ['--verbose'], []],
    [flag('--verbose', { format: 'boolean', default: 'false' }), [], []],
    [flag('--verbose', { format: 'boolean', description: 'Say more' }), [], ['--verbose']],
    [{ type: 'positional', valueHint: 'folder', isRequired: true }, ['${input:folder}'], []],
    [{ type: 'positional', valueHint: 'folder', default: '/a b' }, ['/a b'], []],
    [{ type: 'positional', value_hint: '--stdio' }, ['--stdio'], []],
    [{ type: 'positional', valueHint: 'folder' }, [], ['folder']],
    [word('{"a": 1}'), ['{"a": 1}'], []],
  ])('%j', (argument, args, leftOut) => {
    expect(argsOf(argument)).toMatchObject({ args, leftOut });
  });

  test.each([
    [flag('--level', { value: '{level}', default: 'info' }), ['--level', 'info']],
    [flag('--level', { value: '${LEVEL}', isRequired: true }), ['--level', '${input:level}']],
    [flag('--level', { value: '<level>' }), ['--level', '${input:level}']],
    [flag('--level', { value: 'YOUR_LEVEL' }), ['--level', '${input:level}']],
    [flag('--level', { value: '{level}', variables: { level: { description: 'Level' } } }), []],
  ])('%j only says that something has to be given', (argument, args) => {
    expect(argsOf(argument).args).toEqual(args);
  });

  test('ask for a choice, with its default', () => {
    expect(argsOf(flag('--units', { choices: ['metric', 'us'], default: 'us' }))).toMatchObject({
      args: ['--units', '${input:units}'],
      variables: [['input:units', 'us', false, ['metric', 'us']]],
    });
    expect(argsOf(flag('--units', { choices: ['metric'], description: 'Units' }))).toMatchObject({
      args: [],
    });
    expect(
      serverOf({ ...npm, packageArguments: [flag('--units', { choices: ['a', 'b'] })] }).leftOut[0]?.why,
    ).toContain('One of a, b.');
  });

  test('have variables in their values, and say which are not described', () => {
    const { servers, problems } = read({
      ...npm,
      transport: stdio,
      packageArguments: [
        word('{dir}/${dir}/{{dir}}/{other}'),
        {
          ...word('src={source},dst={target}'),
          variables: { source: { isRequired: true }, target: { value: '/data' } },
        },
      ],
    });
    expect(servers[0]?.settings.transport).toMatchObject({
      args: ['-y', '@ada/tool@1.2.3', '{dir}/${dir}/{{dir}}/{other}', 'src=${input:source},dst=/data'],
    });
    expect(problems.map(({ what }) => /\S*\{+\w+\}+/.exec(what)?.[0])).toEqual([
      '{dir}',
      '${dir}',
      '{{dir}}',
      '{other}',
    ]);
  });

  test('that say different things under one name get variables of their own', () => {
    const named = (description: string) => ({
      ...word('{key}'),
      variables: { key: { description, isRequired: true } },
    });
    expect(argsOf(named('first'), named('second'), named('first')).args).toEqual([
      '${input:key}',
      '${input:key-2}',
      '${input:key}',
    ]);
  });

  test('do not grow beyond a limit, however often they name a long variable', () => {
    const value = '{a}'.repeat(20_000);
    const { args } = argsOf({ ...word(value), variables: { a: { value: 'x'.repeat(5_000) } } });
    expect(args.join('').length).toBeLessThan(200_000);
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
