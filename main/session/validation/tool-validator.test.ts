import { expect, test } from 'vitest';
import type { ToolEntry, ToolList } from '#shared/contract/catalog.ts';
import { ToolValidator } from './tool-validator.ts';

const inputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

const usable = (tool: { name: string; inputSchema: Record<string, unknown>; outputSchema?: object }) =>
  ({ usable: true, tool, duplicate: false, raw: JSON.stringify(tool) }) as ToolEntry;

function validatorOf(...entries: ToolEntry[]): ToolValidator {
  const list: ToolList = { state: 'ready', pages: 1, fault: null, cache: null, entries };
  return new ToolValidator(() => list);
}
const tools = validatorOf(
  usable({ name: 'plain', inputSchema }),
  usable({ name: 'structured', inputSchema, outputSchema }),
  usable({ name: 'structured', inputSchema: { type: 'object', maxProperties: 0 } }),
  { usable: false, name: 'broken', why: 'no schema', raw: '{"name":"broken"}' },
  { usable: false, name: null, why: 'no object', raw: '"text"' },
);

test('arguments are judged by the input schema of the first tool of that name', () => {
  expect(tools.ofArguments('plain', '{"count": 1}')).toEqual({ state: 'valid' });
  expect(tools.ofArguments('structured', '{"count": "1"}')).toEqual({
    state: 'invalid',
    problems: [{ pointer: '/count', keyword: 'type', message: 'must be integer, not string' }],
  });
});

test('of a tool that is not listed nothing is said', () => {
  expect(tools.ofArguments('none', '{}')).toBeNull();
  expect(tools.ofOutput('none', { structuredContent: {} })).toBeNull();
});

test('of a tool that is listed as bad it is said why nothing can be', () => {
  expect(tools.ofArguments('broken', '{}')).toEqual({
    state: 'unknown',
    reason: 'The tool has no inputSchema.',
  });
  expect(tools.ofOutput('broken', {})).toBeNull();
});

test('the schema is taken as it was written', () => {
  const raw = '{"name":"exact","inputSchema":{"type":"string","type":"object","required":["n"]}}';
  const exact = validatorOf({
    usable: true,
    duplicate: false,
    raw,
    tool: { name: 'exact', inputSchema: { type: 'object' } },
  });
  expect(exact.ofArguments('exact', '{}')?.state).toBe('invalid');
  expect(exact.ofArguments('exact', '{"n":1}')?.state).toBe('valid');
});

test('structured content is judged by the output schema', () => {
  expect(tools.ofOutput('structured', { content: [], structuredContent: { sum: 1 } })).toEqual({
    state: 'valid',
  });
  expect(tools.ofOutput('structured', { content: [], structuredContent: { sum: '1' } })).toEqual({
    state: 'invalid',
    problems: [{ pointer: '/sum', keyword: 'type', message: 'must be number, not string' }],
  });
  expect(tools.ofOutput('structured', { resultType: 'complete', structuredContent: null })?.state).toBe(
    'invalid',
  );
});

test('an output schema without structured content is wrong', () => {
  expect(tools.ofOutput('structured', { content: [] })).toEqual({
    state: 'invalid',
    problems: [
      {
        pointer: '',
        keyword: 'required',
        message: 'structuredContent is missing, although the tool has an outputSchema',
      },
    ],
  });
});

test.each([
  ['an error of the tool', { isError: true, content: [] }],
  ['a result that wants more input', { resultType: 'input_required', inputRequests: {} }],
  ['what is no result', 'text'],
])('%s needs no structured content', (_, result) => {
  expect(tools.ofOutput('structured', result)).toBeNull();
});

test('without an output schema nothing is said of structured content', () => {
  expect(tools.ofOutput('plain', { structuredContent: { any: 1 } })).toBeNull();
});
