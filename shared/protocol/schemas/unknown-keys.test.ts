import { describe, expect, test } from 'vitest';
import { vectors } from '#fixtures/vectors/vectors.ts';
import { isObject } from '../jsonrpc.ts';
import { unknownResultKeys } from './unknown-keys.ts';

const unknown = (method: string, result: unknown, revision: '2025-06-18' | '2026-07-28' = '2025-06-18') =>
  unknownResultKeys(result, { revision, method, from: 'server' });

test('keys that the revision does not define are found at every depth', () => {
  expect(
    unknown('tools/list', {
      tools: [
        { name: 'a', inputSchema: { type: 'object' }, icon: 'a.png' },
        { name: 'b', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true, cost: 3 } },
      ],
      total: 2,
    }),
  ).toEqual(['/result/tools/0/icon', '/result/tools/1/annotations/cost', '/result/total']);
  expect(
    unknown('tools/call', {
      content: [
        { type: 'text', text: 'x', lang: 'en' },
        { type: 'resource', resource: { uri: 'a://b', text: 'x', 'a/b~c': 1 } },
      ],
    }),
  ).toEqual(['/result/content/0/lang', '/result/content/1/resource/a~1b~0c']);
});

test('what is open by definition has no unknown keys: _meta, JSON Schemas, structured content, other extensions', () => {
  const inputSchema = { type: 'object', $defs: {}, additionalProperties: false, 'x-own': 1 };
  expect(unknown('tools/list', { tools: [{ name: 'a', inputSchema, _meta: { own: 1 } }] })).toEqual([]);
  expect(unknown('tools/call', { content: [], structuredContent: { any: 1 }, _meta: { 'a/b': 1 } })).toEqual(
    [],
  );
  expect(
    unknown('initialize', {
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'a', version: '1' },
      capabilities: { experimental: { mine: {} }, logging: {} },
    }),
  ).toEqual([]);
});

test('a key belongs to the revision in force', () => {
  const tool = { name: 'a', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } };
  const at = (revision: '2025-06-18' | '2025-11-25') =>
    unknownResultKeys({ tools: [tool] }, { revision, method: 'tools/list', from: 'server' });
  expect(at('2025-06-18')).toEqual(['/result/tools/0/execution']);
  expect(at('2025-11-25')).toEqual([]);
});

test('nothing is said of a method that is unknown, or of a value that no type fits', () => {
  expect(unknown('own/method', { anything: 1 })).toEqual([]);
  expect(unknown('tools/call', { content: [{ type: 'hologram', depth: 3 }] })).toEqual([]);
  expect(unknown('tools/call', null)).toEqual([]);
});

describe('the results in the examples of the specification have no unknown keys but these', () => {
  const results = vectors.messages.flatMap(({ document, lines, message }) => {
    const revision = vectors.documents[document]?.revision;
    return revision !== undefined && isObject(message.result)
      ? [{ where: `${document} ${lines[0]}`, revision, result: message.result }]
      : [];
  });
  const methodOf = (result: Readonly<Record<string, unknown>>): string | null =>
    Object.entries(methodsByMember).find(([member]) => Object.hasOwn(result, member))?.[1] ?? null;
  test.each(results.filter(({ result }) => methodOf(result) !== null))('$where', ({ revision, result }) => {
    const found = unknownResultKeys(result, { revision, method: methodOf(result), from: 'server' });
    // The example of resources/read gives its contents a name and a title, which the schema does not.
    expect(found.filter((pointer) => !/^\/result\/contents\/0\/(name|title)$/.test(pointer))).toEqual([]);
  });
});

const methodsByMember = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
  contents: 'resources/read',
  messages: 'prompts/get',
  completion: 'completion/complete',
  protocolVersion: 'initialize',
  structuredContent: 'tools/call',
  isError: 'tools/call',
};
