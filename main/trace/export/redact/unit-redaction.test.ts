import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Patterns } from './patterns.ts';
import { Redaction } from './redaction.ts';
import { Removals } from './spans.ts';
import { UnitRedaction, type Written } from './unit-redaction.ts';

/** What becomes of a unit in pieces, as one text; learns from it first. */
function redact(
  pieces: readonly Written[],
  isJson: boolean,
  patterns: string[] = [],
): { text: string; parts: Written[]; removed: number } {
  const learning = Redaction.toLearn(true, new Patterns(patterns));
  const removals = new Removals();
  let parts: Written[] = [];
  for (const redaction of [learning, learning.toReplace(removals)]) {
    const unit = new UnitRedaction(redaction, isJson, 0);
    parts = pieces.map((piece, place) => unit.push(piece, place < pieces.length - 1));
  }
  const bytes = parts.map(({ text, base64 }) =>
    base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64'),
  );
  return { text: Buffer.concat(bytes).toString('utf8'), parts, removed: removals.count };
}

const inPieces = (text: string, size: number): Written[] => {
  const pieces: Written[] = [];
  const characters = [...text];
  for (let from = 0; from < characters.length; from += size) {
    pieces.push({ text: characters.slice(from, from + size).join('') });
  }
  return pieces;
};

const whole = (text: string, isJson = true, patterns: string[] = []) =>
  redact([{ text }], isJson, patterns).text;
const PLACEHOLDER = /\[secret [^\]]+\]/g;

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"p-12345678"}}}',
  '{"result":{"tools":[{"name":"login","inputSchema":{"type":"object","properties":{"password":{"type":"string","description":"the password: what you log in with"},"token":{"type":"string"}},"required":["password"]}}]}}',
  '{"result":{"nextCursor":"eyJvZmZzZXQiOjEwfQ==","nextPageToken":"abcdefgh1234"}}',
  '{"params":{"text":"Authorization: required. A Bearer token is needed, see https://x.test/docs?page=2#top"}}',
  '{"usage":{"inputTokens":12,"maxTokens":100,"total_tokens":112},"secret":true,"password":null}',
  '{"params":{"text":"Send Authorization: Bearer token, or use Bearer token-based auth. Bearer authentication/authorization"}}',
  '{"params":{"text":"WWW-Authenticate: Bearer resource_metadata=\\"https://x.test/m\\", and Bearer access_token"}}',
  '{"properties":{"format":1,"compat":"abcdef123","name":"x"},"args":["--verbose","--api-key","--other","docker","--user","1000:1000"]}',
  '{"value":"12 and more","name":"temperature"}',
  '{"token_type":"Bearer","expires_in":3600,"token_endpoint":"https://x.test/token"}',
  '{"error":{"code":-32602,"message":"unknown key: name; path: /a/b; time: 10:42:07"}}',
])('what is no secret stays: %s', (text) => {
  expect(whole(text)).toBe(text);
});

test.each(['utf16le', 'utf16be'] as const)('text in %s can be read around what was replaced', (encoding) => {
  const swapped = (bytes: Buffer) => (encoding === 'utf16be' ? Buffer.from(bytes).swap16() : bytes);
  for (const text of ['\ufeffuser=me password=hunter-2-hunter\nend', 'Größe: password=hunter-2-hunter €']) {
    const bytes = swapped(Buffer.from(text, 'utf16le'));
    const { parts } = redact([{ base64: bytes.toString('base64') }], false);
    const [{ text: written = '', base64 } = {}] = parts;
    const redacted = base64 === undefined ? Buffer.from(written) : Buffer.from(base64, 'base64');
    expect(swapped(redacted).toString('utf16le').replace(PLACEHOLDER, '§')).toBe(
      text.replace('hunter-2-hunter', '§'),
    );
  }
});

test.each([
  'listening on http://127.0.0.1:3000/mcp',
  'a = b, c: d',
  'task-4711 risk-assessment done',
  'key: value',
  'The Authorization: Bearer token header is checked',
  'docker run --user app:app image, then curl -s http://127.0.0.1:80/',
])('so does prose: %s', (text) => {
  expect(whole(text, false)).toBe(text);
});

test('placeholders of the recorder are not replaced again', () => {
  const text =
    'Authorization: Bearer [secret header:Authorization, 20 characters, 0a1b2c3d] token=[secret env:K, 5 characters, 0a1b2c3d]';
  expect(whole(text, false)).toBe(text);
  const json =
    '{"password":"[secret env:K, 5 characters, 0a1b2c3d]","a":"Basic [secret env:K, 5 characters, 0a1b2c3d]"}';
  expect(whole(json)).toBe(json);
});

test('a number stays a number, and everything around stays as it was written', () => {
  const text = whole('{"pin_password" : 12345678901234567890,\n "a":1.0, "a":"\\u0041"}');
  expect(text).toMatch(/^\{"pin_password" : 0e-\d+,\n "a":1\.0, "a":"\\u0041"\}$/);
  expect(JSON.parse(text)).toEqual({ pin_password: 0, a: 'A' });
  // What was replaced before is not replaced again.
  expect(whole(text)).toBe(text);
});

test('a pattern of the user replaces within values only, so that JSON stays JSON', () => {
  const text = '{"a":"x 123-45 y","n":12345,"list":["123-45",{"k":"v"}],"b":true}';
  const replaced = whole(text, true, ['\\d{3}-\\d\\d', '"n":\\d+', '"list".*']);
  expect(JSON.parse(replaced)).toMatchObject({
    a: expect.stringMatching(/^x \[secret pattern 1, 6 characters, \w{8}\] y$/),
    n: 0,
    b: true,
  });
  expect(replaced).not.toMatch(/123-45|12345/);
});

test('in pieces comes the same as in one, wherever the cuts are', () => {
  const member = fc.record({
    text: fc.string({ unit: 'binary', maxLength: 30 }),
    password: fc.stringMatching(/^[a-z]{4}[0-9]{6}$/),
    nested: fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), fc.boolean()), { maxLength: 3 }),
    url: fc.stringMatching(/^https:\/\/u:[a-z0-9]{8}@x\.test\/\?token=[a-z0-9]{9}$/),
  });
  fc.assert(
    fc.property(fc.array(member, { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), (members, size) => {
      const text = JSON.stringify({ members });
      const { text: joined } = redact(inPieces(text, size), true);
      expect(joined).toBe(whole(text));
      expect(JSON.parse(joined)).toBeDefined();
      for (const { password } of members) expect(joined).not.toContain(password);
    }),
  );
});

test('long strings in pieces stay JSON, and a secret at any place of them is found', () => {
  const secret = 'sk-abcdefghijklmnop1234567890';
  for (const at of [10, 70_000, 99_990, 100_005, 163_000, 165_530, 199_995, 259_000, 299_000]) {
    const filler = `${'word "quoted" é😀 \\ '.repeat(16_000).slice(0, at)} ${secret} ${'tail '.repeat(20_000)}`;
    const text = JSON.stringify({
      jsonrpc: '2.0',
      params: { text: filler, password: `p${'x1'.repeat(100_000)}` },
    });
    const { text: joined, parts } = redact(inPieces(text, 200_000), true);
    expect(joined).not.toContain(secret);
    expect(joined).not.toContain('x1x1x1');
    expect(joined.match(PLACEHOLDER)?.length).toBeGreaterThan(1);
    const { params } = JSON.parse(joined) as { params: { text: string } };
    expect(params.text.replace(PLACEHOLDER, secret) === filler).toBe(true);
    // What cannot be told yet is held back, the rest is not.
    expect(parts[0]?.text?.length).toBeGreaterThan(10_000);
  }
});

test('bytes that are no UTF-8 stay as they are around what is replaced', () => {
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from('é password=hunter22x '),
    Buffer.from([0xc3]),
  ]);
  const { parts } = redact(
    [{ text: 'start ' }, { base64: bytes.toString('base64') }, { text: 'é end' }],
    false,
  );
  const all = Buffer.concat(
    parts.map(({ text, base64 }) =>
      Buffer.from(text ?? base64 ?? '', text === undefined ? 'base64' : 'utf8'),
    ),
  );
  expect(all.toString('latin1')).toMatch(
    /^start \xff\xfe\xc3\xa9 password=\[secret value of password, 9 characters, \w{8}\] \xc3\xc3\xa9 end$/,
  );
});

test('a private key is left out whole, also from a text that ends within it', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----';
  expect(whole(`a ${key} b`, false)).toMatch(/^a \[secret private key, 68 characters, \w{8}\] b$/);
  expect(whole(`a ${key.slice(0, 50)}`, false)).toMatch(/^a \[secret private key, 50 characters, \w{8}\]$/);
  expect(whole('-----BEGIN CERTIFICATE-----', false)).toBe('-----BEGIN CERTIFICATE-----');
});

test('a value waits for a name that comes after it, across pieces too', () => {
  const text =
    '{"a":[{"value":"short7","name":"API_KEY"},{"value":{"b":["short8"]},"name":"DB_PASSWORD"},{"value":"kept","name":"x"}]}';
  const all = whole(text);
  expect(all).toMatch(/"value":"\[secret member API_KEY, 6 characters, \w{8}\]","name":"API_KEY"/);
  expect(all).not.toMatch(/short[78]/);
  expect(all).toContain('"value":"kept"');
  for (let size = 1; size < text.length; size++) expect(redact(inPieces(text, size), true).text).toBe(all);
});

const KEY_BODY = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7',
  'VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3S',
  'Qg==',
];

test('a private key whose lines are strings of a list is left out line by line', () => {
  const lines = [
    'before',
    '-----BEGIN RSA PRIVATE KEY-----',
    ...KEY_BODY,
    '-----END RSA PRIVATE KEY-----',
    'after word',
  ];
  for (const text of [JSON.stringify({ lines }), JSON.stringify({ text: JSON.stringify(lines) })]) {
    const left = whole(text);
    for (const line of KEY_BODY) expect(left).not.toContain(line);
    expect(left).toMatch(/before.*after word/);
  }
});
