import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from './exit.ts';
import { readJsonObject } from './option-values.ts';

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-json-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a.json'), text);
  return `@${join(folder, 'a.json')}`;
}

test('an object stays as it was typed, or as it is in its file', async () => {
  const text = '{"n": 1.0,\n"n": 12345678901234567890}';
  expect(readJsonObject('--meta', text)).toBe(text);
  expect(readJsonObject('--args', text)).toBe(text);
  expect(readJsonObject('--meta', await fileWith(text))).toBe(text);
});

test.each([
  ['[]', 'such as'],
  ['null', 'such as'],
  ['', 'or @FILE: '],
  ['{"a":', 'or @FILE: '],
  ['{a:1}', 'it is "{a:1}"'],
  ['@/no/such/file', 'There is no file /no/such/file.'],
])('%j is none, and the option is named', (given, why) => {
  expect(() => readJsonObject('--meta', given)).toThrow(UsageError);
  expect(() => readJsonObject('--meta', given)).toThrow(why);
  expect(() => readJsonObject('--meta', given)).toThrow(/^--meta/);
});

test('a file that holds none is one that is not taken either', async () => {
  const given = await fileWith('[1]');
  expect(() => readJsonObject('--params', given)).toThrow('--params wants a JSON object');
});
