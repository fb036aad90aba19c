import { describe, expect, test } from 'vitest';
import { readConfiguration } from './read-configuration.ts';

const json = (value: object) => readConfiguration(JSON.stringify(value));

describe('an address with a variable in its host', () => {
  test.each([
    ['https://${REGION}.example.com/mcp', 'https://${env:REGION}.example.com/mcp'],
    ['${BASE_URL}/mcp', '${env:BASE_URL}/mcp'],
    ['http://localhost:${PORT:-3000}/mcp', 'http://localhost:${env:PORT:-3000}/mcp'],
  ])('is read: %s', (url, expected) => {
    const { servers, problems } = json({ mcpServers: { a: { type: 'http', url } } });
    expect(servers.map(({ settings }) => settings.transport)).toMatchObject([{ url: expected }]);
    expect(problems).toEqual([]);
  });

  test('asks for an input that is no secret, because a secret decides no host', () => {
    const { servers } = json({ servers: { a: { type: 'http', url: '${input:url}' } } });
    expect(servers[0]?.settings.variables).toMatchObject([{ name: 'input:url', secret: false }]);
  });

  test('is refused by name if only the other client can replace it', () => {
    const { servers, problems } = json({
      servers: { a: { type: 'http', url: 'https://${config:host}/mcp' } },
    });
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([
      { what: expect.stringMatching(/variable that Sightglass does not replace/) },
    ]);
  });
});

test.each([
  ['a WebSocket', { mcpServers: { a: { type: 'ws', url: 'wss://x.example/mcp' } } }, /WebSocket/],
  [
    'the WebSocket of Gemini CLI',
    { mcpServers: { a: { tcp: 'x:9' }, b: { httpUrl: 'https://x.example' } } },
    /WebSocket/,
  ],
  ['an invalid port', { mcpServers: { a: { url: 'http://127.0.0.1::8089/mcp' } } }, /not a valid URL/],
  [
    'an option and its value in one argument',
    { mcpServers: { a: { command: 'npx', args: ['-y server'] } } },
    /space after an option/,
  ],
])('%s is named', (_, file, what) => {
  expect(json(file).problems).toMatchObject([{ server: 'a', what: expect.stringMatching(what) }]);
});

test.each([
  ['a flat key of the settings', { 'mcp.servers': { a: { command: 'npx' } } }],
  ['a workspace', { folders: [], settings: { mcp: { servers: { a: { command: 'npx' } } } } }],
  [
    'a dev container',
    { image: 'x', customizations: { vscode: { mcp: { servers: { a: { command: 'npx' } } } } } },
  ],
])('the servers of VS Code are read from %s', (_, file) => {
  const { format, servers, problems } = json(file);
  expect([format, servers.length, problems]).toEqual(['vscode', 1, []]);
});

test('what Continue has beside the headers is left out by name', () => {
  const { servers } = readConfiguration(
    'mcpServers:\n  - name: a\n    url: https://x.example/mcp\n    requestOptions:\n      timeout: 5\n      headers:\n        X-Level: 1\n',
    { path: 'config.yaml' },
  );
  expect(servers[0]?.leftOut).toMatchObject([{ key: 'requestOptions.timeout' }]);
});

test.each([
  ['env_http_headers', { 'X-Key': 'KEY' }],
  ['bearer_token_env_var', 'KEY'],
])('%s of a server that is started is left out for what it is', (key, value) => {
  const { servers } = json({ mcpServers: { a: { command: 'npx', env_vars: ['A'], [key]: value } } });
  expect(servers[0]?.leftOut).toMatchObject([{ key, why: expect.stringMatching(/has no headers/) }]);
});

test('a file of Gemini CLI on Windows has its variables', () => {
  const { servers } = json({
    mcpServers: {
      a: { command: '%LOCALAPPDATA%\\a.exe', args: ['%C3%A4'], env: { KEY: '%API_KEY%' }, trust: true },
    },
  });
  expect(servers[0]?.settings.transport).toMatchObject({
    command: '${env:LOCALAPPDATA}\\a.exe',
    args: ['%C3%A4'],
    env: [{ value: '${env:API_KEY}' }],
  });
});

test('a default of fast-agent is kept', () => {
  const text = 'mcp:\n  servers:\n    a:\n      command: npx\n      args: ["${DIR:/tmp}", "${MODE}"]\n';
  const { servers, problems } = readConfiguration(text, { path: 'fastagent.config.yaml' });
  expect(servers[0]?.settings.transport).toMatchObject({ args: ['${env:DIR:-/tmp}', '${env:MODE}'] });
  expect(problems).toEqual([]);
});
