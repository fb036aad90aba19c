import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TraceHeader } from '#shared/trace/record.ts';
import { notWritten, TraceWriter } from './trace-writer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-'));
});
afterEach(() => rm(folder, { recursive: true }));

const header: TraceHeader = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  clock: { at: 0, wall: 0 },
  server: { name: 's', transport: 'stdio', command: 'c', args: [] },
};

test('lines are read back at once, while they wait and after they were written', async () => {
  const file = await TraceWriter.create(join(folder, 'a.mcptrace'), header);
  const lines = Array.from({ length: 500 }, (_, place) => JSON.stringify({ place, text: 'é'.repeat(place) }));
  const places = lines.map((line) => file.append(line));
  expect(await file.read(places)).toEqual(lines);
  await file.flush();
  expect(await file.read(places.toReversed())).toEqual(lines.toReversed());
  const later = file.append('{"later":true}');
  expect(await file.read([...places.slice(490), later])).toEqual([...lines.slice(490), '{"later":true}']);
  await file.close();
  expect(await file.read(places.slice(3, 5))).toEqual(lines.slice(3, 5));
  const text = await readFile(file.path, 'utf8');
  expect(text).toBe(`${[JSON.stringify(header), ...lines, '{"later":true}'].join('\n')}\n`);
  expect(Buffer.byteLength(text)).toBe(file.size);
});

test('lines can be read while the file is being closed, and nothing that waited is lost', async () => {
  const file = await TraceWriter.create(join(folder, 'a.mcptrace'), header);
  const lines = Array.from({ length: 3000 }, (_, place) => JSON.stringify({ place, text: 'x'.repeat(5000) }));
  const places = lines.map((line) => file.append(line));
  await file.flush();
  const last = file.append('{"last":true}');
  const [read] = await Promise.all([
    file.read([...places, last]),
    file.close(),
    file.close(),
    file.read(places),
  ]);
  expect(read).toEqual([...lines, '{"last":true}']);
  expect(await readFile(file.path, 'utf8')).toMatch(/\{"last":true\}\n$/);
});

test('the file is its owner’s alone and never replaces another', async () => {
  const path = join(folder, 'a.mcptrace');
  const file = await TraceWriter.create(path, header);
  await file.close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(TraceWriter.create(path, header)).rejects.toThrow(/EEXIST/);
});

test('a disk that cannot keep up is reported, and so is its recovery', async () => {
  const file = await TraceWriter.create(join(folder, 'a.mcptrace'), header);
  const reported: boolean[] = [];
  file.listen({ congested: (isCongested) => reported.push(isCongested), failed: () => reported.push(true) });
  file.append(JSON.stringify('x'.repeat(40 * 1024 * 1024)));
  expect(reported).toEqual([true]);
  await file.close();
  expect(reported).toEqual([true, false]);
});

test('records added after the file was closed are still written, even if it was moved', async () => {
  const file = await TraceWriter.create(join(folder, 'a.mcptrace'), header);
  expect(file.isOpen).toBe(true);
  await file.close();
  await file.closed;
  expect(file.isOpen).toBe(false);
  await rename(file.path, join(folder, 'b.mcptrace'));
  file.moved(join(folder, 'b.mcptrace'));
  const place = file.append('{"late":true}');
  expect(await file.read([place])).toEqual(['{"late":true}']);
  await file.flush();
  expect(await file.read([place])).toEqual(['{"late":true}']);
  expect(await readFile(file.path, 'utf8')).toBe(`${JSON.stringify(header)}\n{"late":true}\n`);
});

test('a write error is reported, nothing is lost, and reading continues', async () => {
  const file = await TraceWriter.create(join(folder, 'a.mcptrace'), header);
  await file.close();
  await rm(file.path);
  const faults: (string | undefined)[] = [];
  const reported: boolean[] = [];
  file.listen({
    congested: (isCongested) => reported.push(isCongested),
    failed: (fault) => faults.push(fault?.code),
  });
  const place = file.append('{"after":"the file is gone"}');
  await file.flush();
  expect(faults).toEqual(['trace-not-written']);
  const large = file.append(JSON.stringify('x'.repeat(40 * 1024 * 1024)));
  expect(await file.read([place])).toEqual(['{"after":"the file is gone"}']);
  expect((await file.readSpan(large.offset, large.offset + 3)).toString()).toBe('"xx');
  // A session would wait for good for a disk that takes nothing any more.
  expect(reported).toEqual([]);
});

test('a disk without room is called so, whatever has run out', async () => {
  const error = await writeFile('/dev/full', 'x').catch((reason: unknown) => reason);
  expect(notWritten(error, '/a', true)).toMatchObject({
    code: 'disk-full',
    what: 'The disk is full: the trace is not written.',
    evidence: '/a',
  });
  const quota = Object.assign(new Error('EDQUOT: disk quota exceeded'), { code: 'EDQUOT' });
  expect(notWritten(quota, '/a', false)).toMatchObject({ code: 'disk-full', why: quota.message });
});
