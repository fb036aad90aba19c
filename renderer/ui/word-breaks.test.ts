import { expect, test } from 'vitest';
import { wordsOf } from './word-breaks.ts';

test.each([
  ['structuredContentSchemaVersion', 'structured Content Schema Version'],
  ['authorization_response_iss', 'authorization_ response_ iss'],
  ['X-Content-Type-Options', 'X- Content- Type- Options'],
  ['io.modelcontextprotocol/URLOfIcons', 'io. modelcontextprotocol/ URLOf Icons'],
  ['utf8Encoded__text', 'utf8 Encoded_ _ text'],
  ['shortName', 'shortName'],
])('%s breaks between its words only', (name, words) => {
  expect(wordsOf(name).join(' ')).toBe(words);
  expect(wordsOf(name).join('')).toBe(name);
});
