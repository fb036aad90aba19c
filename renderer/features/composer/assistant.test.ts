import { beforeEach, describe, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { session } from '#fixtures/page/fake-tools.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { describe as describePlace, suggest } from './assistant.ts';
import type { ComposerCatalog } from './message-schema.ts';

const toolEntry = (name: string, properties: Record<string, unknown>, rest: object = {}): ToolEntry => ({
  usable: true,
  duplicate: false,
  raw: '{}',
  tool: { name, inputSchema: { type: 'object', properties, ...rest } },
});

const catalog: ComposerCatalog = {
  tools: [
    toolEntry(
      'list-invoices',
      {
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        customer: { type: 'string', description: 'Whose invoices. *Not* a [link](http://x).' },
        status: { enum: ['draft', 'open', 'overdue'], description: 'Only invoices with this status.' },
        isPaid: { type: 'boolean' },
        address: { $ref: '#/$defs/address' },
        from: {
          oneOf: [
            { properties: { by: { const: 'mail' }, mailbox: { type: 'string' } } },
            { properties: { by: { const: 'post' }, street: { type: 'string' } } },
          ],
        },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
      },
      {
        required: ['customer'],
        $defs: { address: { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } } } },
      },
    ),
  ],
  prompts: [],
  resources: [],
  templates: [],
  params: {
    'tools/call': {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
    },
    'logging/setLevel': { type: 'object', properties: { level: { enum: ['debug', 'info'] } } },
  },
};

const status: SessionStatus = { ...session, id: 's', serverId: 'v' };

/** What is offered at `|`. */
async function offered(marked: string) {
  const [before = '', after = ''] = marked.split('|');
  const found = await suggest(before + after, before.length, { session: status, catalog });
  return found?.suggestions ?? [];
}
const labels = async (marked: string) => (await offered(marked)).map(({ label }) => label);

/** The text after the first suggestion is taken, with the caret as `|`. */
async function taken(marked: string, label: string): Promise<string> {
  const [before = '', after = ''] = marked.split('|');
  const text = before + after;
  const found = await suggest(text, before.length, { session: status, catalog });
  const one = found?.suggestions.find((each) => each.label === label);
  if (!found || one === undefined) throw new Error(`${label} is not offered`);
  const caret = one.caret ?? one.text.length;
  return `${text.slice(0, found.start)}${one.text.slice(0, caret)}|${one.text.slice(caret)}${text.slice(found.end)}`;
}

const call = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list-invoices","arguments":${args}}}`;

beforeEach(() => void fakeEngine({}));

describe('in a message are offered', () => {
  test('its members, and those of the params, required ones first, unless they are there', async () => {
    expect(await labels('{"jsonrpc":"2.0",|}')).toEqual(expect.arrayContaining(['id', 'method', 'params']));
    expect(await labels('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{|}}')).toEqual([
      'name',
      'arguments',
      '_meta',
    ]);
    expect(
      await labels('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",|}}'),
    ).not.toContain('name');
  });

  test('the methods a client may send', async () => {
    const methods = await labels('{"jsonrpc":"2.0","id":1,"method":"|"}');
    expect(methods).toEqual(expect.arrayContaining(['tools/call', 'resources/read']));
    expect(methods).not.toContain('sampling/createMessage');
  });

  test('the names of tools', async () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"|"}}';
    expect(await labels(text)).toEqual(['list-invoices']);
  });

  test('the arguments of a tool with their types', async () => {
    expect(await offered(call('{|}'))).toMatchObject([
      { label: 'customer', detail: 'string, required' },
      { label: 'limit', detail: 'integer, optional' },
      { label: 'status' },
      { label: 'isPaid' },
      { label: 'address', detail: 'object, optional' },
      { label: 'from' },
      { label: 'tags', detail: 'array, optional' },
    ]);
  });

  test('the values of an argument', async () => {
    expect(await labels(call('{"status":"|"}'))).toEqual(['draft', 'open', 'overdue']);
    expect(await labels(call('{"status": |}'))).toEqual(['draft', 'open', 'overdue']);
    expect(await labels(call('{"isPaid":|}'))).toEqual(['true', 'false']);
    expect(await labels(call('{"tags":["a",|]}'))).toEqual(['a', 'b']);
  });

  test('what references and alternatives lead to', async () => {
    expect(await labels(call('{"address":{"city":"|"}}'))).toEqual(['Oslo', 'Rome']);
    expect(await labels(call('{"from":{"by":"post",|}}'))).toEqual(['street']);
    expect(await labels(call('{"from":{|}}'))).toEqual(['by', 'mailbox', 'street']);
  });

  test('the same in a message of a batch, and in one that is not complete', async () => {
    expect(await labels(`[{"jsonrpc":"2.0","method":"ping"},${call('{"status":"|"}')}]`)).toEqual([
      'draft',
      'open',
      'overdue',
    ]);
    expect(
      await labels(
        '{"jsonrpc":"2.0",\n"method":"tools/call",\n"params":{"name":"list-invoices",\n"arguments":{"status":|',
      ),
    ).toEqual(['draft', 'open', 'overdue']);
    expect(await labels('{"method":"logging/setLevel","params":{"level":"de|\n}}')).toEqual([
      'debug',
      'info',
    ]);
  });

  test('nothing between messages and in numbers', async () => {
    expect(await labels('{"jsonrpc":"2.0"}\n|')).toEqual([]);
    expect(await labels(call('{"limit":5|}'))).toEqual([]);
  });
});

describe('a suggestion that is taken', () => {
  test('brings the quotes, colon and commas that are missing', async () => {
    expect(await taken(call('{|}'), 'customer')).toBe(call('{"customer": "|"}'));
    expect(await taken(call('{"limit":1 |}'), 'customer')).toBe(call('{"limit":1 , "customer": "|"}'));
    expect(await taken(call('{|"limit":1}'), 'customer')).toBe(call('{"customer": "|","limit":1}'));
    expect(await taken(call('{"cu|":1}'), 'customer')).toBe(call('{"customer"|:1}'));
    expect(await taken(call('{"status":"dr|"}'), 'draft')).toBe(call('{"status":"draft"|}'));
    expect(await taken(call('{|}'), 'address')).toBe(call('{"address": {|}}'));
  });
});

describe('a place is described', () => {
  const described = (marked: string) => {
    const [before = '', after = ''] = marked.split('|');
    return describePlace(before + after, before.length, { session: status, catalog })?.lines;
  };

  test('by the schema of its tool', () => {
    expect(described(call('{"cust|omer":"x"}'))).toEqual([
      'customer: string, required',
      'Whose invoices. *Not* a [link](http://x).',
      'Input schema of list-invoices',
    ]);
    expect(described(call('{"status":"o|pen"}'))).toContain('One of "draft", "open", "overdue"');
  });

  test('by the protocol', () => {
    expect(described('{"method":"tools/c|all"}')).toEqual([
      'tools/call',
      'A request of the client, since 2024-11-05. It needs the capability tools.',
    ]);
    expect(described('{"method":"no/su|ch"}')).toEqual(['no/such', 'No revision of MCP has this method.']);
  });
});

test('a thousand tools take no time that one would notice', async () => {
  const many = {
    ...catalog,
    tools: Array.from({ length: 1000 }, (_, at) =>
      toolEntry(
        `tool-${at}`,
        Object.fromEntries(Array.from({ length: 30 }, (__, no) => [`a${no}`, { enum: [1, 2] }])),
      ),
    ),
  };
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool-999","arguments":{';
  const start = performance.now();
  const found = await suggest(text, text.length, { session: status, catalog: many });
  expect(performance.now() - start).toBeLessThan(100);
  expect(found?.suggestions).toHaveLength(30);
});
