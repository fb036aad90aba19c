import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';

let cli: Cli;
let file: string;
beforeEach(async () => {
  cli = await Cli.open();
  file = join(cli.folder, 'mcp.json');
});
afterEach(() => cli.close());

const configuration = `{
  // mine
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "server-github"], "env": { "GITHUB_TOKEN": "planted-1" }, "disabled": true },
    "remote": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer planted-2" } },
  }
}`;

const saved = async () =>
  JSON.parse(await readFile(join(cli.folder, 'servers.json'), 'utf8')) as { servers: { name: string }[] };

describe('import', () => {
  test('lists the servers of a file and saves nothing', async () => {
    await writeFile(file, configuration);
    const { exitCode, stdout, stderr } = await cli.runBare(['import', file]);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      'github\n    npx -y server-github\n    left out disabled: Sightglass connects only when you ask for it.\n' +
        'remote\n    https://example.com/mcp\n',
    );
    await expect(saved()).rejects.toThrow('ENOENT');
  });

  test('saves them without their secrets, and says which are missing', async () => {
    await writeFile(file, configuration);
    const { exitCode, stdout, stderr } = await cli.runBare(['import', file, '--save']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('\nsaved: github, remote\n');
    expect(stderr).toContain('"github" needs 1 value that is not saved: GITHUB_TOKEN;');
    expect(stderr).toContain('"remote" needs 1 value that is not saved: Authorization;');
    expect((await saved()).servers.map(({ name }) => name)).toEqual(['github', 'remote']);
    expect(await readFile(join(cli.folder, 'servers.json'), 'utf8')).not.toContain('planted');
  });

  test('leaves a saved server of the same name as it is, unless it is to be replaced', async () => {
    await writeFile(file, configuration);
    await cli.runBare(['import', file, '--save', '--only', 'remote']);
    await writeFile(file, configuration.replace('example.com', 'example.org'));
    const again = await cli.runBare(['import', file, '--save']);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('"remote" is left as it is');
    expect(JSON.stringify(await saved())).toContain('example.com');
    expect((await cli.runBare(['import', file, '--save', '--replace'])).exitCode).toBe(0);
    expect(JSON.stringify(await saved())).toContain('example.org');
    expect((await saved()).servers).toHaveLength(2);
  });

  test('reads stdin, and prints JSON without secrets', async () => {
    const run = cli.startReading(['import', '-', '--json'], configuration);
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('planted');
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'cursor',
      servers: [{ key: '/mcpServers/github', line: 4, existingId: null }, { settings: { name: 'remote' } }],
      problems: [],
    });
  });

  test('says where a mistake is, and reads what stands before it', async () => {
    await writeFile(file, configuration.replace('"url":', '"url"'));
    const { exitCode, stdout, stderr } = await cli.runBare(['import', file]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('github\n');
    expect(stderr).toContain(`${file}:5:23: A ":" is missing after the key.\n  next: `);
  });

  test('takes a command line, whose placeholders and inputs are kept', async () => {
    const { exitCode } = await cli.runBare(['import', '--save', '--', 'npx', '-y', '@scope/tool', 'a b']);
    expect(exitCode).toBe(0);
    expect((await saved()).servers).toMatchObject([
      { name: '@scope/tool', transport: { command: 'npx', args: ['-y', '@scope/tool', 'a b'] } },
    ]);
  });

  test('alone lists the files of this machine', async () => {
    const home = join(cli.folder, 'home');
    await mkdir(join(home, '.cursor'), { recursive: true });
    await writeFile(join(home, '.cursor', 'mcp.json'), configuration);
    const { exitCode, stdout, stderr } = await cli.runBare(['import'], { HOME: home, XDG_CONFIG_HOME: '' });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: `${join(home, '.cursor', 'mcp.json')}\n    Cursor: github, remote\n`,
      stderr: '',
    });
  });

  test.each([
    [['import', '/no/such/file'], 'cannot be read: ENOENT'],
    [['import', '--save'], 'a file to import from is needed'],
    [['import', 'package.json', '--replace'], '--replace goes with --save'],
    [['import', 'package.json', '--only', 'nobody'], 'there is no server "nobody"'],
    [['import', 'package.json', '--', 'npx'], 'not both at once'],
  ])('%j is a mistake', async (args, what) => {
    const { exitCode, stderr } = await cli.runBare(args);
    expect(stderr).toContain(what);
    expect(exitCode).toBe(2);
  });
});

describe('import of a server.json', () => {
  const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
  const entry = (more: object) =>
    JSON.stringify({
      $schema: schema,
      name: 'io.example/mine',
      description: 'Mine',
      version: '1.0.0',
      ...more,
    });

  test('lists the command line, its inputs and what is left out', async () => {
    const environmentVariables = [
      { name: 'CLIENT_SECRET', description: 'From your account', isRequired: true, isSecret: true },
      { name: 'REGION', description: 'Where', choices: ['eu', 'us'], default: 'eu' },
      { name: 'CACHE', placeholder: '/tmp' },
    ];
    const oci = {
      registryType: 'oci',
      identifier: 'ghcr.io/example/mine:1.0.0',
      transport: { type: 'stdio' },
      runtimeArguments: ['run', '-i', '--rm'].map((value) => ({ type: 'positional', value })),
      packageArguments: [{ type: 'named', name: '--city', description: 'A city', choices: ['Rome', 'Bonn'] }],
      environmentVariables,
    };
    await writeFile(file, entry({ packages: [oci] }));
    const { exitCode, stdout, stderr } = await cli.runBare(['import', file]);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'mine',
      '    docker run -i --rm -e CLIENT_SECRET -e REGION -e CACHE ghcr.io/example/mine:1.0.0',
      '    input CLIENT_SECRET, required, secret: From your account',
      '    input REGION = eu, one of eu, us: Where',
      '    input CACHE, optional, such as /tmp',
      '    left out --city: It is optional. Add it to the arguments if the server should have it. A city One of Rome, Bonn.',
      '',
    ]);
  });

  test('saves the inputs in the parameters of a URL, and nothing else of them', async () => {
    const url = 'https://{user}@example.com/mcp?api_key={key}&token=planted';
    const variables = { user: { isRequired: true }, key: { isRequired: true, isSecret: true } };
    await writeFile(file, entry({ remotes: [{ type: 'sse', url, variables }] }));
    const { exitCode } = await cli.runBare(['import', file, '--save']);
    expect(exitCode).toBe(0);
    expect(await saved()).toMatchObject({
      servers: [
        { transport: { url: 'https://${input:user}@example.com/mcp?api_key=${input:key}&token=••••' } },
      ],
    });
  });

  test('saves a server whose host is an input with its value', async () => {
    const url = 'https://{region}.{hostname}/mcp';
    const variables = { hostname: { description: 'Your host', isRequired: true }, region: { default: 'eu' } };
    await writeFile(file, entry({ remotes: [{ type: 'streamable-http', url, variables }] }));
    const listed = await cli.runBare(['import', file]);
    expect(listed.exitCode).toBe(0);
    expect(listed.stdout).toContain(
      'https://eu.${input:hostname}/mcp\n    input region = eu\n    input hostname, required: Your host',
    );
    const { exitCode, stderr } = await cli.runBare(['import', file, '--save', '--input', 'hostname'], {
      hostname: 'example.com',
    });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(await saved()).toMatchObject({
      servers: [
        {
          transport: { url: 'https://${input:region}.${input:hostname}/mcp' },
          variables: [
            { name: 'input:region', value: 'eu' },
            { name: 'input:hostname', value: 'example.com', description: 'Your host' },
          ],
        },
      ],
    });
  });
});
