import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { demo, everything, misbehaving, modern, legacyServer } from '#fixtures/cli/servers.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { entryText } from './list.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

test('a tool is listed as it would be called, with what it does', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['list', 'tools'], everything);
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).toContain('echo message=<string>\n    Echoes back the input string\n');
  expect(stdout).toContain('get-sum a=<number> b=<number>\n');
  expect(stdout).toContain('get-annotated-message messageType=<string> [includeImage=<boolean>]\n');
});

test('bad entries are listed as bad with why, and hide no others', async () => {
  const { exitCode, stdout } = await cli.run(['list', 'tools'], misbehaving('malformed-tools'));
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'schema_is_a_string\n    bad: inputSchema.type must be "object", it is "string"\n',
  );
  expect(stdout).toContain('(no name)\n    bad: name:');
  expect(stdout).toContain('no_schema\n    bad: inputSchema:');
  expect(stdout).toContain('bad: an entry before it is called the same');
  expect(stdout).toContain('last [message=<string>]\n    A good one after all the bad ones.\n');
});

test('--json has every entry as the server wrote it, good and bad', async () => {
  const { stdout } = await cli.run(['list', 'tools', '--json'], misbehaving('malformed-tools'));
  const list = JSON.parse(stdout) as { tools: { usable: boolean; name?: string | null; tool: unknown }[] };
  expect(list).toMatchObject({ state: 'ready', pages: 1, fault: null });
  expect(list.tools.map(({ usable }) => usable)).toEqual([true, false, false, false, false, true, true]);
  expect(list.tools[1]).toEqual({
    usable: false,
    name: 'schema_is_a_string',
    why: 'inputSchema.type must be "object", it is "string"',
    tool: { name: 'schema_is_a_string', inputSchema: { type: 'string' } },
  });
  expect(list.tools[3]?.tool).toBe('not an object');
  expect(list.tools[5]).toMatchObject({ usable: true, duplicate: true, tool: { name: 'echo' } });
});

/** A server that declares its tools with this value, JavaScript, and lists one. */
function declaring(value: string, more = ''): string[] {
  const { command, args } = scriptedServer(`
    initialize: (request) => answer(request, {
      protocolVersion: request.params.protocolVersion,
      capabilities: ${value},
      serverInfo: { name: 'scripted', version: '1.0.0' },
    }),
    'tools/list': (request) => answer(request, { tools: [{ name: 'say', inputSchema: { type: 'object' } }] }),
    'server/discover': ({ id }) => write({ id, error: { code: -32601, message: 'Method not found' } }),
    ${more}
  `);
  return [command, ...args];
}

test.each([
  ['{ tools: [] }', '"tools" capability: an array, where an object belongs'],
  ['{ tools: [{ name: "say" }] }', '"tools" capability: an array, where an object belongs'],
  ['{ tools: true }', '"tools" capability: true, where an object belongs'],
  ['{ tools: "yes" }', '"tools" capability: a text, where an object belongs'],
  ['{ tools: 1 }', '"tools" capability: a number, where an object belongs'],
  ['{ tools: null }', '"tools" capability: null, where an object belongs'],
  ['[]', 'capabilities: they are no object'],
  ['null', 'capabilities: they are no object'],
])('tools that are wrongly declared are listed all the same, and it is said: %s', async (value, wrong) => {
  const { exitCode, stdout, stderr } = await cli.run(['list', 'tools'], declaring(value));
  expect(stdout).toBe('say\n');
  expect(stderr).toContain(`wrongly declared ${wrong.startsWith('"') ? 'the' : 'its'} ${wrong}`);
  expect(stderr).not.toContain('offers no');
  expect(exitCode).toBe(0);
  const json = JSON.parse((await cli.run(['list', 'tools', '--json'], declaring(value))).stdout) as object;
  expect(json).toMatchObject({
    declared: 'wrong',
    state: 'ready',
    findings: [expect.objectContaining({ rule: 'capability/wrong-type' })],
  });
});

test('a list that is wrongly declared and unknown to the server has failed, and is not said to be absent', async () => {
  const server = declaring(
    '{ tools: {}, prompts: [] }',
    `'prompts/list': ({ id }) => write({ id, error: { code: -32601, message: 'Method not found' } }),`,
  );
  const { exitCode, stderr } = await cli.run(['list', 'prompts'], server);
  expect(stderr).toContain('wrongly declared the "prompts" capability: an array');
  expect(stderr).toContain('Method not found');
  expect(exitCode).toBe(1);
  const absent = await cli.run(['list', 'resources'], server);
  expect(absent).toMatchObject({ exitCode: 0, stdout: '' });
  expect(absent.stderr).toContain('the server offers no resources');
});

test('a server that ends on server/discover is listed, without an option', async () => {
  const { command, args } = scriptedServer(`'server/discover'() { console.error('bye'); process.exit(1); },`);
  expect(await cli.run(['list', 'tools'], [command, ...args])).toMatchObject({ exitCode: 0 });
});

test('--findings tells what is wrong with the messages of the connection', async () => {
  const { exitCode, stdout } = await cli.run(['list', 'tools', '--findings'], misbehaving('malformed-tools'));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/good one after all the bad ones\.\n\n4 findings:\n/);
  expect(stdout).toMatch(
    /^ {4}error schema\/invalid #\d+ \/result\/tools\/2\/name: tools\/list result: "name" is missing$/m,
  );
  const good = await cli.run(['list', 'tools', '--findings'], everything);
  expect(good.stdout).toMatch(/\n\nNo findings\n$/);
});

test('--json has the findings of the connection, also when the list has failed', async () => {
  type Json = { findings: { rule: string; pointer: string | null; row: number; text: string }[] };
  const bad = JSON.parse(
    (await cli.run(['list', 'tools', '--json'], misbehaving('malformed-tools'))).stdout,
  ) as Json;
  expect(bad.findings).toHaveLength(4);
  const [, finding] = bad.findings;
  expect(finding).toMatchObject({
    rule: 'schema/invalid',
    severity: 'error',
    pointer: '/result/tools/2/name',
  });
  expect(finding).toMatchObject({ text: 'tools/list result: "name" is missing', rows: [finding?.row] });
  const leaves = ['node', '-e', "console.log('hello'); process.exitCode = 3"];
  const failed = await cli.run(['list', 'tools', '--json'], leaves);
  const { fault, findings } = JSON.parse(failed.stdout) as Json & { fault: object | null };
  expect(fault).not.toBeNull();
  expect(findings.map(({ rule }) => rule)).toContain('stdio/non-mcp-stdout');
});

test('every page is read, and a list that goes round in circles is shown with what is wrong', async () => {
  const paged = await cli.run(['list', 'tools'], misbehaving('paged-tools'));
  expect(paged.stdout.match(/^tool_\d+/gm)).toHaveLength(12);
  const loop = await cli.run(['list', 'tools'], misbehaving('cursor-loop'));
  expect(loop).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('nextCursor twice') });
});

test('an answer that is no list is a protocol error', async () => {
  const { exitCode, stdout, stderr } = await cli.run(
    ['list', 'tools', '--json'],
    misbehaving('tools-not-a-list'),
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain('no array "tools"');
  expect(JSON.parse(stdout)).toMatchObject({ state: 'failed', tools: [], fault: { code: 'list-missing' } });
});

test('a server without tools has an empty list', async () => {
  const answer = {
    capabilities: {},
    serverInfo: { name: 'bare', version: '1' },
    protocolVersion: '2025-06-18',
  };
  const script = `process.stdin.once('data', () => console.log(${JSON.stringify(
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer }),
  )}))`;
  const { exitCode, stdout, stderr } = await cli.run(
    ['list', 'tools', '--json', '--era', 'legacy'],
    ['node', '-e', script],
  );
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    state: 'not-declared',
    declared: 'no',
    pages: 0,
    fault: null,
    cache: null,
    findings: [],
    tools: [],
  });
  expect(stderr).toContain('offers no tools');
});

describe.each([
  ['of the modern era', modern, []],
  ['that was not asked what it has', modern, ['--era', 'modern']],
  ['of the legacy era', legacyServer, []],
])('a server %s', (_, server, words) => {
  test.each([
    ['resources', 'fixture://text\n    text, text/plain\n    A text.\n', 'fixture://café 1\n'],
    [
      'templates',
      'fixture://item/{id}\n    item, text/plain\n    An item.\n',
      'fixture://note/{folder}/{name}\n',
    ],
    ['prompts', 'greet language=<string> [name=<string>]\n    Greets;', 'plain\n    Has no arguments.\n'],
  ])('has its %s listed, of every page', async (what, first, ofSecondPage) => {
    const { exitCode, stdout } = await cli.run(['list', what, ...words], server);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(first);
    expect(stdout).toContain(ofSecondPage);
  });
});

test.each([
  ['resources', 'resource', { uri: 'fixture://text', name: 'text' }],
  ['templates', 'template', { uriTemplate: 'fixture://item/{id}', name: 'item' }],
  ['prompts', 'prompt', { name: 'greet' }],
])('%s are JSON as the server wrote them', async (what, entry, written) => {
  const { stdout } = await cli.run(['list', what, '--json'], legacyServer);
  const list = JSON.parse(stdout) as Record<string, unknown>;
  expect(list).toMatchObject({ state: 'ready', pages: 2, fault: null, cache: null });
  expect(list[what]).toContainEqual(
    expect.objectContaining({ usable: true, duplicate: false, [entry]: expect.objectContaining(written) }),
  );
});

test('the time that a server allows a list to be cached is printed', async () => {
  const text = await cli.run(['list', 'prompts'], modern);
  expect(text.stderr).toContain('may be kept for 5.000 s, private');
  const other = await Cli.open();
  const { stdout } = await other.run(['list', 'prompts', '--json'], modern);
  expect(JSON.parse(stdout)).toMatchObject({ cache: { ttl: 5000, scope: 'private' } });
  await other.close();
});

test('no entry can look like another one', () => {
  const resource = { uri: 'a:b\nfake', name: 'n\x1b[2J' };
  const entry = { usable: true as const, duplicate: false, raw: '{}', resource };
  expect(entryText(entry)).toBe('a:b\\x0afake\n    n\\x1b[2J');
});

test('only what can be listed is offered', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['list', 'roots'], demo);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('"roots" cannot be listed; these can: tools, resources, templates, prompts');
  expect(stdout).toBe('');
});
