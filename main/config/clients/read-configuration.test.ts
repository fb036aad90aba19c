import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClientFormat, ServerSettings } from '#shared/contract/servers.ts';
import { readConfiguration } from './read-configuration.ts';

const corpus = join(import.meta.dirname, '../../../fixtures/client-configurations');
const sample = (file: string) => readFileSync(join(corpus, file), 'utf8');

/** The server of this name in a sample. */
function serverOf(file: string, name: string, format: ClientFormat | null = null): ServerSettings {
  const found = readConfiguration(sample(file), { format }).servers.find((one) => one.settings.name === name);
  if (found === undefined) throw new Error(`no server ${name} in ${file}`);
  return found.settings;
}

const leftOutOf = (file: string, name: string) =>
  readConfiguration(sample(file))
    .servers.find(({ settings }) => settings.name === name)
    ?.leftOut.map(({ key }) => key);

describe('the format is told by', () => {
  test.each([
    ['claude-desktop/usual.json', 'claude-desktop'],
    ['claude-desktop/windows-tabs.json', 'claude-desktop'],
    ['claude-code/project.json', 'claude-code'],
    ['claude-code/user.json', 'claude-code'],
    ['vscode/workspace.json', 'vscode'],
    ['vscode/settings.json', 'vscode'],
    ['cursor/project.json', 'cursor'],
    ['windsurf/usual.json', 'windsurf'],
    ['windsurf/file-secret.json', 'windsurf'],
    ['zed/custom.json', 'zed'],
    ['zed/command-object.json', 'zed'],
    ['registry/npm-and-remote.json', 'registry'],
    ['registry/of-the-api.json', 'registry'],
  ])('the content of %s', (file, format) => {
    expect(readConfiguration(sample(file)).format).toBe(format);
  });

  test.each([
    ['/home/ada/.lmstudio/mcp.json', 'lm-studio'],
    ['/work/shop/.cursor/mcp.json', 'cursor'],
    ['/work/shop/.mcp.json', 'claude-code'],
    ['C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json', 'claude-desktop'],
    ['/home/ada/.codeium/windsurf/mcp_config.json', 'windsurf'],
  ])('the path %s, where the content fits several', (path, format) => {
    expect(readConfiguration('{"mcpServers": {"a": {"command": "x"}}}', { path }).format).toBe(format);
  });
});

describe('a server', () => {
  test('of VS Code has its placeholders as written, and the inputs that they stand for', () => {
    const { transport, variables } = serverOf('vscode/workspace.json', 'Perplexity');
    expect(transport).toMatchObject({
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'server-perplexity-ask'],
      env: [
        { name: 'PERPLEXITY_API_KEY', value: '${input:perplexity-key}', secret: false },
        { name: 'LOG_LEVEL', value: '${input:log-level}', secret: false },
      ],
    });
    expect(variables).toEqual([
      { name: 'input:perplexity-key', value: null, secret: true, description: 'Perplexity API Key' },
      { name: 'input:log-level', value: 'info', secret: false, description: 'Log level' },
    ]);
    expect(leftOutOf('vscode/workspace.json', 'fetch')).toEqual(['envFile', 'dev']);
  });

  test('of Claude Code has its variables in the spelling of the others', () => {
    expect(serverOf('claude-code/project.json', 'asana').transport).toMatchObject({
      kind: 'http',
      transport: 'http-sse',
      headers: [
        { name: 'Authorization', value: 'Bearer ${env:ASANA_TOKEN}', secret: false },
        { name: 'X-Workspace', value: '${env:ASANA_WORKSPACE:-main}', secret: false },
      ],
    });
    expect(serverOf('claude-code/project.json', 'airtable').transport).toMatchObject({
      args: ['-y', 'airtable-mcp-server', '--cache', '${env:CACHE_DIR:-/tmp}/airtable'],
    });
    expect(serverOf('claude-code/user.json', 'postgres').transport).toMatchObject({ command: 'uvx' });
  });

  test.each([
    ['claude-code/project.json', 'paypal', 'streamable-http'],
    ['claude-code/user.json', 'internal', 'streamable-http'],
    ['vscode/user-http.json', 'github', 'auto'],
    ['vscode/user-http.json', 'requel', 'http-sse'],
    ['cursor/user.json', 'figma', 'auto'],
    ['windsurf/usual.json', 'userjot', 'auto'],
    ['windsurf/mixed.json', 'url-key', 'http-sse'],
    ['zed/custom.json', 'remote', 'auto'],
  ])('in %s, %s, speaks %s', (file, name, transport) => {
    expect(serverOf(file, name).transport).toMatchObject({ kind: 'http', transport });
  });

  test('of Zed is read in the old format and in the new one', () => {
    expect(serverOf('zed/command-object.json', 'jira-pm').transport).toMatchObject({
      command: 'zara-jira-mcp',
    });
    expect(serverOf('zed/custom.json', 'mcp-local-server').transport).toMatchObject({
      command: 'uv',
      args: ['run', '/home/f/Dev/MCPs/mcp-local-server/main.py'],
    });
  });

  test('marks as secret what its name or content says, and no mere placeholder, number or switch', () => {
    const env = (file: string, name: string) => {
      const { transport } = serverOf(file, name);
      return transport.kind === 'stdio' ? transport.env.map((one) => [one.name, one.secret]) : [];
    };
    expect(env('claude-desktop/usual.json', 'github')).toEqual([['GITHUB_PERSONAL_ACCESS_TOKEN', true]]);
    expect(env('claude-desktop/windows-tabs.json', 'notes')).toEqual([
      ['LOG_LEVEL', false],
      ['PORT', false],
      ['API_KEY', false],
    ]);
    expect(env('zed/command-object.json', 'some-context-server')).toEqual([
      ['OPENAPI_MCP_HEADERS', true],
      ['NOTION_TOKEN', true],
    ]);
    expect(serverOf('lm-studio/remote.json', 'hf-mcp-server').transport).toMatchObject({
      headers: [{ name: 'Authorization', secret: true }],
    });
  });

  test('of a project starts in its folder', () => {
    const text = '{"mcpServers": {"a": {"command": "./server.sh"}}}';
    const [server] = readConfiguration(text, { path: '/work/shop/.mcp.json' }).servers;
    expect(server?.settings).toMatchObject({
      transport: { cwd: '${workspaceFolder}' },
      variables: [{ name: 'workspaceFolder', value: '/work/shop' }],
    });
  });

  test('of a project whose folder is not known does not start in a folder of ours', () => {
    const text = '{"mcpServers": {"a": {"command": "./server.sh"}}}';
    const { format, servers } = readConfiguration(text, { path: '.mcp.json' });
    expect(format).toBe('claude-code');
    expect(servers[0]?.settings.transport).toMatchObject({ cwd: null });
    expect(servers[0]?.settings.variables ?? []).toEqual([]);
  });

  test('leaves out what has no effect here, and says why', () => {
    const [, git] = readConfiguration(sample('windsurf/usual.json')).servers;
    expect(git?.leftOut.map(({ key }) => key)).toEqual(['disabled', 'disabledTools']);
    expect(git?.leftOut[0]?.why).toContain('only when you ask');
    expect(leftOutOf('cursor/user.json', 'lapras')).toEqual(['disabled', 'autoApprove']);
  });
});

describe('what is wrong is said with its place', () => {
  const problemsOf = (text: string) =>
    readConfiguration(text).problems.map(({ line, column, server, what }) => [line, column, server, what]);

  test.each([
    ['{\n  "mcpServers": {\n    "a": {"command": "x" "args": []}\n  }\n}', 3, 26, 'a', /","/],
    ['{"mcpServers": {\r\n"a": {}}}', 2, 6, 'a', /neither a "command" nor a "url"/],
    ['{"mcpServers": {\n"a": {"url": "ftp://x"}}}', 2, 14, 'a', /no address/],
    ['{"mcpServers": {"a": "npx x"}}', 1, 22, 'a', /must be an object/],
    ['{"mcpServers": {"a": {"command": "x", "args": "y"}}}', 1, 47, 'a', /not a list/],
    ['{"mcpServers": {"a": {"command": "x", "env": {"A": {}}}}}', 1, 52, 'a', /not a text/],
    ['{"mcpServers": {"a": {"command": "npx -y x"}}}', 1, 34, 'a', /no shell will split/],
    [
      '{"mcpServers": {"a": {"url": "http://x/", "type": "pigeon"}}}',
      1,
      51,
      'a',
      /"pigeon" is no HTTP transport/,
    ],
    [
      '{"mcpServers": {"a": {"command": "x", "env": {"K": "${file:/run/k}"}}}}',
      1,
      22,
      'a',
      /\$\{file:\/run\/k\}/,
    ],
    ['{"editor": 1}', 1, 1, null, /no servers/],
    ['[1]', 1, 1, null, /no JSON object/],
  ])('%s', (text, line, column, server, what) => {
    expect(problemsOf(text)).toContainEqual([line, column, server, expect.stringMatching(what)]);
  });

  test('and every one says what to do', () => {
    const { problems, servers } = readConfiguration(sample('claude-code/host-unknown.json'));
    expect(problems.map(({ line, server }) => [line, server])).toEqual([[12, 'worker']]);
    for (const { next } of problems) expect(next).toMatch(/\w.*\.$/);
    expect(servers.map(({ settings }) => settings.name)).toEqual(['api', 'local', 'worker']);
    expect(readConfiguration(sample('zed/extension.json')).problems).toHaveLength(2);
  });

  test('what stands before a syntax error is read', () => {
    const { servers, problems } = readConfiguration('{"mcpServers": {"a": {"command": "x"}, "b": ');
    expect(servers.map(({ settings }) => settings.name)).toEqual(['a']);
    expect(problems).toHaveLength(1);
  });
});

describe('without a file', () => {
  test('entries without the object around them, and a single one, are read', () => {
    const names = (text: string) => readConfiguration(text).servers.map(({ settings }) => settings.name);
    expect(names('{"a": {"command": "x"}, "b": {"url": "http://127.0.0.1/mcp"}}')).toEqual(['a', 'b']);
    expect(names('{"name": "mine", "command": "x"}')).toEqual(['mine']);
    expect(names('{"command": "npx", "args": ["-y", "@scope/tool"]}')).toEqual(['@scope/tool']);
  });

  test.each([
    ['npx -y "@scope/tool" --root "/a b"', 'npx', ['-y', '@scope/tool', '--root', '/a b'], []],
    ['$ API_KEY=planted-1 node server.js', 'node', ['server.js'], [['API_KEY', true]]],
    ['docker run -i \\\n  --rm image', 'docker', ['run', '-i', '--rm', 'image'], []],
  ])('the command line %s is a server', (line, command, args, env) => {
    const { format, servers } = readConfiguration(line);
    expect(format).toBe('command-line');
    const transport = servers[0]?.settings.transport;
    expect(transport).toMatchObject({ kind: 'stdio', command, args });
    expect(transport?.kind === 'stdio' && transport.env.map((one) => [one.name, one.secret])).toEqual(env);
  });

  test('a URL is a server, and text that is not a command line says why', () => {
    expect(readConfiguration(' https://example.com/mcp\n').servers[0]?.settings).toMatchObject({
      name: 'example.com',
      transport: { kind: 'http', url: 'https://example.com/mcp' },
    });
    expect(readConfiguration('npx "open').problems[0]?.what).toContain('never closed');
    expect(readConfiguration('').problems[0]?.what).toBe('There is no command.');
    expect(readConfiguration('npx x | tee log').problems[0]?.what).toContain('No shell runs');
  });
});

describe('a server.json of the registry', () => {
  test('is a server for each package and remote, with inputs for what has to be given', () => {
    const { servers } = readConfiguration(sample('registry/npm-and-remote.json'));
    expect(servers.map(({ key, settings }) => [key, settings.name])).toEqual([
      ['/packages/0', 'weather (npm)'],
      ['/remotes/0', 'weather (streamable-http)'],
      ['/remotes/1', 'weather (sse)'],
    ]);
    expect(servers[0]?.settings.transport).toMatchObject({
      command: 'npx',
      args: [
        '-y',
        '@ada/weather-mcp@1.0.2',
        'serve',
        '--units',
        'metric',
        '--city',
        '${input:city}',
        '--verbose',
      ],
      env: [
        { name: 'WEATHER_API_KEY', value: '${input:WEATHER_API_KEY}', secret: false },
        { name: 'WEATHER_CACHE', value: '${input:WEATHER_CACHE}', secret: false },
      ],
    });
    expect(servers[0]?.settings.variables).toMatchObject([
      { name: 'input:WEATHER_API_KEY', secret: true, description: 'API key' },
      { name: 'input:WEATHER_CACHE', secret: false, description: 'Folder of the cache', isOptional: true },
      { name: 'input:city', secret: false, description: 'The default city' },
    ]);
    expect(servers[0]?.leftOut).toEqual([]);
    expect(servers[1]?.settings.transport).toMatchObject({
      url: 'https://${input:region}.weather.example/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer ${input:token}' }],
    });
  });

  test('of an early schema starts containers and Python packages, and says what it cannot start', () => {
    const { servers, problems } = readConfiguration(sample('registry/docker-and-pypi.json'));
    const [docker, pypi] = servers.map(({ settings }) => settings.transport);
    expect(docker).toMatchObject({
      command: 'docker',
      args: [
        'run',
        '-i',
        '--rm',
        '--mount',
        'type=bind,src=${input:source_path},dst=/data',
        '-e',
        'LOG_LEVEL',
        'ada/files:0.5.0',
        '/data',
      ],
      env: [{ name: 'LOG_LEVEL', value: 'info' }],
    });
    expect(pypi).toMatchObject({ command: 'uvx', args: ['ada-files@0.5.0'] });
    expect(problems).toMatchObject([{ line: 30, what: expect.stringContaining('"mcpb"') }]);
    expect(serverOf('registry/of-the-api.json', 'search').transport).toMatchObject({
      command: 'npx',
      args: ['-y', 'search-mcp@2.0.0'],
    });
  });
});
