import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { initialValue } from '#ui/schema-form/initial-value.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import SchemaForm from '#ui/schema-form/schema-form.tsx';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { useValidation } from '#model/use-validation.ts';

beforeEach(() => void fakeEngine({}));
afterEach(cleanup);

/** A form over JSON text, as the arguments of a tool are kept. */
function show(properties: Record<string, unknown>, rest: Schema = {}, text?: string) {
  const schema: Schema = { type: 'object', properties, ...rest };
  let latest = text ?? writeJson(initialValue(schema) ?? {});
  function Host() {
    const [current, setCurrent] = useState(latest);
    const validation = useValidation(schema, current);
    latest = current;
    const read = readJson(current);
    return (
      <SchemaForm
        schema={schema}
        value={read.ok ? read.value : {}}
        errors={validation?.state === 'invalid' ? validation.errors : []}
        onChange={(value) => setCurrent(writeJson(value))}
      />
    );
  }
  render(<Host />);
  return { user: userEvent.setup(), text: () => latest, value: (): unknown => JSON.parse(latest) };
}

const field = (name: string | RegExp) => screen.getByRole('textbox', { name });

describe('a form', () => {
  test('sends what is filled in, and leaves out what is empty', async () => {
    const { user, value } = show(
      { message: { type: 'string' }, steps: { type: 'number', default: 10 }, note: { type: 'string' } },
      { required: ['message'] },
    );
    expect(value()).toEqual({ steps: 10 });
    await user.type(field(/message/), 'hi');
    await user.type(field('note'), 'x');
    await user.clear(field('note'));
    await user.clear(field('steps'));
    expect(value()).toEqual({ message: 'hi' });
  });

  test('sends arguments in the order of the schema, unless the user wrote them in another', async () => {
    const properties = { article: { type: 'string' }, amount: { type: 'integer', default: 1 } };
    const { user, text } = show(properties, { required: ['article'] });
    await user.type(field(/article/), 'a');
    expect(JSON.parse(text())).toEqual({ article: 'a', amount: 1 });
    expect(text()).toMatch(/article.*amount/s);
    cleanup();
    const own = show(properties, {}, '{ "amount": 2, "article": "a" }');
    await own.user.type(field(/article/), 'b');
    expect(own.text()).toMatch(/amount.*article.*ab/s);
  });

  test('a required text that was emptied is sent as empty text', async () => {
    const { user, value } = show({ message: { type: 'string' } }, { required: ['message'] });
    await user.type(field(/message/), 'x{Backspace}');
    expect(value()).toEqual({ message: '' });
  });

  test('keeps every digit of a number, and sends what is not a number as text', async () => {
    const { user, text, value } = show({ id: { type: 'integer' } });
    await user.type(field('id'), '9007199254740993');
    expect(text()).toBe('{\n  "id": 9007199254740993\n}');
    await user.clear(field('id'));
    await user.type(field('id'), '1.50');
    expect(text()).toBe('{\n  "id": 1.50\n}');
    await user.type(field('id'), 'x');
    expect(value()).toEqual({ id: '1.50x' });
    expect(await screen.findByText('must be integer, not string')).toBeTruthy();
  });

  test('keeps line breaks that were pasted', async () => {
    const { user, value } = show({ text: { type: 'string' } });
    await user.click(field('text'));
    await user.paste('a\nb');
    expect(value()).toEqual({ text: 'a\nb' });
  });

  test('shows kind and limits, the description, and a problem at its field', async () => {
    const { user } = show({ n: { type: 'number', minimum: 1, maximum: 50, description: 'How <b>many</b>' } });
    expect(screen.getByText('number · 1 to 50')).toBeTruthy();
    expect(screen.getByText('How <b>many</b>')).toBeTruthy();
    await user.type(field('n'), '51');
    await screen.findByText('must be at most 50');
    expect(field('n').getAttribute('aria-invalid')).toBe('true');
  });

  test('a boolean is true, false or left out', async () => {
    const { user, value } = show({ dry: { type: 'boolean' } });
    await user.click(screen.getByRole('radio', { name: 'false' }));
    expect(value()).toEqual({ dry: false });
    await user.click(screen.getByRole('radio', { name: 'not sent' }));
    expect(value()).toEqual({});
  });

  test('a choice keeps the type of its values', async () => {
    const { user, value } = show({ n: { enum: [1, '1', null] } });
    await user.selectOptions(screen.getByRole('combobox', { name: 'n' }), '0');
    expect(value()).toEqual({ n: 1 });
  });

  test('a value outside the list is shown, not replaced', () => {
    const { value } = show({ c: { type: 'string', enum: ['a', 'b'] } }, {}, '{"c":"z"}');
    expect(screen.getByRole('option', { name: '"z" (not in the list)', selected: true })).toBeTruthy();
    expect(value()).toEqual({ c: 'z' });
  });

  test('a constant is filled in when required and can be chosen when not', async () => {
    const { user, value } = show({ a: { const: 'x' }, b: { const: 2 } }, { required: ['a'] });
    expect(value()).toEqual({ a: 'x' });
    await user.selectOptions(screen.getByRole('combobox', { name: 'b' }), '0');
    expect(value()).toEqual({ a: 'x', b: 2 });
  });

  test('entries of a list are added, filled in, moved and removed', async () => {
    const { user, value } = show({ tags: { type: 'array', items: { type: 'string' } } });
    const add = screen.getByRole('button', { name: 'Add an entry to tags' });
    await user.click(add);
    expect(value()).toEqual({ tags: [''] });
    await user.type(field('tags entry 1'), 'a');
    await user.click(add);
    await user.type(field('tags entry 2'), 'b');
    await user.click(screen.getByRole('button', { name: 'Move entry 2 up' }));
    expect(value()).toEqual({ tags: ['b', 'a'] });
    await user.click(screen.getByRole('button', { name: 'Remove entry 1' }));
    expect(value()).toEqual({ tags: ['a'] });
  });

  test('a nested object is made when a field of it is filled in, and goes when all are emptied', async () => {
    const { user, value } = show({
      at: { type: 'object', title: 'Place', properties: { x: { type: 'number' }, y: { type: 'number' } } },
    });
    const group = within(screen.getByRole('group', { name: 'at' }));
    await user.type(group.getByRole('textbox', { name: 'x' }), '3');
    expect(value()).toEqual({ at: { x: 3 } });
    await user.clear(group.getByRole('textbox', { name: 'x' }));
    expect(value()).toEqual({});
  });

  test('alternatives distinguished by a constant', async () => {
    const circle = { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } } };
    const square = { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } } };
    const { user, value } = show({ shape: { oneOf: [circle, square] } });
    const choose = screen.getByRole('combobox', { name: 'shape alternative' });
    await user.selectOptions(choose, '"square"');
    expect(value()).toEqual({ shape: { kind: 'square' } });
    await user.type(field('side'), '2');
    expect(value()).toEqual({ shape: { kind: 'square', side: 2 } });
    await user.selectOptions(choose, '"circle"');
    expect(value()).toEqual({ shape: { kind: 'circle' } });
    await user.selectOptions(choose, 'not sent');
    expect(value()).toEqual({});
  });

  test('the alternative that fits the arguments is the one shown', () => {
    show(
      { id: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } },
      {},
      '{"id":9007199254740993}',
    );
    expect(screen.getByRole('option', { name: 'number', selected: true })).toBeTruthy();
    expect(field('id')).toHaveProperty('value', '9007199254740993');
  });

  test('X or null is a field for X', async () => {
    const { user, value } = show({
      limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    });
    expect(screen.getByText('integer or null')).toBeTruthy();
    expect(value()).toEqual({});
    await user.type(field('limit'), '5');
    expect(value()).toEqual({ limit: 5 });
  });

  test('properties of the user’s own naming', async () => {
    const { user, value } = show({ env: { type: 'object', additionalProperties: { type: 'string' } } });
    await user.click(screen.getByRole('button', { name: 'Add a property to env' }));
    const name = screen.getByRole('textbox', { name: 'Name' });
    await user.clear(name);
    await user.type(name, 'HOME');
    await user.tab();
    await user.clear(field('HOME'));
    await user.type(field('HOME'), '/root');
    expect(value()).toEqual({ env: { HOME: '/root' } });
  });

  test('a value without fields is written as JSON, and as text if it is not JSON', async () => {
    const { user, value } = show({ any: {}, free: { type: 'object' } });
    await user.click(field('any'));
    await user.paste('{"a":[1,9007199254740993]}');
    expect(value()).toEqual({ any: { a: [1, 9007199254740992] } });
    await user.type(field('free'), 'oops');
    expect(value()).toMatchObject({ free: 'oops' });
    expect(screen.getByText('Not JSON: sent as the text it is.')).toBeTruthy();
  });

  test('showing arguments changes nothing of them', () => {
    const text = '{"b":1.0,"extra":{"deep":[null]},"n":null,"wrong":{"not":"a string"}}';
    const { text: now } = show(
      {
        b: { type: 'number' },
        c: { type: 'string', default: 'x' },
        n: { type: ['string', 'null'] },
        k: { const: 1 },
      },
      { required: ['k'] },
      text,
    );
    expect(now()).toBe(text);
  });

  test('changing one field leaves the others as they were written', async () => {
    const { user, text } = show(
      { a: { type: 'string' }, b: { type: 'number' } },
      {},
      '{"z":9007199254740993,"b":1.0,"a":"x"}',
    );
    await user.type(field('a'), 'y');
    expect(text().replace(/\s/g, '')).toBe('{"z":9007199254740993,"b":1.0,"a":"xy"}');
  });

  test('references and a schema that contains itself', async () => {
    const { user, value } = show(
      { node: { $ref: '#/$defs/node' } },
      {
        $defs: {
          node: {
            type: 'object',
            properties: { name: { type: 'string' }, child: { $ref: '#/$defs/node' } },
          },
        },
      },
    );
    await user.type(screen.getAllByRole('textbox', { name: 'name' })[0]!, 'a');
    expect(value()).toEqual({ node: { name: 'a' } });
  });
});

describe('arguments have a field wherever the schema describes them', () => {
  const count = { properties: { count: { type: 'integer' } } };
  test.each<[string, Schema]>([
    ['anyOf', { anyOf: [count, { properties: { name: { type: 'string' } }, required: ['name'] }] }],
    ['oneOf', { oneOf: [count, { properties: { name: { type: 'string' } }, required: ['name'] }] }],
    ['allOf', { allOf: [{ allOf: [count] }] }],
    ['$ref', { $ref: '#/$defs/in', $defs: { in: count } }],
    ['$anchor', { $ref: '#in', $defs: { in: { $anchor: 'in', ...count } } }],
    ['$id', { $ref: 'in.json', $defs: { in: { $id: 'in.json', ...count } } }],
    ['then', { if: { properties: { none: false } }, then: count }],
  ])('%s', async (_, rest) => {
    const { user, value } = show({}, rest, '{}');
    await user.type(field(/count/), '3');
    expect(value()).toEqual({ count: 3 });
  });

  test('patternProperties, with a name that the user enters', async () => {
    const { value } = show({}, { patternProperties: { '^n_': { type: 'integer' } } }, '{"n_a":1}');
    expect(screen.getByDisplayValue('n_a')).toBeTruthy();
    await userEvent.type(screen.getByDisplayValue('1'), '2');
    expect(value()).toEqual({ n_a: 12 });
  });
});
