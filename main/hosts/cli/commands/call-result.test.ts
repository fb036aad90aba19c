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

test('what is not base64 has no size, and says what it is', () => {
  const content = [
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    { type: 'image', data: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png' },
    { type: 'image', data: '_-8_', mimeType: 'image/png' },
    { type: 'audio', data: 'not base64!', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'a:b', blob: 'iVBORw0KGgo' } },
    { type: 'resource', resource: { uri: 'a:b', blob: '' } },
  ];
  expect(resultText(JSON.stringify({ content })).split('\n')).toEqual([
    '[image: image/png, 8 B]',
    '[image: image/png, not base64 (it is a data URI; only what follows its comma belongs here)]',
    '[image: image/png, not base64 (it is URL-safe base64, which has "-" and "_" in place of "+" and "/")]',
    '[audio: audio/wav, not base64 (the character "!" is not one of base64)]',
    '[resource: a:b, not base64 (the "=" at its end are missing)]',
    '[resource: a:b, 0 B]',
  ]);
});
