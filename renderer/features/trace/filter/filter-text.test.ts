import { expect, test } from 'vitest';
import { addTerm, hasTerm, toggleTerm } from './filter-text.tsx';

test.each([
  ['', 'is:error', false],
  ['is:error', 'is:error', true],
  ['method:tools/call is:error', 'is:error', true],
  ['is:error or is:ask', 'is:error', false],
  ['-is:error', 'is:error', false],
  ['-kind:stderr', '-kind:stderr', true],
  ['is:', 'is:error', false],
])('whether "%s" has the term %s: %j', (text, term, expected) => {
  expect(hasTerm(text, term)).toBe(expected);
});

test.each([
  ['', 'is:error', 'is:error'],
  ['is:error', 'is:error', ''],
  ['method:tools/call  echo', 'is:error', 'method:tools/call  echo is:error'],
  ['method:tools/call is:error echo', 'is:error', 'method:tools/call echo'],
  ['is:ask or echo', 'is:error', '(is:ask or echo) is:error'],
  ['(is:ask or echo) is:error', 'is:error', '(is:ask or echo)'],
  ['nonsense:', 'is:error', 'is:error'],
])('"%s" with the term %s turned is "%s"', (text, term, expected) => {
  expect(toggleTerm(text, term)).toBe(expected);
});

test('a term that a filter has is not added again', () => {
  expect(addTerm('echo -tool:x', '-tool:x')).toBe('echo -tool:x');
  expect(addTerm('echo -tool:x', '-tool:y')).toBe('echo -tool:x -tool:y');
});
