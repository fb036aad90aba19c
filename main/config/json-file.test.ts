import { mkdir, mkdtemp, readdir, readFile, rm, writeFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { JsonFile, writeFileAtomically } from './json-file.ts';

const schema = z.object({ names: z.array(z.string()) });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-settings-'));
  path = join(folder, 'of', 'the', 'app', 'names.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => new JsonFile(path, schema, { names: [] });
const add =
  (name: string) =>
  ({ names }: z.infer<typeof schema>) => ({ names: [...names, name] });

test('a file that is not there yet holds what it begins with, and reading makes none', async () => {
  expect(await open().read()).toEqual({ names: [] });
  expect(await readdir(folder)).toEqual([]);
});

test('a change creates the file and its folders, and the next reader sees it', async () => {
  expect(await open().update(add('one'))).toEqual({ names: ['one'] });
  expect(await open().read()).toEqual({ names: ['one'] });
  expect(await readdir(join(path, '..'))).toEqual(['names.json']);
});

test('changes at once wait for each other, and one that fails holds up none', async () => {
  const file = open();
  const outcomes = await Promise.allSettled([
    file.update(add('one')),
    file.update(() => {
      throw new Error('changed my mind');
    }),
    file.update(add('two')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await file.read()).toEqual({ names: ['one', 'two'] });
});

test('a change is made to what another app has written meanwhile', async () => {
  const mine = open();
  await mine.update(add('mine'));
  await open().update(add('theirs'));
  await mine.update(add('mine again'));
  expect(await open().read()).toEqual({ names: ['mine', 'theirs', 'mine again'] });
});

test.each([
  ['no JSON', '{"names": ["one",'],
  ['JSON of another kind', '{"names": "one"}'],
])('a file that holds %s is named and left as it is, by reading and by changing', async (_, text) => {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  await expect(open().read()).rejects.toMatchObject({
    fault: { code: 'settings-file', what: expect.stringContaining(`${path} is damaged`) },
  });
  await expect(open().update(add('two'))).rejects.toThrow('is damaged');
  expect(await readFile(path, 'utf8')).toBe(text);
});

test('a file that cannot be read or written is said to be', async () => {
  await mkdir(path, { recursive: true });
  await expect(open().read()).rejects.toThrow(`${path} cannot be read`);
  await writeFile(join(folder, 'in-the-way'), '');
  const blocked = new JsonFile(join(folder, 'in-the-way', 'names.json'), schema, { names: [] });
  await expect(blocked.update(add('one'))).rejects.toMatchObject({ fault: { code: 'settings-file' } });
});

test('the file holds the last text, belongs to its owner, and nothing is left beside it', async () => {
  const settings = join(folder, 'settings.json');
  await writeFileAtomically(settings, 'one');
  await writeFileAtomically(settings, 'two');
  expect(await readFile(settings, 'utf8')).toBe('two');
  expect(await readdir(folder)).toEqual(['settings.json']);
  if (process.platform !== 'win32') expect((await stat(settings)).mode & 0o777).toBe(0o600);
});

test('writers at the same time leave one whole text', async () => {
  const settings = join(folder, 'settings.json');
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
  await Promise.all(texts.map((text) => writeFileAtomically(settings, text)));
  expect(texts).toContain(await readFile(settings, 'utf8'));
  expect(await readdir(folder)).toEqual(['settings.json']);
});

test('a failed write says so and leaves no draft', async () => {
  await expect(writeFileAtomically(join(folder, 'missing', 'settings.json'), 'x')).rejects.toThrow('ENOENT');
  expect(await readdir(folder)).toEqual([]);
});
