import { expect, test } from 'vitest';
import { uriError } from './uri.ts';

// The examples of RFC 3986 section 1.1.2, and schemes that servers make up (MCP 2025-06-18 resources, custom schemes).
test.each([
  'ftp://ftp.is.co.za/rfc/rfc1808.txt',
  'http://www.ietf.org/rfc/rfc2396.txt',
  'ldap://[2001:db8::7]/c=GB?objectClass?one',
  'mailto:John.Doe@example.com',
  'news:comp.infosystems.www.servers.unix',
  'tel:+1-816-555-1212',
  'telnet://192.0.2.16:80/',
  'urn:oasis:names:specification:docbook:dtd:xml:4.1.2',
  'file:///srv/a%20b/',
  'git://host/repo.git?ref=main#L1',
  'x-my.own+scheme://user:secret@host:8080/a;b=c/(d)?e=f&g',
  'demo:',
])('%s is a URI', (uri) => {
  expect(uriError(uri)).toBeNull();
});

test.each([
  ['README.md', 'it has no scheme'],
  ['/etc/passwd', 'it has no scheme'],
  ['1st://a', 'it has no scheme'],
  ['', 'it has no scheme'],
  ['file:///a b', '" " is not allowed in it; encoded it is %20'],
  ['demo://café', '"é" is not allowed in it; encoded it is %C3%A9'],
  ['demo://a/\u{1f600}', '"\u{1f600}" is not allowed in it; encoded it is %F0%9F%98%80'],
  [String.raw`file:///C:\a`, String.raw`"\\" is not allowed in it; encoded it is %5C`],
  ['demo://{id}', '"{" is not allowed in it; encoded it is %7B'],
  ['demo://100%', 'a "%" is not followed by two hexadecimal digits'],
  ['demo://%zz', 'a "%" is not followed by two hexadecimal digits'],
  ['demo://a#b#c', 'it has more than one "#"'],
  ['http://host:port/', 'its port is not a number: port'],
  ['demo://a/[b]', 'brackets only enclose an IP address as its host'],
  ['http://[host]/', 'brackets only enclose an IP address as its host'],
])('%s is no URI: %s', (text, error) => {
  expect(uriError(text)).toBe(error);
});
