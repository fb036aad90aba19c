import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonLines } from '#ui/json-lines.ts';
import { JsonLayout, type LayoutOptions, type LineNote } from './json-layout.ts';

const options = (own: Partial<LayoutOptions> = {}): LayoutOptions => ({
  columns: 40,
  folded: new Set(),
  unabridged: new Set(),
  notes: new Map(),
  ...own,
});

function linesOf(raw: string): JsonLines {
  const lines = new JsonLines(raw);
  lines.read();
  return lines;
}

/** Every row as text, the indentation counted in. */
function drawn(layout: JsonLayout): string[] {
  const rows: string[] = [];
  for (let place = 0; place < layout.count; place++) {
    const line = layout.lineAt(place);
    for (const row of layout.rowsOf(line)) {
      const indent = ' '.repeat(layout.indentOf(line) + (row.what === 'text' && row.order > 0 ? 2 : 0));
      if (row.what === 'text') rows.push(indent + row.pieces.map(({ text }) => text).join(''));
      else rows.push(`${indent}${row.what === 'rest' ? `<${row.hidden} hidden>` : `! ${row.text}`}`);
    }
  }
  return rows;
}

const layOut = (raw: string, own: Partial<LayoutOptions> = {}) => new JsonLayout(linesOf(raw), options(own));

test('short values take a row each, long ones break where the width ends', () => {
  expect(drawn(layOut('{"a":1,"text":"0123456789 abcdefghij"}', { columns: 20 }))).toEqual([
    '{',
    '  "a": 1,',
    '  "text": "012345678',
    '    9 abcdefghij"',
    '}',
  ]);
});

test('a key that is too long breaks between its words, and so does one with a wide character', () => {
  const key = 'structuredContentSchemaVersion';
  const other = 'authorization_response_iss_supported';
  const broken = [
    '{',
    '  "structuredContent',
    '    SchemaVersion": 1,',
    '  "authorization_',
    '    response_iss_',
    '    supported": "é"',
    '}',
  ];
  expect(drawn(layOut(JSON.stringify({ [key]: 1, [other]: 'é' }), { columns: 24 }))).toEqual(broken);
  const plain = drawn(layOut(JSON.stringify({ [key]: 1, [other]: 'e' }), { columns: 24 }));
  expect(plain).toEqual(broken.map((row) => row.replace('é', 'e')));
});

test('a value without spaces fills its rows: its capitals begin no words', () => {
  expect(drawn(layOut('{"token":"aGVsbG8gd29!ybGQgaGVsb"}', { columns: 20 }))).toEqual([
    '{',
    '  "token": "aGVsbG8g',
    '    d29!ybGQgaGVsb"',
    '}',
  ]);
});

test('what is folded is one row that says how much there is', () => {
  const raw = '{"list":[1,2,3],"one":{"a":1},"rest":[]}';
  expect(drawn(layOut(raw, { folded: new Set([1, 6]) }))).toEqual([
    '{',
    '  "list": [ 3 items ],',
    '  "one": { 1 member },',
    '  "rest": []',
    '}',
  ]);
});

test('a long value is cut, and shown to its end on demand', () => {
  const raw = JSON.stringify(['x'.repeat(1000)]);
  const cut = drawn(layOut(raw));
  expect(cut.join('').replaceAll(/[^x]/g, '').length).toBe(499);
  expect(cut.at(-2)).toBe('  <502 hidden>');
  const whole = drawn(layOut(raw, { unabridged: new Set([1]) }));
  expect(whole.join('').replaceAll(/[^x]/g, '').length).toBe(1000);
  expect(whole.at(-2)).toBe('  <0 hidden>');
});

test('a note is below its line, broken between words', () => {
  const note: LineNote = { severity: 'error', text: 'expected a string, got a number' };
  expect(drawn(layOut('{"name":1}', { columns: 24, notes: new Map([[1, [note]]]) }))).toEqual([
    '{',
    '  "name": 1',
    '  ! expected a string,',
    '  ! got a number',
    '}',
  ]);
});

test('wide characters and such that are made visible leave no row too long', () => {
  const rows = drawn(layOut(JSON.stringify([`${'漢'.repeat(20)}\u202e`]), { columns: 20 }));
  expect(Math.max(...rows.map((row) => [...row].filter((one) => one === '漢').length))).toBeLessThan(9);
});

test('rows are counted as they are drawn, found by the place in the text, and can be drawn one by one', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.string({ maxLength: 60 }),
      fc.constantFrom('é漢字\u202e'.repeat(30), 'a'.repeat(1200), 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0Mg=='),
      fc.double({ noNaN: true }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 12 }), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(
      value,
      fc.integer({ min: 12, max: 90 }),
      fc.func(fc.boolean()),
      (json, columns, isSelected) => {
        const lines = linesOf(JSON.stringify(json));
        const all = Array.from({ length: lines.count }, (_, line) => line);
        const layout = new JsonLayout(
          lines,
          options({
            columns,
            folded: new Set(all.filter((line) => lines.isOpen(line) && isSelected(line))),
            unabridged: new Set(all.filter((line) => isSelected(-line))),
            notes: new Map([[0, [{ severity: 'info', text: 'a word or two of a note' }]]]),
          }),
        );
        expect(drawn(layout).length).toBe(layout.rows);
        for (let place = 0; place < layout.count; place++) {
          const line = layout.lineAt(place);
          const rows = layout.rowsOf(line);
          expect(rows.length).toBe(layout.startOf(place + 1) - layout.startOf(place));
          expect(layout.placeOf(line)).toBe(place);
          for (const [order, row] of rows.entries()) {
            expect(layout.placeOfRow(layout.startOf(place) + order)).toBe(place);
            expect(layout.rowsOf(line, order, order + 1)).toEqual([row]);
            const piece = row.what === 'text' ? row.pieces.find(({ from }) => from >= 0) : undefined;
            if (piece) expect(layout.rowOf(piece.from)).toBe(layout.startOf(place) + order);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('text breaks between words and behind line ends where there are some', () => {
  const raw = JSON.stringify(['a sentence of several words\nand a second line']);
  expect(drawn(layOut(raw, { columns: 24 }))).toEqual([
    '[',
    '  "a sentence of ',
    '    several words\\nand ',
    '    a second line"',
    ']',
  ]);
});
