import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, editor, press, showInbox } from '#fixtures/page/inbox-pane.tsx';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

afterEach(cleanup);

const asks = (properties: object, required: readonly string[] = []) =>
  showInbox([
    {
      params: JSON.stringify({ message: 'Who?', requestedSchema: { type: 'object', properties, required } }),
    },
  ]);
const field = (name: string) => within(answer()).findByRole('textbox', { name: new RegExp(`^${name}`) });
const write = async (name: string, value: string) =>
  fireEvent.change(await field(name), { target: { value } });
const choose = (name: string, label: string) => {
  const select = within(answer()).getByRole<HTMLSelectElement>('combobox', { name: new RegExp(`^${name}`) });
  const option = within(select).getByRole<HTMLOptionElement>('option', { name: label });
  fireEvent.change(select, { target: { value: option.value } });
};
const sent = () => answer().textContent?.split('Will be sent')[1]?.split('Send')[0]?.replaceAll(/\s/g, '');
const accepted = (content: object) => ({
  kind: 'result',
  json: JSON.stringify({ action: 'accept', content }, null, 2),
});

const titled = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
];

test('the fields of a form are filled in, and what will be sent is shown before it is', async () => {
  const { given } = await asks(
    {
      name: { type: 'string', maxLength: 20 },
      age: { type: 'integer', minimum: 0 },
      share: { type: 'number' },
      agreed: { type: 'boolean', default: true },
      size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
      colour: { type: 'string', oneOf: titled, default: 'g' },
      fluids: { type: 'array', items: { anyOf: titled } },
    },
    ['name'],
  );
  await write('name', 'Ada');
  await write('age', '36');
  await write('share', '0.10');
  choose('size', 'Medium');
  fireEvent.click(within(answer()).getByRole('checkbox', { name: 'Red' }));
  const content = '{"agreed":true,"colour":"g","name":"Ada","age":36,"share":0.10,"size":"m","fluids":["r"]}';
  const inAnyOrder = (text: string | undefined) => [...(text ?? '')].sort().join('');
  expect(inAnyOrder(sent())).toBe(inAnyOrder(`{"action":"accept","content":${content}}`));
  await press(/^Send answer/);
  await waitFor(() => expect(given()).toHaveLength(1));
  const [first] = given();
  const json = first?.kind === 'result' ? first.json : '';
  expect(JSON.parse(json)).toEqual({ action: 'accept', content: JSON.parse(content) });
  expect(json).toContain('"share": 0.10');
});

describe('an error of a field', () => {
  const properties = { mail: { type: 'string', format: 'email' }, age: { type: 'integer', minimum: 18 } };

  test('is shown in its place once the form was touched', async () => {
    await asks(properties, ['mail']);
    await field('mail');
    expect(answer().textContent).not.toContain('By the schema');
    await write('age', '7');
    const age = await field('age');
    await waitFor(() => expect(age.getAttribute('aria-invalid')).toBe('true'));
    expect(answer().textContent).toMatch(/must be [^.]*18/);
    await write('mail', 'nobody');
    await waitFor(() => expect(answer().textContent).toContain('is not a valid email'));
  });

  test('holds the answer back, unless the user sends it on purpose', async () => {
    const { given, user } = await asks(properties, ['mail']);
    (await field('mail')).focus();
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByRole('button', { name: 'Send anyway' }, { timeout: 5000 });
    expect(answer().textContent).toContain('By the schema');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(given()).toEqual([]);
    await write('age', '7');
    await press('Send anyway');
    await waitFor(() => expect(given()).toEqual([accepted({ age: 7 })]));
  });
});

test('required fields are marked', async () => {
  await asks({ name: { type: 'string' }, note: { type: 'string' } }, ['name']);
  expect((await field('name')).getAttribute('aria-required')).toBe('true');
  expect(within(answer()).getByText('name').closest('label')?.textContent).toBe('name *');
  expect(within(answer()).getByText('note').closest('label')?.textContent).toBe('note');
});

test('form and JSON are two views of the same answer', async () => {
  await asks({ name: { type: 'string' } });
  await write('name', 'Ada');
  const text = await editor();
  expect(JSON.parse(text.value)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  fireEvent.change(text, { target: { value: '{"action":"accept","content":{"name":"Bob","extra":1.0}}' } });
  fireEvent.click(screen.getByRole('radio', { name: 'Form' }));
  expect(await field('name')).toHaveProperty('value', 'Bob');
  await write('name', 'Eve');
  expect(sent()).toContain('"extra":1.0');
});

test('a schema that is not flat and simple is answered as JSON, and says why', async () => {
  await asks({ at: { type: 'object', properties: { x: { type: 'number' } } } });
  expect(answer().textContent).toContain('the field “at” is not of a simple type');
  expect(await screen.findByRole('textbox', { name: 'Answer as JSON' })).toBeTruthy();
});

test('an answer that does not accept has no fields', async () => {
  await asks({ name: { type: 'string' } });
  fireEvent.change(await editor(), { target: { value: '{"action":"decline"}' } });
  fireEvent.click(screen.getByRole('radio', { name: 'Form' }));
  expect(answer().textContent).toContain('the answer does not accept the form');
});
