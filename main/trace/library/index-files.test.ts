import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';
import { WORTH_KEEPING } from '#trace/kept-index/index-file.ts';
import { notifications, traceText, unit } from '#fixtures/trace/trace-text.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { Traces } from '#trace/traces.ts';
import { Retention } from './retention.ts';

const SECRET = 'a-secret-that-nobody-may-see';
/** This many of them make a trace whose index is kept. */
const ENOUGH = 1500;
const LONG = 'x'.repeat(WORTH_KEEPING / ENOUGH);

const longTrace = (): string => {
  const text = (id: number) => ({
    method: 'notifications/message',
    params: { level: 'info', data: LONG, id },
  });
  return traceText(...Array.from({ length: ENOUGH }, (_, place) => unit(place, text(place))));
};

/** The engine, and a trace in its folder whose index is kept. */
async function withKeptTrace(): Promise<{ files: OpenedFiles; folder: string; path: string }> {
  const files = await OpenedFiles.begin();
  onTestFinished(() => files.close());
  const folder = join(files.engine.folder, 'traces');
  await files.engine.call('traces/list', {});
  const path = await files.file(longTrace(), join(folder, 'long.mcptrace'));
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
  await files.read(path);
  await vi.waitFor(async () => expect(await readdir(folder)).toContain('long.mcptrace.index'), 20_000);
  return { files, folder, path };
}

test('an opened trace of the folder leaves an index beside it, which goes with it when it is renamed and deleted', async () => {
  const { files, folder, path } = await withKeptTrace();
  expect((await stat(`${path}.index`)).mode & 0o777).toBe(0o600);
  const listed = await files.engine.call('traces/list', {});
  expect(listed.files.map(({ name }) => name)).toEqual(['long']);
  const renamed = await files.engine.call('traces/rename', { path, name: 'other' });
  expect((await readdir(folder)).sort()).toEqual(['other.mcptrace', 'other.mcptrace.index']);
  await files.engine.call('traces/delete', { path: renamed.path });
  expect(await readdir(folder)).toEqual(['removed']);
});

test('a trace elsewhere has no index beside it', async () => {
  const files = await OpenedFiles.begin();
  onTestFinished(() => files.close());
  const path = await files.file(longTrace());
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
  const { sessionId } = await files.read(path);
  // Closing waits for what its reader does.
  await files.engine.call('traces/close', { sessionId });
  expect((await readdir(files.engine.folder)).filter((name) => name.includes('index'))).toEqual([]);
});

test('records added after the index while the trace is open are read, and filters continue', async () => {
  const { files, path } = await withKeptTrace();
  for (const { sessionId } of await files.engine.call('traces/opened', {})) {
    await files.engine.call('traces/close', { sessionId });
  }
  const { sessionId, counts } = await files.read(path);
  expect(counts.rows).toBe(ENOUGH);
  const { filterId } = await files.engine.call('trace/filter', {
    sessionId,
    text: 'method:*/list',
    view: 'messages',
  });
  const more = traceText(unit(ENOUGH, { id: 1, method: 'tools/list' }, 'out')).split('\n')[1];
  await writeFile(path, `${more}\n`, { flag: 'a' });
  await files.until(sessionId, (view) => view.counts.rows === ENOUGH + 1);
  const page = await files.engine.until(async () => {
    const found = await files.engine.call('trace/rows', { sessionId, filterId, from: 0, count: 10 });
    return found.total > 0 ? found : null;
  });
  expect(page.rows).toMatchObject([{ row: ENOUGH, method: 'tools/list' }]);
});

test.each([
  ['gone', (path: string) => rmSync(path)],
  ['replaced', (path: string) => renameSync(`${path}.other`, path)],
] as const)(
  'what comes behind an index is left when the trace is %s, and all that was read stays',
  async (what, lose) => {
    const { files, path } = await withKeptTrace();
    for (const { sessionId } of await files.engine.call('traces/opened', {})) {
      await files.engine.call('traces/close', { sessionId });
    }
    const { sessionId } = await files.read(path);
    await writeFile(`${path}.other`, traceText(unit(0, { method: 'other' })));
    const more = traceText(unit(ENOUGH, { id: 1, method: 'tools/list' }, 'out')).split('\n')[1];
    // In one go, so that both are met by the same look.
    appendFileSync(path, `${more}\n`);
    lose(path);
    await files.until(sessionId, ({ faults }) => faults.some(({ code }) => code === `trace-${what}`));
    await delay(500);
    const view = await files.until(sessionId, () => true);
    expect(view.faults.map(({ code }) => code)).toEqual([`trace-${what}`]);
    expect(view.counts.rows).toBe(ENOUGH);
    const page = await files.engine.call('trace/rows', { sessionId, filterId: null, from: 0, count: 1 });
    expect(page.rows).toHaveLength(1);
  },
);

test('a session leaves an index when it ends, unless secrets were replaced in its file; it holds none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-ended-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const traces = new Traces(folder, '0', () => {});
  const record = async (name: string, text: string): Promise<string> => {
    const trace = await traces.begin({
      sessionId: name,
      server: { name, transport: 'stdio', command: 'node', args: [] },
      redactor: new Redactor(new Map([['env:KEY', SECRET]])),
      onChange: () => {},
      onCongested: () => {},
    });
    for (let place = 0; place < ENOUGH; place++) {
      const message = JSON.stringify({ jsonrpc: '2.0', method: text, params: { data: LONG } });
      const bytes = Buffer.from(message);
      trace.record({
        kind: 'message-bytes',
        at: place,
        direction: 'in',
        channel: 'stdout',
        unit: place,
        first: true,
        more: false,
        cut: false,
        bytes,
      });
    }
    await trace.close();
    return trace.file.path;
  };
  const plain = await record('plain', 'notifications/message');
  const index = `${plain}.index`;
  expect((await stat(index)).mode & 0o777).toBe(0o600);
  expect(await readFile(index, 'latin1')).toContain('notifications/message');
  const secret = await record('secret', SECRET);
  expect(await readFile(secret, 'latin1')).not.toContain(SECRET);
  const indexes = (await readdir(folder)).filter((name) => name.endsWith('.index'));
  expect(indexes).toEqual([basename(index)]);
});

test('retention counts an index with its trace, deletes both, and clears away indexes of traces that are gone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const then = new Date(Date.now() - 3_600_000);
  const write = async (name: string, bytes: number, at = then) => {
    await writeFile(join(folder, name), 'x'.repeat(bytes));
    await utimes(join(folder, name), at, at);
  };
  await write('old.mcptrace', 100, new Date(then.getTime() - 60_000));
  await write('old.mcptrace.index', 900);
  await write('new.mcptrace', 100);
  await write('new.mcptrace.index', 800);
  await write('gone.mcptrace.index', 10);
  await write('new.mcptrace.index.0123456789ab.draft', 10);
  await write('being-made.mcptrace.index', 10, new Date());
  await write('notes.index', 10);
  const retention = new Retention({
    folder,
    limits: async () => ({ days: null, bytes: 1000 }),
    isInUse: () => false,
    onDeleted: () => {},
  });
  await retention.run();
  await retention.close();
  const left = ['being-made.mcptrace.index', 'new.mcptrace', 'new.mcptrace.index', 'notes.index'];
  expect((await readdir(folder)).sort()).toEqual(left);
});

test('traces of few records are not worth an index', async () => {
  const files = await OpenedFiles.begin();
  onTestFinished(() => files.close());
  const folder = join(files.engine.folder, 'traces');
  await files.engine.call('traces/list', {});
  const path = await files.file(traceText(...notifications(0, 10)), join(folder, 'short.mcptrace'));
  const { sessionId } = await files.read(path);
  await files.engine.call('traces/close', { sessionId });
  expect(await readdir(folder)).toEqual(['short.mcptrace']);
});
