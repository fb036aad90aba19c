import { expect, test } from 'vitest';
import { KnownValues } from './known-values.ts';

const known = (...values: string[]): KnownValues => {
  const all = new KnownValues();
  for (const value of values) all.learn('k', value);
  return all;
};
const found = (all: KnownValues, text: string) =>
  all.find(text).map(({ start, end }) => text.slice(start, end));

test('the longest of the values with a common prefix is found, whichever was learned first', () => {
  for (const values of [
    ['abcd-1234', 'abcd-1234-5678'],
    ['abcd-1234-5678', 'abcd-1234'],
  ]) {
    expect(found(known(...values), 'abcd-1234-5678 abcd-1234-56 abcd-1')).toEqual([
      'abcd-1234-5678',
      'abcd-1234',
    ]);
  }
});

test('values in every form are found, also side by side and at the ends', () => {
  const value = 'pa"ss/w0rd+';
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), btoa(value)];
  expect(found(known(value), forms.join('')).map((form) => form.length)).toEqual(
    forms.map((form) => form.replace(/=+$/, '').length),
  );
  expect(found(known(value), value.slice(0, -1))).toEqual([]);
});

test.each([
  ['pa/ss-w0rd', 'pa\\/ss-w0rd'],
  ['pa/ss-w0rd', 'pa%2fss%2dw0rd'],
  ['pa/ss-w0rd', '\\u0070a/ss&#45;w0rd'],
  ['pa/ss-w0rd', 'pa\\\\u002fss-w0rd'],
  ['pä/ss-w0rd', 'p%C3%A4/ss-w0rd'],
  ['pä/ss-w0rd', 'p\\u00e4/ss-w0rd'],
  ['pä/ss-w0rd', 'pä%2Fss-w0rd'],
  ['p%41ss-w0rd', 'p%41ss\\u002dw0rd'],
])('%j is found as %s, with all of its escapes', (value, written) => {
  expect(found(known(value), `\\n ${written} %20 x`)).toEqual([written]);
});

test('a value is found in UTF-16 between other bytes', () => {
  for (const value of ['pass-w0rd', 'pä/ss-w0rd-Ω']) {
    const bytes = Buffer.from(value, 'utf16le');
    for (const wide of [bytes, Buffer.from(bytes).swap16()]) {
      const text = `log: ${wide.toString('latin1')} \xff`;
      expect(known(value).find(text)).toMatchObject([{ value, write: expect.any(Function) }]);
    }
  }
});

test('words, numbers and what is short are not learned', () => {
  expect(known('password', '123456', 'tools/call', 'a1', '2026-11-21').size).toBe(0);
});
