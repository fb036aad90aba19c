import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useServers } from '#model/servers.ts';
import { answer, editor, list, press, showInbox } from '#fixtures/page/inbox-pane.tsx';
import { aServer } from '#fixtures/page/samples.ts';
import { type Server, defaultClientProfile, serverSettingsSchema } from '#shared/contract/servers.ts';
import { showPanel } from '#model/inbox.ts';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

afterEach(() => {
  showPanel(null);
  cleanup();
});

const rules = () => screen.getByRole('region', { name: 'Rules' });

/** Shows the Inbox of a server whose settings are saved as the engine does. */
async function show(entries: Parameters<typeof showInbox>[0], change: Partial<Server> = {}) {
  const shown = await showInbox(entries, {
    answers: {
      'servers/save': ({ settings }) => {
        const saved = { ...aServer(), ...settings };
        useServers.setState({ servers: [saved] });
        return saved;
      },
    },
  });
  useServers.setState({ servers: [aServer(change)] });
  return {
    ...shown,
    saved: () =>
      shown.engine
        .asked('servers/save')
        .map((params) => serverSettingsSchema.parse(Reflect.get(Object(params), 'settings')).client.rules),
  };
}

const sendRoots = defaultClientProfile.rules[0];

describe('“Always answer like this”', () => {
  test('makes a rule of an answer with one click, for questions with the same message', async () => {
    const { saved } = await show([{}]);
    await press('Decline');
    await screen.findByText(/You declined/);
    await press('Always answer like this');
    await screen.findByText('A rule answers questions with this message like this.');
    expect(saved()).toEqual([
      [
        {
          method: 'elicitation/create',
          contains: 'What is it called?',
          answer: { kind: 'decline' },
          delay: 0,
        },
        sendRoots,
      ],
    ]);
    await press('Edit the rules');
    expect(within(rules()).getAllByRole('group', { name: /^Rule/ })).toHaveLength(2);
  });

  test('is a rule for every question of sampling', async () => {
    const { saved } = await show([
      { method: 'sampling/createMessage', params: '{"messages":[],"maxTokens":1}' },
    ]);
    await press('Decline');
    await screen.findByText(/You declined/);
    await press('Always answer like this');
    await waitFor(() => expect(saved()).toHaveLength(1));
    expect(saved()[0]?.[0]).toEqual({
      method: 'sampling/createMessage',
      answer: { kind: 'decline' },
      delay: 0,
    });
  });

  test('is not there for what a rule answered, and for the demo server', async () => {
    await show([{ state: 'answered', answer: { content: { kind: 'decline' }, by: 'rule' } }]);
    expect(within(answer()).queryByRole('button', { name: 'Always answer like this' })).toBeNull();
    cleanup();
    await show([{ state: 'answered', answer: { content: { kind: 'decline' }, by: 'user' } }], {
      source: 'demo',
    });
    expect(within(answer()).queryByRole('button', { name: 'Always answer like this' })).toBeNull();
  });
});

describe('the rules in the Inbox', () => {
  test('are edited beside the questions, and saved when they are complete', async () => {
    const { saved, user } = await show([{}]);
    await press('Rules…');
    expect(screen.getByRole('button', { name: 'Save the rules' })).toHaveProperty('disabled', true);
    await press('Add a rule');
    await user.type(screen.getByRole('textbox', { name: 'Text in the questions of rule 2' }), 'pipe');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Answer of rule 2' }), 'this result');
    await press('Save the rules');
    expect(rules().textContent).toContain('This must be a JSON object.');
    expect(saved()).toEqual([]);
    await user.click(screen.getByRole('textbox', { name: 'Result of rule 2 as JSON' }));
    await user.paste('{"action":"accept"}');
    await press('Save the rules');
    await waitFor(() => expect(saved()).toHaveLength(1));
    expect(saved()[0]).toEqual([
      sendRoots,
      {
        method: 'elicitation/create',
        contains: 'pipe',
        answer: { kind: 'result', json: '{"action":"accept"}' },
        delay: 0,
      },
    ]);
  });

  test('make room for the question that is chosen', async () => {
    const { user } = await show([{}]);
    await press('Rules…');
    expect(screen.queryByRole('region', { name: 'Question' })).toBeNull();
    list().focus();
    await press('Close');
    expect(screen.getByRole('region', { name: 'Question' })).toBeTruthy();
    await press('Rules…');
    await user.click(screen.getByRole('option', { name: /What is it called/ }));
    expect(screen.getByRole('region', { name: 'Question' })).toBeTruthy();
  });
});

describe('a server that asks too much', () => {
  test('is counted, against the limit of its settings', async () => {
    await show([{}, { state: 'answered', answer: { content: { kind: 'decline' }, by: 'rate' } }], {
      client: { ...defaultClientProfile, requestsPerMinute: 30 },
    });
    expect(await screen.findByText('1 waiting · 2 asked · at most 30 a minute')).toBeTruthy();
    expect(screen.getByRole('option', { name: /over the limit$/ })).toBeTruthy();
  });

  test('is declined with one click, until that is taken back', async () => {
    const { engine, sessionId } = await showInbox([{}], {
      session: { isDecliningAll: false },
      answers: { 'inbox/decline-all': () => null },
    });
    await press('Decline all');
    expect(engine.asked('inbox/decline-all')).toEqual([{ sessionId, isOn: true }]);
    cleanup();
    const again = await showInbox([{}], {
      session: { isDecliningAll: true },
      answers: { 'inbox/decline-all': () => null },
    });
    expect(screen.getByText(/^Decline all is on. Everything this server requests is declined/)).toBeTruthy();
    await press('Ask me again');
    expect(again.engine.asked('inbox/decline-all')).toEqual([{ sessionId: again.sessionId, isOn: false }]);
  });
});

test('a request that clients do not know is answered as JSON, or with -32601', async () => {
  const { given, user } = await showInbox([{ method: 'tea/make', params: '{"sugar":1.0}' }]);
  expect(screen.getByRole('region', { name: 'Question' }).textContent).toContain('clients do not support');
  const text = await editor();
  expect(JSON.parse(text.value)).toEqual({});
  await user.hover(screen.getByRole('button', { name: 'Decline' }));
  await press('Decline');
  await waitFor(() => expect(given()).toEqual([{ kind: 'decline' }]));
  await waitFor(() => expect(answer().textContent).toContain('Method not found: tea/make'));
});
