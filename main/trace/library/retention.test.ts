import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { Retention } from './retention.ts';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;

/** An app with these limits from the start, and traces of 1,000 bytes of these ages in milliseconds. */
async function open(ages: Record<string, number>, retention?: Settings['retention']): Promise<EngineFixture> {
  // Another run sets the limits, so that this one finds them.
  const before = await EngineFixture.open();
  onTestFinished(() => before.close());
  if (retention !== undefined) await before.call('settings/write', { retention });
  await mkdir(join(before.folder, 'traces'), { recursive: true });
  for (const [name, age] of Object.entries(ages)) await writeTrace(before, name, age);
  const fixture = await EngineFixture.open({ dataFolder: before.folder });
  onTestFinished(() => fixture.close());
  return fixture;
}

async function writeTrace({ folder }: EngineFixture, name: string, age: number): Promise<string> {
  return writeOld(join(folder, 'traces', name), age);
}

async function writeOld(path: string, age: number): Promise<string> {
  await writeFile(path, 'x'.repeat(1000));
  const changed = (Date.now() - age) / 1000;
  await utimes(path, changed, changed);
  return path;
}

const names = async ({ folder }: EngineFixture): Promise<string[]> =>
  (await readdir(join(folder, 'traces'))).sort();

/** Waits until these files are left. */
async function left(fixture: EngineFixture, expected: readonly string[]): Promise<void> {
  await expect.poll(() => names(fixture)).toEqual([...expected].sort());
}

/** What is left once everything was done that is to be. */
async function settled(fixture: EngineFixture): Promise<string[]> {
  await fixture.engine.close();
  return names(fixture);
}

const server = scriptedServer('');

test('traces older than the limit in days are deleted at the start', async () => {
  const ages = { 'a.mcptrace': 9 * DAY, 'b.mcptrace': 3 * DAY + HOUR, 'c.mcptrace': 3 * DAY - HOUR };
  const fixture = await open(ages, { days: 3, bytes: null });
  await left(fixture, ['c.mcptrace']);
  expect(await settled(fixture)).toEqual(['c.mcptrace']);
});

test('the oldest traces beyond the limit in bytes are deleted first, and no more than needed', async () => {
  const ages = { 'a.mcptrace': 2 * HOUR, 'b.mcptrace': 4 * HOUR, 'c.mcptrace': HOUR, 'd.mcptrace': 3 * HOUR };
  const fixture = await open(ages, { days: null, bytes: 2500 });
  await left(fixture, ['a.mcptrace', 'c.mcptrace']);
  expect(await settled(fixture)).toEqual(['a.mcptrace', 'c.mcptrace']);
});

test('traces that another app deletes at the same time count as freed space', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-retention-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeOld(join(folder, 'oldest.mcptrace'), 3 * HOUR);
  await writeOld(join(folder, 'older.mcptrace'), 2 * HOUR);
  await writeOld(join(folder, 'newest.mcptrace'), HOUR);
  const retention = new Retention({
    folder,
    limits: () => Promise.resolve({ days: null, bytes: 2500 }),
    // The last that is asked before a file is deleted.
    isInUse: (path) => {
      rmSync(path);
      return false;
    },
    onDeleted: () => undefined,
  });
  await retention.run();
  expect((await readdir(folder)).sort()).toEqual(['newest.mcptrace', 'older.mcptrace']);
});

test('without limits nothing is deleted, however old', async () => {
  const fixture = await open({ 'a.mcptrace': 5000 * DAY });
  expect(await settled(fixture)).toEqual(['a.mcptrace']);
});

test('new limits apply at once, and the deleted traces are reported', async () => {
  const fixture = await open({ 'a.mcptrace': 9 * DAY, 'b.mcptrace': HOUR });
  const reported: string[] = [];
  fixture.engine.onEvent(({ event }) => reported.push(event));
  await fixture.call('settings/write', { retention: { days: 1, bytes: null } });
  await left(fixture, ['b.mcptrace']);
  await expect.poll(() => reported).toContain('traces/changed');
});

test('when settings cannot be read, nothing is deleted', async () => {
  const fixture = await open({ 'a.mcptrace': 9 * DAY }, { days: 1, bytes: null });
  await left(fixture, []);
  await writeFile(join(fixture.folder, 'settings.json'), '{"retention":');
  await writeTrace(fixture, 'b.mcptrace', 9 * DAY);
  const session = await fixture.connect(server);
  await fixture.call('sessions/close', { sessionId: session.id });
  expect(await settled(fixture)).toContain('b.mcptrace');
});

test('limits are kept after a session, whose own trace stays as long as it is held', async () => {
  const fixture = await open({}, { days: null, bytes: 1 });
  const session = await fixture.connect(server);
  await writeTrace(fixture, 'a.mcptrace', HOUR);
  const path = session.traceFile.path;
  const old = (Date.now() - DAY) / 1000;
  await utimes(path, old, old);
  await fixture.call('sessions/close', { sessionId: session.id });
  await expect.poll(() => names(fixture)).not.toContain('a.mcptrace');
  await utimes(path, old, old);
  await fixture.call('settings/write', { retention: { days: 1, bytes: 1 } });
  await settled(fixture);
  expect(await names(fixture)).toHaveLength(1);
  expect(await fixture.rows(session.id)).not.toEqual([]);
});

test('neither what another app may be writing nor what is open goes, nor what is no trace of ours', async () => {
  const fixture = await open({ 'fresh.mcptrace': 60_000, 'notes.txt': 9 * DAY });
  const header = {
    format: 'mcptrace',
    version: 1,
    app: { name: 'sightglass', version: '0' },
    createdAt: '2026-01-01T00:00:00.000Z',
    clock: { at: 0, wall: 0 },
    server: { name: 's', transport: 'stdio', command: 'c', args: [] },
  };
  const traces = join(fixture.folder, 'traces');
  const openPath = join(traces, 'open.mcptrace');
  await writeFile(openPath, `${JSON.stringify(header)}\n`);
  await utimes(openPath, 0, 0);
  const elsewhere = join(fixture.folder, 'elsewhere.mcptrace');
  await writeFile(elsewhere, 'x');
  await utimes(elsewhere, 0, 0);
  await symlink(elsewhere, join(traces, 'link.mcptrace'));
  await writeTrace(fixture, 'old.mcptrace', 2 * DAY);
  const { sessionId } = await fixture.call('traces/open', { path: openPath });
  await fixture.call('settings/write', { retention: { days: 1, bytes: 1 } });
  const others = ['fresh.mcptrace', 'link.mcptrace', 'notes.txt'];
  await left(fixture, [...others, 'open.mcptrace']);
  // Once nobody looks at it any more, it goes.
  await fixture.call('traces/close', { sessionId });
  await fixture.call('settings/write', { retention: { days: 1, bytes: null } });
  await left(fixture, others);
  expect(await readdir(fixture.folder)).toContain('elsewhere.mcptrace');
});
