import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileAtomically } from './atomic-file.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-atomic-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('the file holds the last text, belongs to its owner, and nothing is left beside it', async () => {
  const folder = await emptyFolder();
  const path = join(folder, 'settings.json');
  await writeFileAtomically(path, 'one');
  await writeFileAtomically(path, 'two');
  expect(await readFile(path, 'utf8')).toBe('two');
  expect(await readdir(folder)).toEqual(['settings.json']);
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('writers at the same time leave one whole text', async () => {
  const folder = await emptyFolder();
  const path = join(folder, 'settings.json');
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
  await Promise.all(texts.map((text) => writeFileAtomically(path, text)));
  expect(texts).toContain(await readFile(path, 'utf8'));
  expect(await readdir(folder)).toEqual(['settings.json']);
});

test('a failed write says so and leaves no draft', async () => {
  const folder = await emptyFolder();
  await expect(writeFileAtomically(join(folder, 'missing', 'settings.json'), 'x')).rejects.toThrow('ENOENT');
  expect(await readdir(folder)).toEqual([]);
});
