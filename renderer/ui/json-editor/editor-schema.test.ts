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
      pattern: { type: 'string', description: 'kept', default: { pattern: 'kept' } },
      list: { type: 'array', items: [{ anyOf: [{ const: 1 }] }] },
    },
  });
});
