import { defaultAuthorization } from '#shared/contract/authorization.ts';
import { describe, expect, test } from 'vitest';
import { anHttpServer, aServer, stdioSettings } from '#fixtures/page/samples.ts';
import { plainHttpSettings, type Server } from '#shared/contract/servers.ts';
import { namedValue } from './named-values.ts';
import { type Draft, draftOf, emptyDraft, parseDraft, suggestedName } from './draft.ts';
import { emptyHttpDraft, type HttpDraft, emptyStdioDraft, type StdioDraft } from './transport-draft.ts';

const posix = { isWindows: false };
const stdio = (part: Partial<StdioDraft> = {}, other: Partial<Draft> = {}): Draft => ({
  ...emptyDraft(),
  stdio: { ...emptyStdioDraft(), commandLine: 'node server.js', ...part },
  ...other,
});
const http = (part: Partial<HttpDraft> = {}): Draft => ({
  ...emptyDraft(),
  kind: 'http',
  http: { ...emptyHttpDraft(), url: 'https://example.com/mcp', ...part },
});
const settings = (draft: Draft) => {
  const read = parseDraft(draft, posix);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.settings;
};
const errors = (draft: Draft) => {
  const read = parseDraft(draft, posix);
  return 'errors' in read ? read.errors : {};
};

test.each<[string, Server]>([
  [
    'a command',
    aServer({
      revision: '1999-01-01',
      notes: 'mine',
      transport: stdioSettings({
        command: '/opt/my server',
        args: ['--say', "it's", '', '$HOME'],
        cwd: '/work',
        env: [
          { name: 'TOKEN', value: null, secret: true },
          { name: 'MODE', value: '', secret: false },
        ],
        inherit: 'all',
      }),
      timeouts: { initialize: 1500, request: 60_000, requestMax: 600_000 },
      keepAlive: { every: 2500, onSilence: 'reconnect' },
    }),
  ],
  [
    'a URL',
    anHttpServer({
      era: 'modern',
      // What follows silence stays known while no ping is sent.
      keepAlive: { every: null, onSilence: 'reconnect' },
      transport: {
        ...plainHttpSettings('http://localhost:3000/mcp?x=1'),
        transport: 'http-sse',
        headers: [
          { name: 'Authorization', value: null, secret: true },
          { name: 'X-Tenant', value: 'acme', secret: false },
        ],
        tls: {
          caFile: '/pki/ca.pem',
          certFile: '/pki/me.pem',
          keyFile: '/pki/me.key',
          accepted: Array(32).fill('AB').join(':'),
        },
        proxy: 'none',
        authorization: { ...defaultAuthorization, mode: 'stepped', clientId: 'sightglass' },
      },
    }),
  ],
])('a saved server with %s comes through the form unchanged', (_, server) => {
  const { id: _id, source: _source, ...saved } = server;
  expect(parseDraft(draftOf(server, posix), posix)).toEqual({
    settings: { ...saved, connectsAtStart: false },
  });
});

describe('what is wrong is said at its field', () => {
  const tls = emptyHttpDraft().tls;
  test.each<[string, Draft]>([
    ['commandLine', stdio({ commandLine: '  ' })],
    ['commandLine', stdio({ commandLine: `node 'a` })],
    ['commandLine', stdio({ commandLine: `''` })],
    ['env.0', stdio({ env: [namedValue('A=B', 'x')] })],
    ['env.1', stdio({ env: [namedValue(), namedValue('', 'x')] })],
    ['env.1', stdio({ env: [namedValue('A', '1'), namedValue('A', '2')] })],
    ['url', http({ url: '' })],
    ['url', http({ url: 'example.com' })],
    ['url', http({ url: 'ftp://example.com' })],
    ['url', http({ url: 'http://host:99999/' })],
    ['headers.1', http({ headers: [namedValue('', '', true), namedValue('X Y', 'x')] })],
    ['headers.0', http({ headers: [namedValue('', 'x')] })],
    ['headers.0.value', http({ headers: [namedValue('X-Key', 'fancy “quotes”')] })],
    ['headers.1', http({ headers: [namedValue('X-Key', '1'), namedValue('X-KEY', '2')] })],
    ['tls.certFile', http({ tls: { ...tls, keyFile: '/me.key' } })],
    [
      'timeouts.initialize',
      stdio({}, { timeouts: { initialize: 'soon', request: '60', requestMax: '600' } }),
    ],
    ['timeouts.request', stdio({}, { timeouts: { initialize: '60', request: '0', requestMax: '600' } })],
    ['timeouts.requestMax', stdio({}, { timeouts: { initialize: '60', request: '60', requestMax: '' } })],
    ['keepAlive.every', stdio({}, { keepAlive: { every: 'often', onSilence: 'warn' } })],
    ['keepAlive.every', stdio({}, { keepAlive: { every: '0', onSilence: 'warn' } })],
    ['keepAlive.every', stdio({}, { keepAlive: { every: '86401', onSilence: 'warn' } })],
    ['notes', stdio({}, { notes: 'x'.repeat(10_001) })],
  ])('%s', (field, draft) => {
    expect(Object.keys(errors(draft))).toEqual([field]);
    expect(errors(draft)[field]).toMatch(/^[^a-z].*[.]$/);
  });
});

test('only the chosen transport is validated and saved', () => {
  const both = { ...http({ url: 'nonsense' }), kind: 'stdio' as const, stdio: stdio().stdio };
  expect(settings(both).transport.kind).toBe('stdio');
  expect(Object.keys(errors({ ...both, kind: 'http' }))).toEqual(['url']);
});

test('rows left empty are left out', () => {
  expect(settings(stdio({ env: [namedValue(), namedValue('A', '1')] })).transport).toMatchObject({
    env: [{ name: 'A', value: '1', secret: false }],
  });
  expect(settings(http({ headers: [namedValue('', '', true)] })).transport).toMatchObject({ headers: [] });
});

test('spaces around the URL and the paths are no part of them', () => {
  const tls = { ...emptyHttpDraft().tls, caFile: ' /ca.pem ' };
  expect(settings(http({ url: ' https://example.com/mcp\n', tls })).transport).toMatchObject({
    url: 'https://example.com/mcp',
    tls: { caFile: '/ca.pem', certFile: null },
  });
});

test('any text can be the revision to ask for; none is the newest', () => {
  expect(settings(stdio({}, { revision: ' banana ' })).revision).toBe('banana');
  expect(settings(stdio({}, { revision: '2025-06-18' })).revision).toBe('2025-06-18');
  expect(settings(stdio({}, { revision: ' ' })).revision).toBeNull();
});

test('by default a server may take a minute to answer initialize, and its era is detected', () => {
  expect(settings(stdio())).toMatchObject({ era: 'auto', timeouts: { initialize: 60_000 } });
});

test('by default a server is not pinged', () => {
  expect(settings(stdio()).keepAlive).toEqual({ every: null, onSilence: 'warn' });
  const keepAlive = { every: ' ', onSilence: 'warn' as const };
  expect(settings(stdio({}, { keepAlive })).keepAlive.every).toBeNull();
});

test('seconds become milliseconds', () => {
  const timeouts = { initialize: '0.5', request: ' 30', requestMax: '90' };
  expect(settings(stdio({}, { timeouts })).timeouts).toEqual({
    initialize: 500,
    request: 30_000,
    requestMax: 90_000,
  });
});

test.each([
  ['npx -y @modelcontextprotocol/server-everything stdio', '@modelcontextprotocol/server-everything'],
  ['node ./packages/notes/dist/index.js', 'notes'],
  ['node server.js', 'server.js'],
  ['uvx --quiet weather-mcp', 'weather-mcp'],
  ['docker run -i --rm ghcr', 'ghcr'],
  ['/usr/local/bin/my-server --x', 'my-server'],
  ['python3 -m', 'python3'],
])('without a name, %j is called %j', (commandLine, name) => {
  expect(settings(stdio({ commandLine })).name).toBe(name);
  expect(suggestedName(stdio({ commandLine }), posix)).toBe(name);
});

test.each([
  ['https://example.com/mcp', 'example.com'],
  ['http://localhost:3000/mcp', 'localhost:3000'],
])('without a name, %j is called %j', (url, name) => {
  expect(settings(http({ url })).name).toBe(name);
});
