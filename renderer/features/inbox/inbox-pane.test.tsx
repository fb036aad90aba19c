import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, anEntry } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { InboxPane } from './inbox-pane.tsx';
import {
  answer,
  chosen,
  editor,
  lines,
  list,
  press,
  question,
  showInbox,
} from '#fixtures/page/inbox-pane.tsx';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

afterEach(cleanup);

const form = (message: string, properties: object = { name: { type: 'string' } }) => ({
  params: JSON.stringify({ message, requestedSchema: { type: 'object', properties } }),
});
const sampling = {
  method: 'sampling/createMessage' as const,
  params: JSON.stringify({
    messages: [
      { role: 'user', content: { type: 'text', text: 'What is a sightglass?' } },
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    ],
    systemPrompt: 'Be brief.',
    maxTokens: 100,
    modelPreferences: { hints: [{ name: 'small' }], costPriority: 0.9 },
    tools: [{ name: 'look_up' }],
  }),
};

test('says what it is for, and how to get something into it, while nothing was asked', async () => {
  const agreement = anAgreement({ clientCapabilities: { elicitation: {} } });
  await showInbox([], { session: { agreement } });
  expect(screen.getByText(/Run a tool that asks for input/)).toBeTruthy();
  await press('Show its tools');
  expect(useSelection.getState().pane).toBe('tools');
});

test('says so when the settings do not let the server ask', async () => {
  const { user } = await showInbox([]);
  expect(screen.getByText(/declare none of the three/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Server settings' }));
  expect(useSelection.getState().editor).toEqual({ serverId: 'v1', part: 'client' });
});

describe('the list', () => {
  test('has what waits first, in the order in which it came, and shows the first', async () => {
    await showInbox([
      { ...form('old'), state: 'answered', answer: { content: { kind: 'decline' }, by: 'user' } },
      form('first'),
      { ...form('by rule'), state: 'answered', answer: { content: { kind: 'defaults' }, by: 'rule' } },
      form('second'),
    ]);
    expect(lines().map((line) => line?.replace(/\d+:\d.*$/, ''))).toEqual([
      'firstwaitingelicitation/create',
      'secondwaitingelicitation/create',
      'by ruleby ruleelicitation/create',
      'olddeclinedelicitation/create',
    ]);
    expect(chosen()).toContain('first');
  });

  test('moves by the arrow keys; Enter leads to the answer', async () => {
    const { user } = await showInbox([form('first'), form('second')]);
    list().focus();
    await user.keyboard('{ArrowDown}');
    expect(chosen()).toContain('second');
    await screen.findByRole('textbox', { name: 'name' });
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'name' }));
    const json = await editor();
    list().focus();
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(json);
  });

  test('a new question does not take the place of the one that is being read', async () => {
    const { engine, sessionId } = await showInbox([form('first'), form('second')]);
    const asked = { id: 'third', sessionId, receivedAt: Date.UTC(2027, 0, 1), ...form('third') };
    act(() => engine.emit('inbox/changed', anEntry(asked)));
    expect(lines()[2]).toContain('third');
    expect(chosen()).toContain('first');
  });
});

describe('an answer', () => {
  test('typed by the user is sent as written, and the next question is shown with the focus on the list', async () => {
    const { user, given } = await showInbox([form('first', { name: { type: 'number' } }), form('second')]);
    const text = await editor();
    expect(JSON.parse(text.value)).toEqual({ action: 'accept', content: {} });
    fireEvent.change(text, { target: { value: '{"action":"accept","content":{"name":1.0}}' } });
    text.focus();
    await user.keyboard('{Control>}{Enter}{/Control}');
    const json = '{"action":"accept","content":{"name":1.0}}';
    await waitFor(() => expect(given()).toEqual([{ kind: 'result', json }]));
    await waitFor(() => expect(chosen()).toContain('second'));
    expect(document.activeElement).toBe(list());
    // Pressed once more by mistake, it answers nothing that was not read.
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(given()).toHaveLength(1);
  });

  test('is only sent when it is an object', async () => {
    await showInbox([form('first')]);
    fireEvent.change(await editor(), { target: { value: '[1' } });
    expect(screen.getByRole('button', { name: /^Send answer/ })).toHaveProperty('disabled', true);
    expect(answer().parentElement?.textContent).toContain('Cannot be sent as a result');
  });

  test.each([
    ['Accept with defaults', { kind: 'defaults' }],
    ['Decline', { kind: 'decline' }],
    ['Cancel', { kind: 'cancel' }],
  ])('%s', async (name, said) => {
    const { given } = await showInbox([{ ...form('first'), suggestion: '{"action":"accept","content":{}}' }]);
    await press(name);
    expect(given()).toEqual([said]);
  });

  test('is no default where nothing follows from the question', async () => {
    await showInbox([sampling]);
    expect(screen.queryByRole('button', { name: 'Accept with defaults' })).toBeNull();
  });

  test('may be any error', async () => {
    const { user, given } = await showInbox([sampling]);
    await press('Send an error…');
    const code = screen.getByRole('textbox', { name: 'Error code' });
    await user.clear(code);
    await user.type(code, 'x');
    expect(screen.getByRole('button', { name: 'Send error' })).toHaveProperty('disabled', true);
    await user.clear(code);
    await user.type(code, '-1{Enter}');
    expect(given()).toEqual([{ kind: 'error', code: -1, message: 'Internal error' }]);
  });

  test('is shown beside its question afterwards: what was sent, by whom, in which row', async () => {
    const { sessionId, user } = await showInbox([sampling]);
    await press('Decline');
    await waitFor(() => expect(answer().textContent).toContain('You declined, in row #21'));
    expect(answer().textContent).toContain('User rejected sampling request');
    await user.click(screen.getByRole('button', { name: 'Row #21 of the trace' }));
    expect(useSelection.getState().traceRow[sessionId]).toBe(20);
  });

  test('that cannot be given says why, and what was written stays', async () => {
    await showInbox([form('first')], {
      answers: {
        'inbox/answer': () => {
          throw new FaultError({ code: 'nothing-to-answer', what: 'It waits no more.' });
        },
      },
    });
    fireEvent.change(await editor(), { target: { value: '{"action":"decline"}' } });
    await press(/^Send answer/);
    expect((await screen.findByRole('alert')).textContent).toContain('It waits no more.');
    expect((await editor()).value).toBe('{"action":"decline"}');
  });

  test('to what an error wanted is not sent: there is nothing to write', async () => {
    const { given } = await showInbox([{ ...form('first'), by: 'error', suggestion: '{"action":"accept"}' }]);
    expect(answer().textContent).toContain('nothing can be sent for it');
    expect(screen.queryByRole('textbox', { name: 'Answer as JSON' })).toBeNull();
    await press('Done');
    expect(given()).toEqual([{ kind: 'defaults' }]);
    await waitFor(() => expect(answer().textContent).toContain('Run the call again'));
  });

  test('is of no use any more when the server took the question back; the focus goes to the list', async () => {
    const { change } = await showInbox([form('first')]);
    (await editor()).focus();
    change(0, { state: 'withdrawn' });
    expect(answer().textContent).toContain('withdrew the question');
    expect(document.activeElement).toBe(list());
  });
});

test('the outcome of a question in a hidden pane is shown when the pane is opened again', async () => {
  const { sessionId } = await showInbox([form('first')]);
  expect(chosen()).toContain('waiting');
  cleanup();
  const answered = anEntry({ id: `${sessionId}-0`, sessionId, state: 'withdrawn' });
  fakeEngine({ 'inbox/list': () => [answered], 'calls/list': () => [] });
  render(<InboxPane />);
  await waitFor(() => expect(chosen()).toContain('withdrawn'));
});

test('a question that came while the pane was hidden is the one that opens', async () => {
  const decline = { content: { kind: 'decline' as const }, by: 'user' as const };
  const { sessionId } = await showInbox([{ ...form('old'), state: 'answered', answer: decline }]);
  expect(chosen()).toContain('old');
  cleanup();
  const waiting = anEntry({ id: 'new', sessionId, receivedAt: Date.UTC(2027, 0, 1), ...form('new') });
  fakeEngine({ 'inbox/list': () => [waiting], 'calls/list': () => [] });
  render(<InboxPane />);
  await waitFor(() => expect(chosen()).toContain('new'));
});

test('the palette answers the question that is shown', async () => {
  const { given } = await showInbox([{ ...form('first'), suggestion: '{"action":"accept","content":{}}' }]);
  const titles = () =>
    currentCommands()
      .filter(({ group }) => group === 'Inbox')
      .map(({ title }) => title);
  expect(titles()).toEqual(['Send the answer', 'Answer with defaults', 'Decline', 'Cancel the question']);
  currentCommands()
    .find(({ id }) => id === 'inbox.decline')
    ?.run();
  await waitFor(() => expect(given()).toEqual([{ kind: 'decline' }]));
  expect(titles()).toEqual([]);
});

test('the request for a model is described in words', async () => {
  await showInbox([sampling]);
  const text = question().textContent;
  for (const reported of [
    'notes requests a message from your language model',
    'Be brief.',
    'What is a sightglass?',
    'image/png',
    'max tokens100',
    'modelssmall',
    'low cost0.9',
    'look_up',
  ])
    expect(text).toContain(reported);
});

describe('a form that asks for a secret', () => {
  const asking = form('Log in, please.', { password: { type: 'string' } });

  test('is warned of, and content goes out by a second click only', async () => {
    const { given } = await showInbox([asking]);
    expect(screen.getByRole('note').textContent).toContain('asks for a secret: password');
    fireEvent.change(await editor(), { target: { value: '{"action":"accept","content":{"password":"x"}}' } });
    await press(/^Send answer/);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Back'));
    expect(given()).toEqual([]);
    await press('Back');
    await press(/^Send answer/);
    await userEvent.click(await screen.findByRole('button', { name: 'Send it anyway' }));
    expect(given()).toHaveLength(1);
  });

  test('is declined without a second click', async () => {
    const { given } = await showInbox([asking]);
    await press('Decline');
    expect(given()).toEqual([{ kind: 'decline' }]);
  });
});

describe('a page to open', () => {
  const page = (url: string) => ({
    params: JSON.stringify({ mode: 'url', message: 'Pay here.', url }),
    suggestion: '{"action":"accept"}',
  });

  test('has its host set apart, and opens by a click alone', async () => {
    const { given } = await showInbox([page('https://bank.example@evil.example/pay')]);
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    expect(screen.getByLabelText('host evil.example').textContent).toBe('evil.example');
    expect(screen.getByRole('note').textContent).toContain('user name before the host');
    expect(open).not.toHaveBeenCalled();
    await press('Open in browser');
    expect(open).toHaveBeenCalledExactlyOnceWith(
      'https://bank.example@evil.example/pay',
      '_blank',
      'noopener,noreferrer',
    );
    expect(given()).toEqual([]);
    await press('Accept');
    expect(given()).toEqual([{ kind: 'defaults' }]);
    open.mockRestore();
  });

  test('is only copied when it is not of the web', async () => {
    await showInbox([page('javascript:alert(1)')]);
    expect(screen.queryByRole('button', { name: 'Open in browser' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Copy address' })).toBeTruthy();
  });
});
