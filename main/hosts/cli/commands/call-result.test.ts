import { expect, test } from 'vitest';
import { resultText } from './call.ts';

test('content that is no content block is shown as what it is', () => {
  const content = [{ type: 'video', data: '' }, 'text', { type: 'text' }, { type: 'text', text: 'fine' }];
  expect(resultText(JSON.stringify({ content })).split('\n')).toEqual([
    '[unreadable content: {"type":"video","data":""}]',
    '[unreadable content: "text"]',
    '[unreadable content: {"type":"text"}]',
    'fine',
  ]);
});

test('a description stays on its line, whatever the server calls things', () => {
  const content = [{ type: 'resource_link', uri: 'a:b', name: 'two\nlines' }];
  expect(resultText(JSON.stringify({ content }))).toBe('[resource link: two lines, a:b]');
});

test.each(['null', '{}', '[]', '{"content":{}}', '{"content": [], "big": 12345678901234567890}'])(
  '%s has nothing to print but itself',
  (json) => {
    expect(resultText(json)).toBe(json);
  },
);
