import { expect, test } from 'vitest';
import { headsOf } from './side-names.ts';

const side = (server: string, at: Date) => ({ server, at: at.getTime(), name: `${server} long` });
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
