import { nestedArrays } from '#fixtures/fuzz/heavy-inputs.ts';
import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { checkResourceMetadata } from './resource-metadata.ts';

const serverUrl = 'https://mcp.example/mcp';
const url = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
const metadata = { resource: serverUrl, authorization_servers: ['https://login.example'] };
const check = (response: Parameters<typeof received>[0], isNamed = true) =>
  checkResourceMetadata(received({ url, ...response }), { revision: '2026-07-28', serverUrl, isNamed });
const rulesOf = ({ findings }: ReturnType<typeof check>) => findings.map(({ rule }) => rule);

test('correct metadata is used as it is written', () => {
  expect(check({ body: metadata })).toEqual({
    value: {
      json: metadata,
      resource: serverUrl,
      authorizationServers: ['https://login.example'],
      scopesSupported: null,
    },
    findings: [],
    stop: null,
  });
});

test('every fault is listed, with the values', () => {
  const checked = check({
    url: 'https://mcp.example/.well-known/oauth-protected-resource',
    headers: [['Content-Type', 'text/plain']],
    body: `\ufeff{"resource":"https://other.example/mcp","resource":"https://other.example/mcp","scopes_supported":"a b",
      "bearer_methods_supported":["query"],"authorization_servers":["https://login.example?x","http://login.example","https://b.example"]}`,
  });
  expect(rulesOf(checked)).toEqual([
    'content-type-not-json',
    'byte-order-mark',
    'member-repeated',
    'resource-differs',
    'resource-metadata-only-at-root',
    'authorization-server-invalid',
    'endpoint-not-https',
    'member-of-wrong-type',
    'bearer-header-unsupported',
  ]);
  expect(checked.stop).toMatchObject({
    rule: 'resource-differs',
    expected: serverUrl,
    received: 'https://other.example/mcp',
    row: 7,
  });
  expect(checked.value?.authorizationServers).toEqual(['https://b.example']);
});

test.each([
  [['a', 'b'], ['a', 'b'], []],
  [[], [], []],
  ['a b', ['a', 'b'], ['member-of-wrong-type']],
  ['a,b', ['a', 'b'], ['member-of-wrong-type', 'scope-separated-by-commas']],
  [['a,b'], ['a', 'b'], ['scope-separated-by-commas']],
  [['a b', 'c'], ['a', 'b', 'c'], ['scope-malformed']],
  // A comma may be part of a name.
  [['a,b', 'c'], ['a,b', 'c'], []],
  [7, null, ['member-of-wrong-type']],
])('scopes_supported %j is read', (value, names, rules) => {
  const body = { ...metadata, scopes_supported: value };
  const checked = check({ body });
  expect(checked.value?.scopesSupported).toEqual(names);
  expect(rulesOf(checked)).toEqual(rules);
});

test.each([
  ['https://mcp.example/mcp/', 'resource-slash-differs', false],
  ['https://mcp.example', 'resource-is-parent', false],
  ['https://mcp.example/', 'resource-is-parent', false],
  ['https://mcp.example/m', 'resource-differs', true],
  ['https://mcp.example:8443/mcp', 'resource-differs', true],
  ['https://mcp.example/mcp#x', 'resource-invalid', true],
  ['mcp.example/mcp', 'resource-invalid', true],
  [undefined, 'resource-missing', true],
  [7, 'resource-missing', true],
])('the resource %s', (resource, rule, stops) => {
  const checked = check({ body: { ...metadata, resource } });
  expect(rulesOf(checked)).toContain(rule);
  expect(checked.stop?.rule ?? null).toBe(stops ? rule : null);
});

test('a well-known URL may have nothing, the one of the challenge may not', () => {
  expect(check({ status: 404 }, false)).toEqual({ value: null, findings: [], stop: null });
  expect(rulesOf(check({ status: 404 }, true))).toEqual(['resource-metadata-missing']);
});

test.each([
  ['not JSON', { body: '{"resource":' }, 'response-not-json'],
  [
    'nested deeper than 100 levels',
    { body: `{"x":${nestedArrays(100)},${JSON.stringify(metadata).slice(1)}` },
    'response-not-json',
  ],
  ['a list', { body: [metadata] }, 'response-not-json'],
  ['too long', { body: metadata, isCut: true }, 'response-too-long'],
  ['a page', { body: ' <HTML>' }, 'response-is-html'],
  ['a failure', { status: 503 }, 'server-error'],
  ['a redirect', { status: 302, headers: [['Location', '/login']] as const }, 'redirect-not-followed'],
])('%s cannot be used', (_, response, rule) => {
  const checked = check(response);
  expect(checked.value).toBeNull();
  expect(checked.stop?.rule).toBe(rule);
});
