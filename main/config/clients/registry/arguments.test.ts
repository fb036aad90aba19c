import { describe, expect, test } from 'vitest';
import { flag, npm, nuget, oci, packageReader, pypi, stdio, word } from '#fixtures/registry-packages.ts';
import { readConfiguration } from '#config/clients/read-configuration.ts';

const { lineOf, readPackages, serverOf } = packageReader(readConfiguration);

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
      flag('-e', { value: 'API_KEY=planted' }),
      flag('--user', { value: '{user}', variables: { user: { description: 'User' } } }),
    ];
    const { transport, variables, leftOut } = serverOf({ ...oci, runtimeArguments });
    expect(transport).toMatchObject({
      args: 'run -i --rm -e TOKEN -e TEAM --env MODE -e PLAIN=x -e API_KEY ghcr.io/ada/tool:1.2.3'.split(' '),
      env: [
        { name: 'TOKEN', value: '${input:token}', secret: false },
        { name: 'TEAM', value: '${input:TEAM}', secret: false },
        { name: 'MODE', value: '${input:mode}', secret: false },
        { name: 'API_KEY', value: 'planted', secret: true },
      ],
    });
    expect(variables?.map(({ value, secret, isOptional }) => [value, secret, isOptional])).toEqual([
      [null, true, undefined],
      [null, false, true],
      ['fast', false, undefined],
    ]);
    expect(leftOut.map(({ key }) => key)).toEqual(['--user']);
  });

  test.each([
    [['-it'], ['-i']],
    [['-t', '-i'], ['-i']],
    [['-i', '--tty'], ['-i']],
    [
      ['--name', '-t', '-i'],
      ['--name', '-t', '-i'],
    ],
  ])('of a container %j have no terminal', (given, options) => {
    const { transport, leftOut } = serverOf({ ...oci, runtimeArguments: ['--rm', ...given].map(word) });
    expect(transport).toMatchObject({ args: ['run', '--rm', ...options, 'ghcr.io/ada/tool:1.2.3'] });
    expect(leftOut).toHaveLength(given.length === options.length && given[0] !== '-it' ? 0 : 1);
  });

  test('that start a container in place of the package are left out by name', () => {
    const runtimeArguments = ['run', '-i', '--rm', 'ghcr.io/other/tool'].map(word);
    const { servers, problems } = readPackages({ ...npm, transport: stdio, runtimeArguments });
    expect(servers[0]?.settings.transport).toMatchObject({ args: ['-y', '@ada/tool@1.2.3'] });
    expect(problems[0]?.what).toContain('start a container');
  });

  test('that the program would take for the package go to the package, and that is said', () => {
    const { servers, problems } = readPackages({
      ...pypi,
      transport: stdio,
      runtimeArguments: [word('serve'), flag('--mcp')],
    });
    expect(servers[0]?.settings.transport).toMatchObject({ args: ['ada-tool@1.2.3', 'serve', '--mcp'] });
    expect(problems[0]?.what).toContain('"serve" is not an option of uvx');
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
    const { servers, problems } = readPackages({
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
