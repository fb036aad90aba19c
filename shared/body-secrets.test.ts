import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BodyKind, partsOfBody } from './body-secrets.ts';

const masked = (text: string, kind: BodyKind = 'document', mediaType = '') =>
  partsOfBody(text, kind, mediaType)
    .map((part) => (typeof part === 'string' ? part : part.needsQuotes ? '"§"' : '§'))
    .join('');
const values = (text: string, kind: BodyKind = 'document') =>
  partsOfBody(text, kind).flatMap((part) => (typeof part === 'string' ? [] : [[part.name, part.value]]));

test.each([
  [
    'grant_type=authorization_code&code=c&code_verifier=v&resource=https%3A%2F%2Fx',
    'grant_type=authorization_code&code=§&code_verifier=§&resource=https%3A%2F%2Fx',
  ],
  ['client_id=me&client_secret=a%2Bb', 'client_id=me&client_secret=§'],
  ['token=t&token_type_hint=access_token', 'token=§&token_type_hint=access_token'],
  [
    'assertion=a.b.c&client_assertion=x&client_assertion_type=y',
    'assertion=§&client_assertion=§&client_assertion_type=y',
  ],
  [
    'subject_token=s&subject_token_type=t&actor_token=u&refresh_token=r',
    'subject_token=§&subject_token_type=t&actor_token=§&refresh_token=§',
  ],
  ['acc%65ss_token=t&code=&lone&=x&code=1&code=2', 'acc%65ss_token=§&code=&lone&=x&code=§&code=§'],
  ['access_token=t&token_type=bearer', 'access_token=§&token_type=bearer'],
])('the credentials of the form %s', (form, expected) => {
  expect(masked(form, 'sent')).toBe(expected);
});

test.each([
  [
    '{"access_token":"a","token_type":"Bearer","expires_in":1}',
    '{"access_token":"§","token_type":"Bearer","expires_in":1}',
  ],
  [
    '{"refresh_token" : "a\\"b" , "id_token":"x.y.z", "scope":"read"}',
    '{"refresh_token" : "§" , "id_token":"§", "scope":"read"}',
  ],
  [
    '{"client_id":"c","client_secret":"s","registration_access_token":"t"}',
    '{"client_id":"c","client_secret":"§","registration_access_token":"§"}',
  ],
  ['{"\\u0061ccess_token":"a"}', '{"\\u0061ccess_token":"§"}'],
  [
    '{"accessToken":12345,"client_secret":null,"refresh_token":""}',
    '{"accessToken":"§","client_secret":null,"refresh_token":""}',
  ],
  [
    '[{"access_token":"a"},{"b":["c",{"id_token":"d"}]}]',
    '[{"access_token":"§"},{"b":["§",{"id_token":"§"}]}]',
  ],
  ['{"access_token":"cut o', '{"access_token":"§'],
  [
    '{"error":"invalid_grant","code":"E1","token":"t","key":"k"}',
    '{"error":"invalid_grant","code":"E1","token":"t","key":"k"}',
  ],
  ['{"a":"access_token","b":"x"}', '{"a":"access_token","b":"x"}'],
  ['["access_token","x"]', '["access_token","x"]'],
])('the credentials of the document %s', (text, expected) => {
  expect(masked(text)).toBe(expected);
});

const T = 'tok-SECRETACCESS0123456789abcdef';

test.each([
  // What providers send, and what was found to be read.
  ['a form with a line break', `access_token=${T}&token_type=bearer\n`, 'access_token=§&token_type=bearer\n'],
  ['a form with brackets', `ok=true&authed_user[access_token]=${T}`, 'ok=true&authed_user[access_token]=§'],
  [
    'what Slack nests',
    `{"ok":true,"authed_user":{"id":"U1","access_token":"${T}"}}`,
    '{"ok":true,"authed_user":{"id":"§","access_token":"§"}}',
  ],
  [
    'a member of any name',
    `{"jeton":"plain","n":123456789012,"list":["x",["y"]]}`,
    '{"jeton":"§","n":"§","list":["§",["§"]]}',
  ],
  [
    'a repeated member',
    `{"access_token":"${T}","access_token":"","token_type":"Bearer"}`,
    '{"access_token":"§","access_token":"","token_type":"Bearer"}',
  ],
  ['a member with a token as its name', `{"${T}":1,"scope":"read"}`, '{"§":1,"scope":"read"}'],
  [
    'a token in a harmless member',
    `{"token_type":"${T}","scope":"a ey"}`,
    '{"token_type":"§","scope":"a ey"}',
  ],
  [
    'an error that repeats it',
    `{"error":"invalid_grant","error_description":"The token ${T} was used, code abc-1, for https://as.example/x","token":"${T}"}`,
    '{"error":"invalid_grant","error_description":"The token § was used, code §, for https://as.example/x","token":"§"}',
  ],
  [
    'a word of the response that an error repeats',
    '{"secret":"open sesame now","error":"open sesame now?"}',
    '{"secret":"§","error":"§?"}',
  ],
  ['JSON in a JSON string', `{"error":"{\\"access_token\\":\\"pass\\"}"}`, '{"error":"§"}'],
  ['an escaped token in a harmless member', '{"error":"\\u0074ok-SECRET0123456789"}', '{"error":"§"}'],
  [
    'broken JSON',
    `{"access_token":"${T}","token_type":"Bearer",}`,
    '{"access_token":"§","token_type":"Bearer",}',
  ],
  ['JSON behind a prefix', `while(1);{"access_token":"hidden"}`, 'while(1);{"access_token":"§"}'],
  [
    'JSON without quotes',
    `{access_token: ${T}, token_type: Bearer}`,
    '{access_token: "§", token_type: Bearer}',
  ],
  ['a JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJTRUNSRVQifQ.', '§'],
  ['a JWT without dots in words', `eyJhbGciOiJub25lIn0.eyJ.x.y.z\n`, '§'],
  ['base64 of it', Buffer.from(`{"access_token":"${T}"}`).toString('base64'), '§'],
  ['base64 with padding', `${Buffer.from(`{"token":"${T}"}`).toString('base64')}=`, '§§'],
  ['text', `access_token: ${T}\nexpires: soon`, 'access_token: §\nexpires: soon'],
  [
    'YAML',
    'access_token: open-sesame\nrefreshToken: sesame\nnote: soon',
    'access_token: §\nrefreshToken: §\nnote: soon',
  ],
  [
    'what PHP prints',
    'Array\n(\n    [access_token] => open-sesame\n)',
    'Array\n(\n    [access_token] => §\n)',
  ],
  ['typographic quotes', '“access_token”: “open-sesame”', '“access_token”: “§”'],
  [
    'a token of words',
    '{"error":"Invalid refresh token (open-sesame-now-please)."}',
    '{"error":"Invalid refresh token (§)."}',
  ],
  ['entities', '<p>&#116;&#111;&#107;&#45;</p>', '<p>§</p>'],
  ['percent-encoding', `<p>%74%6f%6b-SECRET0123456789</p>`, '<p>§</p>'],
  [
    'a page',
    `<!doctype html><html><title>Sign in</title><input name="access_token" value="pass"><script>t='${T}'</script><p>Try again.</p></html>`,
    '<!doctype html><html><title>Sign in</title><input§><script>§</script><p>Try again.</p></html>',
  ],
  [
    'XML',
    '<o><error>invalid_grant</error><access_token>pass</access_token></o>',
    '<o><error>invalid_grant</error><access_token>§</access_token></o>',
  ],
  ['a comment and CDATA', '<p>a<!-- pass --><![CDATA[pass]]></p>', '<p>a§§</p>'],
  [
    'a request_uri',
    '{"request_uri":"urn:ietf:params:oauth:request_uri:bwc4","expires_in":60}',
    '{"request_uri":"§","expires_in":60}',
  ],
  [
    'a device code',
    '{"device_code":"a","user_code":"WDJB-MJHT","verification_uri":"https://e/d","verification_uri_complete":"https://e/d?user_code=W","interval":5}',
    '{"device_code":"§","user_code":"§","verification_uri":"https://e/d","verification_uri_complete":"§","interval":5}',
  ],
])('of a response with tokens, %s is replaced', (_title, text, expected) => {
  expect(masked(text, 'tokens')).toBe(expected);
});

test.each([
  '{"error":"invalid_client","error_description":"AADSTS700016: Application with identifier was not found in the directory \'Contoso\'.","error_codes":[700016],"timestamp":"2024-01-02 03:04:05Z","trace_id":"5b9d0f3a-0000-4000-8000-000000000000","error_uri":"https://login.microsoftonline.com/error?code=700016"}',
  '{"error":"invalid_grant","error_description":"The code_verifier is missing; the token endpoint demands code_challenge_method S256 (RFC7636)."}',
  '{"active":true,"scope":"files:read files:write","client_id":"0oa1b2c3d4e5f6g7h8i9","sub":"user-1","exp":1700000000}',
  '{"client_id":"s6BhdRkqt3s6BhdRkqt3","client_id_issued_at":1700000000,"redirect_uris":["http://127.0.0.1:43117/callback"],"token_endpoint_auth_method":"none","jwks":{"keys":[{"kty":"EC","crv":"P-256","kid":"2024-01","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}}',
  'error=bad_verification_code&error_description=The+code+passed+is+incorrect+or+expired.&error_uri=https%3A%2F%2Fdocs.github.com%2Fapps',
  '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
  '{"error":"x","error_description":"Error code: unsupported_grant_type. The refresh token: expired. Invalid client_secret: missing"}',
  'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
])('of a response with tokens, %s can be read', (text) => {
  expect(
    masked(text, 'tokens').replace(
      'error_uri":"§"',
      'error_uri":"https://login.microsoftonline.com/error?code=700016"',
    ),
  ).toBe(text);
});

test('of a body whose syntax we do not know nothing can be read', () => {
  expect(
    masked(
      '--b\r\nContent-Disposition: form-data; name="t"\r\n\r\npass\r\n--b--',
      'tokens',
      'multipart/form-data; boundary=b',
    ),
  ).toBe('§');
  expect(masked('jeton pass', 'tokens', 'application/x-own')).toBe('§');
});

test('of keys the private members are replaced, and the public ones are not', () => {
  const key = {
    kty: 'RSA',
    n: 'ulqY9vD2kEwP0x1u3Z4',
    e: 'AQAB',
    kid: 'k-2024-1234567890',
    d: 'private',
    p: 'a',
    q: 'b',
    dp: 'c',
    qi: 'd',
    oth: [{ r: 'e' }],
  };
  const { d: _d, p: _p, q: _q, dp: _dp, qi: _qi, oth: _oth, ...open } = key;
  const hidden = { ...open, d: '§', p: '§', q: '§', dp: '§', qi: '§', oth: [{ r: '§' }] };
  for (const kind of ['keys', 'document', 'tokens', 'request'] as const) {
    const text = masked(JSON.stringify({ keys: [key, { kty: 'oct', k: 'x' }] }), kind);
    expect(JSON.parse(text)).toEqual({ keys: [hidden, { kty: 'oct', k: '§' }] });
  }
});

test('metadata and pages without a credential stay as they are', () => {
  for (const text of [
    JSON.stringify({
      issuer: 'https://as',
      signed_metadata: 'eyJhbGciOiJub25lIn0.e30.',
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      key: T,
    }),
    '',
    '<html>Not found</html>',
    'Not found',
    'a b=c',
    'null',
    '"access_token"',
  ])
    expect(masked(text)).toBe(text);
});

test('what replaced a secret stays when the body is read again', () => {
  const text = '{"access_token":"[secret body:access_token, 32 characters, 0123abcd]","x":"y"}';
  expect(masked(text)).toBe('{"access_token":"[secret body:access_token, 32 characters, 0123abcd]","x":"§"}');
});

test('in a text, too, it stays, with the name before it', () => {
  const text =
    'The token [secret body:token, 32 characters, 0123abcd] of ?access_token=[secret url:access_token, 9 characters, 0123abcd] is wrong';
  expect(masked(text, 'tokens', 'text/plain')).toBe(text);
  const challenge = 'Bearer error="invalid_token", access_token="§"';
  expect(masked(challenge.replace('§', 'open-sesame'), 'tokens', 'text/plain')).toBe(challenge);
});

test('the JSON of a request has the same credentials as a form', () => {
  expect(masked('{"code":"c","token":"t","client_name":"n"}', 'sent')).toBe(
    '{"code":"§","token":"§","client_name":"n"}',
  );
});

test('of a request of a flow, a JWT and random values under names of the user are replaced too', () => {
  expect(masked(`client_id=${T}&own=${T}&note=hello&hint=eyJhbGciOiJub25lIn0.e30.&code=1`, 'request')).toBe(
    `client_id=§&own=§&note=hello&hint=§&code=§`,
  );
});

test('the values are those that were meant', () => {
  expect(values('client_secret=a%2Bb+c%zz&code=%C3%A4', 'sent')).toEqual([
    ['client_secret', 'a%2Bb+c%zz'],
    ['code', 'ä'],
  ]);
  expect(values('{"access_token":"a\\u002fb\\n"}')).toEqual([['access_token', 'a/b\n']]);
});

test('no text is lost, and no secret of a valid body remains', () => {
  const secret = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(secret, fc.string(), (value, other) => {
      const planted = `planted${value}`;
      for (const text of [
        new URLSearchParams([
          ['a', other],
          ['code', planted],
          ['b', other],
        ]).toString(),
        JSON.stringify({ [`x${other}`]: other, access_token: planted, b: [other, { id_token: planted }] }),
      ]) {
        const parts = partsOfBody(text, 'sent');
        expect(parts.map((part) => (typeof part === 'string' ? part : part.written)).join('')).toBe(text);
        expect(parts.filter((part) => typeof part !== 'string').every((part) => part.value === planted)).toBe(
          true,
        );
        expect(masked(text, 'sent')).not.toContain('planted');
      }
    }),
  );
});

test('whatever a response is, no text is lost and no planted token can be read', () => {
  const planted = fc.stringMatching(/^[A-Za-z0-9]{24}$/).filter((one) => /\d.*\d.*\d.*\d/.test(one));
  fc.assert(
    fc.property(planted, fc.string(), fc.jsonValue(), (token, other, value) => {
      for (const text of [
        JSON.stringify({ [other]: [token, value], a: { [`x${other}`]: token } }),
        `${other}&t=${token}`,
        `<a ${other}>${token}</a>`,
        `${other} ${token} ${other}`,
        JSON.stringify({ error: `${other} ${token}` }),
      ]) {
        const parts = partsOfBody(text, 'tokens');
        expect(parts.map((part) => (typeof part === 'string' ? part : part.written)).join('')).toBe(text);
        expect(masked(text, 'tokens')).not.toContain(token);
      }
    }),
  );
});

test('a long body of secrets is read in proportion to its length, and what comes late is one secret', () => {
  for (const piece of [
    '"ab",',
    'token=',
    '<!--',
    '\n',
    '<a ',
    '{"a":',
    'token token:',
    '%41',
    '&#65;',
    'a/',
    '=',
    '[',
  ]) {
    const text = piece.repeat(Math.floor(300_000 / piece.length));
    for (const start of ['', '{', '<', '{"access_token":"a"}']) {
      const parts = partsOfBody(`${start}${text}`, 'tokens');
      expect(parts.length).toBeLessThan(5000);
    }
  }
});
