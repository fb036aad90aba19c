import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldOf, fields, parseFilter } from '#shared/trace/filter/index.ts';
import { projectRoot } from './step.ts';

const read = (path: string): Promise<string> => readFile(join(projectRoot, path), 'utf8');
const page = await read('docs/trace.md');

/** Filters of the code blocks: what stands before two spaces. */
const examples = [...page.matchAll(/^```filter\n(.*?)^```$/gms)]
  .flatMap(([, lines = '']) => lines.trimEnd().split('\n'))
  .map((line) => line.split(/ {2,}/)[0] ?? '');

/** The cells of each line of the table of fields. */
const table = [...page.matchAll(/^\| (`[a-z]+:` \|.*) \|$/gm)].map(([, line = '']) =>
  line.split('|').map((cell) => cell.trim()),
);
/** What stands as code in a cell, without the colon behind a name. */
const wordsOf = (cell = ''): string[] => [...cell.matchAll(/`([^`]+?):?`/g)].map(([, word = '']) => word);

test.each(examples)('the example %s can be read', (example) => {
  expect(parseFilter(example)).toMatchObject({ ok: true });
});

test('the examples use every field but the one that asks for the whole trace', () => {
  const used = examples.join(' ');
  const missing = fields.filter(({ name }) => !new RegExp(`(^|[\\s(-])${name}:`).test(used));
  expect(missing.map(({ name }) => name)).toEqual(['session']);
});

test('the table has every field with its other names', () => {
  expect(table.map(([name, also]) => [...wordsOf(name), ...wordsOf(also)])).toEqual(
    fields.map(({ name, aliases }) => [name, ...aliases]),
  );
});

test('the table has every value of a choice, and none that cannot be read', () => {
  for (const [name, , , values] of table) {
    const field = fieldOf(wordsOf(name)[0] ?? '');
    const written = wordsOf(values);
    expect(written).not.toEqual([]);
    for (const value of written) expect(parseFilter(`${field?.name}:${value}`)).toMatchObject({ ok: true });
    if (field?.form !== 'choice') continue;
    expect(written.toSorted()).toEqual(field.choices.map(({ value }) => value).toSorted());
  }
});

test.each(['docs/terminal.md', 'docs/sharing.md', 'docs/trace.md'])(
  'filters of commands in %s can be read',
  async (path) => {
    const filters = [...(await read(path)).matchAll(/--filter '([^']*)'/g)].map(([, filter = '']) => filter);
    expect(filters).not.toEqual([]);
    for (const filter of filters) expect(parseFilter(filter)).toMatchObject({ ok: true });
  },
);
