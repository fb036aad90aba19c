import { expect, test } from 'vitest';
import { readAddress } from './address.ts';

const parts = (url: string) => {
  const address = readAddress(url);
  return address.state === 'read' ? [address.before, address.host, address.after] : null;
};
const warnings = (url: string) => {
  const address = readAddress(url);
  return address.state === 'read' ? address.warnings.join(' ') : null;
};

test('the host is set apart from what could be mistaken for it', () => {
  expect(parts('https://bank.example@evil.example:8443/a?b=c#d')).toEqual([
    'https://bank.example@',
    'evil.example:8443',
    '/a?b=c#d',
  ]);
  expect(parts(String.raw`https:\\evil.example\bank.example`)).toEqual([
    'https://',
    'evil.example',
    '/bank.example',
  ]);
  expect(parts('javascript:alert(1)')).toEqual(['javascript:', '', 'alert(1)']);
});

test.each([
  ['http://example.com/', 'not encrypted'],
  ['https://user:word@example.com/', 'user name before the host'],
  ['https://bücher.example/', 'non-ASCII letters'],
  ['https://xn--bcher-kva.example/', 'non-ASCII letters'],
  ['https://3232235777/', 'number instead of a name'],
  ['file:///etc/passwd', 'not a web address'],
])('warns of %s', (url, why) => {
  expect(warnings(url)).toContain(why);
});

test.each(['http://127.0.0.1:8080/callback', 'http://localhost/', 'http://[::1]:3000/', 'http://127.1/'])(
  'does not say that others can read what stays on this machine: %s',
  (url) => {
    expect(warnings(url)).toBe('');
  },
);

test('has nothing to say of an ordinary address, and opens only the web', () => {
  expect(readAddress('https://example.com')).toMatchObject({ warnings: [], isWeb: true, isRewritten: false });
  expect(readAddress('ftp://example.com/')).toMatchObject({ isWeb: false });
  expect(readAddress('https://EXAMPLE.com/')).toMatchObject({ isRewritten: true });
  expect(readAddress('no address')).toEqual({ state: 'unreadable' });
});
