import { expect, test } from 'vitest';
import { isPrivateAddress, whyNeedsConsent } from './private-address.ts';

test.each([
  'http://127.0.0.1:80/',
  'http://localhost/',
  'http://a.localhost/',
  'http://[::1]/',
  'http://10.1.2.3/',
  'http://172.31.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://0x7f.1/',
  'http://metadata.internal/',
])('%s is private', (url) => {
  expect(isPrivateAddress(new URL(url))).toBe(true);
});

test.each([
  'https://example.com/',
  'http://8.8.8.8/',
  'http://172.32.0.1/',
  'http://[2001:db8::1]/',
  'http://localhost.example.com/',
])('%s is public', (url) => {
  expect(isPrivateAddress(new URL(url))).toBe(false);
});

test('only a private address that a public server names needs consent', () => {
  const [here, there] = [new URL('http://127.0.0.1/x'), new URL('https://example.com/mcp')];
  expect(whyNeedsConsent(here, there)?.code).toBe('private-address');
  expect(whyNeedsConsent(here, here)).toBeNull();
  expect(whyNeedsConsent(there, there)).toBeNull();
  expect(whyNeedsConsent(there, here)).toBeNull();
});
