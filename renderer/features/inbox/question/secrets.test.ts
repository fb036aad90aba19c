import { expect, test } from 'vitest';
import { readQuestion } from './read-question.ts';
import { secretsAskedFor } from './secrets.ts';

const secrets = (properties: Record<string, unknown>, message = 'Please fill this in.') =>
  secretsAskedFor(
    readQuestion({
      method: 'elicitation/create',
      params: JSON.stringify({ message, requestedSchema: { type: 'object', properties } }),
    }),
  );

test.each(['password', 'apiKey', 'API_KEY', 'access-token', 'pin', 'cardNumber', 'client_secret', 'ssn'])(
  'a field called %s',
  (name) => {
    expect(secrets({ [name]: { type: 'string' } })).toEqual([name]);
  },
);

test('a field whose title or description says so, and a message that does', () => {
  expect(secrets({ a: { title: 'Your PIN code' }, b: { description: 'The credit card to use' } })).toEqual([
    'a',
    'b',
  ]);
  expect(secrets({ name: {} }, 'Enter your password')).toEqual(['the message']);
});

test('words that only look like it are let pass', () => {
  const names = ['pinned', 'compass', 'tokenizer', 'keyboard', 'author', 'secretary', 'opinion', 'discard'];
  expect(secrets(Object.fromEntries(names.map((name) => [name, { type: 'string' }])))).toEqual([]);
});
