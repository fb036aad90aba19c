import { afterEach, describe, expect, test } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { Watchers } from '#fixtures/until.ts';
import { contextScore } from './context-score.ts';
import { Conversation } from './conversation.ts';
import { latencyOf, waitOf } from './latency.ts';
import type { MatchMode } from '#shared/contract/mocks.ts';
import { type ForwardedRequest, Mock, type MockedExchange } from './mock.ts';
import { Recording } from './recording.ts';

/** A tool, its arguments and what it answers. */
type Call = readonly [tool: string, args: object, answer: string];

const traces: TraceOf[] = [];
const conversations: Conversation[] = [];
afterEach(async () => {
  for (const conversation of conversations.splice(0)) await conversation.close();
  for (const trace of traces.splice(0)) await trace.close();
});

/** Records messages: `>` is from the client, `<` from the server. */
async function record(name: string, lines: readonly string[]): Promise<Recording> {
  const trace = await TraceOf.begin();
  traces.push(trace);
  for (const line of lines) trace.message(line.startsWith('>') ? 'out' : 'in', line.slice(2));
  return Recording.of(trace, name);
}

const request = (id: number, method: string, params: object): string =>
  `> ${JSON.stringify({ jsonrpc: '2.0', id, method, params })}`;
const response = (id: number, text: string): string =>
  `< ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}`;

const recordCalls = (name: string, calls: readonly Call[]): Promise<Recording> =>
  record(
    name,
    calls.flatMap(([tool, args, answer], place) => [
      request(place, 'tools/call', { name: tool, arguments: args }),
      response(place, answer),
    ]),
  );

/** A client of a mock, and all that it was sent. */
class TestClient {
  readonly exchanges: MockedExchange[] = [];
  readonly received: Record<string, unknown>[] = [];
  readonly mock: Mock;
  readonly conversation: Conversation;
  readonly #watchers = new Watchers();
  #lastId = 100;

  constructor(
    recordings: readonly Recording[],
    match: MatchMode = 'context',
    forward: ((request: ForwardedRequest) => Promise<{ member: 'result'; json: string }>) | null = null,
  ) {
    const onExchange = (exchange: MockedExchange) => void this.exchanges.push(exchange);
    this.mock = new Mock(recordings, {
      match,
      latency: latencyOf('none'),
      forward,
      faults: null,
      onExchange,
    });
    const send = (text: string): void => {
      this.received.push(JSON.parse(text) as Record<string, unknown>);
      this.#watchers.notify();
    };
    this.conversation = new Conversation(this.mock, {
      send,
      respond: send,
      end: () => undefined,
      cut: () => undefined,
    });
    conversations.push(this.conversation);
  }

  send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    const take = (line: string): void => {
      this.received.push(JSON.parse(line) as Record<string, unknown>);
      this.#watchers.notify();
    };
    this.conversation.take(text, { send: take, respond: take, end: () => undefined, cut: () => undefined });
  }

  async request(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    this.send({ id, method, params });
    return this.message((one) => one.id === id && !('method' in one));
  }

  message(fits: (one: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return this.#watchers.until(() => this.received.find(fits) ?? null);
  }

  /** Calls a tool; the text of its answer, or the message of the error. */
  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    const { content, message } = (result ?? error) as { content?: { text: string }[]; message?: string };
    return content?.[0]?.text ?? message ?? '';
  }

  get matches(): string[] {
    return this.exchanges.map(({ match }) => match);
  }
}

const alice: readonly Call[] = [
  ['login', { user: 'alice' }, 'welcome alice'],
  ['list', {}, 'files'],
  ['whoami', {}, 'alice'],
];
const bob: readonly Call[] = [
  ['login', { user: 'bob' }, 'welcome bob'],
  ['whoami', {}, 'bob'],
];

describe('two sessions in one mock', () => {
  test.each([
    ['alice', 'alice'],
    ['bob', 'bob'],
  ])('the same call is answered by what went before: %s', async (user, answer) => {
    const client = new TestClient([await recordCalls('alice', alice), await recordCalls('bob', bob)]);
    await client.call('login', { user });
    // Only the session of alice has it, and it is no reason to take her for bob.
    expect(await client.call('list')).toBe('files');
    expect(await client.call('whoami')).toBe(answer);
    expect(client.matches).toEqual(['exact', 'exact', 'exact']);
  });

  test('an answer is inexact if what went before fits both', async () => {
    const client = new TestClient([await recordCalls('alice', alice), await recordCalls('bob', bob)]);
    expect(await client.call('whoami')).toBe('alice');
    expect(client.matches).toEqual(['inexact']);
    const same = [['whoami', {}, 'x']] as const;
    const both = new TestClient([
      await recordCalls('one', same),
      await recordCalls('two', [['whoami', {}, 'y']]),
    ]);
    expect(await both.call('whoami')).toBe('x');
    expect(both.exchanges[0]).toMatchObject({
      match: 'inexact',
      why: 'tools/call whoami, #1 of one and tools/call whoami, #1 of two have different answers, and what went before fits both.',
    });
  });
});

describe('one session', () => {
  const counter: readonly Call[] = [
    ['next', {}, '1'],
    ['reset', {}, 'done'],
    ['next', {}, '1 again'],
  ];

  test('answers a repeated call in its order, and says when its recordings are used up', async () => {
    const client = new TestClient([await recordCalls('counter', counter)]);
    expect(await client.call('next')).toBe('1');
    expect(await client.call('next')).toBe('1 again');
    expect(await client.call('next')).toBe(
      'sightglass mock: Used up: this request was recorded 2 times, and each answer was given already.',
    );
    expect(client.mock.summary).toMatchObject({ exact: 2, misses: 1 });
    expect(client.mock.summary.unused.map(({ target }) => target)).toEqual(['reset']);
  });

  test('takes the recording after the same calls, also out of order', async () => {
    const client = new TestClient([await recordCalls('counter', counter)]);
    await client.call('reset');
    expect(await client.call('next')).toBe('1 again');
  });

  test('names the nearest recording of a call that was never recorded, and the paths that differ', async () => {
    const add = await recordCalls('sums', [
      ['add', { a: 1, b: 2, list: [1] }, '3'],
      ['add', { a: 5, b: 5, list: [] }, '10'],
    ]);
    const client = new TestClient([add]);
    const { error } = await client.request('tools/call', {
      name: 'add',
      arguments: { a: 1, b: 3, list: [1] },
    });
    expect(error).toMatchObject({
      code: -32603,
      message:
        'sightglass mock: Never recorded: tools/call add with these params. The nearest is tools/call add, #1 of sums; ' +
        'it differs at $.params.arguments.b (recorded 2, now 3).',
      data: { mock: 'never-recorded', nearest: { file: 'sums', row: 0 } },
    });
    expect(await client.call('sub')).toContain(
      'Never recorded: tools/call sub. The nearest is tools/call add',
    );
    expect((await client.request('prompts/get', { name: 'x' })).error).toMatchObject({ code: -32601 });
  });

  test('answers lists and pings any number of times, and the list that follows the same calls', async () => {
    const list = (id: number, name: string) => [
      request(id, 'tools/list', {}),
      `< {"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"${name}"}]}}`,
    ];
    const recording = await record('lists', [
      ...list(1, 'before'),
      request(2, 'tools/call', { name: 'enable', arguments: {} }),
      response(2, 'enabled'),
      ...list(3, 'after'),
    ]);
    const client = new TestClient([recording]);
    const names = async () => JSON.stringify((await client.request('tools/list')).result);
    expect([await names(), await names()]).toEqual(Array(2).fill('{"tools":[{"name":"before"}]}'));
    await client.call('enable');
    expect([await names(), await names()]).toEqual(Array(2).fill('{"tools":[{"name":"after"}]}'));
    expect((await client.request('ping')).result).toEqual({});
    expect(client.mock.summary).toMatchObject({ misses: 0, inexact: 0, unused: [] });
  });

  test.each([
    ['declared', { tools: {}, resources: {} }, 'resources/list', -32603],
    ['declared too', { tools: {}, resources: {} }, 'resources/templates/list', -32603],
    ['not declared', { tools: {}, resources: {} }, 'prompts/list', -32601],
    ['not known', null, 'prompts/list', -32603],
  ])(
    'a list that the recording did not read, of what is %s, is no empty one',
    async (_, capabilities, method, code) => {
      const handshake = [
        request(1, 'initialize', { protocolVersion: '2025-11-25' }),
        `< ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25', capabilities } })}`,
      ];
      const recording = await record('unread', [
        ...(capabilities === null ? [] : handshake),
        request(2, 'tools/call', { name: 'add', arguments: {} }),
        response(2, 'added'),
      ]);
      const { error } = await new TestClient([recording]).request(method);
      expect(error).toMatchObject({ code });
      expect(JSON.stringify(error).includes('What the server lists is not known.')).toBe(code === -32603);
    },
  );

  test('lets a secret that was not recorded be any text', async () => {
    const token = '[secret value:token, 11 characters, 38e9f8df]';
    const client = new TestClient([
      await recordCalls('secret', [['login', { token: `Bearer ${token}` }, 'in']]),
    ]);
    expect(await client.call('login', { token: 'Basic x' })).toContain('Never recorded');
    expect(await client.call('login', { token: 'Bearer open-sesame' })).toBe('in');
    expect(await client.call('login', { token: 'Bearer open-sesame' })).toContain('Used up');
  });

  test('looks at no `_meta`, which clients choose', async () => {
    const token = '[secret value:token, 11 characters, 38e9f8df]';
    const client = new TestClient([await recordCalls('secret', [['login', { token }, 'in']])]);
    const login = (args: object) =>
      client.request('tools/call', { name: 'login', arguments: args, _meta: { progressToken: 5 } });
    await login({});
    expect(client.exchanges.at(-1)?.differences).toMatchObject([{ path: '$.params.arguments.token' }]);
    await login({ token: 'open-sesame' });
    expect(client.matches).toEqual(['miss', 'exact']);
  });

  test('finds a secret in a text of any length, between what surrounds it', async () => {
    const secret = '[secret value:token, 11 characters, 38e9f8df]';
    const long = 'x'.repeat(1000);
    const recorded = { note: `${long} ${secret} and ${secret} ${long}`, more: Array(300).fill(1) };
    const client = new TestClient([await recordCalls('long', [['keep', recorded, 'kept']])]);
    const now = { ...recorded, note: `${long} one and two ${long}` };
    expect(await client.call('keep', { ...now, note: `${long} one or two ${long}` })).toContain('Never');
    expect(await client.call('keep', { ...now, more: Array(300).fill(2) })).toContain('Never');
    expect(await client.call('keep', now)).toBe('kept');
  });
});

describe('--match', () => {
  const sums: readonly Call[] = [
    ['add', { a: 1 }, 'one'],
    ['other', {}, 'other'],
    ['add', { a: 2 }, 'two'],
    ['add', { a: 1 }, 'three'],
  ];

  test('args takes the same arguments in recorded order', async () => {
    const client = new TestClient([await recordCalls('sums', sums)], 'args');
    await client.call('other');
    expect([await client.call('add', { a: 1 }), await client.call('add', { a: 1 })]).toEqual([
      'one',
      'three',
    ]);
  });

  test('method ignores the arguments, and says that the answer is inexact', async () => {
    const client = new TestClient([await recordCalls('sums', sums)], 'method');
    expect(await client.call('add', { a: 7 })).toBe('one');
    expect(await client.call('add', { a: 2 })).toBe('two');
    expect(client.matches).toEqual(['inexact', 'exact']);
    expect(client.exchanges[0]?.why).toBe(
      'It differs from tools/call add, #1 of sums at $.params.arguments.a (recorded 1, now 7).',
    );
    expect(await client.call('add', { a: 8 })).toBe('three');
    expect(await client.call('add', { a: 9 })).toContain('Used up');
  });

  test('sequence wants the recorded order', async () => {
    const client = new TestClient([await recordCalls('sums', sums)], 'sequence');
    expect(await client.call('add', { a: 9 })).toBe('one');
    expect(await client.call('add', { a: 2 })).toContain(
      'The next recorded request is tools/call other, #3 of sums.',
    );
    expect(await client.call('other')).toBe('other');
    expect(await client.call('add', { a: 2 })).toBe('two');
    expect(client.matches).toEqual(['inexact', 'miss', 'exact', 'exact']);
  });

  test('forwards what was not recorded, with the questions of that server', async () => {
    const client = new TestClient([await recordCalls('sums', sums)], 'context', async ({ method, ask }) => {
      const { json } = await ask('elicitation/create', '{"message":"sure?"}');
      return {
        member: 'result',
        json: `{"content":[{"type":"text","text":${JSON.stringify(method + json)}}]}`,
      };
    });
    const answer = client.call('new');
    const question = await client.message(({ method }) => method === 'elicitation/create');
    client.send({ id: question.id, result: { action: 'accept' } });
    expect(await answer).toBe('tools/call{"action":"accept"}');
    expect(client.mock.summary).toMatchObject({ forwarded: 1, misses: 0 });
  });
});

describe('what the server sent', () => {
  const asking = [
    '> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"pay","_meta":{"progressToken":7}}}',
    '< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}',
    '< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Pay?"}}',
    '< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"waiting"}}',
    '> {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"pin":"0815"}}}',
    '< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"paid"}}',
    response(7, 'paid'),
    '< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  ];
  const pay = { id: 'p', method: 'tools/call', params: { name: 'pay', _meta: { progressToken: 'mine' } } };
  const methods = (client: TestClient) =>
    client.received.map(({ method, id }) => method ?? `response ${String(id)}`);

  test('comes in its place, with new ids, and what followed a question waits for the answer', async () => {
    const client = new TestClient([await record('asking', asking)]);
    client.send(pay);
    const question = await client.message(({ method }) => method === 'elicitation/create');
    await client.message(({ method }) => method === 'notifications/message');
    expect(client.received[0]).toMatchObject({ params: { progressToken: 'mine', progress: 1 } });
    expect(methods(client)).toEqual([
      'notifications/progress',
      'elicitation/create',
      'notifications/message',
    ]);
    client.send({ id: question.id, result: { action: 'accept', content: { pin: '0815' } } });
    await client.message(({ method }) => method === 'notifications/tools/list_changed');
    expect(methods(client).slice(3)).toEqual([
      'notifications/message',
      'response p',
      'notifications/tools/list_changed',
    ]);
    expect(client.matches).toEqual(['exact']);
  });

  test('after another answer of the client is inexact', async () => {
    const client = new TestClient([await record('asking', asking)]);
    client.send(pay);
    const question = await client.message(({ method }) => method === 'elicitation/create');
    client.send({ id: question.id, result: { action: 'accept', content: { pin: '1234' } } });
    await client.message(({ id }) => id === 'p');
    expect(client.exchanges[0]).toMatchObject({
      match: 'inexact',
      differences: [{ path: '$.answer.content.pin', recorded: '"0815"', other: '"1234"' }],
    });
  });

  test('stops when the client cancels', async () => {
    const client = new TestClient([await record('asking', asking)]);
    client.send(pay);
    await client.message(({ method }) => method === 'elicitation/create');
    client.send({ method: 'notifications/cancelled', params: { requestId: 'p' } });
    await client.conversation.finish();
    expect(client.matches).toEqual(['cancelled']);
    expect(client.received.some(({ id }) => id === 'p')).toBe(false);
  });

  test('on a subscription comes under the id of the client, and only if it has one', async () => {
    const key = 'io.modelcontextprotocol/subscriptionId';
    const recording = await record('listening', [
      '> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}',
      `< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"${key}":1}}}`,
      request(2, 'tools/call', { name: 'change' }),
      `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"${key}":1}}}`,
      response(2, 'changed'),
    ]);
    const client = new TestClient([recording]);
    client.send({ id: 'sub', method: 'subscriptions/listen', params: { notifications: {} } });
    expect(
      await client.message(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    ).toMatchObject({
      params: { _meta: { [key]: 'sub' } },
    });
    expect(client.received).toHaveLength(1);
    await client.call('change');
    expect(client.received[1]).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { [key]: 'sub' } },
    });
    const other = new TestClient([recording]);
    await other.call('change');
    expect(other.received).toHaveLength(1);
  });
});

test('a result that needs input and its continuation are one call', async () => {
  const args = { name: 'book', arguments: {} };
  const inputs = { name: { action: 'accept', content: { name: 'Ada' } } };
  const recording = await record('rounds', [
    request(1, 'tools/call', args),
    '< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s1","inputRequests":{}}}',
    request(2, 'tools/call', { ...args, requestState: 's1', inputResponses: inputs }),
    response(2, 'booked'),
  ]);
  expect(new TestClient([recording]).mock.summary.unused).toHaveLength(1);
  const client = new TestClient([recording]);
  expect((await client.request('tools/call', args)).result).toMatchObject({ requestState: 's1' });
  const other = { name: { action: 'decline' } };
  await client.request('tools/call', { ...args, requestState: 's1', inputResponses: other });
  expect(client.matches).toEqual(['exact', 'inexact']);
  expect(client.exchanges[1]?.why).toContain(
    '$.inputResponses.name.action (recorded "accept", now "decline")',
  );
});

test('latency is none, as recorded, faster, or capped', () => {
  const waits = ['none', 'recorded', 'x2', 'max:10'].map((text) => waitOf(latencyOf(text), 30_000));
  expect(waits).toEqual([0, 30, 15, 10]);
  expect(waitOf(latencyOf('recorded'), -5)).toBe(0);
});

test('contexts are the more alike the more entries they share in order', () => {
  expect(contextScore([], 0, [])).toBe(1);
  expect(contextScore(['a', 'b', 'c'], 2, ['a', 'b'])).toBe(1);
  expect(contextScore(['a', 'b'], 2, ['b', 'a'])).toBe(0.5);
  expect(contextScore(['a'], 1, ['b'])).toBe(0);
});
