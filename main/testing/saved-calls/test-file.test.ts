import { readFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { Alias } from 'yaml';
import { z } from 'zod';
import { stepsOf } from '#fixtures/counted-steps.ts';
import { fileOfAliases, fileOfKeys, fileOfLongAliases, fileOfSteps } from '#fixtures/fuzz/heavy-inputs.ts';
import { anyResult, plainCall, type SavedCall } from '#shared/contract/saved-calls.ts';
import { editedFile, newTestFile, withCall } from './edit-test-file.ts';
import { parseYaml } from './exact-yaml.ts';
import { readTestFile } from './read-test-file.ts';
import { testFileShape } from './test-file-shape.ts';

const text = `# Calls to the weather server.
version: 1
variables:
  city: Paris
  big: 9007199254740993
steps:
  # The one that matters.
  - name: Tells the weather
    call: weather
    arguments: { city: "\${city}", id: 9007199254740993, ratio: 1.10 } # exact
    expect:
      duration: 2s
      schema: output
      values:
        - path: $.content[0].text
          matches: '^Sunny in \${city}'
        - { path: $.structuredContent.id, equals: 9007199254740993 }
  - name: Refuses a made-up cursor
    request: tools/list
    params:
      cursor: made up
    expect:
      code: -32602
`;

const read = (source: string) => {
  const file = readTestFile(source);
  if (!file.ok) throw new Error(JSON.stringify(file.errors));
  return file;
};

const anyCall: SavedCall = {
  name: 'Adds',
  method: 'tools/call',
  tool: 'add',
  arguments: '{"a": 9007199254740993, "b": 1.50, "text": "yes", "list": [], "lines": "one\\ntwo"}',
  ...plainCall,
  expect: {
    ...anyResult,
    values: [{ path: '$.content[0].text', check: { kind: 'equals', value: '"123"' } }],
    duration: 500,
  },
};

test('a file is read with its variables, expectations and the digits of its numbers', () => {
  const { variables, calls } = read(text);
  expect(variables).toEqual({ city: '"Paris"', big: '9007199254740993' });
  expect(calls[0]).toMatchObject({
    name: 'Tells the weather',
    method: 'tools/call',
    tool: 'weather',
    arguments: '{"city":"${city}","id":9007199254740993,"ratio":1.10}',
    line: 8,
    expect: {
      status: 'ok',
      code: null,
      duration: 2000,
      schema: 'output',
      values: [
        { path: '$.content[0].text', check: { kind: 'matches', pattern: '^Sunny in ${city}' } },
        { path: '$.structuredContent.id', check: { kind: 'equals', value: '9007199254740993' } },
      ],
    },
  });
  expect(calls[1]).toMatchObject({
    method: 'tools/list',
    tool: null,
    arguments: '{"cursor":"made up"}',
    expect: { status: 'protocol-error', code: -32602 },
  });
});

test('JSON is read too', () => {
  const json = JSON.stringify({ version: 1, steps: [{ name: 'a', call: 'b', arguments: { c: [1, null] } }] });
  expect(read(json).calls[0]).toMatchObject({ tool: 'b', arguments: '{"c":[1,null]}' });
});

describe('an error names its line and column', () => {
  test.each<[what: string, source: string, line: number, column: number, message: RegExp]>([
    ['no YAML', 'version: 1\nsteps: [', 2, 9, /./],
    ['an empty file', '', 1, 1, /empty/],
    ['another version', 'version: 2\nsteps: []\n', 1, 10, /version/],
    [
      'an unknown member',
      'version: 1\nsteps:\n  - name: a\n    call: b\n    argments: {}\n',
      5,
      5,
      /argments/,
    ],
    ['a missing name', 'version: 1\nsteps:\n  - call: b\n', 3, 5, /name/],
    [
      'neither call nor request',
      'version: 1\nsteps:\n  - name: b\n',
      3,
      5,
      /one of call, request, raw and wait/,
    ],
    ['params of a call', 'version: 1\nsteps:\n  - name: b\n    call: b\n    params: {}\n', 3, 5, /params/],
    [
      'a step that waits and calls',
      'version: 1\nsteps:\n  - name: b\n    call: b\n    wait: notifications/message\n',
      3,
      5,
      /one of call, request, raw and wait/,
    ],
    [
      'answers of a raw text',
      'version: 1\nsteps:\n  - name: b\n    raw: "{"\n    answers: []\n',
      5,
      14,
      /belongs to call and request, not to raw/,
    ],
    [
      'the code of a notification',
      'version: 1\nsteps:\n  - name: b\n    wait: notifications/message\n    expect:\n      code: -32600\n',
      6,
      13,
      /belongs to call and request, not to wait/,
    ],
    [
      'no path',
      'version: 1\nsteps:\n  - name: a\n    call: b\n    expect:\n      values:\n        - { path: text, exists: true }\n',
      7,
      19,
      /not a JSON path/,
    ],
    [
      'no regular expression',
      'version: 1\nsteps:\n  - name: a\n    call: b\n    expect:\n      values:\n        - path: $.a\n          matches: "("\n',
      8,
      20,
      /not a regular expression/,
    ],
    [
      'a number that JSON lacks',
      'version: 1\nsteps:\n  - name: a\n    call: b\n    arguments:\n      n: .inf\n',
      6,
      10,
      /\.inf/,
    ],
    [
      'two steps of one name',
      'version: 1\nsteps:\n  - name: a\n    call: b\n  - name: a\n    call: c\n',
      5,
      11,
      /"a", too/,
    ],
    ['a member twice', 'version: 1\nsteps:\n  - name: a\n    name: b\n    call: b\n', 4, 5, /unique/],
  ])('%s', (_, source, line, column, message) => {
    const file = readTestFile(source);
    if (file.ok) throw new Error('it was read');
    expect(file.errors[0]).toMatchObject({ line, column });
    expect(file.errors[0]?.message).toMatch(message);
  });
});

test('a part that is repeated many times over is refused', () => {
  const rows = Array.from(
    { length: 12 },
    (_, row) =>
      `  a${row}: &a${row} [${Array(8)
        .fill(row === 0 ? '1' : `*a${row - 1}`)
        .join(', ')}]`,
  );
  expect(readTestFile(`version: 1\nvariables:\n${rows.join('\n')}\n`)).toMatchObject({ ok: false });
});

describe('a small file that means very much work', () => {
  test('one long text that is repeated is refused with what to do', () => {
    expect(readTestFile(fileOfLongAliases(64 * 1024, 900))).toMatchObject({
      ok: false,
      errors: [
        {
          message: expect.stringContaining(
            'holds too much, with what its aliases repeat: more than 16,777,216 characters',
          ),
        },
      ],
    });
  });

  test.each([
    ['steps are not compared each with each', fileOfSteps(3000)],
    ['keys are not compared each with each', fileOfKeys(3000)],
  ])('its %s', (_, file) => {
    expect(stepsOf(() => expect(readTestFile(file).ok).toBe(true), 4_000_000)).toBeLessThan(1_000_000);
  });

  test.each([
    ['60,000 steps', fileOfSteps(60_000)],
    ['60,000 keys', fileOfKeys(60_000)],
  ])('%s are refused with what to do', (_, file) => {
    expect(readTestFile(file)).toMatchObject({
      ok: false,
      errors: [{ message: expect.stringContaining('more than 100,000 steps; split it into several files') }],
    });
  });

  test('no alias is looked for in all of the file', () => {
    const search = vi.spyOn(Alias.prototype, 'resolve');
    expect(readTestFile(fileOfAliases(1500, 30)).ok).toBe(true);
    expect(search.mock.calls.length).toBe(0);
    search.mockRestore();
  });

  test.each([
    ['commas', `[${','.repeat(2000)}]`],
    ['steps that are none', `version: 1\nsteps:\n${'- { a: 1 }\n'.repeat(500)}`],
  ])('of many errors, such as %s, the first are told', (_, source) => {
    const file = readTestFile(source);
    expect(file.ok ? [] : file.errors).toHaveLength(100);
  });

  test('its parser quotes no line for each error in it', () => {
    const { errors } = parseYaml(`[${','.repeat(200)}]`);
    expect(errors).toHaveLength(200);
    expect(errors.filter(({ message }) => message.includes('\n'))).toEqual([]);
  });

  test('its keys and its steps still have to be different', () => {
    expect(readTestFile('version: 1\nvariables:\n  a: 1\n  a: 2\n')).toMatchObject({
      ok: false,
      errors: [{ line: 4, column: 3, message: 'Map keys must be unique' }],
    });
  });

  test('an alias inside its own anchor is refused at its place', () => {
    expect(readTestFile('version: 1\nvariables:\n  a: &a [*a]\n')).toMatchObject({
      ok: false,
      errors: [{ line: 3, column: 10, message: 'repeats what it is in: *a' }],
    });
  });
});

test('the published JSON Schema is that of the format', async () => {
  const published: unknown = JSON.parse(
    await readFile(new URL('../../../docs/mcptest.schema.json', import.meta.url), 'utf8'),
  );
  expect(published).toEqual({
    ...z.toJSONSchema(testFileShape, { io: 'input' }),
    title: 'A test file of Sightglass (*.mcptest.yaml)',
  });
});

describe('a call is saved', () => {
  test('to a file that did not exist, and read back the same', () => {
    const created = withCall(null, anyCall, null);
    expect(created).toContain('a: 9007199254740993\n      b: 1.50\n      text: yes\n');
    const [{ arguments: args, ...call } = { arguments: '' }] = read(created).calls;
    expect(JSON.parse(args)).toEqual(JSON.parse(anyCall.arguments));
    expect(args).toContain('9007199254740993,"b":1.50');
    const { arguments: _, ...saved } = anyCall;
    expect(call).toMatchObject(saved);
  });

  test('next to steps that are no calls, which stay as they are', () => {
    const step = { ...plainCall, tool: null, arguments: '{}', expect: anyResult };
    const steps: SavedCall[] = [
      { ...step, name: 'Sends', kind: 'raw', method: 'raw', arguments: '{"a": ${b}' },
      { ...step, name: 'Waits', kind: 'wait', method: 'notifications/message' },
    ];
    const [raw, wait] = read(newTestFile(steps, '')).calls;
    expect(raw).toMatchObject({ kind: 'raw', method: 'raw', arguments: '{"a": ${b}' });
    expect(raw?.variableUses).toMatchObject([{ name: 'b' }]);
    expect(wait).toMatchObject({ kind: 'wait', method: 'notifications/message', arguments: '{}' });
  });

  test('at the end of a file, whose other lines stay as they are', () => {
    const changed = withCall(text, anyCall, null);
    expect(changed.startsWith(text.replace('version: 1', 'version: 1'))).toBe(true);
    expect(read(changed).calls.map(({ name }) => name)).toEqual([
      'Tells the weather',
      'Refuses a made-up cursor',
      'Adds',
    ]);
  });

  test('in place of another one, whose comment stays', () => {
    const changed = withCall(text, anyCall, 0);
    expect(changed).toContain('  # The one that matters.\n  - name: Adds\n');
    expect(changed).toContain('# Calls to the weather server.');
    expect(read(changed).calls.map(({ name }) => name)).toEqual(['Adds', 'Refuses a made-up cursor']);
  });

  test('and removed', () => {
    const changed = editedFile({ kind: 'remove', text, index: 0 });
    expect(read(changed).calls.map(({ name }) => name)).toEqual(['Refuses a made-up cursor']);
    expect(read(editedFile({ kind: 'remove', text: changed, index: 0 })).calls).toEqual([]);
    expect(
      read(withCall(editedFile({ kind: 'remove', text: changed, index: 0 }), anyCall, null)).calls,
    ).toHaveLength(1);
  });

  test.each(['ok', 'tool-error', 'protocol-error', 'timed-out', 'cancelled'] as const)(
    'that is expected to end %s',
    (status) => {
      const expectations: SavedCall['expect'] = {
        ...anyResult,
        status,
        code: status === 'protocol-error' ? -32602 : null,
        values: [
          { path: '$.a', check: { kind: 'type', type: 'integer' } },
          { path: '$.b', check: { kind: 'exists', exists: false } },
          { path: '$.c', check: { kind: 'matches', pattern: '^\\d+: "#' } },
          { path: '$.d', check: { kind: 'equals', value: '{"x":[1,{"y":null}]}' } },
        ],
        schema: '{"type":"object"}',
        duration: 12.5,
        result: '{"content":[],"n":9007199254740993}',
        compare: [{ path: '$..id', compare: 'ignore' }],
        messages: ['notifications/progress', 'sampling/createMessage'],
        progress: { atLeast: 2, every: 500 },
        silence: 1000,
      };
      const request: SavedCall = {
        ...anyCall,
        method: 'prompts/get',
        tool: null,
        cancelAfter: 200,
        answers: [
          { method: 'elicitation/create', contains: 'name', answer: { kind: 'result', json: '{"a":1.50}' } },
          { method: 'sampling/createMessage', answer: { kind: 'error', code: -1, message: 'no' } },
          { method: 'roots/list', answer: { kind: 'defaults' } },
          { method: 'elicitation/create', answer: { kind: 'decline' } },
          { method: 'elicitation/create', answer: { kind: 'cancel' } },
        ],
        capture: { id: '$.structuredContent.id' },
        expect: expectations,
      };
      const { arguments: _, ...written } = request;
      expect(read(withCall(null, request, null)).calls[0]).toMatchObject(written);
    },
  );
});
