import { expect, onTestFinished, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { EventFrame } from '#shared/contract/index.ts';
import { UsageError } from './exit.ts';
import { callOf, followCall, callOptionsSchema, readCallParams } from './follow-call.ts';
import { HeadlessSession, Interrupted } from './headless-session.ts';

/** A session with a server that answers calls of `echo` alone, and how many listeners its engine has. */
async function open() {
  const echo = `'tools/call'(request) { if (request.params.name === 'echo') answer(request, { content: [] }); },`;
  const fixture = await EngineFixture.open({
    namedServer: { kind: 'stdio', ...scriptedServer(echo), era: 'legacy' },
  });
  onTestFinished(() => fixture.close());
  const listeners = new Set<(frame: EventFrame) => void>();
  const engine = {
    ...fixture.engine,
    onEvent(listener: (frame: EventFrame) => void) {
      const leave = fixture.engine.onEvent(listener);
      listeners.add(listener);
      return () => {
        leave();
        listeners.delete(listener);
      };
    },
  };
  const user = new AbortController();
  const session = await HeadlessSession.of(engine, user.signal);
  await session.ready();
  return { session, listeners, end: () => user.abort() };
}

const call = (session: HeadlessSession, tool: string) => () =>
  session.request('calls/start', { tool, arguments: '{}', timeout: null });

test('nothing listens any more once a call has ended, or could not even begin', async () => {
  const { session, listeners } = await open();
  const before = listeners.size;
  const ended = await followCall(session, call(session, 'echo'), { showsProgress: true });
  expect(ended.state).toBe('ok');
  const failed = followCall(session, () => Promise.reject(new Error('no')), { showsProgress: true });
  await expect(failed).rejects.toThrow('no');
  expect(listeners.size).toBe(before);
});

test('what is to be done on news is done once more at the end', async () => {
  const { session } = await open();
  const onNews = vi.fn<(call: { state: string }) => Promise<void>>(() => Promise.resolve());
  await followCall(session, call(session, 'echo'), { showsProgress: false, onNews });
  const states = onNews.mock.calls.map(([{ state }]) => state);
  expect(states.at(-1)).toBe('ok');
  expect(states.filter((state) => state !== 'running')).toHaveLength(1);
});

test('a user who asks to end has the call cancelled', async () => {
  const { session, end } = await open();
  let id = '';
  const followed = followCall(session, call(session, 'hang'), {
    showsProgress: false,
    onNews: async (news) => {
      ({ id } = news);
      end();
    },
  });
  await expect(followed).rejects.toThrow(Interrupted);
  expect(await callOf(session, id)).toMatchObject({ state: 'cancelled' });
});

const callParams = (options: object) => readCallParams(callOptionsSchema.parse(options));

test('a call without options has only a null timeout', () => {
  expect(callParams({})).toEqual({ timeout: null });
});

test.each([
  [true, null],
  ['500ms', 500],
  ['2m', 120_000],
])('--task %j asks for a task', (task, ttl) => {
  expect(callParams({ task })).toEqual({ timeout: null, task: { ttl } });
});

test('--meta is as it was typed', () => {
  expect(callParams({ meta: '{"n": 1.0}' })).toEqual({ timeout: null, meta: '{"n": 1.0}' });
});

test.each([
  [{ task: 'long-job' }, 'put --task behind all arguments'],
  [{ task: 'soon' }, 'put --task behind all arguments'],
  [{ task: '0s' }, '--task'],
  [{ meta: '1' }, '--meta wants a JSON object'],
])('%j is a mistake', (options, why) => {
  expect(() => callParams(options)).toThrow(UsageError);
  expect(() => callParams(options)).toThrow(why);
});
