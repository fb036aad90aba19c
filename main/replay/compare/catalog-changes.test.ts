import { describe, expect, test } from 'vitest';
import {
  forkingTool,
  manyTools,
  nestedArrays,
  toolOfAlternatives,
  toolOfValues,
} from '#fixtures/fuzz/heavy-inputs.ts';
import { argument, input, tool, toolChanges } from '#fixtures/replay/tool-changes.ts';
import { stepsOf } from '#fixtures/counted-steps.ts';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { SchemaValidator } from '#session/validator.ts';
import { type Catalog, catalogChanges, lostLists, uncomparedLists } from './catalog-changes.ts';
import type { ListedKind } from './entry-changes.ts';

const entry = (member: 'tool' | 'prompt' | 'resource' | 'template', raw: Schema): CatalogEntry =>
  ({ usable: true, [member]: raw, duplicate: false, raw: JSON.stringify(raw) }) as unknown as CatalogEntry;

const prompt = (...args: Schema[]): Schema => ({ name: 'greet', arguments: args });

function catalog(
  lists: Partial<Record<ListedKind, readonly Schema[] | null>>,
  more: Partial<Catalog> = {},
): Catalog {
  const listOf = (kind: ListedKind) => {
    const list = lists[kind];
    return list === null ? null : (list ?? []).map((raw) => entry(kind, raw));
  };
  return {
    revision: '2025-11-25',
    capabilities: { tools: {} },
    lists: {
      tool: listOf('tool'),
      resource: listOf('resource'),
      template: listOf('template'),
      prompt: listOf('prompt'),
    },
    ...more,
  };
}

const validator = new SchemaValidator();
const changes = (before: Catalog, after: Catalog, calls: readonly TracedCall[] = []) =>
  catalogChanges(before, after, calls, (schema, value) => validator.validateText(schema, value));

/** The changes as `class rule`, sorted. */
const rulesOf = (before: Catalog, after: Catalog): string[] =>
  changes(before, after)
    .map((change) => `${change.class} ${change.rule}`)
    .sort();

const oneTool = (raw: Schema) => catalog({ tool: [raw] });

describe('a change of a tool', () => {
  test.each(toolChanges)('%s', (_, before, after, forward, backward) => {
    expect(rulesOf(oneTool(before), oneTool(after))).toEqual(forward);
    expect(rulesOf(oneTool(after), oneTool(before))).toEqual(backward);
  });

  test('the corpus has sixty, and each definition equals itself', () => {
    expect(toolChanges.length).toBeGreaterThanOrEqual(60);
    for (const [, before, after] of toolChanges) {
      expect(rulesOf(oneTool(before), oneTool(structuredClone(before)))).toEqual([]);
      expect(rulesOf(oneTool(after), oneTool(structuredClone(after)))).toEqual([]);
    }
  });
});

describe('lists', () => {
  const other = { name: 'list_customers', inputSchema: { type: 'object' } };

  test('a tool comes and goes', () => {
    const [less, more] = [
      catalog({ tool: [other] }),
      catalog({ tool: [other, { ...tool({}), name: 'zzz' }] }),
    ];
    expect(rulesOf(less, more)).toEqual(['compatible tool-added']);
    expect(rulesOf(more, less)).toEqual(['breaking tool-removed']);
  });

  test('definitions that take much more of a context are named', () => {
    const described = (length: number) => catalog({ tool: [{ ...other, description: 'x'.repeat(length) }] });
    expect(rulesOf(described(3000), described(4500))).toEqual([
      'behavior catalog-grew',
      'behavior description-changed',
    ]);
    expect(rulesOf(described(3000), described(3400))).toEqual(['behavior description-changed']);
  });

  test('definitions do not grow from no tools', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      ...other,
      name: `tool_${index}`,
      description: 'x'.repeat(200),
    }));
    const found = changes(catalog({ tool: [] }), catalog({ tool: many }));
    expect(found.map(({ rule }) => rule)).not.toContain('catalog-grew');
    expect(found.map(({ text }) => text).join()).not.toContain('Infinity');
  });

  test('a renamed tool is not one that may be confused with the tool that is gone', () => {
    const [was, now] = [catalog({ tool: [other] }), catalog({ tool: [{ ...other, name: 'list_customer' }] })];
    expect(changes(was, now).map((change) => [change.class, change.rule, change.text])).toEqual([
      ['breaking', 'tool-renamed', 'Tool removed, probably renamed to list_customer'],
      ['compatible', 'tool-added', 'Tool added, probably a renamed one'],
    ]);
    // Nor is any other tool like one that is gone.
    const two = catalog({
      tool: [
        { ...other, name: 'list_customer' },
        { ...other, name: 'list_customer2' },
      ],
    });
    expect(rulesOf(was, two)).not.toContain('behavior tool-resembles');
  });

  test('a renamed tool is recognized by its name, or by its schema', () => {
    const schema = { type: 'object', properties: { iban: { type: 'string' }, amount: { type: 'number' } } };
    const [was, now] = [
      { name: 'pay', inputSchema: schema },
      { name: 'transfer', inputSchema: schema },
    ];
    const [change] = changes(catalog({ tool: [was] }), catalog({ tool: [now] }));
    expect(change).toMatchObject({
      rule: 'tool-renamed',
      text: 'Tool removed, probably renamed to transfer',
    });
    const similar = changes(oneTool(tool({})), catalog({ tool: [{ ...tool({}), name: 'pays' }] }));
    expect(similar[0]).toMatchObject({
      rule: 'tool-renamed',
      text: 'Tool removed, probably renamed to pays',
    });
  });

  test('a new tool whose name is like another one is named', () => {
    const after = catalog({ tool: [other, { ...other, name: 'list_customer' }] });
    expect(rulesOf(catalog({ tool: [other] }), after)).toEqual(['behavior tool-resembles']);
  });

  test('resources, templates and prompts come and go', () => {
    const one = { uri: 'a://1', name: 'one' };
    expect(rulesOf(catalog({ resource: [one] }), catalog({}))).toEqual(['breaking resource-removed']);
    expect(rulesOf(catalog({}), catalog({ resource: [one] }))).toEqual(['compatible resource-added']);
    const typed = catalog({ resource: [{ ...one, mimeType: 'text/plain' }] });
    expect(rulesOf(catalog({ resource: [one] }), typed)).toEqual(['behavior mime-type-changed']);
    const template = { uriTemplate: 'a://{id}', name: 'any' };
    expect(rulesOf(catalog({ template: [template] }), catalog({}))).toEqual(['breaking template-removed']);
    expect(rulesOf(catalog({ prompt: [prompt()] }), catalog({}))).toEqual(['breaking prompt-removed']);
  });

  test('arguments of a prompt', () => {
    const onePrompt = (...args: Schema[]) => catalog({ prompt: [prompt(...args)] });
    const [optional, required] = [{ name: 'who' }, { name: 'who', required: true }];
    expect(rulesOf(onePrompt(), onePrompt(optional))).toEqual(['behavior argument-added']);
    expect(rulesOf(onePrompt(optional), onePrompt())).toEqual(['breaking argument-removed']);
    expect(rulesOf(onePrompt(), onePrompt(required))).toEqual(['breaking argument-required']);
    expect(rulesOf(onePrompt(optional), onePrompt(required))).toEqual(['breaking argument-required']);
    expect(rulesOf(onePrompt(required), onePrompt(optional))).toEqual(['compatible argument-optional']);
    expect(rulesOf(onePrompt(optional), onePrompt({ ...optional, description: 'x' }))).toEqual([
      'behavior argument-described',
    ]);
  });

  test('capabilities and the revision', () => {
    const logging = catalog({}, { capabilities: { tools: {}, logging: {} } });
    expect(rulesOf(logging, catalog({}))).toEqual(['breaking capability-removed']);
    expect(rulesOf(catalog({}), logging)).toEqual(['compatible capability-added']);
    const old = catalog({}, { revision: '2025-06-18' });
    expect(rulesOf(catalog({}), old)).toEqual(['breaking revision-dropped']);
    expect(rulesOf(old, catalog({}))).toEqual(['behavior revision-raised']);
  });

  test('a list that one side did not read is not compared, and named', () => {
    const [read, unread] = [catalog({ tool: [tool({})] }), catalog({ tool: null })];
    expect(rulesOf(read, unread)).toEqual([]);
    expect(uncomparedLists(read, unread)).toEqual(['tool']);
    expect(uncomparedLists(unread, read)).toEqual(['tool']);
    expect(lostLists(read, unread)).toEqual(['tool']);
    expect(lostLists(unread, read)).toEqual([]);
    expect(uncomparedLists(read, read)).toEqual([]);
  });
});

describe('recorded calls prove a change', () => {
  const call = (row: number, args: unknown, target = 'pay'): TracedCall => ({
    row,
    responseRow: row + 1,
    method: 'tools/call',
    direction: 'out',
    target,
    params: JSON.stringify({ name: target, arguments: args }),
    outcome: 'ok',
    response: '{}',
    isTooLarge: false,
    at: 0,
    duration: 1,
  });
  const recorded = [
    call(10, { a: 'EUR' }),
    call(20, { a: 'CHF' }),
    call(30, { a: 'CHF' }),
    call(40, {}, 'other'),
  ];

  test('those whose arguments would be refused', () => {
    const [change] = changes(
      oneTool(argument({ enum: ['EUR', 'CHF'] })),
      oneTool(argument({ enum: ['EUR'] })),
      recorded,
    );
    expect(change).toMatchObject({ calls: { count: 3, broken: 2, rows: [20, 30] } });
    expect(change?.text).toBe('Argument a allows fewer values (enum: no longer "CHF")');
  });

  test('those that pass an argument that is gone', () => {
    const [change] = changes(oneTool(argument({})), oneTool(input({})), recorded);
    expect(change).toMatchObject({ rule: 'argument-removed', calls: { count: 3, broken: 3 } });
  });

  test('none that were invalid before, or that the recorded server answered with an error', () => {
    const required = (schema: unknown): Schema =>
      input({ properties: { a: schema, b: {} }, required: ['b'] });
    const [change] = changes(
      oneTool(required({ type: ['string', 'number'] })),
      oneTool(required({ type: 'number' })),
      [
        // Lacks the required argument on both sides.
        call(10, { a: 'EUR' }),
        call(20, { a: 'EUR', b: 1 }),
        { ...call(30, { a: 'EUR', b: 1 }), outcome: 'tool-error' },
        { ...call(40, { a: 'EUR', b: 1 }), outcome: 'error' },
        call(50, { a: 1, b: 1 }),
      ],
    );
    expect(change).toMatchObject({ rule: 'input-type-narrowed', calls: { count: 5, broken: 1, rows: [20] } });
  });

  test('none with an argument that is gone and was forbidden before', () => {
    const closed = input({ properties: { a: {}, b: {} }, required: ['b'], additionalProperties: false });
    const now = input({ properties: { b: {} }, required: ['b'] });
    const [change] = changes(oneTool(closed), oneTool(now), [call(10, { a: 1 }), call(20, { a: 1, b: 1 })]);
    expect(change).toMatchObject({ rule: 'argument-removed', calls: { broken: 1, rows: [20] } });
  });

  test('all calls of a tool that is gone', () => {
    const [change] = changes(oneTool(tool({})), catalog({}), recorded);
    expect(change).toMatchObject({
      rule: 'tool-removed',
      calls: { count: 3, broken: 3, rows: [10, 20, 30] },
    });
  });

  test('none, where a change breaks nobody', () => {
    const [change] = changes(oneTool(tool({})), oneTool(tool({ description: 'x' })), recorded);
    expect(change).toMatchObject({ rule: 'description-changed', calls: { count: 3, broken: 0, rows: [] } });
  });
});

describe('the work of comparing', () => {
  const toolsOf = (tools: readonly object[]): Catalog =>
    catalog({ tool: tools.map((one): Schema => ({ ...one })) });

  test('references that fork end with the budget, and the change says that the schema was compared in part', () => {
    const found = changes(toolsOf([forkingTool(9, 'one')]), toolsOf([forkingTool(9, 'other')]));
    expect(found.find(({ rule }) => rule === 'not-compared')).toMatchObject({
      class: 'unknown',
      name: 't',
      pointer: '/inputSchema',
      text: expect.stringContaining('inputSchema was compared in part: it takes more than 20,000 steps'),
    });
    expect(found.length).toBeLessThan(200);
  });

  test('references that fork to the same schemas are each compared once', () => {
    const other = { ...forkingTool(30, 'one'), title: 'Other' };
    expect(changes(toolsOf([forkingTool(30, 'one')]), toolsOf([other])).map(({ rule }) => rule)).toEqual([
      'title-changed',
    ]);
  });

  test.each([
    ['3,000 alternatives', [toolOfAlternatives(3000, 'a')], [toolOfAlternatives(3000, 'b')]],
    ['8,000 values', [toolOfValues(8000, 'a')], [toolOfValues(8000, 'b')]],
    ['4,000 renamed tools', manyTools(4000, 'get'), manyTools(4000, 'put')],
  ])('%s are not compared each with each', (_, before, after) => {
    const sides = [toolsOf(before), toolsOf(after)] as const;
    expect(stepsOf(() => changes(...sides), 2_000_000)).toBeLessThan(500_000);
  });

  test('tools whose names were not compared with others say so', () => {
    const [first] = changes(toolsOf(manyTools(400, 'get')), toolsOf(manyTools(400, 'put')));
    expect(first?.text).toBe(
      'Tool removed; its name was not compared with others, because too many names came and went',
    );
  });

  test('a tool that is nested too deeply is a change that was not compared', () => {
    const deep = (inner: string): Catalog => ({
      ...catalog({ tool: [] }),
      lists: {
        ...catalog({ tool: [] }).lists,
        tool: [
          {
            usable: false,
            name: 't',
            error: '',
            raw: `{"name":"t","a":${nestedArrays(100_000)},"b":${inner}}`,
          },
        ],
      },
    });
    expect(changes(deep('1'), deep('2'))).toMatchObject([
      {
        rule: 'not-compared',
        class: 'unknown',
        text: expect.stringContaining('nested deeper than 500 levels'),
      },
    ]);
    expect(changes(deep('1'), deep('1 '))).toEqual([]);
  });
});
