import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import { useRecordedSessions, useSessions } from '#model/sessions.ts';
import {
  aFinding,
  aFlow,
  aParameter,
  aRequest,
  aStep,
  failedFlow,
  someCredentials,
  steppedUpFlow,
  waitingFlow,
} from '#fixtures/page/authorization-samples.ts';
import { type Answers, emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { wrongValues } from '#shared/authorization/wrong-values.ts';
import type {
  AuthorizationFlow,
  AuthorizationStep,
  StoredCredentials,
} from '#shared/contract/authorization.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { AuthorizationPane } from './authorization-pane.tsx';

const start = useSelection.getState();
beforeEach(() => {
  useSelection.setState({ ...start, serverId: 'v1' });
  setWidth(1200);
});

/** Pixels: jsdom lays nothing out. */
const setWidth = (width: number) =>
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width);
afterEach(cleanup);

let count = 0;

/** Shows the pane of a new session with these flows. */
async function showFlows(
  make: readonly ((change: Partial<AuthorizationFlow>) => AuthorizationFlow)[],
  {
    credentials = [],
    answers = {},
    authorization = null,
  }: {
    readonly credentials?: readonly StoredCredentials[];
    readonly answers?: Answers;
    readonly authorization?: AuthorizationState | null;
  } = {},
) {
  const sessionId = `s-auth-${++count}`;
  const serverId = 'v1';
  const flows = make.map((one, at) => one({ sessionId, id: `flow-${count}-${at}`, number: at + 1 }));
  const engine = fakeEngine({
    'authorization/flows': () => flows,
    'authorization/credentials': () => [...credentials],
    ...answers,
  });
  const http = {
    url: 'https://mcp.example.com/mcp',
    endpoint: null,
    sessionId: null,
    renewed: 0,
    streams: [],
    authorization,
  };
  useSessions.setState({
    sessions: { [sessionId]: aSession({ id: sessionId, serverId, transport: 'streamable-http', http }) },
  });
  render(<AuthorizationPane />);
  await waitFor(() => expect(screen.queryByLabelText('Flows are loading')).toBeNull());
  return { engine, sessionId, flows, user: userEvent.setup() };
}

const steps = () => screen.getByRole('listbox', { name: 'Steps of the flow' });
const selectedStep = () => within(steps()).getByRole('option', { selected: true }).getAttribute('aria-label');

describe('without a flow', () => {
  test('the pane says what it is for, and begins one, also without a session', async () => {
    const begun = steppedUpFlow({ id: 'begun', sessionId: 'new' });
    const engine = fakeEngine({
      'authorization/credentials': () => [],
      'authorization/begin': () => begun,
    });
    useSessions.setState({ sessions: {} });
    render(<AuthorizationPane />);
    expect(screen.getByText(/OAuth at this server/)).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Step through' }));
    expect(engine.asked('authorization/begin')).toEqual([
      { serverId: 'v1', mode: 'stepped', revision: null, settings: {} },
    ]);
  });

  test('the redirect URI and the state of the session are shown before the flow', async () => {
    await showFlows([], { authorization: 'required' });
    expect(screen.getByText('http://127.0.0.1:PORT/callback')).toBeDefined();
    expect(screen.getByText('Authorization:').textContent).toBe('Authorization: required');
  });

  test('a fault of the engine is shown', async () => {
    const { user } = await showFlows([], {
      answers: {
        'authorization/begin': () => {
          throw new FaultError({ code: 'no-url', what: 'The server has no URL.' });
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Authorize' }));
    expect(await screen.findByText('The server has no URL.')).toBeDefined();
  });

  test('a recording says so, and offers nothing', async () => {
    fakeEngine({ 'authorization/flows': () => [] });
    useSelection.setState({ openedId: 'file-1' });
    useRecordedSessions.setState({ 'file-1': aSession({ id: 'file-1', transport: 'streamable-http' }) });
    render(<AuthorizationPane />);
    expect(await screen.findByText('No authorization in this recording')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Authorize' })).toBeNull();
  });
});

describe('the diagram', () => {
  test('is walked by keyboard; Enter shows the row of the step', async () => {
    const { user, sessionId } = await showFlows([steppedUpFlow]);
    expect(selectedStep()).toContain('11 Authorization');
    steps().focus();
    await user.keyboard('{Home}');
    expect(selectedStep()).toContain('1 Challenge');
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(selectedStep()).toContain('second URL tried');
    await user.keyboard('{Enter}');
    expect(useSelection.getState().traceRow[sessionId]).toBe(408);
    await user.keyboard('{End}');
    expect(selectedStep()).toContain('14 Use token');
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Use token');
  });

  test('its rows lead to the trace', async () => {
    const { user, sessionId } = await showFlows([steppedUpFlow]);
    const diagram = screen.getByRole('region', { name: 'Steps' });
    await user.click(within(diagram).getByRole('button', { name: `Row ${rowNumber(441)} of the trace` }));
    expect(useSelection.getState().traceRow[sessionId]).toBe(441);
  });

  test('says how far the flow is', async () => {
    await showFlows([steppedUpFlow]);
    expect(screen.getByRole('status', { name: 'Progress of the flow' }).textContent).toBe(
      '8 done1 failed1 skipped3 to come2 forks',
    );
  });

  test('follows the flow as the engine reports it', async () => {
    const { flows } = await showFlows([steppedUpFlow]);
    const [flow] = flows;
    if (flow === undefined) throw new Error('there is a flow');
    const after = flow.steps.map((step) =>
      step.id === 14
        ? { ...step, state: 'done' as const }
        : step.id === 15
          ? { ...step, state: 'waiting' as const }
          : step,
    );
    act(() => emit('authorization/changed', { ...flow, steps: after, currentStep: 15, state: 'waiting' }));
    expect(selectedStep()).toContain('12 Callback');
  });

  test('another flow is chosen by its number', async () => {
    const { user } = await showFlows([waitingFlow, steppedUpFlow]);
    expect(selectedStep()).toContain('Authorization');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Flow' }), 'Flow 1 · waiting');
    expect(selectedStep()).toContain('3 Callback, waiting');
  });
});

describe('a stopped step', () => {
  test('is sent as the engine built it, unless it was changed', async () => {
    const { engine, flows, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/send': () => null },
    });
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toEqual([
      { flowId: flows[0]?.id, request: null, wrongValue: null },
    ]);
  });

  test('its parameters are edited, left out and added', async () => {
    const { engine, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/send': () => null },
    });
    const resource = screen.getByRole('textbox', { name: 'Value of resource' });
    await user.clear(resource);
    await user.type(resource, 'https://other.example');
    await user.click(screen.getByRole('checkbox', { name: 'Send code_challenge_method' }));
    await user.click(screen.getByRole('button', { name: 'Add' }));
    await user.type(screen.getByRole('textbox', { name: 'Name of the parameter' }), 'prompt');
    await user.type(screen.getByRole('textbox', { name: 'Value of prompt' }), 'login');
    const url = screen.getByRole('textbox', { name: 'URL of the request' });
    await user.type(url, '2');
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    const [{ request }] = engine.asked('authorization/send') as [
      { request: AuthorizationFlow['steps'][0]['request'] },
    ];
    expect(request?.url).toBe('https://login.example.com/authorize2');
    const sent = Object.fromEntries(
      request?.query.map(({ name, value, isOn }) => [name, isOn ? value : 'off']) ?? [],
    );
    expect(sent).toMatchObject({
      resource: 'https://other.example',
      code_challenge_method: 'off',
      prompt: 'login',
      // A secret that was not changed goes back as the page has it: unknown.
      state: null,
    });
  });

  test('changes are undone', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    const resource = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Value of resource' });
    await user.type(resource(), '/x');
    await user.click(screen.getByRole('button', { name: 'Reset changes' }));
    expect(resource().value).toBe('https://mcp.example.com/mcp');
  });

  test('changes from before a step back are marked, and Reset sends the request as it was planned', async () => {
    const planned = aRequest({ query: [aParameter('scope', 'a'), aParameter('state', 'new')] });
    const request = aRequest({
      query: [
        aParameter('scope', 'a b c'),
        aParameter('state', 'new', { isOn: false }),
        aParameter('prompt', 'login'),
      ],
    });
    const step = aStep(1, 'authorization-request', {
      state: 'stopped',
      request,
      original: { request: planned, assertion: null },
      wrongValue: 'state-missing',
    });
    const { engine, flows, user } = await showFlows([(change) => aFlow([step], change)], {
      answers: { 'authorization/send': () => null },
    });
    expect(selectedStep()).toContain('edited');
    await user.click(screen.getByRole('button', { name: 'Remove the wrong value' }));
    const marks = () =>
      within(screen.getByRole('list', { name: 'Query parameters' }))
        .queryAllByText(/^(?:edited|added|switched off)$/)
        .map(({ textContent }) => textContent);
    expect(marks()).toEqual(['edited', 'switched off', 'added']);
    await user.click(screen.getByRole('button', { name: 'Reset changes' }));
    expect(marks()).toEqual([]);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Value of scope' }).value).toBe('a');
    expect(screen.queryByRole('button', { name: 'Reset changes' })).toBeNull();
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toEqual([
      { flowId: flows[0]?.id, request: planned, wrongValue: null },
    ]);
  });

  test('changes from before a step back are sent without a click', async () => {
    const request = aRequest({ query: [aParameter('scope', 'a b c')] });
    const step = aStep(1, 'authorization-request', {
      state: 'stopped',
      request,
      original: { request: aRequest({ query: [aParameter('scope', 'a')] }), assertion: null },
      wrongValue: 'challenge-missing',
    });
    const { engine, flows, user } = await showFlows([(change) => aFlow([step], change)], {
      answers: { 'authorization/send': () => null },
    });
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toEqual([
      { flowId: flows[0]?.id, request: null, wrongValue: 'challenge-missing' },
    ]);
  });

  test('changes that are not sent go with Back, Skip and Fork', async () => {
    for (const [name, command] of [
      ['Back', 'authorization/back'],
      ['Skip', 'authorization/skip'],
      ['Fork here', 'authorization/fork'],
    ] as const) {
      const { engine, user } = await showFlows([steppedUpFlow], { answers: { [command]: () => null } });
      await user.click(screen.getByRole('checkbox', { name: 'Send resource' }));
      if (name === 'Fork here') await user.click(screen.getByRole('option', { name: /^7 Token exchange/ }));
      await user.click(screen.getByRole('button', { name }));
      const [asked] = engine.asked(command) as [{ draft?: { request: AuthorizationStep['request'] } }];
      const resource = asked.draft?.request?.query.find((one) => one.name === 'resource');
      expect(resource?.isOn).toBe(false);
      cleanup();
    }
  });

  test('a parameter that is off says why, and is switched on again', async () => {
    const note = 'off: switched off in the authorization request';
    const body = [aParameter('resource', 'https://mcp.example.com/mcp', { isOn: false, note })];
    const request = aRequest({ method: 'POST', bodyKind: 'form', body });
    const { engine, user } = await showFlows(
      [(change) => aFlow([aStep(1, 'token', { state: 'stopped', request })], change)],
      { answers: { 'authorization/send': () => null } },
    );
    expect(screen.getByText(note)).toBeDefined();
    await user.click(screen.getByRole('checkbox', { name: 'Send resource' }));
    expect(screen.queryByText(note)).toBeNull();
    expect(screen.getByText('switched on')).toBeDefined();
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toMatchObject([{ request: { body: [{ isOn: true }] } }]);
  });

  test('aud and kid of a client assertion are changed, and restored', async () => {
    const assertion = { audience: 'https://login.example.com', keyId: null };
    const body = [aParameter('client_assertion', null)];
    const request = aRequest({ method: 'POST', bodyKind: 'form', body });
    const { engine, user } = await showFlows(
      [(change) => aFlow([aStep(1, 'token', { state: 'stopped', request, assertion })], change)],
      { answers: { 'authorization/send': () => null } },
    );
    const audience = screen.getByRole<HTMLInputElement>('textbox', { name: 'Audience (aud)' });
    await user.type(audience, '/token');
    await user.type(screen.getByRole('textbox', { name: 'Key ID (kid)' }), 'k1');
    expect(screen.getByText('It is signed again when the step is sent.')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Restore the assertion' }));
    expect(audience.value).toBe(assertion.audience);
    await user.type(audience, '/token');
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toMatchObject([
      {
        request: null,
        wrongValue: null,
        assertion: { audience: 'https://login.example.com/token', keyId: null },
      },
    ]);
  });

  test('an assertion that the user typed is not signed again', async () => {
    const assertion = { audience: 'https://login.example.com', keyId: null };
    const request = aRequest({
      method: 'POST',
      bodyKind: 'form',
      body: [aParameter('client_assertion', null)],
    });
    const { user } = await showFlows([
      (change) => aFlow([aStep(1, 'token', { state: 'stopped', request, assertion })], change),
    ]);
    await user.type(screen.getByRole('textbox', { name: 'Value of client_assertion' }), 'a.b.c');
    expect(screen.queryByRole('textbox', { name: 'Audience (aud)' })).toBeNull();
  });

  test('a secret is shown by its fingerprint until a click', async () => {
    const { engine, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/reveal': () => ({ value: 'the-real-state' }) },
    });
    const state = screen.getByRole<HTMLInputElement>('textbox', { name: 'Value of state' });
    expect(state.value).toBe('');
    expect(state.placeholder).toContain('d41b07');
    await user.click(screen.getByRole('button', { name: 'Show state' }));
    expect(await screen.findByDisplayValue('the-real-state')).toBeDefined();
    expect(engine.asked('authorization/reveal')).toMatchObject([{ stepId: 14, name: 'state' }]);
    await user.click(screen.getByRole('button', { name: 'Hide state' }));
    expect(screen.queryByDisplayValue('the-real-state')).toBeNull();
  });

  test('the whole URL never holds a secret on screen', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    await user.click(screen.getByRole('tab', { name: 'Whole URL' }));
    const shown = screen.getByText(/^https:\/\/login\.example\.com\/authorize\?/);
    expect(shown.textContent).toContain('state=‹state›');
    expect(shown.textContent).toContain('resource=https%3A%2F%2Fmcp.example.com%2Fmcp');
  });

  test('a wrong value is chosen at its parameter, shown as it will be sent, and removed again', async () => {
    const { engine, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/send': () => null },
    });
    await user.click(screen.getByRole('button', { name: 'Wrong values of resource' }));
    const entries = await screen.findAllByRole('menuitemcheckbox');
    expect(entries.map(({ textContent }) => textContent)).toContain(
      'Another serverhttps://other.example/mcp',
    );
    await user.click(screen.getByRole('menuitemcheckbox', { name: /^Trailing slash/ }));
    const note = await screen.findByRole('note', { name: 'Wrong value' });
    expect(note.textContent).toContain('invalid_target (RFC 8707 2)');
    expect(screen.getByText('https://mcp.example.com/mcp/')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Remove the wrong value' }));
    expect(screen.getByDisplayValue('https://mcp.example.com/mcp')).toBeDefined();

    await user.click(screen.getByRole('button', { name: 'Wrong values' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: /^No PKCE/ }));
    await user.click(screen.getByRole('button', { name: /^Send step/ }));
    expect(engine.asked('authorization/send')).toMatchObject([
      { request: null, wrongValue: 'challenge-missing' },
    ]);
  });

  test('the menu has wrong claims of the JWTs that are signed for a request', async () => {
    const request = aRequest({
      method: 'POST',
      bodyKind: 'form',
      headers: [aParameter('DPoP', null)],
      body: [aParameter('grant_type', 'refresh_token'), aParameter('client_assertion', null)],
    });
    const { user } = await showFlows([
      (change) => aFlow([aStep(1, 'refresh', { state: 'stopped', request })], change),
    ]);
    await user.click(screen.getByRole('button', { name: 'Wrong values' }));
    const entries = await screen.findAllByRole('menuitemcheckbox');
    expect(entries.map(({ textContent }) => textContent)).toEqual(
      wrongValues
        .filter(
          (one) =>
            one.steps.includes('refresh') && ['DPoP', 'client_assertion'].includes(one.parameter ?? ''),
        )
        .map(({ label, detail }) => `${label}${detail}`),
    );
  });

  test('a step that sent a wrong value says whether it was rejected', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    await user.click(screen.getByRole('option', { name: /^7B Token exchange/ }));
    const note = screen.getByRole('note', { name: 'Wrong value' });
    expect(note.textContent).toContain('Rejected, as it must be (RFC 7636 4.6).');
    // It comes before the request, which may be out of sight.
    const request = screen.getByRole('tablist', { name: 'Parts of the request' });
    expect(note.compareDocumentPosition(request)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  test('changes are sent by Run to end too', async () => {
    const { engine, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/send': () => null, 'authorization/run': () => null },
    });
    await user.click(screen.getByRole('checkbox', { name: 'Send resource' }));
    await user.click(screen.getByRole('button', { name: 'Run to end' }));
    expect(engine.asked('authorization/send')).toHaveLength(1);
    expect(engine.asked('authorization/run')).toHaveLength(1);
  });

  test('the flow is run on, skipped, taken back and cancelled', async () => {
    const nothing = () => null;
    const { engine, flows, user } = await showFlows([steppedUpFlow], {
      answers: {
        'authorization/back': nothing,
        'authorization/skip': nothing,
        'authorization/run': nothing,
        'authorization/cancel': nothing,
      },
    });
    const flowId = flows[0]?.id;
    for (const name of ['Back', 'Skip', 'Run to end', 'Cancel the flow']) {
      await user.click(screen.getByRole('button', { name }));
    }
    for (const command of ['back', 'skip', 'run', 'cancel'] as const) {
      expect(engine.asked(`authorization/${command}`)).toEqual([{ flowId }]);
    }
  });

  test('a step that is done is forked', async () => {
    const { engine, flows, user } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/fork': () => null },
    });
    const fork = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Fork here' });
    expect(fork().disabled).toBe(true);
    await user.click(screen.getByRole('option', { name: /^7 Token exchange/ }));
    await user.click(fork());
    expect(engine.asked('authorization/fork')).toEqual([{ flowId: flows[0]?.id, stepId: 9 }]);
  });

  test('its actions are in the palette, sending on F10', async () => {
    await showFlows([steppedUpFlow]);
    const own = currentCommands().filter(({ group }) => group === 'Authorization');
    expect(own.find(({ id }) => id === 'authorization.send')?.shortcut).toBe('F10');
    expect(own.map(({ title }) => title)).toContain('Run the flow to its end');
  });

  test('a command that the engine refuses shows why', async () => {
    const { user } = await showFlows([steppedUpFlow], {
      answers: {
        'authorization/skip': () => {
          throw new FaultError({ code: 'cannot-skip', what: 'This step cannot be skipped.' });
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Skip' }));
    expect(await screen.findByText('This step cannot be skipped.')).toBeDefined();
  });
});

describe('in the browser', () => {
  test('the URL is a link that opens by a click only', async () => {
    await showFlows([waitingFlow]);
    const link = screen.getByRole('link', { name: 'Open in browser' });
    expect(link.getAttribute('href')).toMatch(/^https:\/\/login\.example\.com\/authorize\?/);
    expect(link.getAttribute('target')).toBe('_blank');
    expect(link.getAttribute('rel')).toBe('noreferrer');
  });

  test('a URL that is not of the web is no link', async () => {
    await showFlows([(change) => waitingFlow({ ...change, browserUrl: 'javascript:alert(1)' })]);
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByText(/not a web address/)).toBeDefined();
  });

  test('the callback is pasted', async () => {
    const { engine, flows, user } = await showFlows([waitingFlow], {
      answers: { 'authorization/callback': () => null },
    });
    await user.type(
      screen.getByRole('textbox', { name: 'Callback URL' }),
      'http://127.0.0.1:1/callback?code=x',
    );
    await user.click(screen.getByRole('button', { name: 'Use' }));
    expect(engine.asked('authorization/callback')).toEqual([
      { flowId: flows[0]?.id, url: 'http://127.0.0.1:1/callback?code=x' },
    ]);
  });

  test('the user says that the browser shows an error page', async () => {
    const { engine, flows, user } = await showFlows([waitingFlow], {
      answers: { 'authorization/no-callback': () => null },
    });
    await user.click(screen.getByRole('button', { name: 'It shows an error page' }));
    expect(engine.asked('authorization/no-callback')).toEqual([{ flowId: flows[0]?.id }]);
  });

  test('one of several authorization servers is chosen', async () => {
    const { engine, user } = await showFlows(
      [
        (change) =>
          waitingFlow({ ...change, browserUrl: null, issuers: ['https://a.example', 'https://b.example'] }),
      ],
      { answers: { 'authorization/choose': () => null } },
    );
    const second = screen.getByText('https://b.example').closest('li');
    if (second === null) throw new Error('it is listed');
    await user.click(within(second).getByRole('button', { name: 'Use this one' }));
    expect(engine.asked('authorization/choose')).toMatchObject([{ issuer: 'https://b.example' }]);
  });
});

describe('a question', () => {
  const otherIssuer = {
    kind: 'other-issuer' as const,
    credentials: ['client-id' as const, 'client-secret' as const],
    before: ['https://login.example.com'],
    issuer: 'https://xn--lgin-jua.example.com',
  };
  const asking = (question: AuthorizationFlow['question']) => (change: Partial<AuthorizationFlow>) =>
    waitingFlow({ ...change, browserUrl: null, question });

  test.each([
    ['Send', true],
    ['Do not send', false],
  ])(
    'before credentials go to another authorization server names both, and is answered by %s',
    async (name, isYes) => {
      const { engine, flows, user } = await showFlows([asking(otherIssuer)], {
        answers: { 'authorization/answer': () => null },
      });
      const card = screen.getByRole('region', { name: 'Question' });
      expect(card.textContent).toContain(
        'Send the client ID and the client secret to another authorization server?',
      );
      expect(card.textContent).toContain('Until nowhttps://login.example.com');
      expect(card.textContent).toContain('Now namedhttps://xn--lgin-jua.example.com');
      expect(card.textContent).toContain('can look like another host');
      // Neither is the answer of a key that was pressed for something else.
      expect(card.contains(document.activeElement)).toBe(false);
      await user.click(within(card).getByRole('button', { name }));
      expect(engine.asked('authorization/answer')).toEqual([{ flowId: flows[0]?.id, isYes }]);
    },
  );

  test('before the query of the server goes out names its parameters and where they go', async () => {
    const { engine, flows, user } = await showFlows(
      [asking({ kind: 'resource-query', parameters: ['tenant'], issuer: 'https://login.example.com' })],
      { answers: { 'authorization/answer': () => null } },
    );
    const card = screen.getByRole('region', { name: 'Question' });
    expect(card.textContent).toContain('Parameterstenant');
    expect(card.textContent).toContain('Goes tohttps://login.example.com');
    await user.click(within(card).getByRole('button', { name: 'Leave it out' }));
    expect(engine.asked('authorization/answer')).toEqual([{ flowId: flows[0]?.id, isYes: false }]);
  });
});

describe('what came of it', () => {
  test('findings show what was expected and received, the source, and what the library says', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    const findings = screen.getByRole('region', { name: /^Findings 3 found in this flow/ });
    expect(findings.textContent).toContain('expected https://login.example.com');
    expect([...findings.querySelectorAll('u')].map(({ textContent }) => textContent)).toEqual(['/']);
    expect(findings.textContent).toContain('RFC 8414 3.3 · the library accepts it');
    await user.click(within(findings).getByRole('button', { name: /^Error: Issuer differs/ }));
    expect(selectedStep()).toContain('second URL tried');
  });

  test('a failed flow says what happened', async () => {
    await showFlows([failedFlow]);
    expect(screen.getByText(/The metadata names the issuer/)).toBeDefined();
    expect(selectedStep()).toContain('Server metadata, failed');
  });

  test('where that is possible, the user continues anyway, and the step says so', async () => {
    const { engine, flows, user } = await showFlows(
      [(change) => failedFlow({ ...change, canOverride: true })],
      { answers: { 'authorization/override': () => null } },
    );
    expect(currentCommands().map(({ title }) => title)).toContain('Continue anyway');
    await user.click(screen.getByRole('button', { name: 'Continue anyway' }));
    expect(engine.asked('authorization/override')).toEqual([{ flowId: flows[0]?.id }]);
    const [flow] = flows;
    if (flow === undefined) throw new Error('there is a flow');
    const after = flow.steps.map((step) => ({ ...step, isOverridden: step.state === 'failed' }));
    act(() => emit('authorization/changed', { ...flow, steps: after, fault: null, canOverride: false }));
    expect(screen.queryByRole('button', { name: 'Continue anyway' })).toBeNull();
    expect(selectedStep()).toContain('failed, continued anyway');
    expect(within(screen.getByRole('region', { name: 'Step' })).getByText('continued anyway')).toBeDefined();
  });

  test.each([
    ['Go there', true],
    ['Do not go there', false],
  ])('a flow that would go to a private address asks, and takes the answer %s', async (answer, isYes) => {
    const question = {
      kind: 'private-address' as const,
      url: 'http://127.0.0.1:8080/authorize',
      fault: { code: 'private-address', what: 'The server names 127.0.0.1:8080, on this machine.' },
    };
    const { engine, flows, user } = await showFlows(
      [
        (change) =>
          aFlow([aStep(1, 'authorization-request', { state: 'waiting', request: aRequest() })], {
            ...change,
            state: 'waiting',
            currentStep: 1,
            mode: 'automatic',
            question,
          }),
      ],
      { answers: { 'authorization/answer': () => null } },
    );
    const card = screen.getByRole('region', { name: 'Question' });
    expect(card.textContent).toContain('The server names 127.0.0.1:8080, on this machine.');
    await user.click(within(card).getByRole('button', { name: answer }));
    expect(engine.asked('authorization/answer')).toEqual([{ flowId: flows[0]?.id, isYes }]);
  });

  test('says that a response came that does not belong to the request, and ends the wait with it', async () => {
    const { engine, flows, user } = await showFlows(
      [
        (change) => {
          const flow = waitingFlow(change);
          return {
            ...flow,
            steps: flow.steps.map((step) =>
              step.id === flow.currentStep
                ? { ...step, findings: [aFinding({ rule: 'state-differs' })] }
                : step,
            ),
          };
        },
      ],
      { answers: { 'authorization/no-callback': () => null } },
    );
    const browser = screen.getByRole('region', { name: 'In the browser' });
    expect(within(browser).getByRole('status').textContent).toMatch(/does not belong to this request/);
    await user.click(within(browser).getByRole('button', { name: 'It shows an error page' }));
    expect(engine.asked('authorization/no-callback')).toEqual([{ flowId: flows[0]?.id }]);
  });

  test('a fault that nothing helps against cannot be overridden', async () => {
    await showFlows([failedFlow]);
    expect(screen.queryByRole('button', { name: 'Continue anyway' })).toBeNull();
  });

  test('a challenge is shown as it was received, and taken apart', async () => {
    const value =
      'Bearer realm="a, b", resource_metadata="https://mcp.example.com/meta", scope="x y", Negotiate';
    await showFlows([
      (change) =>
        aFlow(
          [
            aStep(1, 'challenge', {
              response: { status: 401, headers: [['WWW-Authenticate', value]], body: null },
            }),
          ],
          { ...change, state: 'done' },
        ),
    ]);
    const answer = screen.getByRole('tabpanel', { name: 'Answer' });
    expect(within(answer).getByRole('list', { name: 'Response headers' }).textContent).toBe(
      `WWW-Authenticate: ${value}`,
    );
    const bearer = within(answer).getByRole('region', { name: 'Challenge 1' });
    expect(within(bearer).getByRole('heading').textContent).toBe('Challenge Bearer');
    const terms = within(bearer).getAllByRole('term');
    const values = within(bearer).getAllByRole('definition');
    expect(terms.map(({ textContent }, at) => [textContent, values[at]?.textContent])).toEqual([
      ['realm', 'a, b'],
      ['resource_metadata', 'https://mcp.example.com/meta'],
      ['scope', 'x y'],
    ]);
    const other = within(answer).getByRole('region', { name: 'Challenge 2' });
    expect(other.textContent).toBe('Challenge NegotiateIt has no parameters.');
    expect(answer.textContent).toContain('Its body is in the trace');
  });

  test('a step whose request the session sent says so, and its status is no error unless it failed', async () => {
    const used = (state: AuthorizationStep['state']) => (change: Partial<AuthorizationFlow>) =>
      aFlow(
        [aStep(1, 'use-token', { state, request: null, response: { status: 400, headers: [], body: null } })],
        { ...change, state: 'done' },
      );
    await showFlows([used('done')]);
    expect(screen.getByRole('region', { name: 'Step' }).textContent).toContain(
      'The session sent the request of this step.',
    );
    expect(screen.getByText('400 Bad Request').className).not.toContain('text-err');
    cleanup();
    await showFlows([used('failed')]);
    expect(screen.getByText('400 Bad Request').className).toContain('text-err');
  });

  test('metadata is a tree', async () => {
    // jsdom lays nothing out, and only visible rows are rendered.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
    const { user } = await showFlows([steppedUpFlow]);
    await user.click(screen.getByRole('option', { name: /second URL tried/ }));
    const tree = screen.getByRole('tree', { name: 'Body of the response' });
    const lines = within(tree)
      .getAllByRole('treeitem')
      .map(({ textContent }) => textContent);
    expect(lines).toContainEqual(
      expect.stringContaining('"token_endpoint": "https://login.example.com/token"'),
    );
  });

  test('the answer is text, whatever it is', async () => {
    const body = '<img src=x onerror=alert(1)>';
    await showFlows([
      (change) =>
        aFlow(
          [
            aStep(1, 'challenge', {
              request: aRequest(),
              response: { status: 401, headers: [['WWW-Authenticate', 'Bearer']], body },
            }),
          ],
          { ...change, state: 'done' },
        ),
    ]);
    expect(screen.getByRole('tabpanel', { name: 'Answer' }).textContent).toContain(body);
    expect(screen.getByText('401 Unauthorized')).toBeDefined();
    expect(document.querySelector('img')).toBeNull();
  });

  test('the rule that decided, and what was not done', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    await user.click(screen.getByRole('option', { name: /^2 Resource metadata/ }));
    const why = screen.getByRole('region', { name: 'Why' });
    expect(why.textContent).toContain('The challenge names this URL. RFC 9728 5.1');
    expect(why.textContent).toContain('the URL of the challenge comes first');
    expect(within(why).getByRole('button', { name: 'Scan all candidates' })).toBeDefined();
  });
});

describe('what no flow shows', () => {
  test('is a checklist: consent for each client, with why and how, ticked by keyboard', async () => {
    const { user } = await showFlows([steppedUpFlow]);
    const list = screen.getByRole('region', { name: /^Check yourself 0 of 4 ticked/ });
    const consent = within(list).getByRole('checkbox', { name: 'Consent for each client' });
    const item = consent.closest('li');
    expect(item?.textContent).toContain('confused deputy');
    expect(item?.textContent).toContain('Begin a second flow with Dynamic registration');
    consent.focus();
    await user.keyboard(' ');
    expect(screen.getByRole('region', { name: /^Check yourself 1 of 4 ticked/ })).toBeDefined();
    await user.keyboard(' ');
    expect(screen.getByRole('region', { name: /^Check yourself 0 of 4 ticked/ })).toBeDefined();
  });
});

test.each(['none', 'required', 'authorized', 'expired'] as const)(
  'the state of the session is one word: %s',
  async (authorization) => {
    await showFlows([steppedUpFlow], { authorization });
    expect(screen.getByText('Authorization:').textContent).toBe(`Authorization: ${authorization}`);
  },
);

describe('tokens', () => {
  test('claims, signature and generations are shown, and every action runs', async () => {
    const { engine, sessionId, user } = await showFlows([steppedUpFlow], {
      credentials: [someCredentials()],
      answers: {
        'authorization/refresh': () => aFlow([aStep(1, 'refresh')], { id: 'r', sessionId, state: 'done' }),
        'authorization/expire': () => null,
        'authorization/replace': () => null,
        'authorization/verify': () =>
          aFlow([aStep(1, 'verify-signature')], { id: 'v', sessionId, state: 'done' }),
      },
    });
    await user.click(screen.getByRole('tab', { name: 'Token' }));
    const card = await screen.findByRole('region', { name: 'Access token' });
    expect(card.textContent).toContain('verified · Signed with the key 7c1e of https://');
    const idToken = screen.getByRole('region', { name: 'ID token' });
    expect(idToken.textContent).toContain('wrong · Not signed with the key 7c1e of https://');
    expect(within(idToken).getByRole('img', { name: 'not the client' })).toBeDefined();
    expect(within(card).getByRole('img', { name: 'not the issuer' })).toBeDefined();
    expect(within(card).getByRole('img', { name: 'is the resource' })).toBeDefined();
    const rotation = screen.getByRole('table', { name: 'Rotation' });
    expect(
      within(rotation)
        .getAllByRole('row')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'numberaccessrefreshfromstate',
      `29f41c0c07d52${rowNumber(437)}in use`,
      `151be8888a2f6${rowNumber(417)}replaced`,
    ]);
    await user.click(screen.getByRole('button', { name: 'Expire now' }));
    expect(engine.asked('authorization/expire')).toEqual([{ credentialsId: 'c1' }]);
    await user.click(screen.getByRole('button', { name: 'Replace…' }));
    await user.type(await screen.findByLabelText('Access token', { selector: 'input' }), 'mine');
    await user.click(screen.getByRole('button', { name: 'Replace' }));
    expect(engine.asked('authorization/replace')).toEqual([
      { credentialsId: 'c1', accessToken: 'mine', refreshToken: null },
    ]);
    await user.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(engine.asked('authorization/refresh')).toEqual([{ credentialsId: 'c1', sessionId }]);
    await user.click(screen.getByRole('tab', { name: 'Token' }));
    await user.click(await screen.findByRole('button', { name: 'Verify signature' }));
    expect(engine.asked('authorization/verify')).toEqual([{ credentialsId: 'c1', sessionId }]);
  });

  test('an unverified claim never looks verified', async () => {
    const [, token] = someCredentials().generations;
    if (token === undefined) throw new Error('there is one');
    const unverified = { state: 'unverified' as const, detail: 'the issuer has no keys' };
    const { user } = await showFlows([steppedUpFlow], {
      credentials: [someCredentials({ generations: [{ ...token, signature: unverified }] })],
    });
    await user.click(screen.getByRole('tab', { name: 'Token' }));
    expect(await screen.findByText(/^not verified/)).toBeDefined();
  });

  test('stored credentials are listed and forgotten', async () => {
    const { engine, user } = await showFlows([steppedUpFlow], {
      credentials: [someCredentials({ isPersistent: false })],
      answers: { 'authorization/forget': () => null },
    });
    await user.click(await screen.findByRole('tab', { name: /^Credentials/ }));
    expect(await screen.findByText(/kept in memory only/)).toBeDefined();
    await user.click(screen.getByRole('button', { name: /^Forget/ }));
    expect(engine.asked('authorization/forget')).toEqual([{ credentialsId: 'c1' }]);
    act(() => emit('authorization/credentials-changed', { serverId: 'v1' }));
    await waitFor(() => expect(engine.asked('authorization/credentials').length).toBeGreaterThan(1));
  });
});

describe('the next flow', () => {
  test('begins with another revision and settings', async () => {
    const { engine, user, sessionId } = await showFlows([steppedUpFlow], {
      answers: { 'authorization/begin': () => waitingFlow({ sessionId, id: 'next', number: 2 }) },
    });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Revision' }), '2026-07-28');
    await user.click(screen.getByRole('button', { name: 'New flow…' }));
    const form = await screen.findByRole('dialog', { name: 'New flow' });
    await user.type(within(form).getByRole('textbox', { name: 'Client ID' }), 'mine');
    await user.click(within(form).getByRole('button', { name: 'Begin' }));
    expect(engine.asked('authorization/begin')).toEqual([
      { serverId: 'v1', mode: 'stepped', revision: '2026-07-28', settings: { clientId: 'mine' } },
    ]);
    expect(selectedStep()).toContain('3 Callback, waiting');
  });
});

test('findings are checked against another revision, and what comes and goes is told apart', async () => {
  const goes = aFinding({ text: 'No resource_metadata.' });
  const comes = aFinding({ text: 'PKCE is not advertised.' });
  const { user } = await showFlows(
    [(change) => aFlow([aStep(1, 'server-metadata', { findings: [goes] })], change)],
    {
      answers: {
        'authorization/check-against': ({ revision }) => ({
          revision,
          steps: [
            {
              id: 1,
              findings: [
                { finding: goes, change: 'goes' as const },
                { finding: comes, change: 'comes' as const },
              ],
              stops: true,
              difference: `${revision} does not have it.`,
            },
          ],
        }),
      },
    },
  );
  const box = screen.getByRole('combobox', { name: 'Check against' });
  await user.selectOptions(box, '2025-11-25');
  const note = await screen.findByRole('note', { name: 'Difference' });
  expect(note.textContent).toContain('1 new and 1 gone');
  expect(note.textContent).toContain('Nothing was sent.');
  expect(note.textContent).toContain('2025-11-25 forbids going on after it.');
  expect(note.textContent).toContain('2025-11-25 does not have it.');
  const findings = screen.getByRole('region', { name: /^Findings 1 found against 2025-11-25/ });
  expect(within(findings).getByRole('button', { name: /^new: .*PKCE is not advertised\.$/ })).toBeTruthy();
  expect(within(findings).getByRole('button', { name: /^gone: / })).toBeTruthy();
});

test('in a narrow window the request and the findings are tabs beside the answer', async () => {
  setWidth(800);
  const { user } = await showFlows([steppedUpFlow]);
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['Request', 'Answer', 'Token', 'Credentials0', 'Findings3']),
  );
  expect(screen.getByRole('button', { name: /^Send step/ })).toBeDefined();
  await user.click(screen.getByRole('tab', { name: /^Findings/ }));
  expect(screen.getByText('Issuer differs only by a trailing slash.')).toBeDefined();
});

test('the tests of the server take the place of the findings of the flow', async () => {
  const { user } = await showFlows([steppedUpFlow]);
  expect(screen.getByText('Issuer differs only by a trailing slash.')).toBeDefined();
  await user.click(screen.getByRole('tab', { name: 'Server tests' }));
  expect(screen.queryByText('Issuer differs only by a trailing slash.')).toBeNull();
  await user.click(screen.getByRole('tab', { name: 'Answer' }));
  expect(screen.getByText('Issuer differs only by a trailing slash.')).toBeDefined();
});

test('long and hostile names stay text on one line', async () => {
  const long = `https://${'very-long-'.repeat(40)}example.com`;
  await showFlows([
    (change) =>
      aFlow(
        [
          aStep(1, 'token', {
            state: 'stopped',
            label: `${long}\u202e`,
            request: aRequest({ url: long, query: [aParameter(long, long)] }),
            findings: [aFinding({ text: `<b>${long}</b>`, expected: long, received: `${long}/` })],
          }),
        ],
        change,
      ),
  ]);
  expect(document.querySelector('b')).toBeNull();
  expect(document.body.textContent).not.toContain('\u202e');
});
