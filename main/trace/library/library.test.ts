import { lstat, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import type { TraceHeader } from '#shared/trace/record.ts';

const header: TraceHeader = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  clock: { at: 0, wall: 0 },
  server: { name: 'somebody', transport: 'stdio', command: 'c', args: [] },
};

const unit = (seq: number, text: string) => ({
  seq,
  at: seq,
  kind: 'unit',
  direction: seq % 2 === 0 ? 'out' : 'in',
  channel: seq % 2 === 0 ? 'stdin' : 'stdout',
  text,
  size: text.length,
});
/** A call that was answered by an error. */
const records = [
  unit(0, '{"jsonrpc":"2.0","id":1,"method":"a"}'),
  unit(1, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'),
];
const closed = { seq: 2, at: 2, kind: 'phase', phase: 'closed' };

const textOf = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function open(): Promise<{
  fixture: EngineFixture;
  folder: string;
  list: () => Promise<TraceFileView[]>;
}> {
  const fixture = await EngineFixture.open();
  onTestFinished(() => fixture.close());
  const folder = join(fixture.folder, 'traces');
  await mkdir(folder, { recursive: true });
  return { fixture, folder, list: async () => (await fixture.call('traces/list', {})).files };
}

/** Writes a trace that nobody changed for an hour. */
async function writeTrace(path: string, text: string, changed = Date.now() - 3_600_000): Promise<string> {
  await writeFile(path, text);
  await utimes(path, changed / 1000, changed / 1000);
  return path;
}

const codeOf = (error: unknown) => (error instanceof FaultError ? error.fault.code : error);
const server = scriptedServer('');

test('a trace is listed with the session that writes it and its counts, which stay when the session ends', async () => {
  const { fixture, list } = await open();
  const session = await fixture.connect(server);
  const [live, ...others] = await list();
  expect(others).toEqual([]);
  expect(live).toMatchObject({
    path: session.traceFile.path,
    server: 'under test',
    transport: 'stdio',
    sessionId: session.id,
    rows: (await fixture.rows(session.id)).length,
    fault: null,
  });
  await fixture.call('sessions/close', { sessionId: session.id });
  const { counts } = await fixture.session(session.id);
  const ended = await fixture.until(async () => {
    const [file] = await list();
    return file?.rows === counts.rows ? file : null;
  });
  expect(ended).toMatchObject({ sessionId: null, errors: counts.errors, size: counts.traceBytes });
  await fixture.engine.close();
  // Another run knows them without counting.
  const later = await EngineFixture.open({ dataFolder: fixture.folder });
  onTestFinished(() => later.close());
  const [remembered] = (await later.call('traces/list', {})).files;
  expect(remembered).toMatchObject({ rows: counts.rows, errors: counts.errors, sessionId: null });
});

test('files of other runs are counted in the background, the newest stand first', async () => {
  const { fixture, folder, list } = await open();
  await writeTrace(join(folder, 'old.mcptrace'), textOf([header, ...records]));
  const newer = { ...header, createdAt: '2026-02-01T00:00:00.000Z', excerpt: { rows: 4, of: 9 } };
  await writeTrace(join(folder, 'new.mcptrace'), textOf([newer, ...records, ...records, 'torn' as never]));
  await writeFile(join(folder, 'notes.txt'), 'no trace');
  expect(await list()).toMatchObject([
    { name: 'new', createdAt: Date.parse(newer.createdAt), server: 'somebody', isExcerpt: true },
    { name: 'old', rows: null, errors: null, isExcerpt: false },
  ]);
  await fixture.until(async () => ((await list()).every(({ rows }) => rows !== null) ? true : null));
  expect(await list()).toMatchObject([
    { name: 'new', rows: 4, errors: 2 },
    { name: 'old', rows: 2, errors: 1 },
  ]);
});

test.each([
  ['empty', '', 'no-trace'],
  ['foreign', 'hello\nworld\n', 'no-trace'],
  ['of another format', '{"format":"har"}\n', 'no-trace'],
  ['newer', `${JSON.stringify({ ...header, version: 2 })}\n`, 'trace-too-new'],
  ['damaged', `${JSON.stringify({ ...header, server: null })}\n`, 'trace-header-damaged'],
  ['one endless line', 'x'.repeat(1_100_000), 'no-trace'],
  ['torn in its header', JSON.stringify(header).slice(0, -9), 'trace-header-damaged'],
])('a file that is %s is listed with why it cannot be opened', async (_what, text, code) => {
  const { folder, list } = await open();
  await writeTrace(join(folder, 'a.mcptrace'), text);
  const [file] = await list();
  expect(file).toMatchObject({
    size: text.length,
    server: null,
    transport: null,
    rows: null,
    fault: { code },
  });
});

test('a header of nearly a megabyte is read', async () => {
  const { folder, list } = await open();
  const long = { ...header, server: { ...header.server, name: 'x'.repeat(1_000_000) } };
  await writeTrace(join(folder, 'a.mcptrace'), textOf([long]));
  expect(await list()).toMatchObject([{ fault: null, server: long.server.name }]);
});

test('changes of another process in the folder are reported', async () => {
  const { fixture, folder, list } = await open();
  expect(await list()).toEqual([]);
  const path = await writeTrace(join(folder, 'a.mcptrace'), textOf([header]));
  await fixture.until(async () => ((await list()).length === 1 ? true : null));
  await rename(path, join(folder, 'b.mcptrace'));
  await fixture.until(async () => ((await list())[0]?.name === 'b' ? true : null));
});

test('a file is given another name, which is made fit for a file', async () => {
  const { fixture, folder, list } = await open();
  const path = await writeTrace(join(folder, 'a.mcptrace'), textOf([header]));
  const renamed = await fixture.call('traces/rename', { path, name: ' ../b: 1\u202e?.mcptrace ' });
  expect(renamed).toMatchObject({ name: 'b- 1-', path: join(folder, 'b- 1-.mcptrace') });
  expect(await list()).toMatchObject([{ name: 'b- 1-' }]);
  expect(await readdir(folder)).toEqual(['b- 1-.mcptrace']);
});

test.each(['..', '.mcptrace', ' . '])('%j is no name of a file', async (name) => {
  const { fixture, folder } = await open();
  const path = await writeTrace(join(folder, 'a.mcptrace'), textOf([header]));
  expect(await fixture.call('traces/rename', { path, name }).catch(codeOf)).toBe('bad-name');
  expect(await readdir(folder)).toEqual(['a.mcptrace']);
});

test('another file is never replaced by a new name', async () => {
  const { fixture, folder } = await open();
  const path = await writeTrace(join(folder, 'a.mcptrace'), textOf([header]));
  const other = await writeTrace(join(folder, 'b.mcptrace'), 'precious');
  expect(await fixture.call('traces/rename', { path, name: 'b' }).catch(codeOf)).toBe('name-taken');
  expect(await readFile(other, 'utf8')).toBe('precious');
  expect(await readFile(path, 'utf8')).toBe(textOf([header]));
});

test('the rows of an ended session are read where its file went', async () => {
  const { fixture, folder } = await open();
  const { id, traceFile } = await fixture.connect(server);
  const { path } = traceFile;
  expect(await fixture.call('traces/rename', { path, name: 'b' }).catch(codeOf)).toBe('trace-in-use');
  expect(await fixture.call('traces/delete', { path }).catch(codeOf)).toBe('trace-in-use');
  await fixture.call('sessions/close', { sessionId: id });
  const rows = await fixture.rows(id);
  const renamed = await fixture.call('traces/rename', { path, name: 'b' });
  expect(await fixture.rows(id)).toEqual(rows);
  expect((await fixture.session(id)).traceFile.path).toBe(join(folder, 'b.mcptrace'));
  expect(renamed).toMatchObject({ rows: rows.length });
});

test('a file that is deleted is gone, and so is the ended session that wrote it', async () => {
  const { fixture, folder } = await open();
  const { id, traceFile } = await fixture.connect(server);
  await fixture.call('sessions/close', { sessionId: id });
  await fixture.call('traces/delete', { path: traceFile.path });
  expect(await readdir(folder)).toEqual(['removed']);
  expect(await fixture.call('sessions/list', {})).toEqual([]);
  const again = fixture.call('traces/delete', { path: traceFile.path });
  expect(await again.catch(codeOf)).toBe('no-such-trace');
});

test('nothing outside the folder is deleted or renamed, by whatever path or link', async () => {
  const { fixture, folder } = await open();
  const outside = await writeTrace(join(fixture.folder, 'a.mcptrace'), 'precious');
  await symlink(outside, join(folder, 'link.mcptrace'));
  await mkdir(join(folder, 'inner.mcptrace'));
  await writeTrace(join(folder, 'inner.mcptrace', 'b.mcptrace'), 'precious');
  await writeTrace(join(folder, 'notes.txt'), 'precious');
  const before = await readdir(fixture.folder, { recursive: true });
  const paths = [
    outside,
    join(folder, '..', 'a.mcptrace'),
    `${folder}/../a.mcptrace`,
    join(folder, 'link.mcptrace'),
    join(folder, 'inner.mcptrace'),
    join(folder, 'inner.mcptrace', 'b.mcptrace'),
    join(folder, 'notes.txt'),
    folder,
    `${folder}/\0.mcptrace`,
    'a.mcptrace',
    '',
  ];
  for (const path of paths) {
    expect(await fixture.call('traces/delete', { path }).catch(codeOf)).toBe('not-our-trace');
    expect(await fixture.call('traces/rename', { path, name: 'x' }).catch(codeOf)).toBe('not-our-trace');
  }
  expect(await readdir(fixture.folder, { recursive: true })).toEqual(before);
  expect((await lstat(join(folder, 'link.mcptrace'))).isSymbolicLink()).toBe(true);
});

test('a file that another app seems to write is neither deleted nor renamed until its session has ended', async () => {
  const { fixture, folder } = await open();
  const path = await writeTrace(join(folder, 'a.mcptrace'), textOf([header, ...records]), Date.now());
  expect(await fixture.call('traces/delete', { path }).catch(codeOf)).toBe('trace-in-use');
  expect(await fixture.call('traces/rename', { path, name: 'b' }).catch(codeOf)).toBe('trace-in-use');
  const mark = { seq: 3, at: 3, kind: 'mark', of: 0, note: '' };
  await writeTrace(path, textOf([header, ...records, closed, mark]), Date.now());
  await fixture.call('traces/delete', { path });
  expect(await readdir(folder)).toEqual(['removed']);
});

test('without a folder of traces there is nothing to list, and counts that are damaged are made again', async () => {
  const fixture = await EngineFixture.open();
  onTestFinished(() => fixture.close());
  await writeFile(join(fixture.folder, 'trace-counts.json'), '{"version":');
  const { folder, files } = await fixture.call('traces/list', {});
  expect({ folder, files }).toEqual({ folder: join(fixture.folder, 'traces'), files: [] });
  await writeTrace(join(folder, 'a.mcptrace'), textOf([header, ...records]));
  await fixture.until(async () =>
    (await fixture.call('traces/list', {})).files[0]?.rows === 2 ? true : null,
  );
});
