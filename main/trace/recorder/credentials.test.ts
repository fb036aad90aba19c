import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactAndLearnHeaders, redactAndLearnProse, redactAndLearnUrl, redactTexts } from './credentials.ts';
import { Redactor } from './redaction.ts';

const withoutSecrets = (text: string) => text.replaceAll(/\[secret [^\]]*\]/g, '§');
const redactor = () => new Redactor(new Map());

test.each([
  ['http://host/mcp', 'http://host/mcp'],
  ['http://a@b@host/', 'http://§@host/'],
  ['//a:b@host/?x', '//§@host/?x'],
  ['/relative?Code=1&&code=', '/relative?Code=§&&code='],
  ['?access-token=1&accessToken=2&ACCESS_TOKEN=3', '?access-token=§&accessToken=§&ACCESS_TOKEN=§'],
  ['/a?t%6Fken=1', '/a?t%6Fken=§'],
  [
    '/a?X-Amz-Date=1&X-Amz-Signature=2&X-Goog-Signature=3',
    '/a?X-Amz-Date=1&X-Amz-Signature=§&X-Goog-Signature=§',
  ],
  ['/a?q=x?token=1', '/a?q=x?token=1'],
  ['/a?x#id_token=1&state=2', '/a?x#id_token=§&state=2'],
  ['/token=1/key=2', '/token=1/key=2'],
  ['/a?monkey=1&state=2&tokens=3', '/a?monkey=1&state=2&tokens=3'],
  ['/a?%=1&token=%E0%A4%A', '/a?%=1&token=§'],
  ['', ''],
])('of the address %j remains %j', (url, expected) => {
  expect(withoutSecrets(redactAndLearnUrl(redactor(), url))).toBe(expected);
});

test.each([
  ['Basic', 'Basic'],
  ['Basic ', 'Basic '],
  ['', ''],
  ['token-alone', '§'],
  ['Unheard-of abc def', '§'],
  ['digest username="a", response="b"', 'digest §'],
  ['Bearer\tx', 'Bearer\t§'],
])('of the credentials %j remains %j', (value, expected) => {
  expect(
    redactAndLearnHeaders(redactor(), [['Authorization', value]]).map(([, text]) => withoutSecrets(text)),
  ).toEqual([expected]);
});

test('the password of Basic credentials is known again by itself', () => {
  const own = redactor();
  redactAndLearnHeaders(own, [['authorization', `Basic ${Buffer.from('me:pa:ss').toString('base64')}`]]);
  expect(withoutSecrets(own.redact('me:pa:ss, pa:ss, me'))).toBe('§, §, me');
});

test('whatever stands in a header or an address, nothing is thrown, and what is no credential stays', () => {
  const names = fc.constantFrom('Cookie', 'Set-Cookie', 'Authorization', 'Location', 'X-Other');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(names, fc.string({ unit: 'binary', maxLength: 60 }))),
      fc.string(),
      (lines, text) => {
        const redacted = redactAndLearnHeaders(redactor(), lines);
        expect(redacted.map(([name]) => name)).toEqual(lines.map(([name]) => name));
        for (const [place, [name, value]] of lines.entries()) {
          if (name === 'X-Other')
            expect(withoutSecrets(redacted[place]?.[1] ?? '')).toBe(withoutSecrets(value));
        }
        redactAndLearnUrl(redactor(), text);
        redactAndLearnProse(redactor(), text);
      },
    ),
  );
});

test.each([' ', '=', ';', '"', '?', '&', ':', '/', 'a.', 'a:/', '?a', '@', 'http://'])(
  'a header made of very many %j is soon done',
  (part) => {
    const value = `x${part.repeat(100_000)}y`;
    const names = ['Cookie', 'Set-Cookie', 'Authorization', 'Location', 'X'];
    expect(
      redactAndLearnHeaders(
        redactor(),
        names.map((name) => [name, value] as const),
      ),
    ).toHaveLength(5);
    expect(redactAndLearnProse(redactor(), value)).toBeTypeOf('string');
  },
);

test('the credentials of 20,000 URLs in one text are all redacted, and the last ones are recognized again', () => {
  const tokens = Array.from({ length: 20_000 }, (_, place) => `token-number-${place}`);
  const own = redactor();
  const reported = redactAndLearnProse(own, tokens.map((token) => `http://host/?token=${token}`).join(' '));
  expect(reported).not.toContain('token-number');
  expect(withoutSecrets(own.redact('token-number-19999, token-number-5'))).toBe('§, token-number-5');
});

test('plain data is redacted at every depth, and returned as it is when it holds no secret', () => {
  const own = new Redactor(new Map([['env:KEY', 'correct-horse']]));
  const clean = { method: 'tools/call', rounds: [{ row: 1 }], error: null };
  expect(redactTexts(own, clean)).toBe(clean);
  const held = { deep: [{ 'x correct-horse': 1 }, ['at http://me:pass@host/'], { ...clean }] };
  const redacted: typeof held = redactTexts(own, held);
  expect(withoutSecrets(JSON.stringify(redacted))).toBe(
    '{"deep":[{"x §":1},["at http://§@host/"],{"method":"tools/call","rounds":[{"row":1}],"error":null}]}',
  );
  expect(JSON.stringify(held)).toContain('correct-horse');
});
