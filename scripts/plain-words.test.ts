import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clumsyPhrases, offencesIn, privateWords } from './plain-words.ts';
import { projectRoot } from './step.ts';

/** Their subject is what we check for, or a domain of their own. */
const exempt: ReadonlySet<string> = new Set(['scripts/plain-words.ts', 'scripts/plain-words.test.ts']);
const isExempt = (file: string): boolean => exempt.has(file) || file.startsWith('fixtures/demo/');

/** Every TypeScript file of the project, whether committed yet or not. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !isExempt(file) && existsSync(join(projectRoot, file)));

test('no name is a private word, and no comment or string contains a clumsy phrase', () => {
  expect(files.length).toBeGreaterThan(500);
  const offences = files.flatMap((file) => offencesIn(file, readFileSync(join(projectRoot, file), 'utf8')));
  expect(offences.map(({ file, line, found, use }) => `${file}:${line} ${found}: use ${use}`)).toEqual([]);
});

test.each([
  ['a file', 'main/session/kept-wishes.ts', ''],
  ['a folder', 'renderer/features/trace/travel/row.ts', ''],
  ['a type', 'a.ts', 'export interface WayOut {}'],
  ['a function', 'a.ts', 'export function deedOfKey() {}'],
  ['a variable', 'a.ts', 'const callPatience = 1;'],
  ['a private member', 'a.ts', 'class A { #conduct = 1; }'],
  ['a property', 'a.ts', 'export const a = { isInPart: true };'],
  ['an attribute', 'a.tsx', 'export const a = <B travel={1} />;'],
  ['a type parameter', 'a.ts', 'export type A<Survey> = Survey;'],
  ['a comment', 'a.ts', '/** It is made anew. */'],
  ['a string', 'a.ts', "export const a = 'Whoever reads this';"],
  ['a template', 'a.ts', 'export const a = `${1} is in sight`;'],
  ['a text of a component', 'a.tsx', 'export const a = <p>What it says of itself</p>;'],
  ['an attribute with a text', 'a.tsx', 'export const a = <p title="made anew" />;'],
])('finds an offender in %s', (_, file, code) => {
  expect(offencesIn(file, code)).not.toEqual([]);
});

test.each([
  ['words that only contain one', 'const legacy = 1; const wished = 2; const unconducted = 3;'],
  ['a name of HTML', 'export const a = <input spellCheck={false} />;'],
  ['a plain comment', '/** Reads the file again. */'],
])('does not find one in %s', (_, code) => {
  expect(offencesIn('a.tsx', code)).toEqual([]);
});

test.each(privateWords.map(({ word }) => word))('finds the private word %s', (word) => {
  const name = word.replace(/ (\w)/, (_, letter: string) => letter.toUpperCase());
  expect(offencesIn('a.ts', `const ${name} = 1;`)).toHaveLength(1);
});

test('every clumsy phrase has a replacement', () => {
  for (const { use } of clumsyPhrases) expect(use).not.toBe('');
});
