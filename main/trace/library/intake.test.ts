import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';
import { Intake } from './intake.ts';

async function open(): Promise<{ fixture: EngineFixture; folder: string }> {
  const fixture = await EngineFixture.open();
  onTestFinished(() => fixture.close());
  return { fixture, folder: join(fixture.folder, 'traces') };
}

const codeOf = (error: unknown) => (error instanceof FaultError ? error.fault.code : error);

/** Sends bytes as a page does. */
async function send(fixture: EngineFixture, name: string, bytes: Buffer): Promise<string | null> {
  let transferId: string | null = null;
  for (let from = 0; ; from += MAX_RECEIVED_BYTES) {
    const piece = bytes.subarray(from, from + MAX_RECEIVED_BYTES);
    const isLast = from + MAX_RECEIVED_BYTES >= bytes.length;
    const taken: Result<'traces/receive'> = await fixture.call('traces/receive', {
      transferId,
      name,
      base64: piece.toString('base64'),
      isLast,
    });
    transferId = taken.transferId;
    if (isLast) return taken.path;
    expect(taken.path).toBe(null);
  }
}

test('a file that comes in pieces is kept as it was, for its owner alone', async () => {
  const { fixture, folder } = await open();
  const bytes = randomBytes(3 * MAX_RECEIVED_BYTES + 17);
  const path = await send(fixture, 'dropped.mcptrace', bytes);
  expect(path).toBe(join(folder, 'dropped.mcptrace'));
  expect((await readFile(path!)).equals(bytes)).toBe(true);
  expect((await stat(path!)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['dropped.mcptrace']);
});

test('an empty file is a file', async () => {
  const { fixture } = await open();
  const path = await send(fixture, 'empty.mcptrace', Buffer.alloc(0));
  expect(await readFile(path!)).toHaveLength(0);
});

test.each([
  ['../../outside.mcptrace', 'outside.mcptrace'],
  ['C:\\traces\\a.MCPTRACE', 'C-traces-a.mcptrace'],
  ['.mcptrace', 'trace.mcptrace'],
  ['con.mcptrace', '_con.mcptrace'],
  ['日本 😀', '日本 😀.mcptrace'],
  ['x'.repeat(500), `${'x'.repeat(200)}.mcptrace`],
])('a file called %j stands in the folder as %j', async (name, kept) => {
  const { fixture, folder } = await open();
  const path = await send(fixture, name, Buffer.from('x'));
  expect(path).toBe(join(folder, kept));
});

test('a name that is taken gets a number, and what is there stays', async () => {
  const { fixture, folder } = await open();
  await send(fixture, 'a', Buffer.from('first'));
  await send(fixture, 'a.mcptrace', Buffer.from('second'));
  expect(await readdir(folder)).toEqual(['a-2.mcptrace', 'a.mcptrace']);
  expect(await readFile(join(folder, 'a.mcptrace'), 'utf8')).toBe('first');
});

test('a file that was just received can be deleted at once', async () => {
  const { fixture, folder } = await open();
  const path = await send(fixture, 'a', Buffer.from('x'));
  await fixture.call('traces/delete', { path: path! });
  expect(await readdir(folder)).toEqual(['removed']);
});

test('several files come at the same time', async () => {
  const { fixture } = await open();
  const all = [1, 2, 3].map(() => randomBytes(2 * MAX_RECEIVED_BYTES));
  const paths = await Promise.all(all.map((bytes) => send(fixture, 'same', bytes)));
  expect(new Set(paths).size).toBe(3);
  for (const [place, path] of paths.entries()) expect((await readFile(path!)).equals(all[place]!)).toBe(true);
});

test('a piece that is too large, or of no transfer, is refused and leaves nothing', async () => {
  const { fixture, folder } = await open();
  const large = Buffer.alloc(MAX_RECEIVED_BYTES + 1).toString('base64');
  const piece = { transferId: null, name: 'a', base64: large, isLast: false };
  expect(await fixture.call('traces/receive', piece).catch(codeOf)).toBe('bad-params');
  expect(await readdir(folder)).toEqual([]);
  const unknown = { transferId: 'unknown', name: 'a', base64: '', isLast: true };
  expect(await fixture.call('traces/receive', unknown).catch(codeOf)).toBe('no-such-transfer');
});

test('a part is not listed, and one that is not whole when the app is closed goes with it', async () => {
  const { fixture, folder } = await open();
  await fixture.call('traces/receive', { transferId: null, name: 'a', base64: 'eA==', isLast: false });
  expect(await readdir(folder)).toHaveLength(1);
  expect((await fixture.call('traces/list', {})).files).toEqual([]);
  await fixture.engine.close();
  expect(await readdir(folder)).toEqual([]);
});

test('a transfer that is given up is removed after a while', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-intake-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const intake = new Intake({ folder, keep: () => Promise.reject(new Error('never')), givenUpAfter: 1 });
  const { transferId } = await intake.receive({ transferId: null, name: 'a', base64: 'eA==', isLast: false });
  await expect.poll(() => readdir(folder)).toEqual([]);
  const late = intake.receive({ transferId, name: 'a', base64: 'eA==', isLast: true });
  expect(await late.catch(codeOf)).toBe('no-such-transfer');
  await intake.close();
});

test('a folder that cannot be written to is reported', async () => {
  const { fixture } = await open();
  await writeFile(join(fixture.folder, 'file'), '');
  const intake = new Intake({ folder: join(fixture.folder, 'file'), keep: (part) => Promise.resolve(part) });
  const piece = { transferId: null, name: 'a', base64: 'eA==', isLast: true };
  expect(await intake.receive(piece).catch(codeOf)).toBe('trace-not-kept');
});

test('a later run removes the partial files of a killed app, but not those still being received', async () => {
  const { fixture, folder } = await open();
  await mkdir(folder, { recursive: true });
  for (const name of ['.receiving-old.part', '.receiving-new.part', 'old.part']) {
    await writeFile(join(folder, name), 'x');
    if (name.includes('old')) await utimes(join(folder, name), 0, 0);
  }
  const later = await EngineFixture.open({ dataFolder: fixture.folder });
  await later.engine.close();
  expect(await readdir(folder)).toEqual(['.receiving-new.part', 'old.part']);
});
