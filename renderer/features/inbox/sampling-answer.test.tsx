import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { answer, editor, press, showInbox } from '#fixtures/page/inbox-pane.tsx';
import { readSamplingAnswer, writeSamplingAnswer } from './sampling-answer.ts';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

afterEach(cleanup);

/** The validator takes a moment to load on a busy machine. */
const slow = { timeout: 5000 };

const asks = (params: object = {}) =>
  showInbox([
    {
      method: 'sampling/createMessage',
      params: JSON.stringify({ messages: [], maxTokens: 100, ...params }),
    },
  ]);
const field = (name: string) => within(answer()).getByLabelText<HTMLTextAreaElement>(new RegExp(`^${name}`));
const write = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const sentResult = (given: { kind: string }[]): unknown => {
  const [first] = given;
  return first !== undefined && 'json' in first ? JSON.parse(String(first.json)) : first;
};

test('is written as a text, with model, stop reason and role beside it, and shown as it will be sent', async () => {
  const { given, user } = await asks();
  write('Text', 'A window in a pipe.');
  write('Model', 'me');
  write('Stop reason', 'stopSequence');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Role' }), 'user');
  const result = {
    role: 'user',
    content: { type: 'text', text: 'A window in a pipe.' },
    model: 'me',
    stopReason: 'stopSequence',
  };
  expect(answer().textContent?.replaceAll(/\s/g, '')).toContain(
    `Willbesent${JSON.stringify(result).replaceAll(/\s/g, '')}`,
  );
  field('Text').focus();
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(given()).toHaveLength(1));
  expect(sentResult(given())).toEqual(result);
});

test('may use the tools of the request', async () => {
  const { given, user } = await asks({ tools: [{ name: 'look_up' }, { name: 'add' }] });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tool to use' }), 'add');
  await press('Use the tool');
  expect(field('Stop reason').value).toBe('toolUse');
  write('add', '{"a":1.0');
  await press(/^Send answer/);
  await screen.findByRole('button', { name: 'Send anyway' }, slow);
  expect(given()).toEqual([]);
  write('add', '{"a":1.0}');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Send anyway' })).toBeNull(), slow);
  await press(/^Send answer/);
  await waitFor(() => expect(given()).toHaveLength(1));
  expect(sentResult(given())).toEqual({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } }],
    model: 'answered-by-hand',
    stopReason: 'toolUse',
  });
});

test('has no tools where the request has none, and none stay when the last is removed', async () => {
  await asks();
  expect(screen.queryByRole('combobox', { name: 'Tool to use' })).toBeNull();
  cleanup();
  await asks({ tools: [{ name: 'look_up' }] });
  await press('Use the tool');
  await press('Remove the use call_1');
  expect(field('Stop reason').value).toBe('endTurn');
});

test('is JSON where the fields cannot show it', async () => {
  await asks();
  const image =
    '{"role":"assistant","model":"me","content":{"type":"image","data":"AAAA","mimeType":"image/png"}}';
  fireEvent.change(await editor(), { target: { value: image } });
  fireEvent.click(screen.getByRole('radio', { name: 'Form' }));
  expect(answer().textContent).toContain('its content is more than one text and uses of tools');
});

test.each([
  '{"role":"assistant","content":{"type":"text","text":"a"},"model":"m"}',
  '{"_meta":{"n":1.0},"role":"user","content":{"type":"text","text":""},"model":"","stopReason":"mine"}',
  '{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"t","input":{"n":1.0}}],"model":"m","stopReason":"toolUse"}',
])('keeps every member of %s', (json) => {
  const fields = readSamplingAnswer(json);
  if (!fields.ok) throw new Error(fields.reason);
  const written = writeSamplingAnswer(fields.answer, fields.result);
  expect(JSON.parse(written)).toEqual(JSON.parse(json));
  expect(written.includes('1.0')).toBe(json.includes('1.0'));
});
