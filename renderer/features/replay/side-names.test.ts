import { expect, test } from 'vitest';
import { headsOf, namesOf } from './side-names.ts';

const side = (server: string, at: Date) => ({
  server,
  at: at.getTime(),
  name: `${server} long`,
  file: 'own',
});
const first = side('billing', new Date(2026, 2, 12, 4, 27, 3));

test.each([
  ['two recordings of a server by their times', new Date(2026, 2, 12, 4, 28, 10), ['04:27:03', '04:28:10']],
  ['those of two days by their days', new Date(2026, 2, 13, 4, 27, 3), ['2026-03-12', '2026-03-13']],
  [
    'those of one second by the milliseconds',
    new Date(2026, 2, 12, 4, 27, 3, 40),
    ['04:27:03.000', '04:27:03.040'],
  ],
])('names %s', (_, at, heads) => {
  expect(headsOf(first, side('billing', at), false)).toEqual(heads);
});

test('names recordings of two servers by the servers, and the sides of a replay as such', () => {
  const other = side('billing-next', new Date(2026, 2, 12, 4, 28));
  expect(headsOf(first, other, false)).toEqual(['billing', 'billing-next']);
  expect(headsOf(first, other, true)).toEqual(['recorded', 'now']);
  expect(headsOf(first, null, false)).toEqual(['first', 'second']);
});

test('tells a recording and its copy, which began at the same time, apart by their files', () => {
  const copy = { ...first, file: 'shared' };
  expect(headsOf(first, copy, false)).toEqual(['first', 'second']);
  expect(namesOf(first, copy, false)).toEqual(['own', 'shared']);
  // The same file name in two folders.
  expect(namesOf(first, first, false)).toEqual(['billing long (first)', 'billing long (second)']);
  expect(namesOf(first, copy, true)).toEqual(['billing long', 'billing long']);
  expect(namesOf(first, null, false)).toEqual(['billing long', 'a closed recording']);
});
