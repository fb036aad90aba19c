import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PieceRedactor, Redactor } from './redaction.ts';

const code = (character: string): number => character.codePointAt(0) ?? 0;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const units = (character: string): string[] =>
  character.split('').map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);

/** Ways to escape one character. */
const escapes: Readonly<Record<string, (character: string) => string>> = {
  'percent-encoding': (character) => [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join(''),
  'percent-encoding in capitals': (character) =>
    [...Buffer.from(character)].map((byte) => `%${hex(byte, 2).toUpperCase()}`).join(''),
  JSON: (character) => units(character).join(''),
  'JSON in capitals': (character) =>
    units(character)
      .join('')
      .replaceAll(/[a-f]/g, (one) => one.toUpperCase()),
  'JSON in JSON': (character) => units(character).join('').replaceAll('\\', '\\\\'),
  'JSON in JSON in JSON': (character) => units(character).join('').replaceAll('\\', '\\\\\\\\'),
  'an entity with a number': (character) => `&#${code(character)};`,
  'an entity in hex': (character) => `&#x${hex(code(character), 2)};`,
  'an entity in an entity': (character) => `&amp;#${code(character)};`,
  'percent-encoding twice': (character) =>
    [...Buffer.from(character)].map((byte) => `%25${hex(byte, 2)}`).join(''),
  'percent-encoding in JSON': (character) =>
    [...Buffer.from(character)].map((byte) => `\\u0025${hex(byte, 2)}`).join(''),
  'an entity in JSON': (character) => `\\u0026#${code(character)};`,
};

const SECRET = 'hush/Ω-0123&"45é😀';
const redactorOf = (value: string) => new Redactor(new Map([['env:K', value]]));
const FOUND = /\[secret env:K, \d+ characters, \w{8}\]/;

test.each(Object.entries(escapes))(
  'a secret some of whose characters are escaped by %s is found',
  (_, escape) => {
    const redactor = redactorOf(SECRET);
    const characters = [...SECRET];
    for (const which of [
      (index: number) => index === 0,
      (index: number) => index === characters.length - 1,
      (index: number) => index === 4,
      (index: number) => index % 2 === 0,
      (index: number) => index > 5,
      () => true,
    ]) {
      const written = characters.map((one, index) => (which(index) ? escape(one) : one)).join('');
      const redacted = redactor.redact(`<${written}> %zz \\q &x; end`);
      expect(redacted).toMatch(new RegExp(`^<${FOUND.source}> %zz \\\\q &x; end$`));
    }
  },
);

test.each([
  ['a slash of PHP', 'ab/cd-1234', 'ab\\/cd-1234'],
  ['a slash of PHP in JSON', 'ab/cd-1234', 'ab\\\\/cd-1234'],
  ['two slashes, one of them escaped', 'ab/cd/1234', 'ab\\/cd/1234'],
  ['a named entity among others', 'ab&cd<12>"4', 'ab&amp;cd<12&gt;"4'],
  ['entities of punctuation', 'ab/cd=1+2', 'ab&sol;cd&equals;1&plus;2'],
  ['a numeric entity without its end', 'ab/cd-1234', 'ab&#47cd-1234'],
  ['an escape of JavaScript', 'ab/cd-1234', 'ab\\x2fcd-1234'],
  ['a code point of JavaScript', 'ab/cd-1234', 'ab\\u{2f}cd-1234'],
  ['an old escape of JavaScript', 'ab/cd-1234', 'ab%u002Fcd-1234'],
  ['a form with a plus', 'ab cd/1234', 'ab+cd%2F1234'],
  ['several kinds at once', 'ab/cd-1234', '\\u0061b%2Fc&#100;-1234'],
  ['an escape that the value has itself', 'p%40ss/word', 'p%40ss\\/word'],
  ['a value with an escape, escaped again', 'p%40ss/word', 'p%2540ss%2Fword'],
  ['base64 with a part escaped', 'a b/c?~~~ü<&>*(1)', 'YSBiL2M%2Ffn5+w7w8Jj4qKDEp'],
])('%s: %j is found in %s', (_, value, written) => {
  expect(redactorOf(value).redact(`x=${written};`)).toMatch(new RegExp(`^x=${FOUND.source};$`));
});

test('what only looks like it is left alone', () => {
  const redactor = redactorOf('hush/0123');
  for (const text of [
    'hush%2F012',
    'hush\\\\u002 f0123',
    'hush\\\\n0123 %2F',
    '{"a":"line\\nhush\\t/0123","b":"\\"&amp;"}',
    '%&\\'.repeat(100),
  ])
    expect(redactor.redact(text)).toBe(text);
});

test('JSON with a secret that is escaped in part stays JSON', () => {
  const unit = Buffer.from('{"a":"x \\u0068ush\\/0123\\n","b":["hus\\\\u0068/0123",1],"c":"hush%2F0123"}');
  const redacted = redactorOf('hush/0123').redactUnit(unit).toString();
  const { a, b, c } = JSON.parse(redacted);
  for (const text of [a, b[0], c]) expect(text).toMatch(FOUND);
  expect(redacted).toMatch(
    /^\{"a":"x \[secret [^"]*\]\\n","b":\["\[secret [^"]*\]",1\],"c":"\[secret [^"]*\]"\}$/,
  );
});

test('whatever is escaped and wherever a unit is cut, no secret is left and nothing else changes', () => {
  const value = fc.string({
    minLength: 8,
    maxLength: 16,
    unit: fc.constantFrom(...'abcdefgh0123456789/+=&"é'),
  });
  const names = Object.keys(escapes);
  const cases = fc.record({
    value: value.map((text) => `k${text}9`),
    how: fc.array(fc.constantFrom('', '', '', ...names), { minLength: 18, maxLength: 18 }),
    cuts: fc.array(fc.nat(200), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(cases, ({ value: secret, how, cuts }) => {
      const written = [...secret].map((one, index) => escapes[how[index] ?? '']?.(one) ?? one).join('');
      const unit = Buffer.from(`before ${written} after %2`);
      const pieces = new PieceRedactor(redactorOf(secret));
      const ends = [...cuts.filter((cut) => cut < unit.length).toSorted((a, b) => a - b), unit.length];
      const recorded = ends.map((end, place) =>
        pieces.redact(1, unit.subarray(ends[place - 1] ?? 0, end), place < ends.length - 1),
      );
      expect(Buffer.concat(recorded).toString()).toMatch(new RegExp(`^before ${FOUND.source} after %2$`));
    }),
    { numRuns: 400 },
  );
});

const SIZE = 64 * 1024;
/** Milliseconds. It takes much less than one second, and minutes if it looks at a stretch again from each place in it. */
const TIMEOUT = 10_000;

test(
  'a unit of any escapes is searched in linear time',
  () => {
    const redactor = redactorOf(SECRET);
    const parts = [
      '%',
      '%25',
      '%68',
      '\\',
      '\\\\',
      '\\u0068',
      '\\\\u0068',
      '&amp;',
      '&#104;',
      '&',
      '\\ud83d',
      '%C3',
      'hus%68',
    ];
    for (const part of parts) redactor.redactUnit(Buffer.from(part.repeat(SIZE / part.length)));
  },
  TIMEOUT,
);
