import { act, cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { engine, entry, session } from '#fixtures/page/fake-tools.ts';
import { anEntry } from '#fixtures/page/samples.ts';
import { run, showPane } from '#fixtures/page/tools-pane.tsx';
import { ToolsPane } from '../tools-pane.tsx';

const PNG_HEAD = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR';

vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

beforeEach(() => engine.reset());
afterEach(cleanup);

const tool = entry({ name: 'x' });
const result = () => within(screen.getByRole('region', { name: 'Result' }));

/** Calls the tool and has the engine answer with this result. */
async function answer(value: unknown, change: Partial<Call> = {}) {
  const user = await showPane([tool]);
  await run(user);
  act(() => engine.finish({ state: 'ok', ...change }, value));
  await screen.findByRole('radio', { name: 'Raw' });
  return user;
}
const content = (...blocks: unknown[]) => answer({ content: blocks });

describe('a question that nobody was asked', () => {
  const declined = (change: Partial<InboxEntry> = {}) =>
    anEntry({
      state: 'answered',
      callId: 'call-2',
      answer: { content: { kind: 'decline' }, by: 'declining' },
      ...change,
    });

  test('is named beside the result of its tool, with one click that ends it', async () => {
    engine.questions = [declined({ sessionId: 's1' })];
    const user = await content({ type: 'text', text: 'User declined' });
    const { sessionId } = engine;
    act(() =>
      useSessions.setState({
        sessions: { [sessionId]: { ...session, id: sessionId, isDecliningAll: true } },
      }),
    );
    await vi.waitFor(() =>
      expect(result().queryByText('Declined automatically: Decline all is on.')).not.toBeNull(),
    );
    await user.click(result().getByRole('button', { name: 'Ask me again' }));
    expect(engine.asked('inbox/decline-all')).toEqual([{ sessionId, isOn: false }]);
    act(() => useSessions.setState({ sessions: { [sessionId]: { ...session, id: sessionId } } }));
    expect(result().getByText('Declined automatically: Decline all was on.')).toBeDefined();
  });

  test('is not named if the user answered it, or it belongs to another call', async () => {
    engine.questions = [
      declined({ id: 'a', answer: { content: { kind: 'decline' }, by: 'user' } }),
      declined({ id: 'b', callId: 'call-1' }),
    ];
    await content({ type: 'text', text: 'User declined' });
    await expect.poll(() => engine.asked('inbox/list').length).toBeGreaterThan(0);
    expect(result().queryByRole('note')).toBeNull();
  });

  test('that a rule answered leads to the rules', async () => {
    engine.questions = [declined({ answer: { content: { kind: 'decline' }, by: 'rule' } })];
    const user = await content({ type: 'text', text: 'User declined' });
    await vi.waitFor(() =>
      expect(result().queryByText('1 question answered automatically by a rule.')).not.toBeNull(),
    );
    await user.click(result().getByRole('button', { name: 'Edit the rules' }));
    expect(useSelection.getState().pane).toBe('inbox');
  });
});

describe('a call', () => {
  test('shows how far it is while it runs, and is cancelled', async () => {
    const user = await showPane([tool]);
    await run(user);
    expect(result().getByText('running')).toBeTruthy();
    act(() => {
      engine.finish({
        state: 'running',
        duration: null,
        progress: { progress: 3, total: 10, message: 'Step 3', count: 4 },
      });
    });
    expect(result().getByText('3 / 10 · 4 progress')).toBeTruthy();
    expect(result().getByText('Step 3')).toBeTruthy();
    expect(result().getByRole('progressbar').getAttribute('aria-valuenow')).toBe('30');
    await user.click(result().getByRole('button', { name: 'Cancel' }));
    expect(engine.cancelled).toEqual(['call-2']);
    act(() => engine.finish({ state: 'cancelled', duration: null, size: null }));
    expect(result().getByText('cancelled')).toBeTruthy();
  });

  test('waits while the session is being opened, and is cancelled before it is sent', async () => {
    const user = await showPane([tool], { phase: 'initializing' });
    await run(user);
    const unsent = { duration: null, size: null, responseRow: null, requestId: null, requestRow: null };
    act(() => engine.finish({ state: 'waiting', ...unsent, rounds: [] }));
    expect(result().getByRole('status').textContent).toBe('waits until connected');
    expect(result().getByText(/Sent as soon as the session is ready/)).toBeTruthy();
    expect(result().queryByText('no progress reported yet')).toBeNull();
    expect(result().queryByRole('button', { name: 'Show the request in the trace' })).toBeNull();
    await user.click(result().getByRole('button', { name: 'Cancel' }));
    expect(engine.cancelled).toEqual(['call-2']);
    act(() => engine.finish({ state: 'cancelled', ...unsent, rounds: [] }));
    expect(result().getByText('Cancelled before it was sent.')).toBeTruthy();
  });

  test('shows the time until its timeout, which runs down, pauses and ends with it', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const tick = () => act(() => vi.advanceTimersByTimeAsync(1000));
    const user = await showPane([tool]);
    engine.timeLeft = { left: 17_000, atMost: 107_000, isPaused: false };
    await run(user);
    await tick();
    expect(result().getByRole('timer').textContent).toBe('times out in 0:17, with progress in 1:47 at most');
    engine.timeLeft = { left: 15_900, atMost: 15_900, isPaused: false };
    await tick();
    expect(result().getByRole('timer').textContent).toBe('times out in 0:16');
    engine.timeLeft = { left: 15_900, atMost: 60_000, isPaused: true };
    await tick();
    expect(result().getByRole('timer').textContent).toBe('timeout paused with 0:16 left');
    engine.timeLeft = null;
    await tick();
    expect(result().queryByRole('timer')).toBeNull();
    vi.useRealTimers();
  });

  test('says that it waits for the user, and leads to the question', async () => {
    const user = await showPane([tool]);
    await run(user);
    act(() => engine.finish({ state: 'running', duration: null, inboxEntryIds: ['e1'] }));
    expect(result().getByText(/Waiting for your answer in the/)).toBeTruthy();
    await user.click(result().getByRole('button', { name: 'Inbox' }));
    expect(useSelection.getState().pane).toBe('inbox');
  });

  test('that ended in a hidden pane is shown as ended when the pane is opened again', async () => {
    const user = await showPane([tool]);
    await run(user);
    cleanup();
    engine.finish({ state: 'cancelled', duration: null, size: null });
    render(<ToolsPane />);
    expect(await screen.findByText('cancelled')).toBeTruthy();
  });

  test('shows a small result that came with the call without a further request', async () => {
    const user = await showPane([tool]);
    await run(user);
    act(() => engine.finish({ state: 'ok', result: '{"content":[{"type":"text","text":"came along"}]}' }));
    expect(await result().findByText('came along')).toBeTruthy();
    expect(engine.requestedResults).toEqual([]);
  });

  test('its progress may be a fraction, and may pass its total', async () => {
    const user = await showPane([tool]);
    await run(user);
    const tell = (progress: number, total: number | null) =>
      act(() => {
        const reported = { progress, total, message: null, count: 1 };
        engine.finish({ state: 'running', duration: null, progress: reported });
      });
    const bar = () => result().getByRole('progressbar').getAttribute('aria-valuenow');
    tell(0.25, 0.5);
    expect(result().getByText('0.25 / 0.5 · 1 progress')).toBeTruthy();
    expect(bar()).toBe('50');
    tell(4, 3);
    expect(result().getByText('4 / 3 · 1 progress')).toBeTruthy();
    expect(bar()).toBe('100');
    tell(7, null);
    expect(bar()).toBeNull();
  });

  test('says its measures and leads to its rows', async () => {
    const user = await content({ type: 'text', text: 'fine' });
    expect(result().getByText('ok')).toBeTruthy();
    expect(result().getByTitle('5.0 ms · 214 B')).toBeTruthy();
    await user.click(result().getByRole('button', { name: 'Show the request in the trace' }));
    expect(useSelection.getState().traceRow[engine.sessionId]).toBe(6);
    await user.click(result().getByRole('button', { name: 'Show the response in the trace' }));
    expect(useSelection.getState().traceRow[engine.sessionId]).toBe(8);
  });

  test('a tool error is a result; a protocol error is not', async () => {
    const user = await showPane([tool]);
    await run(user);
    act(() =>
      engine.finish(
        { state: 'tool-error' },
        { content: [{ type: 'text', text: 'no such city' }], isError: true },
      ),
    );
    expect(await result().findByText('no such city')).toBeTruthy();
    expect(result().getByRole('status')).toHaveProperty('textContent', 'tool error');
    expect(result().getByText(/The tool reported an error/)).toBeTruthy();

    await user.click(result().getByRole('button', { name: 'Run again' }));
    act(() =>
      engine.finish({
        state: 'protocol-error',
        error: { code: -32602, message: 'Unknown tool: x', data: { tool: 'x' } },
        fault: { code: 'protocol-error', what: 'Refused.', quote: 'WWW-Authenticate: Bearer scope="x"' },
      }),
    );
    expect(result().getByRole('status')).toHaveProperty('textContent', 'protocol error');
    const error = within(result().getByRole('region', { name: 'Protocol error' }));
    expect(error.getByText('-32602')).toBeTruthy();
    expect(error.getByText('Invalid params')).toBeTruthy();
    expect(error.getByText('Unknown tool: x')).toBeTruthy();
    expect(error.getByText('WWW-Authenticate: Bearer scope="x"')).toBeTruthy();
    expect(error.getByText('"tool"')).toBeTruthy();
    expect(screen.queryByRole('radio', { name: 'Raw' })).toBeNull();
  });

  test.each([
    ['timed-out', 'timed out'],
    ['lost', 'no response'],
  ] as const)('%s tells why there is no answer', async (state, label) => {
    const user = await showPane([tool]);
    await run(user);
    const fault = { code: state, what: 'The server did not answer.', next: 'Look at the trace.' };
    act(() => engine.finish({ state, fault, duration: null, size: null, responseRow: null }));
    expect(result().getByText('The server did not answer.')).toBeTruthy();
    expect(result().getByText(label)).toBeTruthy();
    expect(result().queryByRole('button', { name: 'Show the response in the trace' })).toBeNull();
  });

  test('why a call could not be made is said', async () => {
    engine.startFault = { code: 'not-ready', what: 'The session is closed.' };
    const user = await showPane([tool]);
    await run(user);
    expect(await screen.findByText('The session is closed.')).toBeTruthy();
  });
});

describe('content', () => {
  test('members of the result that it does not show are a line each, which opens to their JSON', async () => {
    const user = await answer(
      {
        content: [{ type: 'text', text: 'found' }],
        resultType: 'complete',
        _meta: { cause: 'connection refused', hint: 'start the database' },
        warnings: [1, 2],
        took: 7,
      },
      { state: 'ok' },
    );
    const others = within(result().getByRole('group', { name: 'Other members of the result' }));
    expect(others.getAllByRole('group').map(({ textContent }) => textContent)).toEqual([
      '_meta: cause, hint',
      'warnings: 2 elements',
      'took: 7',
    ]);
    await user.click(others.getByText('_meta'));
    expect(await others.findByText('"connection refused"')).toBeTruthy();
  });

  test('those of a failed result are open: they often hold its reason', async () => {
    await answer(
      {
        content: [{ type: 'text', text: 'query failed' }],
        isError: true,
        _meta: { cause: 'connection refused' },
        took: 7,
      },
      { state: 'tool-error' },
    );
    const others = within(result().getByRole('group', { name: 'Other members of the result' }));
    expect(await others.findByText('"connection refused"')).toBeTruthy();
    expect(others.getByText('took').closest('details')?.open).toBe(false);
  });

  test('text is text, whatever it holds', async () => {
    await content({ type: 'text', text: '<script>alert(1)</script>\u001b[31m\u202e' });
    expect(result().getByText(/<script>alert\(1\)<\/script>/)).toBeTruthy();
    expect(result().getByTitle('U+001B')).toBeTruthy();
    expect(result().getByTitle('U+202E')).toBeTruthy();
  });

  test('text that is JSON can be laid out', async () => {
    const user = await content({ type: 'text', text: '{"big":9007199254740993}' });
    await user.click(result().getByRole('radio', { name: 'JSON' }));
    expect(result().getByText('9007199254740993')).toBeTruthy();
  });

  test('an image is drawn from checked data only', async () => {
    const png = btoa(`${PNG_HEAD}\0\0\0\x04\0\0\0\x04`);
    await content(
      { type: 'image', data: png, mimeType: 'image/png', annotations: { audience: ['user'], priority: 1 } },
      { type: 'image', data: btoa('<svg/>'), mimeType: 'image/svg+xml' },
      { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    );
    const images = result().getAllByRole('img', { name: 'Sent by the server' });
    expect(images.map((image) => image.getAttribute('src'))).toEqual([`data:image/png;base64,${png}`]);
    expect(result().getByText(/^image\/png · 24 B/)).toBeTruthy();
    expect(result().getByText('for user')).toBeTruthy();
    expect(result().getByText('priority 1')).toBeTruthy();
    expect(result().getByText(/"image\/svg\+xml" is not an image type/)).toBeTruthy();
    expect(result().getByText('<svg/>')).toBeTruthy();
    expect(result().getByText(/^The data is not base64: the character "!"/)).toBeTruthy();
  });

  test('what is not base64 has no size, and says what it is', async () => {
    await content(
      { type: 'image', data: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'audio', data: '_-8_', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a:b', blob: 'iVBORw0KGgo' } },
    );
    expect(result().getByText(/^The data is not base64: it is a data URI/)).toBeTruthy();
    expect(result().getByText(/^The data is not base64: it is URL-safe base64/)).toBeTruthy();
    expect(result().getByText(/^The blob is not base64: the "=" at its end are missing/)).toBeTruthy();
    expect(result().getByText(/^image\/png · not base64/)).toBeTruthy();
    expect(result().getByText(/^audio\/wav · not base64/)).toBeTruthy();
    expect(result().getByText(/^not base64 · a:b/)).toBeTruthy();
    expect(result().queryByText(/(?:png|wav) · \d/)).toBeNull();
    expect(result().queryAllByRole('img', { name: 'Sent by the server' })).toEqual([]);
  });

  test('an image of 12,000 x 12,000 pixels is drawn by a click only, as is one whose size is unknown', async () => {
    const large = btoa(`${PNG_HEAD}\0\0\x2e\xe0\0\0\x2e\xe0`);
    const user = await content(
      { type: 'image', data: large, mimeType: 'image/png' },
      { type: 'image', data: btoa('\x89PNG'), mimeType: 'image/png' },
    );
    expect(result().queryAllByRole('img', { name: 'Sent by the server' })).toEqual([]);
    expect(result().getByText(/12,000 × 12,000 pixels\. Drawing it takes up to/)).toBeTruthy();
    expect(result().getByText(/Its size cannot be read/)).toBeTruthy();
    await user.click(result().getAllByRole('button', { name: 'Draw the image' })[0]!);
    const images = result().getAllByRole('img', { name: 'Sent by the server' });
    expect(images.map((image) => image.getAttribute('src'))).toEqual([`data:image/png;base64,${large}`]);
  });

  test('audio has a player that does not start by itself', async () => {
    await content({ type: 'audio', data: btoa('RIFF0000WAVE'), mimeType: 'audio/wav' });
    const player = result().getByLabelText('Sent by the server');
    expect(player.getAttribute('src')).toMatch(/^data:audio\/wav;base64,/);
    expect(player.hasAttribute('autoplay')).toBe(false);
  });

  test('only http links open, after a confirmation that shows the whole address', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    const user = await content(
      { type: 'resource_link', uri: 'https://bank.example@example.com/a?b=c#d', name: 'a', title: 'A page' },
      { type: 'resource_link', uri: 'javascript:alert(1)', name: 'b' },
      { type: 'resource_link', uri: 'file:///etc/passwd', name: 'c', description: 'local' },
    );
    expect(result().getByText('javascript:alert(1)')).toBeTruthy();
    expect(result().queryByRole('link')).toBeNull();
    const [button, ...others] = result().getAllByRole('button', { name: 'Open in browser…' });
    expect(others).toEqual([]);
    await user.click(button!);
    const question = () => within(screen.getByRole('dialog', { name: 'Open this address?' }));
    expect(question().getByLabelText('host example.com').parentElement?.textContent).toBe(
      'https://bank.example@example.com/a?b=c#d',
    );
    expect(question().getByText(/can make it look like another host/)).toBeTruthy();
    await user.click(question().getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(open).not.toHaveBeenCalled();
    await user.click(button!);
    await user.click(question().getByRole('button', { name: 'Open' }));
    expect(open).toHaveBeenCalledExactlyOnceWith(
      'https://bank.example@example.com/a?b=c#d',
      '_blank',
      'noopener,noreferrer',
    );
    open.mockRestore();
  });

  test('what the assistant or the user would see is shown by choice, with the annotations of each block', async () => {
    const user = await content(
      { type: 'text', text: 'to both', annotations: { priority: 0.5 } },
      { type: 'text', text: 'to the user', annotations: { audience: ['user'], lastModified: '2026-01-01' } },
      { type: 'resource_link', uri: 'a://b', name: 'to the model', annotations: { audience: ['assistant'] } },
    );
    const shown = () =>
      ['to both', 'to the user', 'to the model'].filter((text) => result().queryByText(text) !== null);
    expect(shown()).toEqual(['to both', 'to the user', 'to the model']);
    for (const chip of ['priority 0.5', 'for user', 'changed 2026-01-01', 'for assistant']) {
      expect(result().getByText(chip)).toBeTruthy();
    }
    await user.click(result().getByRole('radio', { name: 'Assistant' }));
    expect(shown()).toEqual(['to both', 'to the model']);
    expect(result().getByText('1 item not for the assistant')).toBeTruthy();
    await user.click(result().getByRole('radio', { name: 'User' }));
    expect(shown()).toEqual(['to both', 'to the user']);
    await user.click(result().getByRole('radio', { name: 'All' }));
    expect(shown()).toHaveLength(3);
  });

  test('without a stated audience there is nothing to choose', async () => {
    await content({ type: 'text', text: 'one', annotations: { priority: 1 } }, { type: 'text', text: 'two' });
    expect(result().queryByRole('radio', { name: 'Assistant' })).toBeNull();
  });

  test('embedded resources show their text or their bytes', async () => {
    await content(
      { type: 'resource', resource: { uri: 'demo://text', mimeType: 'text/html', text: '<b>hi</b>' } },
      {
        type: 'resource',
        resource: { uri: 'demo://blob', mimeType: 'application/zip', blob: btoa('PK\x03\xff') },
      },
    );
    expect(result().getByText('<b>hi</b>')).toBeTruthy();
    expect(result().getByText('9 B · demo://text · text/html')).toBeTruthy();
    expect(result().getByText(/50 4b 03 ff/)).toBeTruthy();
  });

  test('what is unknown or bad is shown raw and hides nothing', async () => {
    await answer(
      '{"content":[{"type":"video","n":9007199254740993},{"type":"text"},{"type":"text","text":"fine"}]}',
    );
    expect(result().getByText('Unknown content type "video".')).toBeTruthy();
    expect(result().getByText('9007199254740993')).toBeTruthy();
    expect(result().getByText(/Invalid "text" block/)).toBeTruthy();
    expect(result().getByText('fine')).toBeTruthy();
  });

  test('the whole is there as it was sent', async () => {
    const user = await answer('{"extra":1.0,"content":[]}');
    await user.click(result().getByRole('radio', { name: 'Raw' }));
    expect(result().getByText('1.0')).toBeTruthy();
  });

  test('a result that was cut says so and leads to the trace', async () => {
    const user = await showPane([tool]);
    await run(user);
    engine.results['call-2'] = { text: '{"content":[{"type":"text","text":"aaa', truncated: true };
    act(() => engine.finish({ state: 'ok' }));
    await user.click(await result().findByRole('button', { name: 'Show all of it in the trace' }));
    expect(useSelection.getState().traceRow[engine.sessionId]).toBe(8);
  });
});

describe('structured content', () => {
  test('is shown beside the content and conforms', async () => {
    const value = { content: [{ type: 'text', text: 'beside' }], structuredContent: { n: 1 } };
    await answer(value, { outputValidation: { state: 'valid' } });
    expect(result().getByText('beside')).toBeTruthy();
    expect(await result().findByText('matches the output schema')).toBeTruthy();
  });

  test('is a tree that folds', async () => {
    // There is no layout in tests, so the tree would have no height.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(200);
    const user = await answer('{"content":[],"structuredContent":{"big":9007199254740993,"list":[1,2]}}');
    const tree = await screen.findByRole('tree', { name: 'Structured content' });
    const lines = () =>
      within(tree)
        .getAllByRole('treeitem')
        .map(({ textContent }) => textContent);
    expect(lines()).toEqual(['{', '"big": 9007199254740993,', '"list": [', '1,', '2']);
    await user.click(result().getByRole('button', { name: 'Fold all' }));
    expect(lines()).toEqual(['{', '"big": 9007199254740993,', '"list": [ 2 items ]']);
    vi.restoreAllMocks();
  });

  test('what does not conform is named', async () => {
    const errors = [{ pointer: '/n', keyword: 'type', message: 'must be integer' }];
    await answer(
      { content: [], structuredContent: { n: 'one' } },
      { outputValidation: { state: 'invalid', errors } },
    );
    expect(await result().findByText('1 error against the output schema')).toBeTruthy();
    expect(result().getByText('/n')).toBeTruthy();
    expect(result().getByText('must be integer')).toBeTruthy();
  });

  test('says why it is not validated', async () => {
    const why = 'it refers to https://e.example/, which is not in it';
    await answer(
      { content: [], structuredContent: 1 },
      { outputValidation: { state: 'unknown', reason: why } },
    );
    expect(await result().findByText(`Not validated against the output schema: ${why}`)).toBeTruthy();
    expect(result().queryByRole('link')).toBeNull();
  });

  test('without a schema is not validated', async () => {
    await answer({ content: [], structuredContent: 1 });
    expect(await result().findByText('Not validated')).toBeTruthy();
  });

  test('that it is missing is said, but not of a tool error', async () => {
    const errors = [{ pointer: '', keyword: 'type', message: 'structuredContent is missing' }];
    const user = await answer({ content: [] }, { outputValidation: { state: 'invalid', errors } });
    expect(result().getByText(/has no structuredContent/)).toBeTruthy();
    await run(user);
    act(() => engine.finish({ state: 'tool-error' }, { content: [], isError: true }));
    expect(await result().findByText(/tool reported an error/)).toBeTruthy();
    expect(result().queryByText(/has no structuredContent/)).toBeNull();
  });
});

describe('the arguments that were sent', () => {
  test('match the input schema, or what is wrong with them is named', async () => {
    const user = await answer({ content: [] }, { argumentsValidation: { state: 'valid' } });
    expect(result().getByText('matches the input schema')).toBeTruthy();
    await run(user);
    const errors = [
      { pointer: '/count', keyword: 'type', message: 'must be integer' },
      { pointer: '', keyword: 'type', message: 'must not have the member "more"' },
    ];
    // Known while the call still runs, and whatever comes of it.
    act(() => {
      engine.finish({
        state: 'running',
        duration: null,
        argumentsValidation: { state: 'invalid', errors },
      });
    });
    expect(result().getByText('2 errors against the input schema')).toBeTruthy();
    expect(result().getByText('/count')).toBeTruthy();
    expect(result().getByText('the whole')).toBeTruthy();
  });

  test('are not spoken of when the tool is not listed', async () => {
    await answer({ content: [] });
    expect(result().queryByText('Arguments:')).toBeNull();
  });
});
