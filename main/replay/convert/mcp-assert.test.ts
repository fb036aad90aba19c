import { expect, test } from 'vitest';
import { readTestFile } from '#testing/saved-calls/read-test-file.ts';
import { convertAssertion } from './mcp-assert.ts';

const whole = `# Orders something and looks at it.
name: an order is shown
server:
  command: node
  args: ["shop.js", "--quiet"]
setup:
  - tool: order
    args: { what: "a \${book}", count: 9007199254740993 }
    capture:
      order_id: "$.order.ids[0]"
assert:
  tool: show
  args:
    id: "{{order_id}}"
    folder: "{{fixture}}/in"
    other: "{{nothing}}"
  expect:
    not_error: true
    contains: ["1.50 EUR"]
    not_contains: ["secret"]
    contains_any: [paid, open]
    matches_regex: ["\\\\d+ items"]
    in_order: [first, last]
    equals: " all (of) it "
    not_empty: true
    json_path:
      "$.total-sum": 12
      "$.items[1].name": pen
    net_delta: 0
    min_progress: 2
timeout: 1m30s
`;

function converted(text: string) {
  const read = convertAssertion('order.yaml', text);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.value;
}

test('an assertion becomes saved calls that are read as they were meant', () => {
  const { text, entries, unsupported } = converted(whole);
  expect(unsupported).toEqual([]);
  expect(entries).toBe(2);
  const file = readTestFile(text);
  if (!file.ok) throw new Error(JSON.stringify(file.errors));
  expect(file.target).toEqual({ kind: 'stdio', command: 'node', args: ['shop.js', '--quiet'] });
  const [order, show] = file.calls;
  expect(order).toMatchObject({
    name: 'setup 1: order',
    tool: 'order',
    arguments: '{"what":"a $${book}","count":9007199254740993}',
    capture: { order_id: '$.content[0].text.order.ids[0]' },
  });
  expect(show).toMatchObject({
    name: 'an order is shown',
    arguments: '{"id":"${order_id}","folder":"${fixture}/in","other":"{{nothing}}"}',
    expect: { status: 'ok', duration: 90_000, progress: { atLeast: 2, every: null } },
  });
  const checks = show?.expect.values ?? [];
  const patterns = checks.flatMap(({ check }) =>
    check.kind === 'matches' ? [new RegExp(check.pattern, 'u')] : [],
  );
  const isFine = (answer: string) => patterns.map((pattern) => pattern.test(answer));
  expect(isFine('first 1.50 EUR paid, 3 items, last')).toEqual([true, true, true, false, true, true, true]);
  expect(isFine(' all (of) it\n')).toEqual([false, false, true, true, false, false, true]);
  expect(isFine('{}').at(-1)).toBe(false);
  expect(isFine('no\nsecret')[2]).toBe(false);
  expect(checks.filter(({ check }) => check.kind === 'equals')).toEqual([
    { path: '$.content[0].text.total-sum', check: { kind: 'equals', value: '12' } },
    { path: '$.content[0].text.items[1].name', check: { kind: 'equals', value: '"pen"' } },
    { path: '$.content[0].text.net_delta', check: { kind: 'equals', value: '0' } },
  ]);
});

test('a dollar sign in the command line stays as it is', () => {
  const { text } = converted('server: { command: node, args: ["$&", "$1.js"] }\nassert: { tool: show }\n');
  expect(readTestFile(text)).toMatchObject({ ok: true, target: { args: ['$&', '$1.js'] } });
});

test('resources and prompts become requests', () => {
  const resource = converted(
    'assert_resources:\n  read: "file:///{{fixture}}/a"\n  expect: { contains: [a] }\n',
  );
  expect(resource.text).toContain('request: resources/read');
  expect(resource.text).toContain('uri: file:///${fixture}/a');
  expect(resource.text).toContain('path: $.contents[0].text');
  const prompt = converted(
    'assert_prompts:\n  get: { name: hello, arguments: { who: you } }\n  expect: { not_empty: true }\n',
  );
  expect(prompt.text).toContain('request: prompts/get');
  expect(prompt.text).toContain('path: $.messages[0].content.text');
});

test('lists, sampling, notifications and log messages become requests, answers and messages', () => {
  const callsOf = (text: string) => {
    const { text: file, unsupported } = converted(text);
    const read = readTestFile(file);
    if (!read.ok) throw new Error(JSON.stringify(read.errors));
    return { calls: read.calls, unsupported: unsupported.map(({ line, message }) => `${line} ${message}`) };
  };
  const list = callsOf(`assert_resources:
  list: {}
  expect:
    not_empty: true
    contains: [a]
    json_path: { "$.resources[0].name": a }
`);
  expect(list.calls).toMatchObject([
    {
      method: 'resources/list',
      expect: { values: [{ path: '$.resources[0].name', check: { kind: 'equals', value: '"a"' } }] },
    },
  ]);
  expect(list.unsupported).toEqual(['5 contains of a list is not supported']);

  const sampling = callsOf(`assert_sampling:
  tool: ask
  args: { about: "{{fixture}}" }
  mock_text: Paris
  expect: { not_error: true, contains: [Paris] }
`);
  expect(sampling.calls).toMatchObject([
    { tool: 'ask', arguments: '{"about":"${fixture}"}', answers: [{ method: 'sampling/createMessage' }] },
  ]);
  const [answer] = sampling.calls[0]?.answers ?? [];
  expect(answer?.answer.kind === 'result' && JSON.parse(answer.answer.json)).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'mock',
  });
  expect(sampling.unsupported).toEqual([]);

  const notices = callsOf(`assert_notifications:
  tool: work
  expect: { methods: [notifications/progress], min_count: 2, max_count: 9 }
`);
  expect(notices.calls).toMatchObject([
    { tool: 'work', expect: { messages: ['notifications/progress', 'notifications/progress'] } },
  ]);
  expect(notices.unsupported).toEqual(['3 max_count is not supported']);

  const logging = callsOf(`assert_logging:
  set_level: debug
  tool: work
  expect: { min_messages: 1, contains_level: [info] }
`);
  expect(logging.calls).toMatchObject([
    { method: 'logging/setLevel', arguments: '{"level":"debug"}' },
    { tool: 'work', expect: { messages: ['notifications/message'] } },
  ]);
  expect(logging.unsupported).toEqual(['4 contains_level is not supported']);
});

test('what is not supported is named with its line, and nothing else is left out', () => {
  const { unsupported } = converted(`name: odd
server:
  command: node
  env: { A: b }
skip: true
skip_unless_env: TOKEN
assert_completion: { ref: { type: ref/prompt } }
trajectory:
  - { type: order, tools: [a, b] }
assert:
  tool: show
  expect:
    is_error: true
    min_results: 3
    file_unchanged: ["{{fixture}}/a"]
    matches_regex: ["(?i)yes"]
    json_path:
      "$[0].a": 1
      "$.n": "12"
timeout: soon
`);
  expect(unsupported.map(({ line, message }) => `${line} ${message.split(' ')[0]}`)).toEqual([
    '4 env',
    '5 skip',
    '6 skip_unless_env',
    '7 assert_completion',
    '8 trajectory',
    '14 min_results',
    '15 file_unchanged',
    '16 matches_regex:',
    '18 json_path',
    '19 json_path',
    '20 timeout',
  ]);
});

test.each([
  [
    'assert_resources:\n  read: file:///a\n  list: {}\n',
    ['resources/read'],
    ['3 list beside read is not converted'],
  ],
  [
    'assert_prompts:\n  list: {}\n  get:\n    name: hello\n    title: Hello\n',
    ['prompts/get'],
    ['2 list beside get is not converted', '5 title is not supported'],
  ],
  [
    'assert_logging:\n  set_level: debug\n  args: { a: 1 }\n  level: debug\n  expect: { min_messages: 2 }\n',
    ['logging/setLevel'],
    ['3 args needs a tool', '4 level is not supported', '5 min_messages needs a tool'],
  ],
  ['assert_prompts:\n  expect: { contains: [a] }\n', [], ['2 expect needs get or list']],
  [
    'assert_notifications:\n  tool: work\n  expect: { min_count: 3 }\n',
    ['tools/call'],
    ['3 min_count needs exactly one method'],
  ],
])(
  'what is named as not converted is not expected, and what is left out is named',
  (text, methods, notes) => {
    const { text: file, unsupported } = converted(text);
    const read = readTestFile(file);
    if (!read.ok) throw new Error(JSON.stringify(read.errors));
    expect(read.calls.map(({ method }) => method)).toEqual(methods);
    expect(read.calls.flatMap(({ expect: { messages } }) => messages)).toEqual([]);
    expect(unsupported.map(({ line, message }) => `${line} ${message}`)).toEqual(notes);
  },
);

test.each([
  ['name: a\nassert: { tool: 7 }\n', 2, 'assert.tool: '],
  ['name: a\nassert:\n  tool: b\n  expect:\n    contains: yes\n', 5, 'assert.expect.contains: '],
  ['name: a\n  assert: b\n', 1, ''],
  ['- a\n- b\n', 1, ''],
  ['', 1, ''],
])('a file with an error is refused with its line', (text, line, message) => {
  const read = convertAssertion('a.yaml', text);
  expect(read.ok).toBe(false);
  if (read.ok) return;
  expect(read.errors[0]?.line).toBe(line);
  expect(read.errors[0]?.message).toContain(message);
});
