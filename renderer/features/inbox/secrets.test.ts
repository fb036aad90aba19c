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

test.each([
  'Choose a colour. Do not give us your PIN.',
  'Never enter your password here!',
  'Please don’t share your API key with us',
  'Your name, please: we will not ask for your pin',
  'You should not paste a token or password here',
  'No password is needed.',
  'Your PIN is not required',
])('a text that says not to tell a secret asks for none: %s', (text) => {
  expect(secrets({ colour: { type: 'string', title: text, description: text } }, text)).toEqual([]);
});

test.each([
  'Do not hesitate to enter your PIN',
  'If you do not have an account, enter your password',
  'Never mind the warning and enter your PIN.',
  'Do not give up and enter your password',
  'Do not share this. Your PIN:',
  'Not your name but your password',
])('a text with a negation elsewhere still asks for one: %s', (text) => {
  expect(secrets({ a: { description: text } }, text)).toEqual(['a', 'the message']);
});

test('a long text is looked at in time that grows with it', () => {
  const text = 'do not give us your name or '.repeat(20_000);
  expect(secrets({}, `${text}. Your PIN please`)).toEqual(['the message']);
});

test('words that only look like it are let pass', () => {
  const names = ['pinned', 'compass', 'tokenizer', 'keyboard', 'author', 'secretary', 'opinion', 'discard'];
  expect(secrets(Object.fromEntries(names.map((name) => [name, { type: 'string' }])))).toEqual([]);
});
