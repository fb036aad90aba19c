import { expect, test } from 'vitest';
import { redactorFor } from './credentials.ts';
import { headerCopy } from './response-copy.ts';

const copyOf = (name: string, value: string) =>
  headerCopy(redactorFor(new Map()), [[name, value]], 'tokens')[0]?.[1];

test.each([
  ['Location', 'app://cb?access_token=', 'open-sesame', ''],
  ['Set-Cookie', 'sid=', 'open-sesame', '; Path=/'],
  ['WWW-Authenticate', 'Bearer error="invalid_token", access_token="', 'open-sesame', '"'],
])(
  'in %s of a response with tokens a secret is replaced once, and its name stays',
  (name, before, secret, after) => {
    const copy = copyOf(name, `${before}${secret}${after}`) ?? '';
    expect(copy.startsWith(before)).toBe(true);
    expect(copy.endsWith(after)).toBe(true);
    expect(copy.slice(before.length, copy.length - after.length)).toMatch(
      /^\[secret [^[\]]+, 11 characters, [\da-f]{8}\]$/,
    );
  },
);

test.each([
  'Bearer error="invalid_token", error_description="The token is expired"',
  'Basic realm="as"',
  'Bearer realm="mcp"',
])('the challenge %s of a response with tokens can be read', (challenge) => {
  expect(copyOf('WWW-Authenticate', challenge)).toBe(challenge);
});
