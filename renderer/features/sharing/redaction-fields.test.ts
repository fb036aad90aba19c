import { expect, test } from 'vitest';
import { draftOf, patternsOf, problemOf } from './redaction-fields.tsx';

test('says what is wrong with a pattern', () => {
  expect(problemOf(String.raw`customer-\d+`)).toBeNull();
  expect(problemOf('customer-(')).toBe('This is no regular expression: unterminated group.');
});

test('only a set of good ones can be used: without blanks, each once', () => {
  expect(patternsOf(['a', '', 'b', 'a'].map(draftOf))).toEqual(['a', 'b']);
  expect(patternsOf(['a', '('].map(draftOf))).toBeNull();
});
