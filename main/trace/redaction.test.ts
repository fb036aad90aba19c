import { expect, test } from 'vitest';
import { PieceRedactor, Redactor } from './redaction.ts';

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

test.each([
  ['JSON in a string of JSON', '"{\\"k\\":\\"ä/\\\\\\"+=<\\"}"'],
  ['a writer of ASCII, such as Python', '"\\u00e4/\\"+=<"'],
  ['PHP', '"\\u00e4\\/\\"+=<"'],
  ['Go', '"ä/\\"+=\\u003c"'],
  ['Gson', '"ä/\\"+\\u003d\\u003c"'],
  ['.NET', '"\\u00E4/\\u0022\\u002B=\\u003C"'],
])('a secret is found as %s writes it', (_, written) => {
  expect(JSON.parse(written)).toContain('ä/');
  const redactor = new Redactor(new Map([['env:K', 'ä/"+=<']]));
  expect(JSON.parse(redactor.redact(written))).toContain('[secret env:K, 6 characters, ');
});

test('a secret is found between bytes that are no text', () => {
  const redactor = new Redactor(new Map([['env:K', 'geheim-ä']]));
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from('geheim-ä'), Buffer.from([0xe9])]);
  const redacted = redactor.redactBytes(bytes);
  expect(redacted.toString('latin1')).toMatch(/^\xff\[secret env:K, 8 characters, \w+\]\xe9$/);
});

test('a name cannot break the JSON its placeholder stands in', () => {
  const redactor = new Redactor(new Map([['env:A"\n\\', 'secret-value']]));
  expect(JSON.parse(redactor.redact('"secret-value"'))).toContain('[secret env:A___, 12 characters, ');
});

test('a secret is found wherever a unit is cut into pieces, and nothing else changes', () => {
  const redactor = new Redactor(new Map([['env:K', 'geheim-ä']]));
  const unit = Buffer.from('€ geheim-ä geheim- ä€');
  const whole = redactor.redactBytes(unit).toString();
  for (let first = 0; first <= unit.length; first++) {
    for (let second = first; second <= unit.length; second++) {
      const pieces = new PieceRedactor(redactor);
      const written = [
        pieces.redact(7, unit.subarray(0, first), true),
        pieces.redact(7, unit.subarray(first, second), true),
        pieces.redact(7, unit.subarray(second), false),
      ];
      expect(Buffer.concat(written).toString()).toBe(whole);
    }
  }
});

test('text without secrets is left alone', () => {
  expect(new Redactor(new Map([['env:SHORT', 'ab']])).redact('abab')).toBe('abab');
});
