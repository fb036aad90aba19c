import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClientFormat, fileFormat, fileFormats } from '#shared/client-formats/table.ts';
import type { ServerSettings } from '#shared/contract/servers.ts';
import { readConfiguration } from './read-configuration.ts';

const corpus = join(import.meta.dirname, '../../../fixtures/client-configurations');
const sample = (file: string) => readFileSync(join(corpus, file), 'utf8');

const read = (file: string) => readConfiguration(sample(file), { path: file.split('/').at(-1) });

function serverOf(file: string, name: string): ServerSettings {
  const found = read(file).servers.find(({ settings }) => settings.name === name);
  if (found === undefined) throw new Error(`no server ${name} in ${file}`);
  return found.settings;
}

const leftOutOf = (file: string, name: string) =>
  read(file)
    .servers.find(({ settings }) => settings.name === name)
    ?.leftOut.map(({ key }) => key);

describe('the client of a file is told by', () => {
  test.each<[string, ClientFormat]>([
    ['codex/usual.toml', 'codex'],
    ['codex/inline.toml', 'codex'],
    ['mistral-vibe/usual.toml', 'mistral-vibe'],
    ['goose/usual.yaml', 'goose'],
    ['goose/flow.yaml', 'goose'],
    ['continue/block.yaml', 'continue'],
    ['continue/config.yaml', 'continue'],
    ['gemini-cli/user.json', 'gemini-cli'],
    ['opencode/usual.jsonc', 'opencode'],
    ['kiro/user.json', 'kiro'],
    ['amazon-q/agent.json', 'amazon-q'],
    ['cline/cline_mcp_settings.json', 'cline'],
    ['roo/project.json', 'roo'],
    ['copilot-cli/mcp-config.json', 'copilot-cli'],
    ['warp/usual.json', 'warp'],
    ['amp/settings.json', 'amp'],
    ['augment/settings.json', 'augment'],
    ['codex-plugin/mcp.json', 'codex-plugin'],
    ['crush/usual.json', 'crush'],
    ['fast-agent/fastagent.config.yaml', 'fast-agent'],
    ['hermes/config.yaml', 'hermes'],
    ['librechat/librechat.yaml', 'librechat'],
    ['bundle/manifest.json', 'bundle'],
    ['bundle/no-config.json', 'bundle'],
  ])('what is in %s', (file, format) => {
    const syntax = /toml|yaml/.exec(file)?.[0];
    expect(
      readConfiguration(sample(file), { path: syntax === undefined ? null : `x.${syntax}` }).format,
    ).toBe(format);
  });

  test.each<[string, ClientFormat]>([
    ['/home/ada/.gemini/settings.json', 'gemini-cli'],
    ['/srv/shop/.kiro/settings/mcp.json', 'kiro'],
    ['/srv/shop/.roo/mcp.json', 'roo'],
    ['/srv/shop/.junie/mcp/mcp.json', 'jetbrains'],
    ['/srv/shop/.warp/.mcp.json', 'warp'],
    ['C:\\Users\\Ada\\.aws\\amazonq\\mcp.json', 'amazon-q'],
    ['/home/ada/.copilot/mcp-config.json', 'copilot-cli'],
    ['cline_mcp_settings.json', 'cline'],
  ])('the path %s, where several have the same keys', (path, format) => {
    expect(readConfiguration('{"mcpServers": {"a": {"command": "x"}}}', { path }).format).toBe(format);
  });
});

describe('a server of', () => {
  test('Codex has the variables that it names, and those of its headers', () => {
    expect(serverOf('codex/usual.toml', 'shop.orders').transport).toMatchObject({
      kind: 'http',
      url: 'https://orders.example.com/mcp',
      headers: [
        { name: 'X-Region', value: 'eu', secret: true },
        { name: 'X-Team', value: 'shop', secret: true },
        { name: 'X-Tenant', value: '${env:ORDERS_TENANT}', secret: false },
        { name: 'Authorization', value: 'Bearer ${env:ORDERS_TOKEN}', secret: false },
      ],
    });
    expect(serverOf('codex/usual.toml', 'notes').transport).toMatchObject({
      command: 'npx',
      args: ['-y', 'notes-mcp', '--folder', '/home/ada/notes'],
      env: [
        { name: 'NOTES_LANGUAGE', value: 'en', secret: false },
        { name: 'NOTES_API_KEY', value: 'planted-codex-1', secret: true },
      ],
    });
    expect(leftOutOf('codex/usual.toml', 'notes')).toEqual(['startup_timeout_sec']);
    expect(leftOutOf('codex/usual.toml', 'shop.orders')).toEqual(['enabled']);
    expect(serverOf('codex/inline.toml', 'dotted').transport).toMatchObject({
      command: 'C:\\Tools\\dotted.exe',
      args: ['--one', '--two'],
      env: [{ name: 'COLOR', value: 'blue' }],
    });
    expect(serverOf('codex/inline.toml', 'local').transport).toMatchObject({
      env: [
        { value: 'test' },
        { value: '${env:HOME_PAGE}' },
        { name: 'LOCAL_TOKEN', value: '${env:LOCAL_TOKEN}' },
      ],
    });
  });

  test('Codex at another place is read, and said to be where Codex does not look', () => {
    const { servers, problems } = readConfiguration('[mcp.servers.a]\ncommand = "x"\nenv.K = "${K}"\n', {
      format: 'codex',
    });
    expect(servers.map(({ settings }) => settings.name)).toEqual(['a']);
    expect(problems.map(({ line, what }) => [line, what])).toEqual([
      [1, 'Codex does not read servers from "mcp.servers".'],
      [1, 'Sightglass does not replace ${K}; the server gets it as it is written.'],
    ]);
  });

  test('Goose gets what Goose keeps asked for, and the parts of Goose are none', () => {
    const { servers, problems } = read('goose/usual.yaml');
    expect(servers.map(({ settings, line }) => [settings.name, line])).toEqual([
      ['fetch', 11],
      ['orders', 24],
    ]);
    expect(problems.map(({ line, server, what }) => [line, server, what])).toEqual([
      [5, 'developer', expect.stringContaining('a part of Goose')],
    ]);
    expect(servers[0]?.settings).toMatchObject({
      transport: {
        command: 'uvx',
        args: ['mcp-server-fetch'],
        env: [{ name: 'FETCH_API_KEY', value: '${input:FETCH_API_KEY}' }],
      },
      variables: [{ name: 'input:FETCH_API_KEY', value: null, secret: true }],
    });
    expect(servers[1]?.settings.transport).toMatchObject({
      transport: 'streamable-http',
      headers: [{ value: 'Bearer ${env:ORDERS_TOKEN}', secret: false }, { value: 'eu' }],
    });
  });

  test('Continue comes from a list, with its own secrets and its token', () => {
    expect(serverOf('continue/block.yaml', 'Orders DB')).toMatchObject({
      transport: {
        args: ['-y', 'orders-db-mcp', '--port', '5432'],
        env: [
          { name: 'DB_PASSWORD', value: '${input:DB_PASSWORD}' },
          { name: 'DB_NAME', value: 'orders' },
        ],
        cwd: '/srv/shop',
      },
      variables: [{ name: 'input:DB_PASSWORD', secret: true }],
    });
    expect(serverOf('continue/block.yaml', 'search').transport).toMatchObject({
      transport: 'streamable-http',
      headers: [
        { name: 'X-Region', value: 'eu' },
        { name: 'Authorization', value: 'Bearer planted-continue-1', secret: true },
      ],
    });
    const { problems, servers } = read('continue/config.yaml');
    expect(problems).toMatchObject([{ line: 8, what: expect.stringContaining('Continue hub') }]);
    expect(servers.map(({ settings }) => settings.name)).toEqual(['local', 'events']);
  });

  test('Gemini CLI has its variables in the spelling of the others, and httpUrl says which transport', () => {
    expect(serverOf('gemini-cli/user.json', 'search').transport).toMatchObject({
      transport: 'streamable-http',
      headers: [
        { value: 'Bearer ${env:SEARCH_TOKEN}', secret: false },
        { value: 'planted-gemini-1', secret: true },
      ],
    });
    expect(serverOf('gemini-cli/user.json', 'events').transport).toMatchObject({ transport: 'auto' });
    expect(serverOf('gemini-cli/user.json', 'local').transport).toMatchObject({
      args: ['-m', 'local_mcp', '--home', '${env:HOME}'],
      env: [{ name: 'API_KEY', value: '${env:LOCAL_API_KEY}' }, { name: 'MODE' }],
    });
    expect(leftOutOf('gemini-cli/user.json', 'search')).toEqual(['timeout', 'trust']);
  });

  test('OpenCode has its command and arguments in one list', () => {
    expect(serverOf('opencode/usual.jsonc', 'files').transport).toMatchObject({
      command: 'npx',
      args: ['-y', 'files-mcp', '/srv'],
      env: [
        { value: '${env:FILES_TOKEN}', secret: false },
        { value: '2' },
        { value: 'planted-opencode-1', secret: true },
      ],
    });
    const v2 =
      '{"mcp": {"timeout": 5, "servers": {"a": {"type": "local", "command": ["x"], "disabled": true}}}}';
    expect(
      readConfiguration(v2, { format: 'opencode' }).servers.map(({ settings }) => settings.name),
    ).toEqual(['a']);
    const file = '{"mcp": {"a": {"type": "local", "command": ["x", "{file:~/k}"]}, "b": {"enabled": true}}}';
    const { problems } = readConfiguration(file);
    expect(problems.map(({ server }) => server)).toEqual(['a', 'b']);
    expect(problems[0]?.what).toContain('{file:~/k}');
  });

  test.each([
    [
      'kiro/user.json',
      'power-orders',
      { url: 'https://orders.example.com/mcp', headers: [{ secret: true }] },
    ],
    ['kiro/user.json', 'docs', { env: [{ value: 'ERROR' }, { value: '${env:DOCS_TOKEN}' }] }],
    [
      'cline/cline_mcp_settings.json',
      'written-by-the-cli',
      { command: 'uvx', args: ['cli-mcp'], env: [{ value: 'a' }] },
    ],
    ['cline/cline_mcp_settings.json', 'search', { transport: 'streamable-http' }],
    ['roo/project.json', 'search', { transport: 'streamable-http' }],
    [
      'copilot-cli/mcp-config.json',
      'browser',
      { args: ['browser-mcp@latest', '--url', '${env:BROWSER_URL:-http://127.0.0.1:9222}'] },
    ],
    ['warp/usual.json', 'local', { cwd: '/srv/shop' }],
    ['warp/usual.json', 'orders', { headers: [{ value: 'Bearer ${input:ORDERS_TOKEN}', secret: false }] }],
    ['amp/settings.json', 'browser', { env: [{ value: '${env:BROWSER_TOKEN}' }, { secret: true }] }],
    ['amazon-q/agent.json', 'orders', { url: 'https://orders.example.com/mcp' }],
    ['mistral-vibe/usual.toml', 'search', { transport: 'streamable-http', headers: [{ secret: true }] }],
    ['jetbrains/project.json', 'boost', { command: '/usr/bin/php', args: ['artisan', 'boost:mcp'] }],
  ])('%s: %s', (file, name, transport) => {
    expect(serverOf(file, name).transport).toMatchObject(transport);
  });

  test.each<[ClientFormat, string, string, string[]]>([
    ['gemini-cli', '$A/${B}/${C:-x}', '${env:A}/${env:B}/${env:C:-x}', []],
    ['claude-code', '$A/${B}/${C:-x}', '$A/${env:B}/${env:C:-x}', []],
    ['claude-code', '${CLAUDE_PLUGIN_ROOT}/x', '${CLAUDE_PLUGIN_ROOT}/x', ['${CLAUDE_PLUGIN_ROOT}']],
    ['claude-desktop', '$A/${B}', '$A/${B}', ['${B}']],
    ['cursor', '${env:A}/${B}/${file:/c}', '${env:A}/${B}/${file:/c}', ['${B}', '${file:/c}']],
    ['opencode', '{env:A}/{file:b}/${C}', '${env:A}/{file:b}/${C}', ['${C}', '{file:b}']],
    ['crush', '$A/$(cat k)', '${env:A}/$(cat k)', ['$(cat k)']],
    ['warp', '{{A}}/$B', '${input:A}/$B', []],
    ['fast-agent', '${A}/${B:c}', '${env:A}/${env:B:-c}', []],
    ['codex', '$A/${B}', '$A/${B}', ['${B}']],
    [
      'continue',
      '${{ secrets.A }}/${{ inputs.B }}/${{ other.C }}',
      '${input:A}/${input:B}/${{ other.C }}',
      ['${{ other.C }}'],
    ],
  ])('%s has %s, which becomes %s, and what nobody replaces is named', (id, text, placeholders, unknown) => {
    const { keys, containers } = fileFormat(id);
    const command =
      keys.args === null ? { [keys.command]: ['x', text] } : { [keys.command]: 'x', [keys.args]: [text] };
    const [container = []] = containers;
    const file = container.reduceRight<unknown>((inside, key) => ({ [key]: inside }), { a: command });
    // JSON is YAML, too.
    const json =
      id === 'codex'
        ? `[mcp_servers.a]\ncommand = "x"\nargs = [${JSON.stringify(text)}]\n`
        : JSON.stringify(file);
    const { servers, problems } = readConfiguration(json, { format: id });
    expect(servers[0]?.settings.transport).toMatchObject({ args: [placeholders] });
    expect(problems.map(({ what }) => what)).toEqual(
      unknown.map((one) => `Sightglass does not replace ${one}; the server gets it as it is written.`),
    );
  });

  test('each sample has a reason for everything that is left out', () => {
    for (const { id } of fileFormats) {
      for (const file of readdirSync(join(corpus, id))) {
        for (const { leftOut } of read(`${id}/${file}`).servers)
          for (const { key, why } of leftOut)
            expect(why, `${id}/${file}: ${key}`).not.toContain('does not know');
      }
    }
  });
});

describe('two addresses, or an address and a command,', () => {
  test('are not both used, and the other one is named', () => {
    const leftOut = (entry: string) =>
      readConfiguration(`{"mcpServers": {"a": ${entry}}}`, { format: 'gemini-cli' }).servers[0]?.leftOut.map(
        ({ key, why }) => `${key}: ${why}`,
      );
    expect(leftOut('{"url": "https://a.example.com/sse", "httpUrl": "https://a.example.com/mcp"}')).toEqual([
      'url: A second address: Gemini CLI uses the one of another key first.',
    ]);
    expect(leftOut('{"command": "x", "url": "https://a.example.com/sse"}')).toEqual([
      'url: A server that is started as a process has no address.',
    ]);
    expect(leftOut('{"url": "https://a.example.com/sse", "args": ["x"], "env": {}}')).toEqual([
      'args: A server that is reached at an address is not started.',
      'env: A server that is reached at an address has no variables.',
    ]);
  });
});

describe('the manifest of a bundle', () => {
  test('is a server that asks for what the bundle asks for', () => {
    const [server] = readConfiguration(sample('bundle/manifest.json'), {
      path: '/opt/orders/manifest.json',
    }).servers;
    expect(server?.settings).toMatchObject({
      name: 'orders',
      transport: {
        command: 'node',
        args: [
          '${input:bundle-folder}/server/index.js',
          '--folder',
          '${input:folder}',
          '--limit=${input:limit}',
        ],
        env: [
          { name: 'ORDERS_API_KEY', value: '${input:api_key}', secret: false },
          { name: 'CACHE', value: '${userHome}${/}.orders' },
          { name: 'MODE', value: 'usual' },
        ],
      },
    });
    expect(server?.settings.variables).toEqual([
      {
        name: 'input:bundle-folder',
        value: '/opt/orders',
        secret: false,
        description: 'The folder where the bundle is unpacked',
      },
      { name: 'input:folder', value: null, secret: false, description: 'Folders' },
      { name: 'input:limit', value: '10', secret: false, description: 'Limit' },
      { name: 'input:api_key', value: null, secret: true, description: 'API key' },
    ]);
    expect(server?.leftOut.map(({ key }) => key)).toEqual(['user_config.folder']);
  });

  test('has what it overrides on Windows', () => {
    const [server] = readConfiguration(sample('bundle/manifest.json'), { isWindows: true }).servers;
    expect(server?.settings.transport).toMatchObject({ command: 'node.exe' });
    expect(server?.settings.transport).toMatchObject({ env: [{}, {}, { name: 'MODE', value: 'windows' }] });
  });

  test('without a configuration starts its program, and one of another program is no bundle', () => {
    const [server] = readConfiguration(sample('bundle/no-config.json')).servers;
    expect(server?.settings.transport).toMatchObject({
      command: 'python',
      args: ['${input:bundle-folder}/main.py'],
    });
    expect(readConfiguration('{"manifest_version": 3, "name": "x", "server": {}}').format).not.toBe('bundle');
    const unknown =
      '{"manifest_version": "0.3", "name": "x", "server": {"mcp_config": {"command": "x", "args": ["${user_config.k}"]}}}';
    expect(readConfiguration(unknown).problems[0]?.what).toContain('${user_config.k}');
  });
});
