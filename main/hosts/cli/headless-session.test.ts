import { expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { hasEnded, HeadlessSession, Interrupted, NotConnected } from './headless-session.ts';

/** The session of a command that the test can end as the user would. */
async function open(handlers = '') {
  const fixture = await EngineFixture.open({
    namedServer: { kind: 'stdio', ...scriptedServer(handlers), era: 'legacy' },
  });
  onTestFinished(() => fixture.close());
  const user = new AbortController();
  return { session: await HeadlessSession.of(fixture.engine, user.signal), end: () => user.abort() };
}

/** Work that its test brings to an end. */
function unsettled() {
  let settle = (_outcome: Promise<string>): void => undefined;
  const promise = new Promise<string>((resolve) => (settle = resolve));
  return { promise, settle };
}

test('what happens during a look is looked at again', async () => {
  const { session } = await open();
  await session.ready();
  let looks = 0;
  const seen = session.until(async () => {
    if (++looks === 1) await session.request('sessions/close', {});
    return looks > 1 ? looks : null;
  });
  expect(await seen).toBeGreaterThan(1);
  expect(hasEnded(await session.view())).toBe(true);
});

test('waiting ends when the user interrupts, but returns what is known by then', async () => {
  const { session, end } = await open();
  const nothing = session.until(() => Promise.resolve(null));
  end();
  await expect(nothing).rejects.toThrow(Interrupted);
  expect(await session.until(() => Promise.resolve('there'))).toBe('there');
});

test('following ends with null when the time is over or the user asks for it, and with what goes wrong', async () => {
  const { session, end } = await open();
  expect(await session.follow(() => Promise.resolve(null), 1)).toBeNull();
  const wrong = new Error('the look failed');
  await expect(session.follow(() => Promise.reject(wrong), null)).rejects.toBe(wrong);
  const followed = session.follow(() => Promise.resolve(null), null);
  end();
  expect(await followed).toBeNull();
});

test('work that can be interrupted returns its result', async () => {
  const { session, end } = await open();
  const [slow, failing, endless] = [unsettled(), unsettled(), unsettled()];
  const outcomes = [slow, failing].map(({ promise }) => session.interruptible(promise));
  slow.settle(Promise.resolve('done'));
  failing.settle(Promise.reject(new Error('failed')));
  expect(await Promise.allSettled(outcomes)).toEqual([
    { status: 'fulfilled', value: 'done' },
    { status: 'rejected', reason: new Error('failed') },
  ]);
  const waiting = session.interruptible(endless.promise);
  end();
  await expect(waiting).rejects.toThrow(Interrupted);
  // Nobody waits for it any more, and still its failure is not one that nobody has taken.
  endless.settle(Promise.reject(new Error('too late')));
  await new Promise(setImmediate);
});

test('a session that fails in the handshake was never connected, one that ended later was', async () => {
  const early = await open('initialize() { process.exit(3); },');
  await expect(early.session.ready()).rejects.toThrow(NotConnected);
  const { session } = await open();
  await session.ready();
  await session.request('sessions/close', {});
  const later = await session.ready().catch((error: unknown) => error);
  expect(later).toMatchObject({ fault: { code: 'ended' } });
  expect(later).not.toBeInstanceOf(NotConnected);
});
