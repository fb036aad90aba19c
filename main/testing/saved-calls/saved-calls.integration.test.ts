import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import type { Params } from '#shared/contract/index.ts';
import { anyResult, type CallOutcome, plainCall, type SavedCall } from '#shared/contract/saved-calls.ts';

let engine: EngineFixture;
let sessionId: string;
beforeAll(async () => {
  engine = await EngineFixture.open();
  sessionId = (await engine.connect(everythingOverStdio)).id;
});
afterAll(() => engine.close());

async function run(steps: string, options: Partial<Params<'saved-calls/run'>> = {}): Promise<CallOutcome[]> {
  const path = join(engine.folder, 'run.mcptest.yaml');
  await writeFile(path, `version: 1\nvariables:\n  who: World\nsteps:\n${steps}`);
  const all = { indexes: null, variables: {}, allowWrites: true };
  return engine.call('saved-calls/run', { path, sessionId, ...all, ...options });
}

const echo = `  - name: Echoes
    call: echo
    arguments:
      message: Hello \${who}
    expect:
      values:
        - path: $.content[0].text
          equals: 'Echo: Hello World'
`;

test('a call that ends as expected passes; its rows are in the trace', async () => {
  const [outcome] = await run(echo);
  expect(outcome).toMatchObject({ name: 'Echoes', state: 'passed', failures: [], sessionId });
  const { text } = await engine.call('trace/detail', { sessionId, row: outcome?.requestRow ?? -1 });
  expect(text).toContain('"arguments":{"message":"Hello World"}');
  expect(outcome?.duration).toBeGreaterThan(0);
});

test('each expectation that is not met is a failure with its place in the file', async () => {
  const [outcome] = await run(`  - name: Fails
    call: echo
    arguments: { message: x }
    expect:
      values:
        - { path: "$.content[0].text", equals: y }
        - { path: "$.content[0].text", type: number }
        - { path: "$.content[0].text", matches: ^y }
        - { path: "$.content[1]", exists: true }
        - { path: "$.content", exists: false }
      schema: { type: object }
      duration: 0.001ms
`);
  expect(outcome?.state).toBe('failed');
  const places = outcome?.failures.map(({ line, column, message }) => ({ line, column, message }));
  expect(outcome?.failures[0]).toMatchObject({ expected: '"y"', received: '"Echo: x"' });
  expect(places).toEqual([
    { line: 10, column: 11, message: '$.content[0].text: expected "y", got "Echo: x"' },
    { line: 11, column: 11, message: '$.content[0].text: expected type number, got "Echo: x"' },
    {
      line: 12,
      column: 11,
      message: '$.content[0].text: expected a string that matches /^y/, got "Echo: x"',
    },
    { line: 13, column: 11, message: '$.content[1] does not exist' },
    { line: 14, column: 11, message: expect.stringMatching(/^\$\.content exists: /) },
    { line: 15, column: 7, message: 'there is no structured content' },
    { line: 16, column: 7, message: expect.stringMatching(/^expected at most .*, took /) },
  ]);
});

test('a pattern that takes too long, and a string too long to match, are failures that say so', async () => {
  const matches = (name: string, pattern: string) =>
    `  - name: ${name}\n    call: echo\n    arguments: { message: "\${${name}}" }\n` +
    `    expect: { values: [{ path: "$.content[0].text", matches: '${pattern}' }] }\n`;
  const outcomes = await run(
    matches('slow', '(a+)+$') +
      matches('long', '^Echo') +
      `  - name: Rule
    call: echo
    arguments: { message: "\${slow}" }
    expect: { result: { content: [{ type: text, text: x }] }, compare: [{ path: "$..text", compare: regex, pattern: '(a+)+$' }] }
`,
    { variables: { slow: JSON.stringify(`${'a'.repeat(60)}!`), long: JSON.stringify('x'.repeat(100_000)) } },
  );
  expect(outcomes.map(({ failures }) => failures.map(({ message }) => message))).toEqual([
    [
      '$.content[0].text: matching /(a+)+$/, or a pattern before it, takes too long; write it without a repetition in a repetition',
    ],
    [
      '$.content[0].text: not matched against /^Echo/: the string has 100,006 characters, and at most 100,000 characters are matched',
    ],
    [expect.stringMatching(/^\$\.content\[0\]\.text: expected "x", got/)],
  ]);
});

test('a schema of the tool or of the file is held against the structured content', async () => {
  const weather = (schema: string) => `  - name: Weather
    call: get-structured-content
    arguments: { location: New York }
    expect: { schema: ${schema} }
`;
  expect(await run(weather('output'))).toMatchObject([{ state: 'passed' }]);
  expect(await run(weather('{ type: object, required: [temperature] }'))).toMatchObject([
    { state: 'passed' },
  ]);
  expect(await run(weather('{ type: object, required: [tide] }'))).toMatchObject([
    { state: 'failed', failures: [{ message: expect.stringContaining('tide') }] },
  ]);
  expect(await run(echo.replace('expect:', 'expect:\n      schema: output'))).toMatchObject([
    { state: 'failed', failures: [{ message: 'the tool has no output schema' }] },
  ]);
});

test('errors can be expected, and an unexpected one is told', async () => {
  const unknown = (expected: string) => `  - name: Unknown
    request: prompts/get
    params: { name: none }
    expect: { ${expected} }
`;
  expect(await run(unknown('code: -32602'))).toMatchObject([{ state: 'passed' }]);
  expect(await run(unknown('code: -32603'))).toMatchObject([
    {
      state: 'failed',
      failures: [{ line: 8, message: expect.stringMatching(/^expected error -32603, got error -32602: /) }],
    },
  ]);
  expect(await run(unknown('status: ok'))).toMatchObject([
    { failures: [{ message: expect.stringMatching(/^expected ok, got protocol-error: error -32602/) }] },
  ]);
});

test('a variable that is not set is a failure, and nothing is sent', async () => {
  const [outcome] = await run(echo.replace('who', 'whom'));
  expect(outcome).toMatchObject({
    state: 'failed',
    requestRow: null,
    failures: [{ line: 8, column: 16, message: 'the variable whom is not set' }],
  });
  expect(await run(echo.replace('who', 'whom'), { variables: { whom: '"World"' } })).toMatchObject([
    { state: 'passed' },
  ]);
});

test('without leave to write, a tool that is not read-only is skipped', async () => {
  const [outcome] = await run(`  - name: Toggles\n    call: toggle-simulated-logging\n`, {
    allowWrites: false,
  });
  expect(outcome).toMatchObject({ state: 'skipped', requestRow: null });
});

test('without leave to write, a request that names such a tool, an unknown one or none is skipped', async () => {
  const request = (name: string, params: string) =>
    `  - { name: ${name}, request: tools/call, params: ${params} }\n`;
  const outcomes = await run(
    [
      request('Toggles', '{ name: toggle-simulated-logging, arguments: {} }'),
      request('By variable', '{ name: "${tool}" }'),
      request('Unknown', '{ name: no-such-tool }'),
      request('Nameless', '{}'),
    ].join(''),
    { allowWrites: false, variables: { tool: '"toggle-simulated-logging"' } },
  );
  expect(outcomes.map(({ state, requestRow }) => [state, requestRow])).toEqual(
    Array.from({ length: 4 }, () => ['skipped', null]),
  );
});

/** Reads "read" only; "wipe" destroys, and "twice" is listed with and without the hint. */
const wiping = scriptedServer(`
  'tools/list': (request) => answer(request, { tools: [
    { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'wipe', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
    { name: 'twice', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'twice', inputSchema: { type: 'object' } },
  ] }),
  'tools/call': (request) => answer(request, { content: [] }),
`);
const callOf = (name: string): string =>
  `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"${name}"}}`;

/** Texts that some server reads as a call of "wipe": titles and texts. */
const wipes = {
  'another spelling of method': '{"id":9,"method":"ping","Method":"tools/call","params":{"name":"wipe"}}',
  'another spelling of params':
    '{"id":9,"method":"tools/call","params":{"name":"read"},"PARAMS":{"name":"wipe"}}',
  'another spelling of name': '{"id":9,"method":"tools/call","params":{"name":"read","Name":"wipe"}}',
  'a letter that folds to s':
    '{"id":9,"method":"tools/call","params":{"name":"read"},"paramſ":{"name":"wipe"}}',
  'escaped names': '{"id":9,"met\\u0068od":"tools/call","params":{"n\\u0061me":"wipe"}}',
  'the first of two methods': '{"id":9,"method":"tools/call","params":{"name":"wipe"},"method":"ping"}',
  'the last of two methods': '{"id":9,"method":"ping","params":{"name":"wipe"},"method":"tools/call"}',
  'the first of two names': '{"id":9,"method":"tools/call","params":{"name":"wipe","name":"read"}}',
  'the first of two params':
    '{"id":9,"method":"tools/call","params":{"name":"wipe"},"params":{"name":"read"}}',
  'another case of the method': '{"id":9,"method":"Tools/Call","params":{"name":"wipe"}}',
  'a list for a method': '{"id":9,"method":["tools/call"],"params":{"name":"wipe"}}',
  'a list for a name': '{"id":9,"method":"tools/call","params":{"name":["wipe"]}}',
  'params in a string': '{"id":9,"method":"tools/call","params":"{\\"name\\":\\"wipe\\"}"}',
  'an end by NUL': '{"id":9,"method\\u0000x":"tools/call","params":{"name":"wipe"}}',
  'a batch': `[{"id":8,"method":"ping"},${callOf('wipe')}]`,
  'a line of its own': `{"id":8,"method":"ping"}\n${callOf('wipe')}`,
  'a line inside of a message': `{"id":8,"method":"ping","params":{"x":\n${callOf('wipe')}\n}}`,
  'a line by another character': `{"id":8,"method":"ping"}\u2028${callOf('wipe')}`,
  'a second value': `{"id":8,"method":"ping"} ${callOf('wipe')}`,
  'a byte order mark': `﻿${callOf('wipe')}`,
  'UTF-16': [...callOf('wipe')].join('\0'),
  'a comment': `/* */${callOf('wipe')}`,
  'single quotes': `{'method':'tools/call','params':{'name':'wipe'}}`,
  'a part of a message': '"tools/call"',
  'a tool listed twice': callOf('twice'),
} satisfies Record<string, string>;

test('without leave to write, no text is sent that some server reads as a call of a tool that writes', async () => {
  const { id } = await engine.connect(wiping);
  const steps = (raws: Record<string, string>): string =>
    Object.entries(raws)
      .map(([name, raw]) => `  - { name: ${name}, raw: ${JSON.stringify(raw)} }\n`)
      .join('');
  const refused = await run(steps(wipes), { allowWrites: false, sessionId: id });
  expect(Object.fromEntries(refused.map(({ name, state }) => [name, state]))).toEqual(
    Object.fromEntries(Object.keys(wipes).map((name) => [name, 'skipped'])),
  );
  const withArguments = callOf('read').replace('"read"}', '"read","arguments":{"method":"tools/call"}}');
  const harmless = {
    'a call': withArguments,
    'a call on several lines': callOf('read').replaceAll(',', ',\n'),
    'no method': '{"id":9,"method":1}',
    'a part': '{"a":',
  };
  const sent = await run(steps(harmless), { allowWrites: false, sessionId: id });
  expect(sent.map(({ state }) => state)).toEqual(Object.keys(harmless).map(() => 'passed'));
});

test('without leave to write, a request whose params name a second tool is skipped', async () => {
  const { id } = await engine.connect(wiping);
  const steps = `  - { name: Both, request: tools/call, params: { name: read, Name: wipe } }\n`;
  const [outcome] = await run(steps, { allowWrites: false, sessionId: id });
  expect(outcome).toMatchObject({ state: 'skipped', requestRow: null });
});

const saved: SavedCall = {
  name: 'Echoes',
  method: 'tools/call',
  tool: 'echo',
  arguments: '{"message":"Hi"}',
  ...plainCall,
  expect: anyResult,
};

test('a dropped file is kept in the data folder under its name, and overwrites no other', async () => {
  const receive = (name: string, text: string) => engine.call('saved-calls/receive', { name, text });
  const name = '../dropped here.mcptest.yaml';
  const first = await receive(name, 'version: 1\nsteps: []\n');
  expect(first.path).toBe(join(engine.folder, 'tests', '..-dropped here.mcptest.yaml'));
  expect(await receive(name, 'version: 1\nsteps: []\n')).toEqual(first);
  const second = await receive(name, 'version: 1\nsteps: []\n# other\n');
  expect(second.path).toBe(join(engine.folder, 'tests', '..-dropped here 2.mcptest.yaml'));
  expect(await readFile(first.path, 'utf8')).not.toContain('other');
  expect(await readFile(second.path, 'utf8')).toContain('other');
  await expect(receive('evil.json', '{}')).rejects.toThrow(/does not/);
});

test('calls are saved, run, remembered and removed', async () => {
  const path = join(engine.folder, 'new', 'own.mcptest.yaml');
  expect(await engine.call('saved-calls/read', { path })).toMatchObject({ exists: false, calls: [] });
  await engine.call('saved-calls/save', { path, call: saved, replaces: null });
  const second = { ...saved, name: 'Again' };
  const file = await engine.call('saved-calls/save', { path, call: second, replaces: null });
  expect(file.calls.map(({ name, line }) => [name, line])).toEqual([
    ['Echoes', 4],
    ['Again', 11],
  ]);
  const again = { path, call: saved, replaces: { index: 0, name: 'Changed meanwhile' } };
  await expect(engine.call('saved-calls/save', again)).rejects.toThrow(/no longer/);
  await expect(engine.call('saved-calls/save', { ...again, replaces: null })).rejects.toThrow(/already has/);
  const options = { path, sessionId, variables: {}, allowWrites: true };
  const ran = await engine.call('saved-calls/run', { ...options, indexes: [1] });
  expect(ran).toMatchObject([{ index: 1, name: 'Again', state: 'passed' }]);
  expect(await engine.call('saved-calls/outcomes', { path })).toEqual(ran);
  await expect(engine.call('saved-calls/remove', { path, index: 0, name: 'Again' })).rejects.toThrow(
    /no longer/,
  );
  await engine.call('saved-calls/remove', { path, index: 0, name: 'Echoes' });
  expect(await readFile(path, 'utf8')).not.toContain('Echoes');
  // What a call brought under a name that it no longer has is forgotten with the next run.
  const renamed = { path, call: { ...saved, name: 'Once more' }, replaces: { index: 0, name: 'Again' } };
  await engine.call('saved-calls/save', renamed);
  const last = await engine.call('saved-calls/run', { ...options, indexes: [0] });
  expect(last).toMatchObject([{ name: 'Once more', state: 'passed' }]);
  expect(await engine.call('saved-calls/outcomes', { path })).toEqual(last);
});

test('only test files are written, and none that has an error', async () => {
  const save = (path: string) => engine.call('saved-calls/save', { path, call: saved, replaces: null });
  await expect(save(join(engine.folder, 'servers.json'))).rejects.toThrow(/does not/);
  await expect(save('relative.mcptest.yaml')).rejects.toThrow(/absolute/);
  const path = join(engine.folder, 'broken.mcptest.yaml');
  await writeFile(path, 'version: 1\nstep: []\n');
  await expect(save(path)).rejects.toThrow(/:2:1: Unrecognized key: "step"/);
  expect(await readFile(path, 'utf8')).toBe('version: 1\nstep: []\n');
});
