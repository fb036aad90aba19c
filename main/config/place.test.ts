import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_ENTRIES, MAX_TYPED, type PlaceEntry } from '#shared/contract/place.ts';
import { PlaceStore } from './place.ts';

let folder: string;
let reported: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-place-'));
  reported = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () =>
  new PlaceStore({
    folder,
    withoutSecrets: async (text) => {
      if (text === 'locked') throw new Error('the key store is locked');
      return text.replaceAll('secret', '');
    },
    report: (what, error) => reported.push(`${what}: ${String(error)}`),
  });
const path = () => join(folder, 'place.json');
const draft = (text: string, serverId: string | null = null): PlaceEntry => ({
  serverId,
  chosen: { mode: 'form' },
  typed: { text },
});

test('what was kept is there after a restart, in a file of its owner alone', async () => {
  const first = open();
  expect(await first.read()).toEqual({ entries: {}, isOfThisRun: false });
  first.keep({ entries: { a: draft('one'), b: draft('two') } });
  first.keep({ entries: { a: null } });
  expect(await first.read()).toEqual({ entries: { b: draft('two') }, isOfThisRun: true });
  await first.close();
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['place.json']);
  expect(await open().read()).toEqual({ entries: { b: draft('two') }, isOfThisRun: false });
  expect(reported).toEqual([]);
});

test('it is written without being closed, and nothing is written when nothing changed', async () => {
  const store = open();
  await store.read();
  await store.close();
  expect(await readdir(folder)).toEqual([]);
  const next = open();
  next.keep({ entries: { a: draft('one') } });
  await expect.poll(() => readFile(path(), 'utf8').catch(() => '')).toContain('"one"');
  await next.close();
});

test('what comes after it was closed is not kept', async () => {
  const store = open();
  await store.close();
  store.keep({ entries: { a: draft('one') } });
  expect(await store.read()).toEqual({ entries: {}, isOfThisRun: false });
});

test('secrets are not kept, nor what nobody could look through', async () => {
  const store = open();
  store.keep({
    entries: { a: draft('a secret'), b: draft('locked'), c: draft('x'.repeat(MAX_TYPED + 1)) },
  });
  const { entries } = await store.read();
  expect(entries.a?.typed).toEqual({ text: 'a ' });
  expect(entries.b?.typed).toEqual({});
  expect(entries.c?.typed).toEqual({});
  await store.close();
  expect(await readFile(path(), 'utf8')).not.toMatch(/secret|locked|xxx/);
});

test.each([
  ['no JSON', '{"version": 1, "entr'],
  ['JSON of another kind', '{"version": 1, "entries": {"a": {"serverId": 5}}}'],
  ['another version', '{"version": 2}'],
])('a file that holds %s costs the place, is reported, and is replaced', async (_, text) => {
  await writeFile(path(), text);
  const store = open();
  expect(await store.read()).toEqual({ entries: {}, isOfThisRun: false });
  expect(reported).toHaveLength(1);
  expect(reported[0]).toContain(`${path()} is damaged, so the window opens as it does at first`);
  store.keep({ entries: { a: draft('one') } });
  await store.close();
  expect((await open().read()).entries).toEqual({ a: draft('one') });
});

test('a folder that cannot be written to is reported, and the app goes on', async () => {
  const store = open();
  await rm(folder, { recursive: true });
  store.keep({ entries: { a: draft('one') } });
  await store.close();
  expect(reported[0]).toContain('writing');
  expect((await store.read()).entries).toEqual({ a: draft('one') });
});

test('what belongs to a removed server is forgotten', async () => {
  const store = open();
  store.keep({ entries: { a: draft('one', 'stays'), b: draft('two', 'goes'), c: draft('three') } });
  await store.forgetOthers(new Set(['stays']));
  expect(Object.keys((await store.read()).entries)).toEqual(['a', 'c']);
  await store.close();
});

test('the entries that were changed longest ago make room', async () => {
  const store = open();
  const many = Array.from({ length: MAX_ENTRIES }, (_, number) => [`n${number}`, draft('x')] as const);
  store.keep({ entries: Object.fromEntries(many) });
  store.keep({ entries: { n0: draft('changed') } });
  store.keep({ entries: { last: draft('x') } });
  const { entries } = await store.read();
  expect(Object.keys(entries)).toHaveLength(MAX_ENTRIES);
  expect(entries.n0).toEqual(draft('changed'));
  expect(entries.n1).toBeUndefined();
  await store.close();
});
