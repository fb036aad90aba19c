import { expect, test } from 'vitest';
import { toEditorSchema } from './editor-schema.ts';

test('what a server could misuse is left out, and a property may have any name', () => {
  const schema = {
    type: 'object',
    markdownDescription: '[click](http://example.com)',
    properties: {
      pattern: { type: 'string', pattern: '(a+)+$', description: 'kept', default: { pattern: 'kept' } },
      list: { type: 'array', items: [{ anyOf: [{ patternProperties: {}, const: 1 }] }] },
    },
  };
  expect(toEditorSchema(schema)).toEqual({
    type: 'object',
    properties: {
      pattern: { type: 'string', default: { pattern: 'kept' }, markdownDescription: '```text\nkept\n```' },
      list: { type: 'array', items: [{ anyOf: [{ const: 1 }] }] },
    },
  });
});

test('a description stays text, whatever Markdown it holds', () => {
  const description = '![x](http://example.com)\n```\n<img src=x>\u202e';
  expect(toEditorSchema({ title: 'http://example.com', description })).toEqual({
    markdownDescription: '````text\n![x](http://example.com)\n```\n<img src=x>[U+202E]\n````',
  });
});
