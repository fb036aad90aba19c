import { expect, test } from 'vitest';
import { newDraft, patternsOf, patternError } from './redaction-fields.tsx';

test('says what is wrong with a pattern', () => {
  expect(patternError(String.raw`customer-\d+`)).toBeNull();
  expect(patternError('customer-(')).toBe('Not a valid regular expression: unterminated group.');
});

test('only a set of good ones can be used: without blanks, each once', () => {
  expect(patternsOf(['a', '', 'b', 'a'].map(newDraft))).toEqual(['a', 'b']);
  expect(patternsOf(['a', '('].map(newDraft))).toBeNull();
});
