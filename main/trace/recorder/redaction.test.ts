import fc from 'fast-check';
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

test('a secret takes up more bytes than characters', () => {
  const redactor = new Redactor(new Map([['env:K', 'ääää']]));
  expect(redactor.redact('ääää')).toMatch(/^\[secret env:K, 4 characters, \w{8}\]$/);
  const [utf8, latin1] = [Buffer.from('ääää').toString('latin1'), 'ääää'];
  for (const text of [utf8, latin1]) expect(redactor.redactByteText(text)).toMatch(/^\[secret env:K, /);
});

test.each(['hush-0123456789', 'geheim-ä-Ω-wort'])(
  'the secret %j is found in UTF-16 text, and escaped whole; what is around it can still be read',
  (value) => {
    const redactor = new Redactor(new Map([['env:K', value]]));
    const text = `{"é": "${value}", "ß": NaN}`;
    const expected = new RegExp(
      `^\\{"é": "\\[secret env:K, ${value.length} characters, \\w{8}\\]", "ß": NaN\\}$`,
    );
    const little = Buffer.from(text, 'utf16le');
    expect(redactor.redactUnit(little).toString('utf16le')).toMatch(expected);
    const big = Buffer.from(text, 'utf16le').swap16();
    expect(Buffer.from(redactor.redactUnit(big)).swap16().toString('utf16le')).toMatch(expected);
    const escapes = [...value].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(redactor.redact(text.replace(value, escapes))).toMatch(expected);
    const pieces = new PieceRedactor(redactor);
    const written = [...little].map((byte, at) =>
      pieces.redact(1, Buffer.from([byte]), at < little.length - 1),
    );
    expect(Buffer.concat(written).toString('utf16le')).toMatch(expected);
  },
);

test('text without secrets is left alone', () => {
  expect(new Redactor(new Map([['env:SHORT', 'ab']])).redact('abab')).toBe('abab');
});

test.each(['secret', 'characters', 'env:', '[secret env:K'])(
  'a placeholder is not torn by a secret that is %j, however often a text is redacted',
  (value) => {
    const redactor = new Redactor(
      new Map([
        ['env:K', 'geheim-ä'],
        ['env:OTHER', value],
      ]),
    );
    const once = redactor.redact('it is geheim-ä');
    expect(once).toMatch(/^it is \[secret env:K, 8 characters, \w{8}\]$/);
    expect(redactor.redact(once)).toBe(once);
    const pieces = new PieceRedactor(redactor);
    const written = [...Buffer.from('it is geheim-ä')].map((byte) =>
      pieces.redact(1, Buffer.from([byte]), true),
    );
    expect(Buffer.concat([...written, pieces.redact(1, Buffer.alloc(0), false)]).toString()).toBe(once);
  },
);

test('a secret learned while a unit arrives is replaced in its remaining pieces', () => {
  const redactor = new Redactor(new Map());
  const pieces = new PieceRedactor(redactor);
  const first = pieces.redact(1, Buffer.from('learned-later '), true);
  redactor.learn('header:Cookie', 'learned-later');
  const last = pieces.redact(1, Buffer.from('learned-later'), false);
  expect(Buffer.concat([first, last]).toString()).toMatch(/^learned-later \[secret header:Cookie, 13 .*\]$/);
});

test.each([
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in small letters',
    (text: string) => encodeURIComponent(text).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  ],
  ['in a form', (text: string) => new URLSearchParams({ k: text }).toString().slice(2)],
  ['in hex', (text: string) => Buffer.from(text).toString('hex')],
  ['in hex with capitals', (text: string) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in base64', (text: string) => Buffer.from(text).toString('base64')],
  ['in base64 of addresses', (text: string) => Buffer.from(text).toString('base64url')],
  ['in base64 in JSON of PHP', (text: string) => Buffer.from(text).toString('base64').replaceAll('/', '\\/')],
  [
    'in HTML',
    (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ],
])('a secret is found %s', (_, write) => {
  const value = 'a b/c?~~~ü<&>*(1)';
  const written = write(value);
  expect(written).not.toBe(value);
  const redacted = new Redactor(new Map([['env:K', value]])).redact(`<${written}>`);
  expect(redacted).toMatch(/^<\[secret env:K, 17 characters, \w{8}\]=*>$/);
});

const asUnit = (value: string, unit: string): string =>
  new PieceRedactor(new Redactor(new Map([['env:K', value]])))
    .redact(1, Buffer.from(unit), false)
    .toString()
    .replaceAll(/\[secret env:K, \d+ characters, \w{8}\]/g, '§')
    .replaceAll(/\b0e-\d+/g, '0e-§');

test.each([
  ['syntax between two strings', 'jsonrpc":"2.0', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1}'],
  ['the end of an escape', 'n-value', '{"a":"\\n-value"}', '{"a":"\\n-value"}'],
  ['the digits of an escape', '0041bcd', '{"a":"\\u0041bcd"}', '{"a":"\\u0041bcd"}'],
  ['the beginning of an escape', 'abcd\\', '{"a":"abcd\\n"}', '{"a":"abcd\\n"}'],
  ['a word of JSON', 'true', '{"a":true,"b":"true"}', '{"a":true,"b":"true"}'],
  ['a part of a number', '7305918264738291', '{"id":17305918264738291}', '{"id":17305918264738291}'],
  [
    'a whole number',
    '7305918264738291',
    '{"id":7305918264738291,"a":[7305918264738291]}',
    '{"id":0e-§,"a":[0e-§]}',
  ],
  ['a part of a string', 'geh3im', '{"a":"x geh3im\\ny"}', '{"a":"x §\\ny"}'],
  ['an escaped value', 'ge"heim', '{"a":"ge\\"heim"}', '{"a":"§"}'],
  [
    'several values',
    '{"user":"me","key":"geheim","n":17}',
    '{"a":{"user":"me","key":"geheim","n":17}}',
    '{"a":{"user":"§","key":"§","n":0e-§}}',
  ],
  ['syntax and a secret inside', '"b":"geheim"', '{"a":"x","b":"geheim"}', '{"a":"x","b":"§"}'],
  ['what is no JSON', 'jsonrpc":"2.0', '{"jsonrpc":"2.0",', '{"§",'],
])('a secret that is %s in JSON leaves it JSON', (_, value, unit, shown) => {
  expect(asUnit(value, unit)).toBe(shown);
});

test('whatever the secret and wherever a unit is cut, what was JSON is JSON on record', () => {
  const cases = fc.json({ maxDepth: 3, stringUnit: 'grapheme' }).chain((text) =>
    fc.record({
      text: fc.constant(text),
      secret: fc.tuple(fc.nat(text.length), fc.integer({ min: 4, max: 12 })),
      other: fc.tuple(fc.nat(text.length), fc.integer({ min: 4, max: 12 })),
      cuts: fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 4 }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ text, secret, other, cuts }) => {
      const values = [secret, other].map(([from, length]) => text.slice(from, from + length));
      const redactor = new Redactor(new Map(values.map((value, place) => [`env:${place}`, value])));
      const unit = Buffer.from(text);
      const whole = new PieceRedactor(redactor).redact(1, unit, false).toString();
      expect(() => JSON.parse(whole)).not.toThrow();
      if (!/^\s*[[{]/.test(text)) return;
      const pieces = new PieceRedactor(redactor);
      const ends = [...cuts.toSorted((a, b) => a - b), unit.length];
      const written = ends.map((end, place) =>
        pieces.redact(1, unit.subarray(ends[place - 1] ?? 0, end), place < ends.length - 1),
      );
      expect(() => JSON.parse(Buffer.concat(written).toString())).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

test('only a possible start of a secret in a piece waits for the next piece', () => {
  const redactor = new Redactor(new Map([['env:K', 'a-very-long-secret-value'.repeat(10)]]));
  const pieces = new PieceRedactor(redactor);
  expect(pieces.redact(1, Buffer.from('{"id":1,"result":"a-ver'), true).toString()).toBe(
    '{"id":1,"result":"',
  );
  expect(pieces.redact(1, Buffer.from('bose"}'), false).toString()).toBe('a-verbose"}');
});

test.each(['', 'a', 'ab', 'someone:'])(
  'a secret is found in base64 of bytes that begin with %j',
  (before) => {
    const value = 'a b/c?~~~ü<&>*(1)';
    const redactor = new Redactor(new Map([['env:K', value]]));
    for (const name of ['base64', 'base64url'] as const) {
      const redacted = redactor.redact(`Basic ${Buffer.from(`${before}${value} and more`).toString(name)}`);
      expect(redacted).toMatch(/^Basic [\w+/-]{0,14}\[secret env:K, 17 characters, \w{8}\]/);
    }
  },
);
