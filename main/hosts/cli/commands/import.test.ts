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
    expect(stderr).toBe('sightglass: read as: Cursor\n');
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

  test('reads the TOML of Codex and the YAML of Goose, and saves no secret of their command lines', async () => {
    const codex = join(cli.folder, 'config.toml');
    await writeFile(
      codex,
      '[mcp_servers.docs]\ncommand = "npx"\nargs = ["docs-mcp", "--api-key", "planted-5"]\nenv = { API_KEY = "planted-6" }\n',
    );
    const first = await cli.runBare(['import', codex, '--save']);
    expect(first.stderr).toContain('read as: Codex\n');
    expect(first.stderr).toContain('"docs" needs 2 values that are not saved: API_KEY, input:api-key;');
    expect(first.stdout).toBe("docs\n    npx docs-mcp --api-key '${input:api-key}'\nsaved: docs\n");
    const goose = join(cli.folder, 'goose.yaml');
    await writeFile(
      goose,
      'extensions:\n  orders:\n    type: sse\n    uri: https://orders.example.com/sse?token=planted-7\n',
    );
    const second = await cli.runBare(['import', goose, '--save', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ format: 'goose', saved: [{ name: 'orders' }] });
    expect((await saved()).servers.map(({ name }) => name)).toEqual(['docs', 'orders']);
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
    expect(stderr).toContain(`${file}:5:23: remote: A ":" is missing after the key.\n  next: `);
  });

  test('takes a command line, whose placeholders and inputs are kept', async () => {
    const { exitCode } = await cli.runBare(['import', '--save', '--', 'npx', '-y', '@scope/tool', 'a b']);
    expect(exitCode).toBe(0);
    expect((await saved()).servers).toMatchObject([
      { name: '@scope/tool', transport: { command: 'npx', args: ['-y', '@scope/tool', 'a b'] } },
    ]);
  });

  test.each([
    ['UTF-16 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without one, the high byte first', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    [
      'UTF-8 with a byte order mark and CRLF',
      (text: string) => Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`),
    ],
  ])('reads %s, from a file and from stdin', async (_, encode) => {
    const bytes = encode(configuration);
    await writeFile(file, bytes);
    const fromFile = await cli.runBare(['import', file]);
    expect(fromFile).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('npx -y server-github') });
    const fromInput = await cli.startReading(['import', '-'], bytes).ended;
    expect(fromInput.stdout).toBe(fromFile.stdout);
  });

  test.each([
    ['server.mcpb', Buffer.from('PK\u0003\u0004\0\0'), 'This is a ZIP archive, as bundles of MCP servers'],
    ['mcp.json', Buffer.from('{"caf\u00e9": 1}', 'latin1'), 'This text is not UTF-8'],
  ])('refuses %s, which is no text, by name', async (name, bytes, what) => {
    await writeFile(join(cli.folder, name), bytes);
    const { exitCode, stderr } = await cli.runBare(['import', join(cli.folder, name), '--save']);
    expect(stderr).toContain(what);
    expect(exitCode).toBe(2);
    await expect(saved()).rejects.toThrow('ENOENT');
  });

  test.each([
    [
      'a package.json',
      '{"name": "x", "version": "1.0.0", "scripts": {}, "bugs": {"url": "https://x.example"}}',
      'This is a package.json.',
    ],
    ['a script', '#!/bin/sh\nexport API_KEY=planted-3\nnpx x\n', 'This is a script.'],
    ['variables', 'API_KEY=planted-3\nMODE=x\n', 'These are environment variables'],
  ])('refuses %s by name, and saves nothing of it', async (_, content, what) => {
    await writeFile(file, content);
    const { exitCode, stdout, stderr } = await cli.runBare(['import', file, '--save']);
    expect(stderr).toContain(`${file}:1:1: ${what}`);
    expect(stdout).toBe('saved: none\n');
    expect(exitCode).toBe(1);
    await expect(saved()).rejects.toThrow('ENOENT');
  });

  test('reads a part of a configuration from a page, and the command that adds a server to a client', async () => {
    await writeFile(
      file,
      '# FS\n\n```json\n"mcpServers": { "fs": { "command": "npx", "args": ["fs-mcp"] } }\n```\n',
    );
    expect(await cli.runBare(['import', file, '--save'])).toMatchObject({
      exitCode: 0,
      stdout: 'fs\n    npx fs-mcp\nsaved: fs\n',
    });
    const line = ['claude', 'mcp', 'add', 'two', '-e', 'API_KEY=planted-4', '--', 'npx', 'two-mcp'];
    const added = await cli.runBare(['import', '--save', '--', ...line]);
    expect(added).toMatchObject({ exitCode: 0, stdout: 'two\n    npx two-mcp\nsaved: two\n' });
    expect(added.stderr).toContain('read as: Claude Code');
    expect(JSON.stringify(await saved())).not.toContain('planted-4');
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
    [['import', '/no/such/file'], 'There is no file /no/such/file.'],
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
    expect(stderr).toBe('sightglass: read as: server.json\n');
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
    expect(stderr).toBe('sightglass: read as: server.json\n');
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
