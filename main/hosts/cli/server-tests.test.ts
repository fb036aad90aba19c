import { afterEach, expect, test, vi } from 'vitest';
import { readServerTestChoices, serverTestOptionsSchema } from './server-tests.ts';

afterEach(() => vi.unstubAllEnvs());

const read = (options: object) => readServerTestChoices(serverTestOptionsSchema.parse(options));

test('without options nothing is tested', () => {
  expect(read({})).toEqual({ isWanted: false, authorizations: [], tokens: [], foreignCredentials: null });
});

test('the options say what is authorized and sent besides; values of tokens come from variables', () => {
  vi.stubEnv('OLD', 'an-old-token');
  vi.stubEnv('THEIRS', 'their-token');
  const options = {
    testServer: true,
    testSignIn: true,
    testResource: 'https://other.example/mcp',
    testScope: 'files:write',
    testToken: ['expired:OLD', 'other-identity:B=$THEIRS'],
    testForeign: 'cred-2',
  };
  expect(read(options)).toEqual({
    isWanted: true,
    authorizations: [
      ['other-identity', null],
      ['other-audience', 'https://other.example/mcp'],
      ['less-scope', 'files:write'],
    ],
    tokens: [
      ['expired', 'an-old-token'],
      ['other-identity', 'their-token'],
    ],
    foreignCredentials: 'cred-2',
  });
});

test.each([
  [{ testSignIn: true }, 'need --test-server'],
  [{ testForeign: 'x' }, 'need --test-server'],
  [{ testServer: true, testToken: ['old:TOKEN'] }, '--test-token wants KIND:NAME'],
  [{ testServer: true, testToken: ['expired'] }, '--test-token wants KIND:NAME'],
  [{ testServer: true, testToken: ['expired:NO_SUCH_VARIABLE'] }, 'NO_SUCH_VARIABLE'],
])('%j is explained', (options, text) => {
  expect(() => read(options)).toThrow(text);
});
