import { afterEach, describe, expect, test, vi } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { Watchers } from '#fixtures/until.ts';
import { Conversation } from '#replay/mock/conversation.ts';
import { MockHttpServer } from '#replay/mock/http-server.ts';
import { noLatency } from '#replay/mock/latency.ts';
import { Mock, type MockedExchange } from '#replay/mock/mock.ts';
import { Recording } from '#replay/mock/recording.ts';
import { type InjectedFault, readFaults, requireRecorded } from './read-faults.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** Three calls at once, the first with progress before its response and a log message after it. */
async function recording(): Promise<Recording> {
  const trace = await TraceOf.begin();
  closings.push(() => trace.close());
  const call = (id: number) =>
    trace.message(
      'out',
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t${id}","_meta":{"progressToken":${id}}}}`,
    );
  const answer = (id: number) =>
    trace.message(
      'in',
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"answer ${id}"}]}}`,
    );
  // #1 to #3
  for (const id of [1, 2, 3]) call(id);
  // #4 and #5
  for (const progress of [1, 2]) {
    trace.message(
      'in',
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${progress}}}`,
    );
  }
  // #6 to #8
  for (const id of [1, 2, 3]) answer(id);
  return Recording.of(trace, 'calls.mcptrace');
}

function readFor(text: string, of: Recording): InjectedFault[] {
  const faults = readFaults(text, 'faults.yaml');
  requireRecorded(faults, 'faults.yaml', [of]);
  return faults;
}

const faultsOf = (text: string, of: Recording) => readFor(`version: 1\nfaults:\n${text}`, of);

const mockOf = (
  of: Recording,
  faults: string,
  seed = 1,
  onExchange: (exchange: MockedExchange) => void = () => undefined,
): Mock =>
  new Mock([of], {
    match: 'context',
    latency: noLatency,
    forward: null,
    faults: { injected: faultsOf(faults, of), seed },
    onExchange,
  });

/** Sends the calls, and resolves with what came, in short, once `isWhole` or the mock has nothing more to send. */
async function play(
  mock: Mock,
  isWhole: (received: readonly string[]) => boolean,
  ids: readonly number[] = [1, 2, 3],
): Promise<string[]> {
  const received: string[] = [];
  const watchers = new Watchers();
  const take = (text: string): void => {
    received.push(short(text));
    watchers.notify();
  };
  const outlet = {
    send: take,
    respond: take,
    cut: (text: string) => take(`cut ${short(text)}`),
    end: (status: number | null) => take(`status ${status}`),
  };
  const conversation = new Conversation(mock, outlet);
  for (const id of ids) {
    const params = { name: `t${id}`, _meta: { progressToken: id } };
    conversation.take(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }), outlet);
  }
  await watchers.until(() => isWhole(received) || null);
  await conversation.finish();
  return received;
}

function short(text: string): string {
  try {
    const { id, params } = JSON.parse(text) as { id?: number; params?: { progress: number } };
    return id === undefined ? `progress ${params?.progress}` : `answer ${id}`;
  } catch {
    return 'no JSON';
  }
}

const count = (size: number) => (received: readonly string[]) => received.length === size;
const all = ['answer 1', 'answer 2', 'answer 3', 'progress 1', 'progress 2'];

test('a recording that can no longer be read: each request is answered with an error', async () => {
  const of = await recording();
  vi.spyOn(of, 'text').mockRejectedValue(new Error('the file was removed'));
  const mock = mockOf(of, '  - { at: 7, do: drop }');
  expect((await play(mock, count(3))).toSorted()).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(mock.summary.misses).toBe(3);
});

describe('a fault', () => {
  test('drop: the message never comes', async () => {
    const mock = mockOf(await recording(), '  - { at: 7, do: drop }');
    expect((await play(mock, count(4))).toSorted()).toEqual(all.filter((one) => one !== 'answer 2'));
    expect(mock.summary.faults).toEqual([{ do: 'drop', line: 3, file: 'calls.mcptrace', row: 6 }]);
  });

  test('delay: the message and what follows it come later', async () => {
    const received = await play(mockOf(await recording(), '  - { at: 4, do: delay, by: 50ms }'), count(5));
    expect(received.slice(0, 2).toSorted()).toEqual(['answer 2', 'answer 3']);
    expect(received.slice(2)).toEqual(['progress 1', 'progress 2', 'answer 1']);
  });

  test('hold: one message waits for another, and nothing else does', async () => {
    const received = await play(mockOf(await recording(), '  - { at: 4, do: hold, until: 8 }'), count(5));
    expect(received.indexOf('progress 1')).toBe(received.indexOf('answer 3') + 1);
    expect(received.indexOf('progress 2')).toBeLessThan(received.indexOf('answer 1'));
    expect(received.toSorted()).toEqual(all);
  });

  test('duplicate: the message comes twice', async () => {
    const faults = '  - { method: tools/call, name: t2, do: duplicate }\n  - { at: 5, do: duplicate }';
    const received = await play(mockOf(await recording(), faults), count(7));
    expect(received.toSorted()).toEqual([...all, 'answer 2', 'progress 2'].toSorted());
  });

  test('corrupt: the message is no JSON', async () => {
    const received = await play(
      mockOf(await recording(), '  - { method: tools/call, do: corrupt }'),
      count(5),
    );
    expect(received.toSorted()).toEqual(['no JSON', 'no JSON', 'no JSON', 'progress 1', 'progress 2']);
  });

  test('reorder: concurrent responses come in an order of the seed, after what preceded each', async () => {
    const of = await recording();
    const orders = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const received = await play(mockOf(of, '  - { do: reorder }', seed), count(5));
      expect(received.slice(0, 2)).toEqual(['progress 1', 'progress 2']);
      expect(received.toSorted()).toEqual(all);
      expect(await play(mockOf(of, '  - { do: reorder }', seed), count(5))).toEqual(received);
      orders.add(received.slice(2).join(', '));
    }
    expect(orders.size).toBeGreaterThan(3);
  });

  test('the report has what was really sent of a response, and names the fault', async () => {
    const of = await recording();
    const reported = async (
      fault: string,
      whole: (received: readonly string[]) => boolean,
      ids: readonly number[] = [1, 2, 3],
    ) => {
      const exchanges: MockedExchange[] = [];
      const mock = mockOf(of, `  - ${fault}`, 1, (exchange) => exchanges.push(exchange));
      await play(mock, whole, ids);
      expect(exchanges).toHaveLength(ids.length);
      const { match, response, faults } = exchanges.find(({ target }) => target === 't2') ?? {};
      expect(match).toBe('exact');
      return [faults?.map((one) => one.do).join(), response];
    };
    const answer = '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"answer 2"}]}}';
    expect(await reported('{ at: 6, do: drop }', count(4))).toEqual(['', answer]);
    expect(await reported('{ at: 7, do: drop }', count(4))).toEqual(['drop', null]);
    expect(await reported('{ at: 7, do: status, status: 503 }', count(5))).toEqual(['status', null]);
    expect(await reported('{ at: 7, do: cut }', count(5))).toEqual(['cut', answer.slice(0, 40)]);
    expect(await reported('{ at: 7, do: duplicate }', count(6))).toEqual(['duplicate', answer]);
    const [, corrupted] = await reported('{ at: 7, do: corrupt }', count(5));
    expect(corrupted).not.toBe(answer);
    expect(corrupted).toHaveLength(answer.length);
    expect(corrupted).toContain('#');
    // It is sent after the third answer, or never if that does not come.
    expect(await reported('{ at: 7, do: hold, until: 8 }', count(5))).toEqual(['hold', answer]);
    expect(await reported('{ at: 7, do: hold, until: 8 }', count(3), [1, 2])).toEqual(['hold', null]);
  });

  test('chance: the seed chooses, and the same seed chooses the same', async () => {
    const of = await recording();
    const faults = '  - { method: tools/call, do: corrupt, chance: 0.5 }';
    const counts = new Set<number>();
    for (let seed = 1; seed <= 12; seed++) {
      const once = mockOf(of, faults, seed);
      const again = mockOf(of, faults, seed);
      expect(await play(once, count(5))).toEqual(await play(again, count(5)));
      counts.add(once.summary.faults.length);
    }
    expect(counts.size).toBeGreaterThan(2);
  });
});

describe('over HTTP', () => {
  const ask = async (faults: string, id: number, meta: object = {}) => {
    const server = await MockHttpServer.listen(mockOf(await recording(), faults), 0);
    closings.unshift(() => server.close());
    return fetch(server.url, {
      method: 'POST',
      headers: { Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `t${id}`, ...meta } }),
    });
  };

  test('status: the request gets an error of the server', async () => {
    const response = await ask('  - { at: 7, do: status, status: 503 }', 2);
    expect([response.status, await response.text()]).toEqual([503, '']);
  });

  test('cut: the connection ends in the middle of a body, and of an event', async () => {
    await expect((await ask('  - { at: 7, do: cut }', 2)).text()).rejects.toThrow(/terminated/);
    const stream = await ask('  - { at: 5, do: cut }', 1, { _meta: { progressToken: 9 } });
    const events = (stream.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream());
    let text = '';
    await expect(
      (async () => {
        for await (const part of events) text += part;
      })(),
    ).rejects.toThrow(/terminated/);
    expect(text).toMatch(/"progress":1.*\n\nevent: message\ndata: \{"jsonrpc"/s);
    expect(text).not.toContain('"progress":2');
  });

  test('duplicate: the response comes twice on a stream', async () => {
    const text = await (await ask('  - { at: 7, do: duplicate }', 2)).text();
    expect(text.match(/answer 2/g)).toHaveLength(2);
  });
});

describe('a file that is wrong names the line', () => {
  test.each([
    ['version: 1\nfaults:\n  - { at: 7, do: melt }', /^Line 3 of faults.yaml: do: wants one of drop, delay/],
    ['version: 1\nfaults:\n  - { at: 7, do: drop }\n  - at: 7\n    do: delay\n', /^Line 4 .*: by: /],
    [
      'version: 1\nfaults:\n  - do: delay\n    at: 7\n    by: soon',
      /^Line 5 .*: by: wants a time such as 200ms/,
    ],
    ['version: 1\nfaults:\n  - do: status\n    at: 7\n    status: 200', /^Line 5 .*: status: /],
    ['version: 1\nfaults:\n  - { do: drop }', /^Line 3 .*: wants at, the number of a message, or method/],
    ['version: 1\nfaults:\n  - { at: 7, do: drop, colour: red }', /^Line 3 .*colour/],
    [
      'version: 1\nfaults:\n\n  - { at: 1, do: drop }',
      /^Line 4 .*: #1 is not a message of the server in calls/,
    ],
    [
      'version: 1\nfaults:\n  - { at: 7, do: hold, until: 99 }',
      /^Line 3 .*: #99 is not a message of the server/,
    ],
    [
      'version: 1\nfaults:\n  - { at: 8, do: hold, until: 4 }',
      /^Line 3 .*: until: wants a message after the one that is held/,
    ],
    ['version: 1\nfaults:\n  - { at: 7, do: drop, file: other }', /^Line 3 .*: file: there is no other/],
    ['version: 2\nfaults: []', /^Line 1 .*: version: /],
    ['version: 1\nfaults: []', /^Line 2 .*: wants at least one fault/],
    ['version: 1\nfaults: [', /^Line 2 /],
    ['', /^Line 1 /],
    ['{"version": 1,\n"faults": [\n{"at": 7, "do": 8}]}', /^Line 3 /],
  ])('%j', async (text, message) => {
    const of = await recording();
    expect(() => readFor(text, of)).toThrow(message);
  });
});
