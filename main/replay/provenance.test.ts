import { expect, test } from 'vitest';
import type { TracedCall } from '#shared/contract/trace.ts';
import { Provenance } from './provenance.ts';

const call = (row: number, params: unknown, response: unknown): TracedCall => ({
  row,
  responseRow: row + 1,
  method: 'tools/call',
  direction: 'out',
  target: 'any',
  params: JSON.stringify(params),
  outcome: 'ok',
  response: JSON.stringify(response),
  isTooLarge: false,
  at: row,
  duration: 1,
});
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

test('a value of a response is replaced in later requests by the one of this run', () => {
  const provenance = new Provenance([
    call(1, { name: 'create' }, { structuredContent: { id: 'inv-00017' } }),
    call(3, { name: 'read', arguments: { id: 'inv-00017', fields: ['id'] } }, {}),
  ]);
  provenance.takeResponse(1, '{"structuredContent":{"id":"inv-94211"}}');
  expect(provenance.applyTo('{"name":"read","arguments":{"id":"inv-00017","fields":["id"]}}')).toEqual({
    params: '{"name":"read","arguments":{"id":"inv-94211","fields":["id"]}}',
    replaced: ['$.arguments.id'],
  });
  expect(provenance.values).toEqual([['"inv-00017"', '"inv-94211"']]);
});

test('inside strings that hold JSON, and for numbers beyond what a number can hold', () => {
  const provenance = new Provenance([
    call(1, { name: 'create' }, text({ account: { key: 'k-123456' } })),
    call(3, { name: 'read', arguments: { key: 'k-123456' } }, {}),
  ]);
  provenance.takeResponse(1, JSON.stringify(text({ account: { key: 'k-777777' } })));
  expect(provenance.applyTo('{"arguments":{"key":"k-123456"}}').params).toBe(
    '{"arguments":{"key":"k-777777"}}',
  );

  const numbers = new Provenance([
    { ...call(1, {}, {}), response: '{"id":9007199254740993}' },
    { ...call(3, {}, {}), params: '{"id":9007199254740993}' },
  ]);
  numbers.takeResponse(1, '{"id":9007199254740995}');
  expect(numbers.applyTo('{"id":9007199254740993}').params).toBe('{"id":9007199254740995}');
});

test("a value that the user sent first stays the user's own", () => {
  const provenance = new Provenance([
    call(1, { arguments: { message: 'hello world' } }, { echo: 'hello world' }),
    call(3, { arguments: { message: 'hello world' } }, {}),
  ]);
  provenance.takeResponse(1, '{"echo":"something else"}');
  expect(provenance.applyTo('{"message":"hello world"}')).toEqual({
    params: '{"message":"hello world"}',
    replaced: [],
  });
});

test('short strings and small numbers stay, and so does what is equal in both runs', () => {
  const provenance = new Provenance([
    call(1, {}, { unit: 'EUR', count: 12, id: 'constant' }),
    call(3, { unit: 'EUR', count: 12, id: 'constant' }, {}),
  ]);
  provenance.takeResponse(1, '{"unit":"USD","count":13,"id":"constant"}');
  expect(provenance.values).toEqual([]);
  expect(provenance.applyTo('{"unit":"EUR","count":12}').replaced).toEqual([]);
});

test('a cursor, a state and a task are followed however short they are, but only as such', () => {
  const provenance = new Provenance([
    call(1, { name: 'list' }, { nextCursor: '2', requestState: 's', task: { taskId: 't1' } }),
    call(3, { cursor: '2', requestState: 's', taskId: 't1', page: '2' }, {}),
  ]);
  provenance.takeResponse(1, '{"nextCursor":"9","requestState":"z"}');
  provenance.takeTask(1, 't7');
  const { params, replaced } = provenance.applyTo(
    '{"cursor":"2","requestState":"s","taskId":"t1","page":"2"}',
  );
  expect(JSON.parse(params)).toEqual({ cursor: '9', requestState: 'z', taskId: 't7', page: '2' });
  expect(replaced).toEqual(['$.cursor', '$.requestState', '$.taskId']);
  // In responses "2" may mean anything.
  expect(provenance.values).toEqual([]);
});

test('knows which earlier requests brought the values of a later one', () => {
  const provenance = new Provenance([
    call(1, { name: 'create' }, { structuredContent: { id: 'inv-00017' } }),
    call(3, { name: 'read', arguments: { id: 'inv-00017' } }, {}),
  ]);
  expect(provenance.originsOf('{"arguments":{"id":"inv-00017"}}')).toEqual([1]);
  expect(provenance.originsOf('{"arguments":{"id":"inv-99999"}}')).toEqual([]);
});
