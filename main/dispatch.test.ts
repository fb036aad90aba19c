import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { heldMebibytes } from '#fixtures/held-memory.ts';
import { outcomeSchema, type EventFrame, events, PayloadOnRead } from '#shared/contract/index.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  plainHttpSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';
import { memorySecrets } from './config/secrets.ts';
import { EventQueue } from './dispatch.ts';

let fixture: EngineFixture;
beforeEach(async () => {
  const secrets = { ...memorySecrets(), get: () => Promise.reject(new TypeError('no key store today')) };
  fixture = await EngineFixture.open({ secrets });
});
afterEach(() => fixture.close());

/** What a command came to, as it crosses to the screen. */
const ask = async (command: string, params: unknown) =>
  outcomeSchema.parse(JSON.parse(JSON.stringify(await fixture.engine.handle(command, params))));

test('a command with the right parameters has a result', async () => {
  expect(await ask('servers/list', {})).toEqual({ ok: true, result: [] });
  // What a newer page sends beside is ignored.
  expect(await ask('servers/list', { extra: 1 })).toEqual({ ok: true, result: [] });
});

test.each(['servers/burn', '', '__proto__', 'constructor', 'toString', 'x'.repeat(100_000)])(
  'a command that is none is a fault: %.20s',
  async (command) => {
    const outcome = await ask(command, {});
    expect(outcome).toMatchObject({
      ok: false,
      fault: { code: 'unknown-command', next: expect.any(String) },
    });
    expect(JSON.stringify(outcome).length).toBeLessThan(1000);
  },
);

test.each([undefined, null, 7, [], {}, { sessionId: 7 }])('parameters %j are refused', async (params) => {
  const outcome = await ask('trace/summary', params);
  expect(outcome).toMatchObject({ ok: false, fault: { code: 'bad-params', why: expect.any(String) } });
});

test.each([
  ['trace/rows', { sessionId: 'a', filterId: null, from: -1, count: 10 }],
  ['trace/rows', { sessionId: 'a', filterId: null, from: 0, count: 1_000_000 }],
  ['trace/bytes', { sessionId: 'a', row: 0, from: 0.5, count: 10 }],
  ['calls/start', { sessionId: 'a', tool: 't', arguments: '{}', timeout: 0 }],
  ['calls/start', { sessionId: 'a', tool: 't', arguments: '{}', timeout: 2 ** 31 }],
])('%s refuses numbers beyond its bounds: %j', async (command, params) => {
  expect(await ask(command, params)).toMatchObject({ ok: false, fault: { code: 'bad-params' } });
});

test('what a part of the engine says of a failure is passed on as it is', async () => {
  expect(await ask('sessions/open', { serverId: 'none' })).toEqual({
    ok: false,
    fault: { code: 'no-such-server', what: 'This server was removed.', next: expect.any(String) },
  });
  expect(await ask('trace/rows', { sessionId: 'none', filterId: null, from: 0, count: 1 })).toMatchObject({
    fault: { code: 'no-such-session' },
  });
});

test('an error nobody expected is told as a bug of ours, with its evidence', async () => {
  const header = { name: 'X-Key', value: 'hunter2222', secret: true };
  const { id } = await fixture.call('servers/save', {
    id: null,
    settings: {
      name: 'guarded',
      transport: { ...plainHttpSettings('http://127.0.0.1:1/mcp'), headers: [header] },
      era: 'auto',
      revision: null,
      timeouts: defaultTimeouts,
      keepAlive: noKeepAlive,
      client: defaultClientProfile,
      notes: '',
    },
  });
  expect(await ask('servers/reveal', { id, name: 'X-Key' })).toMatchObject({
    ok: false,
    fault: {
      code: 'internal',
      what: expect.stringContaining('ran servers/reveal'),
      why: 'no key store today',
      evidence: expect.stringContaining('TypeError'),
    },
  });
});

const sessionSchema = events['sessions/forgotten'];
const delivered: string[] = [];
const reported: unknown[] = [];
const sessionOf = ({ payload }: EventFrame) => sessionSchema.parse(payload).sessionId;
const note = (frame: EventFrame) => void delivered.push(sessionOf(frame));

/** The queue, its events named by the session they are about. */
function queueWith(...listeners: ((frame: EventFrame) => void)[]) {
  const queue = new EventQueue((error, event) => reported.push([event, error]));
  for (const listener of listeners) queue.subscribe(listener);
  return { queue, emit: (sessionId: string) => queue.emit('sessions/forgotten', { sessionId }) };
}

beforeEach(() => {
  delivered.length = 0;
  reported.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => vi.useRealTimers());

test('delivers events at once while no request is waiting', () => {
  const { emit } = queueWith(note);
  emit('one');
  expect(delivered).toEqual(['one']);
});

test('holds events until the response, then delivers them in order', () => {
  const { queue, emit } = queueWith(note);
  queue.hold();
  emit('before');
  emit('after');
  expect(delivered).toEqual([]);
  queue.release();
  emit('last');
  expect(delivered).toEqual(['before', 'after', 'last']);
});

test('holds events for 8 ms at most, however many requests follow', async () => {
  const { queue, emit } = queueWith(note);
  queue.hold();
  emit('one');
  queue.hold();
  await vi.advanceTimersByTimeAsync(8);
  expect(delivered).toEqual(['one']);
});

test('a request soon after a response is held for as long as the first', async () => {
  const { queue, emit } = queueWith(note);
  queue.hold();
  await vi.advanceTimersByTimeAsync(5);
  queue.release();
  queue.hold();
  emit('one');
  await vi.advanceTimersByTimeAsync(7);
  expect(delivered).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(delivered).toEqual(['one']);
});

test('a payload is made once, when the first listener reads it', () => {
  let made = 0;
  const lazy = new PayloadOnRead(() => ({ sessionId: `made ${++made}` }));
  const frames: EventFrame[] = [];
  const { queue } = queueWith((frame) => frames.push(frame));
  queue.emit('sessions/forgotten', lazy);
  expect(made).toBe(0);
  expect(frames.map(({ event, payload }) => [event, payload, payload])).toEqual([
    ['sessions/forgotten', { sessionId: 'made 1' }, { sessionId: 'made 1' }],
  ]);
  expect(made).toBe(1);
});

test('a payload that was made no longer holds what it was made from', async () => {
  const size = 32 * 1024 * 1024;
  const before = heldMebibytes();
  const lazyOf = () => {
    const whole = Buffer.alloc(size);
    return new PayloadOnRead(() => ({ size: whole.length }));
  };
  const lazy = lazyOf();
  expect(heldMebibytes() - before).toBeGreaterThan(30);
  expect(lazy.payload).toEqual({ size });
  await expect.poll(() => heldMebibytes() - before).toBeLessThan(2);
  expect(lazy.payload).toEqual({ size });
});

test('delivers what a listener emits after what it was given, to every listener', () => {
  const { queue, emit } = queueWith((frame) => {
    if (sessionOf(frame) === 'first') emit('second');
  }, note);
  emit('first');
  expect(delivered).toEqual(['first', 'second']);
  queue.release();
});

test('a listener that throws is reported, the others get the event, and the next events are delivered', () => {
  const error = new Error('frame disposed');
  const failing = () => {
    throw error;
  };
  const { queue, emit } = queueWith(failing, note);
  queue.hold();
  emit('held');
  queue.release();
  emit('next');
  expect(delivered).toEqual(['held', 'next']);
  expect(reported).toEqual([
    ['sessions/forgotten', error],
    ['sessions/forgotten', error],
  ]);
});

test('a listener that left gets no more events', () => {
  const { queue, emit } = queueWith(note);
  const leave = queue.subscribe(note);
  leave();
  emit('one');
  expect(delivered).toEqual(['one']);
});
