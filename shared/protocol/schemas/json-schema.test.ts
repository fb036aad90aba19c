import { describe, expect, test } from 'vitest';
import { existsIn, methods } from '../methods.ts';
import { revisions } from '../revisions.ts';
import { paramsSchema } from './json-schema.ts';

describe('the JSON Schema of the protocol', () => {
  test.each(revisions.map(({ id }) => id))('has the params of each method of a client in %s', (revision) => {
    for (const { method } of methods) {
      const schema = paramsSchema({ revision, method, from: 'client' });
      expect(schema !== null, method).toBe(existsIn(method, revision, 'client'));
      if (schema !== null) expect(schema, method).toMatchObject({ type: 'object' });
    }
  });

  test('names members, which are required, and their values', () => {
    const context = { revision: '2025-06-18', from: 'client' } as const;
    expect(paramsSchema({ ...context, method: 'tools/call' })).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
    });
    expect(JSON.stringify(paramsSchema({ ...context, method: 'logging/setLevel' }))).toContain('"emergency"');
    expect(JSON.stringify(paramsSchema({ ...context, method: 'completion/complete' }))).toContain(
      'ref/prompt',
    );
  });

  test('has what code checks: items, values and alternatives', () => {
    const asked = paramsSchema({ revision: '2025-11-25', method: 'sampling/createMessage', from: 'server' });
    expect(JSON.stringify(asked)).toContain('"audio"');
    expect(asked).toMatchObject({
      properties: { messages: { items: { properties: { role: { type: 'string' } } } } },
    });
    const prompt = paramsSchema({ revision: '2025-11-25', method: 'prompts/get', from: 'client' });
    expect(prompt).toMatchObject({ properties: { arguments: { additionalProperties: { type: 'string' } } } });
  });
});
