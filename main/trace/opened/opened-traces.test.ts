import { symlink } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { EventFrame } from '#shared/contract/index.ts';
import { OpenedTraces } from './opened-traces.ts';
import { notifications, traceText } from '#fixtures/trace/trace-text.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';

let files: OpenedFiles;
beforeAll(async () => {
  files = await OpenedFiles.begin();
});
afterAll(() => files.close());

/** Events of one kind from here on. */
function events(name: string): unknown[] {
  const reported: unknown[] = [];
  onTestFinished(
    files.engine.engine.onEvent(
      ({ event, payload }: EventFrame) => void (event === name && reported.push(payload)),
    ),
  );
  return reported;
}

test('two traces are open at once, each with its rows; a third opening comes back to the first', async () => {
  const [one, other] = [
    await files.file(traceText(...notifications(0, 1))),
    await files.file(traceText(...notifications(5, 2))),
  ];
  const first = await files.read(one);
  const second = await files.read(other);
  expect(await files.engine.rows(first.sessionId)).toMatchObject([{ summary: 'info · 0' }]);
  expect(await files.engine.rows(second.sessionId)).toMatchObject([
    { summary: 'info · 5' },
    { summary: 'info · 6' },
  ]);
  const link = files.path();
  await symlink(one, link);
  const [again, linked] = await Promise.all([files.open(one), files.open(link)]);
  expect([again.sessionId, linked.sessionId]).toEqual([first.sessionId, first.sessionId]);
});

test('opened twice at the same time, a file is one trace', async () => {
  const path = await files.file(traceText());
  const [one, other] = await Promise.all([files.open(path), files.open(path)]);
  expect(one.sessionId).toBe(other.sessionId);
});

test('progress and new rows are reported while a file is read', async () => {
  const grew = events('trace/grew');
  const reported = events('traces/opened-changed');
  const { sessionId, size } = await files.readText(traceText(...notifications(0, 30_000)));
  const own = reported.filter((one) => (one as { sessionId: string }).sessionId === sessionId);
  expect(own[0]).toMatchObject({
    isRead: false,
    isChecked: false,
    counts: { rows: 0 },
    name: expect.stringMatching(/^file/),
  });
  expect(own.at(-1)).toMatchObject({ isRead: true, isChecked: true, read: size, counts: { rows: 30_000 } });
  expect(grew.at(-1)).toMatchObject({ sessionId, rows: 30_000 });
});

test('commands fail once it is closed, those too that wait for their answer', async () => {
  const path = await files.file(traceText(...notifications(0, 20_000)));
  const { sessionId } = await files.open(path);
  const closed = events('traces/closed');
  const gone = { fault: { code: 'no-such-session' } };
  await Promise.all([
    expect(files.engine.call('trace/statistics', { sessionId, rows: { of: 'all' } })).rejects.toMatchObject(
      gone,
    ),
    files.engine.call('traces/close', { sessionId }),
  ]);
  expect(closed).toEqual([{ sessionId }]);
  await expect(files.engine.call('trace/summary', { sessionId })).rejects.toMatchObject(gone);
  await expect(files.engine.call('traces/close', { sessionId })).rejects.toMatchObject(gone);
  expect((await files.open(path)).sessionId).not.toBe(sessionId);
});

test('a session of this run and its file are shown beside each other, with the same rows and findings', async () => {
  const { id } = await files.engine.connect(
    scriptedServer(
      `'notifications/initialized'() { write({ method: 'notifications/nonsense', params: [] }); },`,
    ),
  );
  await files.engine.row(id, ({ method }) => method === 'notifications/nonsense');
  await files.engine.call('sessions/close', { sessionId: id });
  const { traceFile } = await files.engine.session(id);
  const opened = await files.read(traceFile.path);
  expect(await files.engine.rows(opened.sessionId)).toEqual(await files.engine.rows(id));
  const page = { from: 0, count: 100 };
  const live = await files.engine.call('checks/findings', { sessionId: id, ...page });
  expect(live.total).toBeGreaterThan(0);
  expect(await files.engine.call('checks/findings', { sessionId: opened.sessionId, ...page })).toEqual(live);
});

test('an error of a command comes as the fault that it is', async () => {
  const { sessionId } = await files.readText(traceText());
  await expect(files.engine.call('trace/detail', { sessionId, row: 3 })).rejects.toMatchObject({
    fault: { code: 'no-such-row' },
  });
});

test('a crashed reader is reported for its trace, and opening the file again starts over', async () => {
  const reported: EventFrame[] = [];
  const view = {
    sessionId: 'file-1',
    path: '/a',
    name: 'a',
    header: JSON.parse(traceText()) as unknown,
    size: 1,
    read: 1,
    isRead: true,
    unfinished: 0,
    isGrowing: false,
    isChecked: true,
    counts: { rows: 0, messages: 0, errors: 0, invalid: 0 },
    findings: { error: 0, warning: 0, info: 0 },
    medianDuration: null,
    faults: [],
  };
  const breaking = `
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage({ tell: 'opened', opened: ${JSON.stringify(view)} });
    parentPort.on('message', ({ tell }) => {
      if (tell === 'command') throw new Error('out of order');
      parentPort.close();
    });`;
  const reader = new URL(`data:text/javascript,${encodeURIComponent(breaking)}`);
  const traces = new OpenedTraces((event, payload) => void reported.push({ event, payload }), null, reader);
  onTestFinished(() => traces.closeAll());
  const path = await files.file(traceText());
  const { sessionId } = await traces.open(path);
  const broken = { code: 'trace-reader-failed', why: 'out of order' };
  const asked = traces.handlersOf(sessionId)?.['trace/marks']({ sessionId });
  await expect(asked).rejects.toMatchObject({ fault: broken });
  expect(reported.at(-1)).toMatchObject({ event: 'traces/opened-changed', payload: { faults: [broken] } });
  const again = await traces.open(path);
  expect(again.sessionId).toBe('file-1');
  expect(traces.list()).toHaveLength(2);
});

test('a file requested while all traces close is not opened', async () => {
  const traces = new OpenedTraces(() => undefined);
  const path = await files.file(traceText());
  const opening = traces.open(path);
  await traces.closeAll();
  await expect(opening).rejects.toMatchObject({ fault: { code: 'closing' } });
  expect(traces.list()).toEqual([]);
});
