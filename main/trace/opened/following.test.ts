import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, rename, rm, truncate, utimes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { notifications, traceText, unit } from '#fixtures/trace/trace-text.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';

let files: OpenedFiles;
beforeAll(async () => {
  files = await OpenedFiles.begin();
});
afterAll(() => files.close());

const writer = fileURLToPath(new URL('../../../fixtures/trace/trace-writer.ts', import.meta.url));

/** Begins another process that records a session. */
async function record(path: string): Promise<ChildProcess> {
  const child = fork(writer, [path]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function write(child: ChildProcess, what: number | 'end'): Promise<void> {
  child.send(what);
  await once(child, 'message');
}

const hasRows =
  (rows: number) =>
  ({ counts }: OpenedTrace): boolean =>
    counts.rows === rows;

test('records of another process appear as they are written, until its session ends', async () => {
  const path = files.path();
  const child = await record(path);
  await write(child, 1);
  const { sessionId } = await files.read(path);
  expect(await files.until(sessionId, hasRows(2))).toMatchObject({ isGrowing: true, faults: [] });
  const filter = await files.engine.call('trace/filter', {
    sessionId,
    text: 'kind:notification',
    view: 'messages',
  });
  for (const number of [2, 3, 4]) await write(child, number);
  await files.until(sessionId, hasRows(5));
  const found = await files.engine.until(async () => {
    const page = await files.engine.rows(sessionId, filter.filterId);
    return page.length === 4 ? page : null;
  });
  expect(found.map(({ summary }) => summary)).toEqual([1, 2, 3, 4].map((number) => `info · ${number}`));
  await write(child, 'end');
  await files.until(
    sessionId,
    ({ counts, isGrowing, isChecked }) => counts.rows === 6 && !isGrowing && isChecked,
  );
});

test('findings in later records are reported too', async () => {
  const path = await files.file(traceText());
  const { sessionId } = await files.read(path);
  await appendFile(path, `${JSON.stringify(unit(0, { result: {}, id: 'nobody asked' }))}\n`);
  await files.until(sessionId, ({ findings, isChecked }) => findings.error === 1 && isChecked);
  const { findings } = await files.engine.call('checks/findings', { sessionId, from: 0, count: 10 });
  expect(findings).toMatchObject([{ rule: 'jsonrpc/unknown-response-id', rows: [0] }]);
});

test('a last line that is still being written is not a fault, and becomes a row when it is complete', async () => {
  const path = await files.file(traceText(...notifications(0, 1)));
  const { sessionId } = await files.read(path);
  const line = `${JSON.stringify(notifications(1, 1)[0])}\n`;
  await appendFile(path, line.slice(0, 40));
  expect(await files.until(sessionId, ({ read, size }) => size > 0 && read === size)).toMatchObject({
    counts: { rows: 1 },
  });
  await appendFile(path, line.slice(40, -1));
  await files.until(sessionId, hasRows(2));
  // The newline alone adds nothing, and what follows it is a line of its own.
  await appendFile(path, `\n${JSON.stringify(notifications(2, 1)[0])}\n`);
  expect(await files.until(sessionId, hasRows(3))).toMatchObject({ faults: [] });
});

test('a line that stays torn becomes a fault, and stops being one when it is completed', async () => {
  const path = await files.file(`${traceText(...notifications(0, 1))}{"seq":1,`);
  const then = new Date(Date.now() - 60_000);
  const { sessionId } = await files.read(path);
  await utimes(path, then, then);
  await files.until(sessionId, ({ faults }) => faults[0]?.code === 'trace-torn');
  await appendFile(path, `"at":1,"kind":"stderr","text":"x","size":1}\n`);
  expect(await files.until(sessionId, hasRows(2))).toMatchObject({ faults: [] });
});

test('a file that another takes the place of is still the earlier one; opened again, it is the new one', async () => {
  const path = await files.file(traceText(...notifications(0, 2)));
  const { sessionId } = await files.read(path);
  await rename(await files.file(traceText(...notifications(7, 1))), path);
  await files.until(sessionId, ({ faults }) => faults[0]?.code === 'trace-replaced');
  expect(await files.engine.rows(sessionId)).toHaveLength(2);
  const again = await files.read(path);
  expect(again.sessionId).not.toBe(sessionId);
  expect(again).toMatchObject({ counts: { rows: 1 }, faults: [] });
});

test.skipIf(process.platform === 'win32')(
  'a file that is deleted stays readable while it is open',
  async () => {
    const path = await files.file(traceText(...notifications(0, 2)));
    const { sessionId } = await files.read(path);
    await rm(path);
    await files.until(sessionId, ({ faults }) => faults[0]?.code === 'trace-gone');
    expect(await files.engine.rows(sessionId)).toHaveLength(2);
  },
);

test('a file that becomes shorter is reported, and so are its missing lines', async () => {
  const path = await files.file(traceText(...notifications(0, 50)));
  const { sessionId } = await files.read(path);
  await truncate(path, traceText(...notifications(0, 3)).length);
  await files.until(sessionId, ({ faults }) => faults[0]?.code === 'trace-truncated');
  expect(
    (await files.engine.call('trace/rows-by-number', { sessionId, rows: [0, 1, 2] })).map(({ row }) => row),
  ).toEqual([0, 1, 2]);
  await expect(files.engine.call('trace/rows-by-number', { sessionId, rows: [40] })).rejects.toMatchObject({
    fault: { code: 'trace-truncated' },
  });
});
