import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** The process of a session with this server, after it was disconnected. */
async function ended(...scenarios: Parameters<typeof misbehavingServer>) {
  const { id } = await engine.connect(misbehavingServer(...scenarios));
  await engine.call('sessions/close', { sessionId: id });
  const { process } = await engine.settled(id, ['closed']);
  return process;
}

test('a server that listens only needs its input closed', async () => {
  const process = await ended();
  expect(process?.shutdown.map(({ step }) => step)).toEqual(['close-stdin', 'exit']);
  expect(process?.shutdown[0]?.after).toBe(0);
});

test('a server that ignores both is killed; each step has its time', async () => {
  const process = await ended('ignores-sigterm');
  expect(process?.shutdown.map(({ step }) => step)).toEqual(['close-stdin', 'sigterm', 'sigkill', 'exit']);
  const times = process?.shutdown.map(({ after }) => after) ?? [];
  expect(times[1]).toBeGreaterThan(1900);
  expect(times[2]).toBeGreaterThan(3800);
  expect(process?.signal).toBe('SIGKILL');
});

test('one that ends by itself was not shut down', async () => {
  const { id } = await engine.connect(misbehavingServer('exit-after-initialize'));
  const { process } = await engine.settled(id, ['failed', 'closed']);
  expect(process?.shutdown).toEqual([]);
});
