import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, question, showInbox } from '#fixtures/page/inbox-pane.tsx';
import type { InboxEntry } from '#shared/contract/inbox.ts';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

afterEach(cleanup);

const asks = (params: object) => showInbox([{ params: JSON.stringify(params) }]);
const samples = (params: object) =>
  showInbox([{ method: 'sampling/createMessage', params: JSON.stringify(params) }]);
const fields = () =>
  within(question())
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('a form', () => {
  test('has its message, and each field with what it takes, what is said of it and whether it must be filled', async () => {
    await asks({
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        properties: {
          mail: { type: 'string', format: 'email', title: 'Mail', description: 'For the bill.' },
          word: { type: 'string', minLength: 2, maxLength: 8 },
          age: { type: 'integer', minimum: 18 },
          share: { type: 'number', minimum: 0, maximum: 1 },
          agreed: { type: 'boolean', default: true },
          size: { type: 'string', enum: ['s', 'm'], enumNames: ['small', 'medium'] },
          colour: { type: 'string', oneOf: [{ const: 'r', title: 'red' }] },
          fluids: { type: 'array', items: { type: 'string', enum: ['water', 'oil'] } },
        },
        required: ['mail', 'age'],
      },
    });
    expect(question().textContent).toContain('asks you to fill in a form');
    expect(question().textContent).toContain('Who are you?');
    expect(fields()).toEqual([
      'mail * requiredstring · emailMail · For the bill.',
      'wordstring · 2 to 8 characters',
      'age * requiredinteger · at least 18',
      'sharenumber · 0 to 1',
      'agreedboolean',
      'sizeone of s (small), m (medium)',
      'colourone of r (red)',
      'fluidsany of water, oil',
    ]);
  });

  test('that is invalid is shown as far as possible, beside the request as it was sent', async () => {
    const requestedSchema = {
      type: 'object',
      properties: { at: { type: 'object', properties: { x: { type: 'number' } } }, odd: 7 },
    };
    await asks({ requestedSchema });
    expect(fields()).toEqual(['atobject', 'oddnot a schema']);
    expect(question().textContent).toContain('None, although it is required.');
    expect(question().textContent?.replaceAll(/\s/g, '')).toContain('"odd":7');
  });

  test('without a schema says so', async () => {
    await asks({ message: 'Well?' });
    expect(within(question()).getByRole('note').textContent).toContain('no requestedSchema');
  });
});

describe('what a model is to be asked', () => {
  test('shows everything the server asked for, those that break the rules too', async () => {
    await samples({
      messages: [
        { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
        { role: 'assistant', content: { type: 'video', seconds: 3 } },
      ],
      temperature: 0.4,
      stopSequences: ['\n', 'END'],
      includeContext: 'allServers',
      modelPreferences: {
        hints: [{ name: 'sonnet' }, { name: 'claude' }],
        speedPriority: 2,
        intelligencePriority: 0,
      },
    });
    const text = question().textContent ?? '';
    for (const reported of [
      'max tokensnot given, although required',
      'temperature0.4',
      'stop sequences"\\n"  "END"',
      'contextall servers (allServers)',
      'modelssonnet, then claude',
      'speed2',
      'intelligence0',
      'audio/wav',
      '"video"',
    ])
      expect(text).toContain(reported);
  });

  test('previews images and sounds', async () => {
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const wav = btoa(`RIFF\x24\0\0\0WAVEfmt ${'\0'.repeat(28)}`);
    await samples({
      messages: [
        { role: 'user', content: { type: 'image', data, mimeType: 'image/png' } },
        { role: 'user', content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
      ],
      maxTokens: 1,
    });
    expect(within(question()).getByRole('img').getAttribute('src')).toMatch(/^data:image\/png;base64,iVBOR/);
    expect(question().querySelector('audio')?.getAttribute('src')).toMatch(/^data:audio\/wav;base64,/);
  });

  test('with context of other servers is warned of, and none is added', async () => {
    await samples({ messages: [], maxTokens: 1, includeContext: 'allServers' });
    expect(screen.getByRole('note').textContent).toContain('Sightglass adds none');
    cleanup();
    await samples({ messages: [], maxTokens: 1, includeContext: 'thisServer' });
    expect(screen.queryByRole('note')).toBeNull();
  });
});

describe('roots', () => {
  const roots = [
    { uri: 'file:///work', name: 'mine' },
    { uri: 'https://a.b/', name: null },
  ];
  const suggestion = JSON.stringify({ roots });
  const show = (change: Partial<InboxEntry>) =>
    showInbox([{ method: 'roots/list', params: '{}', suggestion, ...change }], {
      answers: {
        'roots/check': ({ uri }) =>
          uri.startsWith('file:')
            ? { uri, condition: 'missing', path: '/work', realPath: null }
            : { uri, condition: 'not-a-file-uri', path: null, realPath: null },
      },
    });
  const states = [
    'file:///work mineThere is no such folder on this machine.',
    'https://a.b/This is not a file:// URI of this machine, which the specification requires for roots.',
  ];
  const linesOf = (column: HTMLElement) =>
    within(column)
      .queryAllByRole('listitem')
      .map(({ textContent }) => textContent);

  test('that the default answer sends are listed, each with what is there', async () => {
    await show({});
    await waitFor(() => expect(linesOf(question())).toEqual(states));
    expect(question().textContent).toContain('Roots that the default answer sends');
  });

  test('that were sent are listed, each with what is there', async () => {
    await show({ state: 'answered', answer: { content: { kind: 'defaults' }, by: 'rule' }, responseRow: 7 });
    await waitFor(() => expect(linesOf(answer())).toEqual(states));
    expect(linesOf(question())).toEqual([]);
  });

  test('in an answer of the user that has none are not listed', async () => {
    const content = { kind: 'result', json: '{"roots":"all"}' } as const;
    await show({ state: 'answered', answer: { content, by: 'user' }, responseRow: 7 });
    expect(linesOf(answer())).toEqual([]);
  });
});
