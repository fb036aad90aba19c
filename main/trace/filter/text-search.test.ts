import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { TextSearch } from './text-search.ts';

let http: HttpRecording;
beforeEach(async () => {
  http = await HttpRecording.begin();
});
afterEach(() => http.close());

/** The rows that hold a text. */
async function find(text: string): Promise<number[]> {
  const rows = [...Array(http.trace.index.columns.count).keys()];
  const held = await new TextSearch(http.trace, [text]).find(rows, () => true);
  return rows.filter((_, order) => held.has(order, 0));
}

describe('one line', () => {
  const text = 'A "quote"\\n, a line\nfeed, \u0001 and Größe: 12 [x]_{y}';

  test.each([
    ['a "QUOTE"\\n', true],
    ['line\nFEED', true],
    ['größe', true],
    ['GRÖSSE', false],
    ['\u0001 and', true],
    ['[x]_{y}', true],
    // What differs in the one bit that letters are folded by.
    ['{x}_[y]', false],
    ['[x]\u007f{y}', false],
    [': ', true],
    ['ö', true],
    ['é', false],
    // What stands in the file, and not in the text.
    ['nfeed', false],
    ['u0001', false],
    ['01 and', false],
    ['\\"', false],
    ['stderr', false],
    ['"size":', false],
    ['kind', false],
    ['text', false],
  ])('holds %j: %s', async (part, isSo) => {
    http.stderr('before');
    http.stderr(text);
    http.stderr('after');
    expect(await find(part)).toEqual(isSo ? [1] : []);
  });

  test('that is no UTF-8 is not searched', async () => {
    http.piece({ direction: 'in', channel: 'stdout' }, Buffer.from([0xff, ...Buffer.from('needle')]));
    http.stderr('needle');
    expect(await find('needle')).toEqual([1]);
    expect(await find('bmVlZGxl')).toEqual([]);
  });
});

test('only the lines that contain the text are found among similar ones, wherever it is in them', async () => {
  // In each it stands where it was in the line before, but for the escapes: half of `\\n`, and the end of `\u0001`.
  const lines = [
    'xxn01 needle',
    'xxn01 NEEDLE',
    'x\n01 needle',
    '\u0001 needle',
    '1 needle',
    'xxn01 needlf',
    '',
  ];
  for (const line of [...lines, ...lines]) http.stderr(line);
  const rows = (...held: number[]) => [...held, ...held.map((row) => row + lines.length)];
  expect(await find('needle')).toEqual(rows(0, 1, 2, 3, 4));
  expect(await find('n01 needle')).toEqual(rows(0, 1));
  expect(await find('01 needle')).toEqual(rows(0, 1, 2));
  expect(await find('1 needl')).toEqual(rows(0, 1, 2, 4, 5));
  expect(await find('stderr')).toEqual([]);
});

test('the message of a batch that contains the text is found', async () => {
  http.piece(
    { direction: 'in', channel: 'stdout' },
    '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"needle"}]',
  );
  expect(await find('needle')).toEqual([1]);
  expect(await find('jsonrpc')).toEqual([0, 1]);
});

test('a batch is read once, however many messages it has', async () => {
  const messages = Array.from({ length: 200 }, (_, id) => ({ jsonrpc: '2.0', method: 'a', params: { id } }));
  http.piece({ direction: 'in', channel: 'stdout' }, JSON.stringify(messages));
  const read = vi.spyOn(http.trace.file, 'read');
  expect(await find('"id":19')).toEqual([19, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199]);
  expect(read).toHaveBeenCalledTimes(1);
  read.mockClear();
  expect(await http.rows()).toHaveLength(200);
  expect(read.mock.calls.flat(2)).toHaveLength(1);
});

test('a text is found across the border of the pieces of a large unit, and as it grows', async () => {
  const [first, last] = ['x'.repeat(PIECE_BYTES - 3), 'y'.repeat(1000)];
  http.piece({ direction: 'in', channel: 'stdout', unit: 900, first: true, more: true }, `${first}nee`);
  const rows = [0];
  const search = new TextSearch(http.trace, ['NEEDLE', 'yyy']);
  const has = async () => {
    const held = await search.find(rows, () => true);
    return [held.has(0, 0), held.has(0, 1)];
  };
  expect(await has()).toEqual([false, false]);
  http.piece({ direction: 'in', channel: 'stdout', unit: 900, first: false, more: true }, 'd');
  expect(await has()).toEqual([false, false]);
  http.piece({ direction: 'in', channel: 'stdout', unit: 900, first: false, more: false }, `le${last}`);
  expect(await has()).toEqual([true, true]);
  expect(await find('xneedley')).toEqual([0]);
  expect(await find('xneedlex')).toEqual([]);
});

test('each of several texts is found where it occurs', async () => {
  for (const line of ['a b', 'b', 'c a']) http.stderr(line);
  const held = await new TextSearch(http.trace, ['a', 'b']).find([2, 0, 1], () => true);
  expect([0, 1, 2].map((order) => [held.has(order, 0), held.has(order, 1)])).toEqual([
    [true, false],
    [true, true],
    [false, true],
  ]);
});

test('a search that is no longer wanted stops', async () => {
  for (let line = 0; line < 100; line++) http.stderr('needle');
  const held = await new TextSearch(http.trace, ['needle']).find([0, 1], () => false);
  expect(held.has(0, 0)).toBe(false);
});
