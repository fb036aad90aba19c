import { describe, expect, test } from 'vitest';
import type { ClientFormat } from '#shared/client-formats/table.ts';
import { plainHttpSettings, type ServerSettings, type TransportSettings } from '#shared/contract/servers.ts';
import { plainSettings } from './draft.ts';
import { readConfiguration } from './read-configuration.ts';
import { writeConfiguration } from './write-configuration.ts';

const stdio = (change: Partial<Extract<TransportSettings, { kind: 'stdio' }>> = {}): ServerSettings =>
  plainSettings(
    'a',
    { kind: 'stdio', command: 'x', args: [], cwd: null, env: [], inherit: 'safe', ...change },
    [],
  );

const http = (change: Partial<Extract<TransportSettings, { kind: 'http' }>> = {}): ServerSettings =>
  plainSettings('a', { ...plainHttpSettings('https://a.example.com/mcp'), ...change }, []);

const written = (format: ClientFormat, server: ServerSettings, original: string | null = null): string =>
  writeConfiguration(original, format, [server]).text;

const pair = (name: string, value: string | null, secret = false) => ({ name, value, secret });

describe('a new entry is written as its client reads it', () => {
  const server = stdio({
    command: 'npx',
    args: ['-y', 'b'],
    env: [pair('MODE', 'x'), pair('TOKEN', null, true)],
    cwd: '/srv',
  });

  test.each<[ClientFormat, string]>([
    [
      'codex',
      '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "b"]\nenv_vars = ["TOKEN"]\ncwd = "/srv"\n\n[mcp_servers.a.env]\nMODE = "x"\n',
    ],
    [
      'continue',
      'mcpServers:\n  - name: a\n    command: npx\n    args:\n      - -y\n      - b\n    env:\n      MODE: x\n      TOKEN: ${{ secrets.TOKEN }}\n    cwd: /srv\n',
    ],
    [
      'goose',
      'extensions:\n  a:\n    name: a\n    enabled: true\n    type: stdio\n    cmd: npx\n    args:\n      - -y\n      - b\n    envs:\n      MODE: x\n    env_keys:\n      - TOKEN\n    cwd: /srv\n',
    ],
    [
      'mistral-vibe',
      '[[mcp_servers]]\nname = "a"\ntransport = "stdio"\ncommand = "npx"\nargs = ["-y", "b"]\ncwd = "/srv"\n\n[mcp_servers.env]\nMODE = "x"\nTOKEN = "${env:TOKEN}"\n',
    ],
  ])('%s', (format, text) => {
    const file = written(format, server);
    expect(file).toBe(text);
    expect(readConfiguration(file, { format }).servers.map(({ settings }) => settings.name)).toEqual(['a']);
  });

  test.each<[ClientFormat, object]>([
    [
      'opencode',
      {
        mcp: {
          a: {
            type: 'local',
            command: ['npx', '-y', 'b'],
            environment: { MODE: 'x', TOKEN: '{env:TOKEN}' },
            cwd: '/srv',
          },
        },
      },
    ],
    [
      'warp',
      {
        mcpServers: {
          a: {
            command: 'npx',
            args: ['-y', 'b'],
            env: { MODE: 'x', TOKEN: '{{TOKEN}}' },
            working_directory: '/srv',
          },
        },
      },
    ],
    [
      'copilot-cli',
      {
        mcpServers: {
          a: {
            tools: ['*'],
            type: 'local',
            command: 'npx',
            args: ['-y', 'b'],
            env: { MODE: 'x', TOKEN: '${TOKEN}' },
            cwd: '/srv',
          },
        },
      },
    ],
    [
      'amp',
      {
        'amp.mcpServers': { a: { command: 'npx', args: ['-y', 'b'], env: { MODE: 'x', TOKEN: '${TOKEN}' } } },
      },
    ],
    [
      'augment',
      {
        'augment.advanced': {
          mcpServers: [
            { name: 'a', command: 'npx', args: ['-y', 'b'], env: { MODE: 'x', TOKEN: '${env:TOKEN}' } },
          ],
        },
      },
    ],
  ])('%s', (format, value) => {
    expect(JSON.parse(written(format, server))).toEqual(value);
  });

  test('the header of Codex with a variable names the variable', () => {
    const headers = [
      pair('Authorization', 'Bearer ${env:T}'),
      pair('X-Tenant', '${env:TENANT}'),
      pair('X-Region', 'eu'),
    ];
    expect(written('codex', http({ headers }))).toBe(
      '[mcp_servers.a]\nurl = "https://a.example.com/mcp"\nbearer_token_env_var = "T"\n\n' +
        '[mcp_servers.a.env_http_headers]\nX-Tenant = "TENANT"\n\n[mcp_servers.a.http_headers]\nX-Region = "eu"\n',
    );
  });
});

describe('a changed entry', () => {
  test('of Codex moves a variable where Codex reads it from', () => {
    const original =
      '[mcp_servers.a]\ncommand = "x"\nenv_vars = ["ONE", "TWO"] # passed on\n\n[mcp_servers.a.env]\nTHREE = "3"\n';
    const env = [pair('ONE', '${env:ONE}'), pair('TWO', 'now a value'), pair('THREE', '${env:THREE}')];
    const file = written('codex', stdio({ env }), original);
    expect(file).toContain('env_vars = ["ONE", "THREE"] # passed on');
    expect(file).toContain('[mcp_servers.a.env]\nTWO = "now a value"\n');
    const headers =
      '[mcp_servers.a]\nurl = "https://a.example.com/mcp"\nenv_http_headers = { "X-A" = "A" }\n';
    expect(written('codex', http({ headers: [pair('X-A', 'plain')] }), headers)).toContain(
      'http_headers = { X-A = "plain" }',
    );
  });

  test('of Gemini CLI changes the key of its address with the transport', () => {
    const original = '{"mcpServers": {"a": {"httpUrl": "https://a.example.com/mcp", "trust": true}}}';
    const file = written('gemini-cli', http({ transport: 'http-sse' }), original);
    expect(JSON.parse(file)).toEqual({
      mcpServers: { a: { trust: true, url: 'https://a.example.com/mcp', type: 'sse' } },
    });
  });

  test('stays where Cline has its parts', () => {
    const original =
      '{"mcpServers": {"a": {"transport": {"type": "stdio", "command": "x"}, "disabled": true}}}';
    const file = written('cline', stdio({ args: ['b'], env: [pair('MODE', 'x')] }), original);
    expect(JSON.parse(file)).toEqual({
      mcpServers: {
        a: { transport: { type: 'stdio', command: 'x', args: ['b'], env: { MODE: 'x' } }, disabled: true },
      },
    });
  });

  test('of TOML and YAML turns a process into an address', () => {
    const toml =
      '# mine\n[mcp_servers.a]\ncommand = "x"\nstartup_timeout_sec = 5 # slow\n\n[mcp_servers.a.env]\nK = "v"\n';
    expect(written('codex', http(), toml)).toBe(
      '# mine\n[mcp_servers.a]\nstartup_timeout_sec = 5 # slow\nurl = "https://a.example.com/mcp"\n\n',
    );
    const yaml =
      'extensions:\n  a:\n    cmd: x # old\n    timeout: 300 # slow\n    type: stdio\n    name: a\n';
    const changed = readConfiguration(written('goose', http(), yaml), { format: 'goose' });
    expect(changed.servers[0]?.settings.transport).toMatchObject({
      kind: 'http',
      url: 'https://a.example.com/mcp',
    });
    expect(written('goose', http(), yaml)).toContain('timeout: 300 # slow');
  });
});

test('nothing is written as a bundle', () => {
  expect(() => written('bundle', stdio())).toThrow('cannot be exported as the manifest');
});
