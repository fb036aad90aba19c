import { describe, expect, test } from 'vitest';
import { isHttpUrlTemplate } from '#shared/url-template.ts';
import { readConfiguration } from '#config/clients/read-configuration.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const remote = { type: 'streamable-http', url: 'https://example.com/mcp' };
const entry = (more: object) => ({ name: 'io.example/mine', description: 'Mine', version: '1.0.0', ...more });
const read = (content: object) => readConfiguration(JSON.stringify(content));

const remoteOf = (one: object) => {
  const { servers, problems } = read(entry({ remotes: [one] }));
  const settings = servers[0]?.settings;
  const transport = settings?.transport.kind === 'http' ? settings.transport : null;
  return { transport, variables: settings?.variables, problems };
};

describe('a text is told to be of the registry', () => {
  test.each<[string, object, string[]]>([
    ['by its schema', { $schema: SCHEMA, name: 'a/b', remotes: [remote] }, ['/remotes/0']],
    [
      'by a schema of another date',
      { $schema: SCHEMA.replace('2025-12-11', '2031-01-01'), name: 'a/b', remotes: [remote] },
      ['/remotes/0'],
    ],
    [
      'by a schema with a fragment',
      { $schema: `${SCHEMA}#/definitions/ServerDetail`, name: 'a/b', remotes: [remote] },
      ['/remotes/0'],
    ],
    ['by its members', entry({ remotes: [remote] }), ['/remotes/0']],
    ['as the API returns it', { server: entry({ remotes: [remote] }), _meta: {} }, ['/server/remotes/0']],
    [
      'in a list of the API',
      {
        servers: [{ server: entry({ remotes: [remote] }) }, { server: entry({ remotes: [remote] }) }],
        metadata: {},
      },
      ['/servers/0/server/remotes/0', '/servers/1/server/remotes/0'],
    ],
    ['in an old list of the API', { servers: [entry({ remotes: [remote] })] }, ['/servers/0/remotes/0']],
  ])('%s', (_, content, keys) => {
    const { format, servers } = read(content);
    expect(format).toBe('registry');
    expect(servers.map(({ key }) => key)).toEqual(keys);
  });

  test('but not a list of servers of another client', () => {
    expect(read({ servers: { a: { command: 'x' } } }).format).toBe('vscode');
  });

  test('names what is beyond the limit of a list', () => {
    const { servers, problems } = read({
      servers: Array.from({ length: 501 }, () => entry({ remotes: [remote] })),
    });
    expect(servers).toHaveLength(500);
    expect(problems[0]?.what).toContain('first 500 of 501');
  });
});

test('servers of one kind are told apart, and have what the author says as a note', () => {
  const { servers } = read(entry({ remotes: [remote, { ...remote, type: 'sse' }, remote] }));
  expect(servers.map(({ settings }) => [settings.name, settings.notes])).toEqual([
    ['mine (streamable-http)', 'Mine'],
    ['mine (sse)', 'Mine'],
    ['mine (streamable-http 2)', 'Mine'],
  ]);
});

test.each([
  [entry({ remotes: [remote], status: 'deleted' }), 0, /deleted/],
  [
    {
      server: entry({ remotes: [remote] }),
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'deleted' } },
    },
    0,
    /deleted/,
  ],
  [entry({ remotes: [remote], status: 'deprecated' }), 1, /deprecated/],
  [
    { $schema: SCHEMA, ...entry({ websiteUrl: 'https://example.com/install' }) },
    0,
    /neither packages nor remotes/,
  ],
])('%j says what the registry says about it', (content, count, what) => {
  const { servers, problems } = read(content);
  expect(servers).toHaveLength(count);
  expect(problems).toMatchObject([{ what: expect.stringMatching(what) }]);
});

describe('a remote', () => {
  test.each([
    ['https://{hostname}/api/mcp', 'https://${input:hostname}/api/mcp'],
    ['https://{tenant}.example.com/mcp', 'https://${input:tenant}.example.com/mcp'],
    ['https://example.com/mcp/{id}', 'https://example.com/mcp/${input:id}'],
    ['http://{host}:{port}/mcp', 'http://${input:host}:${input:port}/mcp'],
    ['{baseUrl}/mcp', '${input:baseUrl}/mcp'],
    ['https://example.com/mcp?key={api_key}', 'https://example.com/mcp?key=${input:api_key}'],
    ['https://example.com/{{id}}', 'https://example.com/${input:id}'],
    ['https://example.com/${id}', 'https://example.com/${input:id}'],
  ])('at %s asks for the parts of its address, described or not', (url, expected) => {
    for (const variables of [
      {},
      Object.fromEntries(
        ['hostname', 'tenant', 'id', 'host', 'port', 'baseUrl', 'api_key'].map((name) => [
          name,
          { description: 'about it', isRequired: true },
        ]),
      ),
    ]) {
      const { transport, variables: asked, problems } = remoteOf({ ...remote, url, variables });
      expect(problems).toEqual([]);
      expect(transport?.url).toBe(expected);
      expect(isHttpUrlTemplate(expected)).toBe(true);
      expect(asked?.map(({ value, isOptional }) => [value, isOptional])).toEqual(
        [...expected.matchAll(/input:/g)].map(() => [null, undefined]),
      );
      expect(asked?.find(({ name }) => name === 'input:api_key')?.secret ?? true).toBe(true);
    }
  });

  test('has choices, defaults and fixed values in its address', () => {
    const { transport, variables } = remoteOf({
      ...remote,
      url: 'https://{region}.example.com/{version}/{team}',
      variables: {
        region: { description: 'Region', choices: ['eu', 'us'], default: 'eu' },
        version: { value: 'v1' },
        team: { default: 'main' },
      },
    });
    expect(transport?.url).toBe('https://${input:region}.example.com/v1/${input:team}');
    expect(variables).toEqual([
      { name: 'input:region', value: 'eu', secret: false, description: 'Region', choices: ['eu', 'us'] },
      { name: 'input:team', value: 'main', secret: false, description: null },
    ]);
  });

  test.each(['ftp://example.com', 'example.com/mcp', '', 'https://', '{a b}'])(
    'without an address ("%s") is refused',
    (url) => {
      expect(remoteOf({ ...remote, url }).problems).toMatchObject([
        { what: expect.stringMatching(/address|URL/) },
      ]);
    },
  );

  test.each(['pigeon', 'constructor', 'stdio'])('of the transport "%s" is refused by name', (type) => {
    expect(remoteOf({ ...remote, type }).problems[0]?.what).toBe(`"${type}" is no HTTP transport of MCP.`);
  });

  test.each([
    [{ type: 'sse', url: 'https://example.com/a' }, 'http-sse'],
    [{ type: 'streamable-http', url: 'https://example.com/a' }, 'streamable-http'],
    [{ transport_type: 'streamable', url: 'https://example.com/a' }, 'streamable-http'],
    [{ type: 'http', url: 'https://example.com/a' }, 'streamable-http'],
    [{ url: 'https://example.com/a' }, 'auto'],
  ])('%j speaks %s', (one, transport) => {
    expect(remoteOf(one).transport?.transport).toBe(transport);
  });

  test('has headers: secret, optional, with variables of their own and of the remote', () => {
    const { transport, variables } = remoteOf({
      ...remote,
      variables: { account: { isRequired: true } },
      headers: [
        {
          name: 'Authorization',
          value: 'Bearer {token}',
          isRequired: true,
          variables: { token: { isRequired: true, isSecret: true } },
        },
        { name: 'X-Api-Key', value: 'Bearer {key}' },
        { name: 'X-Account', value: '{account}' },
        { name: 'X-Mode', default: 'fast' },
        { name: 'X-Trace', description: 'An id' },
        { name: 'X-Level', choices: ['a', 'b'], default: 'a' },
        { name: 'Cookie', value: 'planted' },
        { name: 'Not a name', value: 'x' },
      ],
    });
    expect(transport?.headers).toEqual([
      { name: 'Authorization', value: 'Bearer ${input:token}', secret: false },
      { name: 'X-Api-Key', value: 'Bearer ${input:key}', secret: false },
      { name: 'X-Account', value: '${input:account}', secret: false },
      { name: 'X-Mode', value: 'fast', secret: false },
      { name: 'X-Trace', value: '${input:X-Trace}', secret: false },
      { name: 'X-Level', value: '${input:X-Level}', secret: false },
      { name: 'Cookie', value: 'planted', secret: true },
    ]);
    expect(variables?.map(({ name, secret, isOptional }) => [name, secret, isOptional ?? false])).toEqual([
      ['input:token', true, false],
      ['input:key', true, true],
      ['input:account', false, false],
      ['input:X-Trace', false, true],
      ['input:X-Level', false, false],
    ]);
  });
});
