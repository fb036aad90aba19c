import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, utimes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { traceRecordSchema } from '#shared/trace/record.ts';
import { notifications, traceText, unit } from '#fixtures/trace/trace-text.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';

let files: OpenedFiles;
beforeAll(async () => {
  files = await OpenedFiles.begin();
});
afterAll(() => files.close());

const mark = (sessionId: string, row: number, note: string | null) =>
  files.engine.call('trace/mark', { sessionId, row, note });
const marks = (sessionId: string) => files.engine.call('trace/marks', { sessionId });

async function reopened(path: string, sessionId: string) {
  await files.engine.call('traces/close', { sessionId });
  return files.read(path);
}

test('marks are kept in the file, behind what was there, and are there when it is opened again', async () => {
  const batch = `[${[1, 2].map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })).join()}]`;
  const before = traceText(...notifications(0, 2), { ...unit(2, {}), text: batch, size: batch.length });
  const path = await files.file(before);
  const { sessionId } = await files.read(path);
  await mark(sessionId, 0, '');
  await mark(sessionId, 1, 'gone again');
  await mark(sessionId, 3, 'the second of the batch');
  await mark(sessionId, 1, null);
  const expected = [
    { row: 0, note: '' },
    { row: 3, note: 'the second of the batch' },
  ];
  expect(await marks(sessionId)).toEqual(expected);
  const [row] = await files.engine.call('trace/rows-by-number', { sessionId, rows: [3] });
  expect(row?.mark).toBe('the second of the batch');

  const again = await reopened(path, sessionId);
  expect(await marks(again.sessionId)).toEqual(expected);
  expect(again).toMatchObject({ counts: { rows: 4 }, faults: [] });
  const text = await readFile(path, 'utf8');
  expect(text.startsWith(before)).toBe(true);
  const added = text.slice(before.length).trimEnd().split('\n');
  expect(added.map((line) => traceRecordSchema.parse(JSON.parse(line)).seq)).toEqual([3, 4, 5, 6]);
});

test('a mark behind a torn line leaves every byte of it', async () => {
  const torn = `${traceText(...notifications(0, 1))}{"seq":1,"at":`;
  const path = await files.file(torn);
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
  const { sessionId } = await files.read(path);
  await mark(sessionId, 0, 'here');
  expect((await readFile(path, 'utf8')).startsWith(`${torn}\n{`)).toBe(true);
  const again = await reopened(path, sessionId);
  expect(await marks(again.sessionId)).toEqual([{ row: 0, note: 'here' }]);
  expect(again.faults).toMatchObject([
    { code: 'trace-damaged', evidence: expect.stringContaining('line 3') },
  ]);
});

test('a mark behind a last line without its newline is a line of its own', async () => {
  const path = await files.file(traceText(...notifications(0, 1)).trimEnd());
  const { sessionId } = await files.read(path);
  await mark(sessionId, 0, 'one');
  await mark(sessionId, 0, 'two');
  const again = await reopened(path, sessionId);
  expect(again.faults).toEqual([]);
  expect(await marks(again.sessionId)).toEqual([{ row: 0, note: 'two' }]);
});

test('a trace that its session still writes is not marked, and can be once that has ended', async () => {
  const path = files.path();
  const child = fork(fileURLToPath(new URL('../../../fixtures/trace/trace-writer.ts', import.meta.url)), [
    path,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const { sessionId } = await files.read(path);
  const before = await readFile(path);
  await expect(mark(sessionId, 0, 'no')).rejects.toMatchObject({
    fault: { code: 'trace-in-use', next: expect.stringContaining('wait') },
  });
  expect(await readFile(path)).toEqual(before);
  child.send('end');
  await once(child, 'message');
  await mark(sessionId, 0, 'yes');
  expect(await marks(sessionId)).toEqual([{ row: 0, note: 'yes' }]);
});

test.skipIf(process.getuid?.() === 0)('a trace that may only be read is not marked', async () => {
  const path = await files.file(traceText(...notifications(0, 1)));
  await chmod(path, 0o400);
  const { sessionId } = await files.read(path);
  await expect(mark(sessionId, 0, 'no')).rejects.toMatchObject({ fault: { code: 'trace-read-only' } });
});

test('there is no mark on what is no row', async () => {
  const { sessionId } = await files.readText(traceText(...notifications(0, 1)));
  await expect(mark(sessionId, 1, 'no')).rejects.toMatchObject({ fault: { code: 'no-such-row' } });
});
