import { rm, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { FaultError } from '#shared/contract/fault.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A session with a few thousand rows on disk, and its file. */
async function connect() {
  const { id, traceFile } = await engine.connect(misbehavingServer('flood:3000:200'));
  await engine.until(async () => {
    const { rows } = await engine.call('trace/summary', { sessionId: id });
    return rows > 3000 ? true : null;
  });
  return { sessionId: id, path: traceFile.path };
}

/** The fault that asking for rows comes to. */
function faultOfRows(sessionId: string, filterId: string | null) {
  return engine.until(async () => {
    try {
      await engine.call('trace/rows', { sessionId, filterId, from: 0, count: 100 });
      return null;
    } catch (error) {
      if (error instanceof FaultError) return error.fault;
      throw error;
    }
  });
}

test('a trace file that is deleted gives a fault that says what to do, and the engine goes on', async () => {
  const { sessionId, path } = await connect();
  await engine.call('sessions/close', { sessionId });
  await rm(path);
  const { filterId } = await engine.call('trace/filter', { sessionId, text: 'padding' });
  expect(await faultOfRows(sessionId, filterId)).toMatchObject({
    code: 'trace-not-searched',
    next: expect.any(String),
  });
  const notRead = { code: 'trace-not-read', next: expect.any(String), evidence: path };
  expect(await faultOfRows(sessionId, null)).toMatchObject(notRead);
  await expect(engine.call('trace/detail', { sessionId, row: 3 })).rejects.toMatchObject({ fault: notRead });
  await connect();
});

test('a trace file that is emptied under a running filter gives a fault, and the session goes on', async () => {
  const { sessionId, path } = await connect();
  const { filterId } = await engine.call('trace/filter', { sessionId, text: 'padding' });
  await engine.until(async () => ((await engine.rows(sessionId, filterId)).length >= 3000 ? true : null));
  await engine.callTool(sessionId, 'echo');
  await truncate(path, 0);
  const again = await engine.call('trace/filter', { sessionId, text: 'padding' });
  expect((await faultOfRows(sessionId, again.filterId)).code).toBe('trace-not-searched');
  expect((await engine.callTool(sessionId, 'echo')).state).toBe('ok');
});

test('a page that never ends its filters does not keep them all', async () => {
  const { sessionId } = await connect();
  const filters: string[] = [];
  for (let count = 0; count < 30; count++) {
    filters.push((await engine.call('trace/filter', { sessionId, text: `text ${count}` })).filterId);
  }
  expect((await faultOfRows(sessionId, filters[0] ?? '')).code).toBe('no-such-filter');
  await engine.call('trace/rows', { sessionId, filterId: filters.at(-1) ?? '', from: 0, count: 1 });
});
