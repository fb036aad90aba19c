import { describe, expect, test } from 'vitest';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { planAuthorizationRequest, planCallback } from './authorization-request.ts';
import { DpopProver } from './dpop.ts';
import { Flow } from './flow.ts';
import { emptyContext, type FlowEnvironment } from './flow-types.ts';
import { rulesOf } from './revision-rules.ts';
import { prepareRequest } from './step-request.ts';

const closeAfter = closeAfterEachTest();

/** What surrounds a flow that reaches nobody; its browser opens and never comes back. */
const unconnectedEnvironment: FlowEnvironment = {
  serverId: 'server',
  serverUrl: new URL('https://mcp.example/mcp'),
  rules: rulesOf(null),
  isRevisionKnown: false,
  allowsOlder: () => true,
  isStepped: () => false,
  settings: defaultAuthorization,
  secrets: { clientSecret: null, privateKey: null, initialAccessToken: null, identityToken: null },
  clientName: 'test',
  userAgent: 'test',
  send: plainSender().send,
  markSecret: () => undefined,
  redirectUri: async () => 'http://127.0.0.1:9/callback',
  nextCallback: () => new Promise(() => undefined),
  recordCallback: () => null,
  openBrowser: async () => undefined,
  browserLimit: 60_000,
  asksServer: false,
  opensBrowser: true,
  isWatched: true,
  faultOfPrivate: async () => null,
  canAsk: true,
  allowedIssuers: [],
  sendsResourceQuery: false,
  holdsSecret: () => false,
  issuersOf: async () => [],
  bindIssuer: async () => undefined,
  knownClient: () => null,
  keepClient: () => undefined,
  dropClient: async () => undefined,
  keepTokens: async () => undefined,
  keepSignature: async () => undefined,
  testProvider: () => Promise.reject(new Error('no test identity provider is chosen')),
  prover: () => DpopProver.create(),
};

const environment = { ...unconnectedEnvironment, browserLimit: 20 };

test.each([
  ['is never redirected', [], 'authorization-timeout'],
  ['only comes back with another state', ['http://127.0.0.1:9/callback?code=c&state=t'], 'state-differs'],
])('an automatic flow whose browser %s ends, and says what to do', async (_, strays, code) => {
  const surroundings: FlowEnvironment = {
    ...environment,
    nextCallback: (_signal, { onStray }) => {
      for (const url of strays) onStray({ by: 'listener', method: 'GET', url, row: null });
      return new Promise(() => undefined);
    },
  };
  const request = {
    verifier: 'v',
    state: 's',
    redirectUri: 'http://127.0.0.1:9/callback',
    scope: null,
    resource: null,
    isAsPlanned: true,
    nonce: null,
    dropped: {},
    url: 'https://login.example/authorize?state=s',
  };
  const context = { ...emptyContext, request };
  const flow = new Flow({
    id: 'flow',
    sessionId: 'session',
    number: 1,
    mode: 'automatic',
    environment: surroundings,
    context,
    first: planCallback(surroundings, context, request),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no secret in it
    redacted: <T>(value: T) => value as Redacted<T>,
    onChange: () => undefined,
  });
  void flow.begin();
  expect(await flow.ended).toMatchObject({ state: 'failed', fault: { code, next: expect.any(String) } });
  expect(flow.view.steps).toMatchObject([{ name: 'callback', state: 'failed' }]);
});

describe('a public server whose authorization endpoint is on this machine or its network', () => {
  /** An automatic flow before its authorization request; the name login.example has a private address. */
  function beginBefore(
    endpoint: string,
    change: Partial<FlowEnvironment> = {},
    origin = 'https://mcp.example',
  ) {
    const lookup = async () => [{ address: '192.168.0.1', family: 4 }];
    const under = closeAfter(new ClientUnderTest({ origin, lookup }));
    const opened: string[] = [];
    const surroundings: FlowEnvironment = {
      ...unconnectedEnvironment,
      openBrowser: async (url) => void opened.push(new URL(url).origin),
      faultOfPrivate: (url) => under.client.faultOfPrivate(url),
      ...change,
    };
    const serverMetadata = { authorization_endpoint: endpoint };
    const flow = new Flow({
      id: 'flow',
      sessionId: 'session',
      number: 1,
      mode: 'automatic',
      environment: surroundings,
      context: { ...emptyContext, serverMetadata },
      plan: (context) =>
        context.authorizationRequest === null
          ? planAuthorizationRequest(surroundings, context)
          : Promise.resolve(planCallback(surroundings, context, context.authorizationRequest)),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no secret in it
      redacted: <T>(value: T) => value as Redacted<T>,
      onChange: () => undefined,
    });
    closeAfter({ close: async () => flow.cancel() });
    void flow.begin();
    return { flow, opened };
  }

  test.each([
    'http://127.0.0.1:8080/router/reboot?now=yes',
    'http://localhost./authorize',
    'https://192.168.0.1/authorize',
    'https://[64:ff9b::a00:1]/authorize',
    'https://router/authorize',
    'https://login.example/authorize',
  ])(
    'the browser is not opened at %s where nobody can be asked, and the fault names the option',
    async (url) => {
      const { flow, opened } = beginBefore(url, { canAsk: false });
      await expect.poll(() => flow.view.state).not.toBe('running');
      expect(opened).toEqual([]);
      const end = await flow.ended;
      expect(end).toMatchObject({
        state: 'failed',
        fault: {
          code: 'private-address',
          next: expect.stringContaining(`--allow-address ${new URL(url).host}`),
        },
      });
      expect(flow.view.browserUrl).toBeNull();
    },
  );

  test('the user is asked before the browser is opened there, and the flow goes on by itself after the answer yes', async () => {
    const { flow, opened } = beginBefore('http://127.0.0.1:8080/authorize');
    await expect.poll(() => flow.view.state).not.toBe('running');
    expect(opened).toEqual([]);
    expect(flow.view).toMatchObject({
      state: 'waiting',
      question: {
        kind: 'private-address',
        url: 'http://127.0.0.1:8080/authorize',
        fault: { code: 'private-address' },
      },
      browserUrl: null,
    });
    flow.answer(true);
    await expect.poll(() => opened).toEqual(['http://127.0.0.1:8080']);
    expect(flow.view).toMatchObject({ mode: 'automatic', state: 'waiting', question: null });
  });

  test('the answer no ends the flow, and nothing is opened', async () => {
    const { flow, opened } = beginBefore('http://127.0.0.1:8080/authorize');
    await expect.poll(() => flow.view.state).toBe('waiting');
    flow.answer(false);
    expect(await flow.ended).toMatchObject({ state: 'failed', fault: { code: 'private-address' } });
    expect([flow.view.question, opened]).toEqual([null, []]);
  });

  test('a server of this machine may lead there', async () => {
    const { flow, opened } = beginBefore('http://127.0.0.1:8080/authorize', {}, 'http://127.0.0.1:9');
    await expect.poll(() => flow.view.state).toBe('waiting');
    expect(opened).toEqual(['http://127.0.0.1:8080']);
  });
});

test('credentials are bound to an issuer when they are sent, not when its address is refused', async () => {
  const refused = { code: 'private-address', what: 'It is on this machine.' };
  for (const isPrivate of [true, false]) {
    let bound = 0;
    const surroundings: FlowEnvironment = {
      ...unconnectedEnvironment,
      canAsk: false,
      faultOfPrivate: async () => (isPrivate ? refused : null),
      send: () =>
        Promise.reject(new FaultError(isPrivate ? refused : { code: 'http-reset', what: 'Reset.' })),
    };
    const flow = new Flow({
      id: 'flow',
      sessionId: 'session',
      number: 1,
      mode: 'automatic',
      environment: surroundings,
      context: emptyContext,
      first: {
        name: 'token',
        label: '',
        parties: ['client', 'authorization-server'],
        request: prepareRequest({ method: 'POST', url: 'https://login.example/token' }),
        decidedBy: null,
        alternatives: [],
        contextIfSkipped: null,
        beforeSend: async () => void bound++,
        act: { kind: 'exchange', conclude: () => ({ context: emptyContext, outcome: '' }) },
      },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no secret in it
      redacted: <T>(value: T) => value as Redacted<T>,
      onChange: () => undefined,
    });
    void flow.begin();
    expect((await flow.ended).state).toBe('failed');
    expect(bound).toBe(isPrivate ? 0 : 1);
  }
});
