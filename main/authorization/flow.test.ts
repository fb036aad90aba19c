import { expect, test } from 'vitest';
import { unconnectedEnvironment } from '#fixtures/authorization/flow-environment.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { planCallback } from './authorization-request.ts';
import { Flow } from './flow.ts';
import { emptyContext, type FlowEnvironment } from './flow-types.ts';

const environment = { ...unconnectedEnvironment, browserLimit: 20 };

test.each([
  ['is never redirected', [], 'authorization-timeout'],
  ['only comes back with another state', ['http://127.0.0.1:9/callback?code=c&state=t'], 'state-differs'],
])('an automatic flow whose browser %s ends, and says what to do', async (_, strays, code) => {
  const surroundings: FlowEnvironment = {
    ...environment,
    nextCallback: (_signal, { onStray }) => {
      for (const url of strays) onStray(url);
      return new Promise(() => undefined);
    },
  };
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
