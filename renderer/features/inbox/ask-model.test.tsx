import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { showPanel } from '#model/inbox.ts';
import { useSettings } from '#model/settings.ts';
import { answer, press, question, showInbox } from '#fixtures/page/inbox-pane.tsx';
import { anAgreement, completion } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

beforeEach(() => configure({}));
afterEach(() => {
  showPanel(null);
  cleanup();
});

const configure = (change: Partial<Settings>) =>
  useSettings.setState({
    ...defaultSettings,
    modelUrl: 'http://localhost:11434',
    modelNames: ['tiny-1', 'large-2'],
    ...change,
  });

const params = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is a sightglass?' } }],
  systemPrompt: 'Be brief.',
  maxTokens: 100,
  temperature: 0.5,
  includeContext: 'allServers',
  modelPreferences: { hints: [{ name: 'gemini' }, { name: 'large' }] },
};
type Ask = NonNullable<Parameters<typeof showInbox>[1]>['answers'];

const replies: Ask = { 'model/ask': () => ({ text: completion('A window.'), duration: 812.4 }) };
const ask = (answers: Ask = replies) =>
  showInbox([{ method: 'sampling/createMessage', params: JSON.stringify(params) }], {
    answers: { 'model/has-key': () => ({ hasKey: false }), ...answers },
    session: { agreement: anAgreement({ instructions: 'Pipes are P1 and P2.' }) },
  });
const approve = () => press(/^Approve and ask/);
const bodies = (engine: Awaited<ReturnType<typeof ask>>['engine']): unknown[] =>
  engine.asked('model/ask').map((asked) => JSON.parse(String(Reflect.get(Object(asked), 'body'))));
const write = (label: string, value: string) =>
  fireEvent.change(within(question()).getByLabelText(new RegExp(`^${label}`)), { target: { value } });

test('a model is asked only after approval of what it gets, and its answer is sent only by the user', async () => {
  const { engine, given } = await ask();
  expect(answer().textContent).toContain('at http://localhost:11434/v1/chat/completions');
  expect(answer().textContent).toContain('"content": "Be brief."');
  expect(engine.asked('model/ask')).toEqual([]);
  await approve();
  await screen.findByText('812 ms · 34 tokens in, 12 out');
  expect(bodies(engine)).toEqual([
    {
      model: 'large-2',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is a sightglass?' },
      ],
      max_tokens: 100,
      temperature: 0.5,
    },
  ]);
  expect(given()).toEqual([]);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('A window.');
  fireEvent.change(screen.getByLabelText('Text'), { target: { value: 'A window in a pipe.' } });
  await press(/^Send answer/);
  await waitFor(() => expect(given()).toHaveLength(1));
  const [sent] = given();
  expect(sent?.kind === 'result' && JSON.parse(sent.json)).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'A window in a pipe.' },
    model: 'fake-1-large',
    stopReason: 'endTurn',
  });
});

test('everything can be changed or left out before the model gets it, and the change is shown', async () => {
  const { engine } = await ask();
  expect(within(question()).queryByText(/^changed/)).toBeNull();
  await press('Edit the prompt');
  write('System prompt', '');
  write('Message 1', 'What is a gauge?');
  write('Max tokens', '7');
  write('Temperature', '');
  write('Stop sequences', 'END');
  expect(within(question()).getByText(/^changed/).textContent).toBe(
    'changed: system prompt, messages, max tokens, temperature, stop sequences',
  );
  await press('Done');
  expect(question().textContent).toContain('What is a gauge?');
  // As sent by the server.
  expect(question().textContent).toContain('What is a sightglass?');
  await approve();
  const changed = {
    model: 'large-2',
    messages: [{ role: 'user', content: 'What is a gauge?' }],
    max_tokens: 7,
    stop: ['END'],
  };
  expect(bodies(engine)).toEqual([changed]);
  await press('Restore');
  expect(within(question()).queryByText(/^changed/)).toBeNull();
});

test('other parameters and models are tried, each with its cost, and any of the answers can be used', async () => {
  let times = 0;
  const { engine, user } = await ask({
    'model/ask': () => {
      times++;
      return { text: completion(`Answer ${times}`, { usage: { cost: times / 100 } }), duration: 5 };
    },
  });
  await approve();
  await screen.findByText('5 ms · $0.01');
  fireEvent.change(screen.getByLabelText('Model to ask'), { target: { value: 'tiny-1' } });
  await press('Edit the prompt');
  write('Temperature', '1');
  await approve();
  await screen.findByText('5 ms · $0.02');
  expect(bodies(engine)).toMatchObject([
    { model: 'large-2', temperature: 0.5 },
    { model: 'tiny-1', temperature: 1 },
  ]);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('Answer 2');
  await user.click(screen.getByRole('button', { name: 'Use answer 1' }));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('Answer 1');
});

test('context is included only by the choice of the user, whatever the server asks for', async () => {
  const { engine, user } = await ask();
  await approve();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Context' }), 'instructions of this server');
  await waitFor(() =>
    expect(screen.getByRole('button', { name: /^Approve/ })).toHaveProperty('disabled', false),
  );
  await approve();
  await user.selectOptions(
    screen.getByRole('combobox', { name: 'Context' }),
    'instructions of all connected servers',
  );
  expect(answer().textContent).toContain('instructions of all connected servers, and this server may learn');
  await waitFor(() => expect(engine.asked('model/ask')).toHaveLength(2));
  const systems = bodies(engine).map((body) => JSON.stringify(body));
  expect(systems[0]).not.toContain('Pipes are P1');
  expect(systems[1]).toContain('Pipes are P1 and P2.');
});

test('the match of the model hints is explained', async () => {
  await ask();
  const match = within(question()).getByRole('list', { name: 'Match of the model hints' }).textContent;
  expect(match).toBe('“gemini” is part of none of your models“large” is part of large-2, so that is chosen');
});

test('an error of the model is explained, and the question still waits', async () => {
  const { given } = await ask({
    'model/ask': () => {
      throw new FaultError({ code: 'model-error', what: 'The model responded with the status 401.' });
    },
  });
  await approve();
  expect((await screen.findByRole('alert')).textContent).toContain('status 401');
  expect(given()).toEqual([]);
  expect(screen.getByRole('button', { name: /^Send answer/ })).toBeTruthy();
});

test('without an address there is no model to ask', async () => {
  configure({ modelUrl: null });
  await ask();
  expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull();
});

describe('the settings of the model', () => {
  test('are off at first, and saved with the key apart', async () => {
    expect(defaultSettings).toMatchObject({ modelUrl: null, modelNames: [] });
    configure({ modelUrl: null, modelNames: [] });
    const { engine, user } = await ask({
      'model/set-key': () => null,
      'settings/write': (changes) => ({ ...defaultSettings, ...changes }) as Settings,
    });
    await press('Model…');
    await user.type(screen.getByLabelText(/^Address/), 'localhost');
    expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
    await user.clear(screen.getByLabelText(/^Address/));
    await user.type(screen.getByLabelText(/^Address/), 'http://localhost:1234/v1');
    await user.type(screen.getByLabelText(/^Key/), 'sk-1');
    await user.type(screen.getByLabelText(/^Names/), 'a{Enter}b');
    await press('Save');
    await waitFor(() => expect(engine.asked('model/set-key')).toEqual([{ key: 'sk-1' }]));
    expect(engine.asked('settings/write')).toEqual([
      { modelNames: ['a', 'b'], modelUrl: 'http://localhost:1234/v1' },
    ]);
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Model' })).toBeNull());
  });
});
