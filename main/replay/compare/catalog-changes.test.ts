import { describe, expect, test } from 'vitest';
import {
  forkingTool,
  manyTools,
  nestedArrays,
  toolOfAlternatives,
  toolOfValues,
} from '#fixtures/fuzz/heavy-inputs.ts';
import { stepsOf } from '#fixtures/counted-steps.ts';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { SchemaValidator } from '#session/validator.ts';
import { type Catalog, catalogChanges, lostLists, uncomparedLists } from './catalog-changes.ts';
import type { ListedKind } from './entry-changes.ts';

type Members = Record<string, unknown>;

const entry = (member: 'tool' | 'prompt' | 'resource' | 'template', raw: Members): CatalogEntry =>
  ({ usable: true, [member]: raw, duplicate: false, raw: JSON.stringify(raw) }) as unknown as CatalogEntry;

const tool = (more: Members): Members => ({ name: 'pay', inputSchema: { type: 'object' }, ...more });
const input = (schema: Members): Members => tool({ inputSchema: { type: 'object', ...schema } });
const output = (schema: Members): Members => tool({ outputSchema: { type: 'object', ...schema } });
/** A tool with one argument of this schema. */
const argument = (schema: unknown): Members => input({ properties: { a: schema } });
const field = (schema: unknown): Members => output({ properties: { a: schema } });
const prompt = (...args: Members[]): Members => ({ name: 'greet', arguments: args });

function catalog(
  lists: Partial<Record<ListedKind, readonly Members[] | null>>,
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

const oneTool = (raw: Members) => catalog({ tool: [raw] });

/** A change of one tool: what it is called, both definitions, and what is said of it forwards and backwards. */
const corpus: [name: string, before: Members, after: Members, forward: string[], backward: string[]][] = [
  // Arguments.
  [
    'an optional argument',
    input({}),
    argument({ type: 'string' }),
    ['behavior argument-added'],
    ['breaking argument-removed'],
  ],
  [
    'a required argument',
    input({}),
    input({ properties: { a: { type: 'string' } }, required: ['a'] }),
    ['breaking argument-required'],
    ['breaking argument-removed'],
  ],
  [
    'a renamed argument',
    input({ properties: { currency: { type: 'string' } } }),
    input({ properties: { curency: { type: 'string' } } }),
    ['behavior argument-added', 'breaking argument-renamed'],
    ['behavior argument-added', 'breaking argument-renamed'],
  ],
  [
    'an argument that becomes required',
    argument({ type: 'string' }),
    input({ properties: { a: { type: 'string' } }, required: ['a'] }),
    ['breaking argument-required'],
    ['compatible argument-optional'],
  ],
  [
    'a narrower type',
    argument({}),
    argument({ type: 'string' }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'number to integer',
    argument({ type: 'number' }),
    argument({ type: 'integer' }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'one of two types',
    argument({ type: ['string', 'null'] }),
    argument({ type: 'string' }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'another type',
    argument({ type: 'string' }),
    argument({ type: 'number' }),
    ['breaking input-type-narrowed', 'compatible input-type-widened'],
    ['breaking input-type-narrowed', 'compatible input-type-widened'],
  ],
  [
    'nullable of OpenAPI',
    argument({ type: 'string', nullable: true }),
    argument({ type: 'string' }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'a value less',
    argument({ enum: ['EUR', 'USD', 'CHF'] }),
    argument({ enum: ['EUR', 'USD'] }),
    ['breaking input-enum-narrowed'],
    ['behavior input-enum-widened'],
  ],
  [
    'an enumeration',
    argument({ type: 'string' }),
    argument({ type: 'string', enum: ['a'] }),
    ['breaking input-enum-narrowed'],
    ['behavior input-enum-widened'],
  ],
  [
    'a constant',
    argument({}),
    argument({ const: 1 }),
    ['breaking input-const-narrowed'],
    ['compatible input-const-widened'],
  ],
  [
    'another constant',
    argument({ const: 1 }),
    argument({ const: 2 }),
    ['breaking input-const-narrowed', 'compatible input-const-widened'],
    ['breaking input-const-narrowed', 'compatible input-const-widened'],
  ],
  [
    'a minimum',
    argument({ type: 'number' }),
    argument({ type: 'number', minimum: 1 }),
    ['breaking input-minimum-narrowed'],
    ['compatible input-minimum-widened'],
  ],
  [
    'a higher minimum',
    argument({ minimum: 1 }),
    argument({ minimum: 2 }),
    ['breaking input-minimum-narrowed'],
    ['compatible input-minimum-widened'],
  ],
  [
    'a lower maximum',
    argument({ maximum: 9 }),
    argument({ maximum: 8 }),
    ['breaking input-maximum-narrowed'],
    ['compatible input-maximum-widened'],
  ],
  [
    'an exclusive minimum',
    argument({}),
    argument({ exclusiveMinimum: 0 }),
    ['breaking input-exclusiveMinimum-narrowed'],
    ['compatible input-exclusiveMinimum-widened'],
  ],
  [
    'an exclusive maximum of draft-04',
    argument({ exclusiveMaximum: true }),
    argument({ exclusiveMaximum: 5 }),
    ['unknown input-undecided'],
    ['unknown input-undecided'],
  ],
  [
    'a shorter text',
    argument({ maxLength: 10 }),
    argument({ maxLength: 5 }),
    ['breaking input-maxLength-narrowed'],
    ['compatible input-maxLength-widened'],
  ],
  [
    'a minimum length',
    argument({}),
    argument({ minLength: 1 }),
    ['breaking input-minLength-narrowed'],
    ['compatible input-minLength-widened'],
  ],
  [
    'a maximum of items',
    argument({}),
    argument({ maxItems: 3 }),
    ['breaking input-maxItems-narrowed'],
    ['compatible input-maxItems-widened'],
  ],
  [
    'a minimum of items',
    argument({ minItems: 1 }),
    argument({ minItems: 2 }),
    ['breaking input-minItems-narrowed'],
    ['compatible input-minItems-widened'],
  ],
  [
    'unique items',
    argument({}),
    argument({ uniqueItems: true }),
    ['breaking input-uniqueItems-narrowed'],
    ['compatible input-uniqueItems-widened'],
  ],
  [
    'a maximum of members',
    argument({}),
    argument({ maxProperties: 3 }),
    ['breaking input-maxProperties-narrowed'],
    ['compatible input-maxProperties-widened'],
  ],
  [
    'a multiple',
    argument({}),
    argument({ multipleOf: 5 }),
    ['breaking input-multipleOf-narrowed'],
    ['compatible input-multipleOf-widened'],
  ],
  [
    'a pattern',
    argument({}),
    argument({ pattern: '^a' }),
    ['breaking input-pattern-narrowed'],
    ['compatible input-pattern-widened'],
  ],
  [
    'another pattern',
    argument({ pattern: '^a' }),
    argument({ pattern: '^b' }),
    ['unknown input-undecided'],
    ['unknown input-undecided'],
  ],
  [
    'a format',
    argument({}),
    argument({ format: 'email' }),
    ['breaking input-format-narrowed'],
    ['compatible input-format-widened'],
  ],
  [
    'no further arguments',
    input({}),
    input({ additionalProperties: false }),
    ['breaking input-additionalProperties-narrowed'],
    ['compatible input-additionalProperties-widened'],
  ],
  [
    'typed further arguments',
    input({}),
    input({ additionalProperties: { type: 'string' } }),
    ['breaking input-additionalProperties-narrowed'],
    ['compatible input-additionalProperties-widened'],
  ],
  [
    'a type of further arguments',
    input({ additionalProperties: { type: 'string' } }),
    input({ additionalProperties: { type: 'number' } }),
    ['breaking input-type-narrowed', 'compatible input-type-widened'],
    ['breaking input-type-narrowed', 'compatible input-type-widened'],
  ],
  [
    'a type of items',
    argument({ items: {} }),
    argument({ items: { type: 'string' } }),
    ['breaking input-items-narrowed'],
    ['compatible input-items-widened'],
  ],
  [
    'a value of items',
    argument({ items: { enum: ['a', 'b'] } }),
    argument({ items: { enum: ['a'] } }),
    ['breaking input-enum-narrowed'],
    ['behavior input-enum-widened'],
  ],
  [
    'a field of an object',
    argument({ properties: { b: {} } }),
    argument({ properties: { b: {} }, required: ['b'] }),
    ['breaking argument-required'],
    ['compatible argument-optional'],
  ],
  [
    'a longer tuple',
    argument({ prefixItems: [{}] }),
    argument({ prefixItems: [{}, { type: 'string' }] }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'an item of a tuple',
    argument({ prefixItems: [{ type: 'number' }] }),
    argument({ prefixItems: [{ type: 'integer' }] }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'an alternative less',
    argument({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
    argument({ anyOf: [{ type: 'string' }] }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'a changed alternative',
    argument({ anyOf: [{ minimum: 1 }] }),
    argument({ anyOf: [{ minimum: 2 }] }),
    ['breaking input-minimum-narrowed'],
    ['compatible input-minimum-widened'],
  ],
  [
    'another oneOf',
    argument({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    argument({ oneOf: [{ minimum: 2 }, { maximum: 5 }] }),
    ['unknown input-undecided'],
    ['unknown input-undecided'],
  ],
  [
    'a further allOf',
    argument({ allOf: [{ minLength: 1 }] }),
    argument({ allOf: [{ minLength: 1 }, { maxLength: 9 }] }),
    ['breaking input-maxLength-narrowed'],
    ['compatible input-maxLength-widened'],
  ],
  [
    'another not',
    argument({ not: { const: 1 } }),
    argument({ not: { const: 2 } }),
    ['unknown input-undecided'],
    ['unknown input-undecided'],
  ],
  [
    'a condition',
    input({}),
    input({ if: { required: ['a'] }, then: { required: ['b'] } }),
    ['breaking input-if-narrowed'],
    ['compatible input-if-widened'],
  ],
  [
    'another remote reference',
    argument({ $ref: 'https://a.test/x' }),
    argument({ $ref: 'https://a.test/y' }),
    ['unknown input-undecided'],
    ['unknown input-undecided'],
  ],
  [
    'never valid',
    argument({}),
    argument(false),
    ['breaking input-schema-narrowed'],
    ['compatible input-schema-widened'],
  ],
  [
    'a definition that is referenced',
    input({ $defs: { m: { enum: ['a', 'b'] } }, properties: { a: { $ref: '#/$defs/m' } } }),
    input({ $defs: { m: { enum: ['a'] } }, properties: { a: { $ref: '#/$defs/m' } } }),
    ['breaking input-enum-narrowed'],
    ['behavior input-enum-widened'],
  ],
  [
    'a definition that is written out',
    input({ definitions: { m: { type: 'string' } }, properties: { a: { $ref: '#/definitions/m' } } }),
    argument({ type: 'string' }),
    [],
    [],
  ],
  [
    'a recursive definition',
    input({
      $defs: { n: { properties: { next: { $ref: '#/$defs/n' }, v: { type: 'number' } } } },
      properties: { a: { $ref: '#/$defs/n' } },
    }),
    input({
      $defs: { n: { properties: { next: { $ref: '#/$defs/n' }, v: { type: 'integer' } } } },
      properties: { a: { $ref: '#/$defs/n' } },
    }),
    ['breaking input-type-narrowed'],
    ['compatible input-type-widened'],
  ],
  [
    'a default',
    argument({}),
    argument({ default: 1 }),
    ['behavior argument-default-changed'],
    ['behavior argument-default-changed'],
  ],
  [
    'a description',
    argument({ description: 'x' }),
    argument({ description: 'y' }),
    ['behavior argument-description-changed'],
    ['behavior argument-description-changed'],
  ],
  [
    'a title of an argument',
    argument({}),
    argument({ title: 'A' }),
    ['behavior argument-title-changed'],
    ['behavior argument-title-changed'],
  ],
  // Output.
  [
    'an output schema',
    tool({}),
    output({}),
    ['compatible output-schema-added'],
    ['breaking output-schema-removed'],
  ],
  [
    'a field of the output',
    output({}),
    field({ type: 'string' }),
    ['compatible output-field-added'],
    ['breaking output-field-removed'],
  ],
  [
    'a field that is always there',
    field({ type: 'string' }),
    output({ properties: { a: { type: 'string' } }, required: ['a'] }),
    ['compatible output-field-required'],
    ['breaking output-field-optional'],
  ],
  [
    'a type of the output',
    field({ type: ['string', 'null'] }),
    field({ type: 'string' }),
    ['compatible output-type-narrowed'],
    ['breaking output-type-widened'],
  ],
  [
    'a value of the output',
    field({ enum: ['a', 'b'] }),
    field({ enum: ['a'] }),
    ['compatible output-enum-narrowed'],
    ['breaking output-enum-widened'],
  ],
  [
    'a limit of the output',
    field({ maximum: 10 }),
    field({ maximum: 5 }),
    ['compatible output-maximum-narrowed'],
    ['breaking output-maximum-widened'],
  ],
  [
    'a closed output',
    output({}),
    output({ additionalProperties: false }),
    ['compatible output-additionalProperties-narrowed'],
    ['breaking output-additionalProperties-widened'],
  ],
  [
    'an undecided output',
    field({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    field({ oneOf: [{ minimum: 2 }, { maximum: 5 }] }),
    ['unknown output-undecided'],
    ['unknown output-undecided'],
  ],
  [
    'a description of the output',
    field({ description: 'x' }),
    field({ description: 'y' }),
    ['behavior output-description-changed'],
    ['behavior output-description-changed'],
  ],
  // The tool itself.
  [
    'a description of the tool',
    tool({ description: 'Pays' }),
    tool({ description: 'Pays at once' }),
    ['behavior description-changed'],
    ['behavior description-changed'],
  ],
  [
    'a title of the tool',
    tool({}),
    tool({ title: 'Pay' }),
    ['behavior title-changed'],
    ['behavior title-changed'],
  ],
  [
    'read-only',
    tool({ annotations: { readOnlyHint: true } }),
    tool({ annotations: { readOnlyHint: false } }),
    ['behavior annotation-less-safe'],
    ['behavior annotation-changed'],
  ],
  [
    'destructive',
    tool({ annotations: { destructiveHint: false } }),
    tool({ annotations: { destructiveHint: true } }),
    ['behavior annotation-less-safe'],
    ['behavior annotation-changed'],
  ],
  [
    'idempotent',
    tool({ annotations: { idempotentHint: true } }),
    tool({}),
    ['behavior annotation-changed'],
    ['behavior annotation-changed'],
  ],
  [
    'a task that is required',
    tool({ execution: { taskSupport: 'optional' } }),
    tool({ execution: { taskSupport: 'required' } }),
    ['breaking task-support-changed'],
    ['compatible task-support-changed'],
  ],
  [
    'a task that is possible',
    tool({}),
    tool({ execution: { taskSupport: 'optional' } }),
    ['compatible task-support-changed'],
    ['breaking task-support-changed'],
  ],
];

describe('a change of a tool', () => {
  test.each(corpus)('%s', (_, before, after, forward, backward) => {
    expect(rulesOf(oneTool(before), oneTool(after))).toEqual(forward);
    expect(rulesOf(oneTool(after), oneTool(before))).toEqual(backward);
  });

  test('the corpus has sixty, and each definition equals itself', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    for (const [, before, after] of corpus) {
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
    const onePrompt = (...args: Members[]) => catalog({ prompt: [prompt(...args)] });
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
    const required = (schema: unknown): Members =>
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
    catalog({ tool: tools.map((one): Members => ({ ...one })) });

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
