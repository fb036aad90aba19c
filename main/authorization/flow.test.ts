import { expect, test } from 'vitest';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { planCallback } from './authorization-request.ts';
import { DpopProver } from './dpop.ts';
import { Flow } from './flow.ts';
import { emptyContext, type FlowEnvironment } from './flow-types.ts';
import { rulesOf } from './revision-rules.ts';

const environment: FlowEnvironment = {
  serverId: 'server',
  serverUrl: new URL('https://mcp.example/mcp'),
  rules: rulesOf(null),
  isRevisionKnown: false,
  settings: defaultAuthorization,
  secrets: { clientSecret: null, privateKey: null, initialAccessToken: null, identityToken: null },
  clientName: 'test',
  userAgent: 'test',
  send: plainSender().send,
  markSecret: () => undefined,
  redirectUri: async () => 'http://127.0.0.1:9/callback',
  nextCallback: () => new Promise(() => undefined),
  openBrowser: async () => undefined,
  browserLimit: 20,
  asksServer: false,
  opensBrowser: true,
  isWatched: true,
  canAsk: true,
  allowedIssuers: [],
  sendsResourceQuery: false,
  issuersOf: async () => [],
  bindIssuer: async () => undefined,
  knownClient: () => null,
  keepClient: () => undefined,
  keepTokens: async () => undefined,
  keepSignature: async () => undefined,
  testProvider: () => Promise.reject(new Error('no test identity provider is chosen')),
  prover: () => DpopProver.create(),
};

test('an automatic flow whose browser is never redirected ends, and says what to do', async () => {
  const request = {
    verifier: 'v',
    state: 's',
    redirectUri: 'http://127.0.0.1:9/callback',
    scope: null,
    resource: null,
    nonce: null,
    url: 'https://login.example/authorize?state=s',
  };
  const context = { ...emptyContext, request };
  const flow = new Flow({
    id: 'flow',
    sessionId: 'session',
    number: 1,
    mode: 'automatic',
    environment,
    context,
    first: planCallback(environment, context, request),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no secret in it
    redacted: <T>(value: T) => value as Redacted<T>,
    onChange: () => undefined,
  });
  void flow.begin();
  expect(await flow.ended).toMatchObject({
    state: 'failed',
    fault: { code: 'authorization-timeout', why: expect.stringContaining('login.example') },
  });
  expect(flow.view.steps).toMatchObject([{ name: 'callback', state: 'failed' }]);
});
