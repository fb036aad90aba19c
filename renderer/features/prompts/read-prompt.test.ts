import { expect, test } from 'vitest';
import { promptText, readPrompt } from './read-prompt.ts';
import { promptParams } from './prompts-state.ts';

const text = (words: string) => ({ type: 'text', text: words });

test('messages are read with their role, and a bad one hides no other', () => {
  const read = readPrompt(
    JSON.stringify({
      description: 'About',
      messages: [
        { role: 'user', content: text('a') },
        { role: 'system', content: text('b') },
        { content: { type: 'video' } },
        7,
      ],
    }),
  );
  expect(read?.description).toBe('About');
  expect(read?.messages.map(({ role, error, block }) => [role, error, block.kind])).toEqual([
    ['user', null, 'known'],
    ['system', 'The role must be "user" or "assistant".', 'known'],
    [null, 'The role must be "user" or "assistant".', 'other'],
    [null, null, 'other'],
  ]);
});

test('a message that cannot be shown is kept as it was written', () => {
  const read = readPrompt('{"messages":[{"role":"user","content":{"type":"x","n":9007199254740993}}]}');
  expect(read?.messages[0]?.block).toMatchObject({ raw: '{"type":"x","n":9007199254740993}' });
});

test('says what is wrong with the whole', () => {
  expect(readPrompt('{}')?.errors).toEqual(['It has no "messages", which is required.']);
  expect(readPrompt('{"messages":5}')?.errors).toEqual(['"messages" is not a list.']);
  expect(readPrompt('[]')).toBeNull();
});

test('the messages are copied as text with their roles', () => {
  const read = readPrompt(
    JSON.stringify({
      messages: [
        { role: 'user', content: text('hello') },
        { role: 'assistant', content: { type: 'image', data: '', mimeType: 'image/png' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'x://a', text: 'inside' } } },
      ],
    }),
  );
  expect(read && promptText(read)).toBe('user:\nhello\n\nassistant:\n[image image/png]\n\nuser:\ninside');
});

test('arguments without a value are not sent', () => {
  expect(promptParams('p', { a: '1', b: '' })).toBe('{"name":"p","arguments":{"a":"1"}}');
  expect(promptParams('p', { a: '' })).toBe('{"name":"p"}');
});
