import { expect, test } from 'vitest';
import { Redactor } from './redaction.ts';

test('secrets are replaced, also where JSON escapes them, and equal ones stay recognisable', () => {
  const redactor = new Redactor(new Map([['env:KEY', 'p"a\\ss-word']]));
  const [first, second] = ['say p"a\\ss-word', JSON.stringify({ key: 'p"a\\ss-word' })].map((text) =>
    redactor.redact(text),
  );
  const placeholder = /\[secret env:KEY, 11 characters, [0-9a-f]{8}\]/;
  expect(first).toMatch(placeholder);
  expect(JSON.parse(second ?? '')).toEqual({ key: first?.match(placeholder)?.[0] });
});

test('a secret that contains another one is replaced whole', () => {
  const redactor = new Redactor(
    new Map([
      ['env:A', 'abcd'],
      ['env:B', 'xxabcdxx'],
    ]),
  );
  expect(redactor.redact('xxabcdxx')).toMatch(/^\[secret env:B, 8 characters, \w+\]$/);
});

test('text without secrets is left alone', () => {
  expect(new Redactor(new Map([['env:SHORT', 'ab']])).redact('abab')).toBe('abab');
});
