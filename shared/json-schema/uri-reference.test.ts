import { expect, test } from 'vitest';
import { resolveUri } from './uri-reference.ts';

// The examples of RFC 3986 section 5.4.
test.each([
  ['g:h', 'g:h'],
  ['g', 'http://a/b/c/g'],
  ['./g', 'http://a/b/c/g'],
  ['g/', 'http://a/b/c/g/'],
  ['/g', 'http://a/g'],
  ['//g', 'http://g'],
  ['?y', 'http://a/b/c/d;p?y'],
  ['g?y', 'http://a/b/c/g?y'],
  [';x', 'http://a/b/c/;x'],
  ['', 'http://a/b/c/d;p?q'],
  ['.', 'http://a/b/c/'],
  ['./', 'http://a/b/c/'],
  ['..', 'http://a/b/'],
  ['../', 'http://a/b/'],
  ['../g', 'http://a/b/g'],
  ['../..', 'http://a/'],
  ['../../g', 'http://a/g'],
  ['../../../g', 'http://a/g'],
  ['/./g', 'http://a/g'],
  ['/../g', 'http://a/g'],
  ['g.', 'http://a/b/c/g.'],
  ['..g', 'http://a/b/c/..g'],
  ['./g/.', 'http://a/b/c/g/'],
  ['g/../h', 'http://a/b/c/h'],
])('%s', (reference, expected) => {
  expect(resolveUri(reference, 'http://a/b/c/d;p?q')).toEqual({ document: expected, fragment: '' });
});

test.each([
  ['#s', 'urn:x:y', 'urn:x:y', 's'],
  ['item', 'http://a', 'http://a/item', ''],
  ['item#/a%20b', 'http://a', 'http://a/item', '/a b'],
  ['#/%', 'http://a', 'http://a', '/%'],
])('%s against %s', (reference, base, document, fragment) => {
  expect(resolveUri(reference, base)).toEqual({ document, fragment });
});
