import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import {
  type AuthorizationSettings,
  defaultAuthorization,
  type StepName,
} from '#shared/contract/authorization.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
} from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

/** A stepped flow without a session, which is sent step by step. */
async function beginStepped(url: string, settings: Partial<AuthorizationSettings>) {
  const engine = opened(
    await EngineFixture.open({ openInBrowser: async (page) => void (await browse(page)) }),
  );
  const saved = await engine.call('servers/save', {
    id: null,
    settings: {
      name: 'protected',
      transport: { ...plainHttpSettings(url), authorization: { ...defaultAuthorization, ...settings } },
      era: 'auto',
      revision: null,
      timeouts: defaultTimeouts,
      keepAlive: noKeepAlive,
      client: defaultClientProfile,
      notes: '',
    },
  });
  const { id: flowId, sessionId } = await engine.call('authorization/begin', {
    serverId: saved.id,
    mode: 'stepped',
    revision: null,
    settings,
  });
  const settled = () =>
    engine.until(async () => {
      const flow = (await engine.call('authorization/flows', { sessionId })).find(({ id }) => id === flowId);
      return flow === undefined || flow.state === 'running' ? null : flow;
    });
  /** Sends the step that is stopped, and answers with it and the flow once it has ended. */
  const send = async (wrongValue: string | null) => {
    const { currentStep } = await settled();
    await engine.call('authorization/send', { flowId, request: null, wrongValue });
    return engine.until(async () => {
      const flow = await settled();
      const step = flow.steps.find(({ id }) => id === currentStep);
      return step === undefined || step.state === 'stopped' ? null : { flow, step };
    });
  };
  return {
    send,
    back: () => engine.call('authorization/back', { flowId }),
    /** Sends everything before a step of this name. */
    upTo: async (name: StepName) => {
      for (;;) {
        const { steps, currentStep, state } = await settled();
        const step = steps.find(({ id }) => id === currentStep);
        if (step?.name === name) return;
        if (state === 'waiting') {
          await engine.call('authorization/open-browser', { flowId });
          await engine.until(async () => ((await settled()).currentStep === currentStep ? null : true));
        } else await send(null);
      }
    },
    stepNow: async (name: StepName) => (await settled()).steps.findLast((step) => step.name === name),
  };
}

const secret = (value: string) => ({ isSet: true, value });

describe('a flow with a client assertion at oidc-provider', () => {
  test.each([
    'assertion-audience',
    'assertion-expired',
    'assertion-issuer',
    'assertion-without-id',
    'assertion-other-key',
    'assertion-reused',
  ])('sends %s, and says that it was rejected', async (wrongValue) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { url } = opened(
      await startOidcServer({
        clients: [
          {
            client_id: 'service',
            token_endpoint_auth_method: 'private_key_jwt',
            jwks: { keys: [await exportJWK(publicKey)] },
            grant_types: ['client_credentials'],
            response_types: [],
          },
        ],
      }),
    );
    const flow = await beginStepped(url, {
      grant: 'client-credentials',
      registration: 'pre-registered',
      clientId: 'service',
      privateKey: secret(await exportPKCS8(privateKey)),
      scopes: 'files:read',
    });
    await flow.upTo('token');
    const rejected = await flow.send(wrongValue);
    expect(rejected.step).toMatchObject({ state: 'failed', wrongValue, isWrongAccepted: false });
    expect(rejected.step.response?.body).toContain('invalid_client');
    expect(rejected.flow.state).toBe('failed');
    await flow.back();
    await flow.upTo('token');
    expect((await flow.send(null)).step).toMatchObject({ state: 'done', wrongValue: null });
  });
});

/** A stepped flow whose assertion is that of an issuer the server trusts. @param lifetime seconds until it expires */
async function beginWorkload(lifetime: number) {
  const issuer = opened(await AuthorizationServer.open());
  const server = opened(
    await ProtectedServer.open({
      authorization: {
        clients: [{ clientId: 'workload', redirectUris: [], authMethod: 'none' }],
        trusted: [{ issuer: issuer.issuer, tokens: issuer.tokens }],
      },
    }),
  );
  const now = Math.floor(Date.now() / 1000);
  const identityToken = await issuer.tokens.sign(
    { sub: 'workload', aud: server.authorization.issuer, iat: now, exp: now + lifetime },
    'JWT',
  );
  const flow = await beginStepped(server.url, {
    grant: 'workload-identity',
    registration: 'pre-registered',
    clientId: 'workload',
    identityToken: secret(identityToken),
  });
  return { server, identityToken, flow };
}

describe('a flow with the assertion of another issuer, at our test server because oidc-provider has no such grant', () => {
  test.each(['grant-signature', 'grant-unsigned'])(
    'sends %s, and says that it was rejected',
    async (wrongValue) => {
      const { server, identityToken, flow } = await beginWorkload(300);
      await flow.upTo('token');
      const { step } = await flow.send(wrongValue);
      expect(step).toMatchObject({ state: 'failed', wrongValue, isWrongAccepted: false });
      const sent = new URLSearchParams(server.authorization.requestsTo('token').at(-1)?.body.toString());
      expect(sent.get('assertion')).not.toBe(identityToken);
      expect(sent.get('assertion')?.split('.')[1]).toBe(identityToken.split('.')[1]);
      // The page sees that it is another one, and not what it is.
      const shown = step.request?.body.find(({ name }) => name === 'assertion');
      expect(shown).toMatchObject({ value: null, note: 'wrong value' });
      await flow.back();
      await flow.upTo('token');
      expect((await flow.send(null)).step.state).toBe('done');
    },
  );

  // `grant-expired` waits for ten minutes; here the assertion has expired before.
  test('says that an expired one was rejected', async () => {
    const { flow } = await beginWorkload(-600);
    await flow.upTo('token');
    const { step } = await flow.send(null);
    expect(step.state).toBe('failed');
    expect(step.response?.body).toContain('invalid_grant');
  });
});

test.each([
  ['challenge-plain', true],
  ['challenge-plain', false],
  ['challenge-method-missing', true],
] as const)(
  '%s at a server that accepts plain: %s; the pane says which',
  async (wrongValue, acceptsPlainPkce) => {
    const server = opened(await ProtectedServer.open({ authorization: { acceptsPlainPkce } }));
    const flow = await beginStepped(server.url, {});
    await flow.upTo('authorization-request');
    await flow.send(wrongValue);
    if (acceptsPlainPkce) {
      await flow.upTo('token');
      expect((await flow.send(null)).step.state).toBe('done');
    } else {
      await expect(flow.upTo('token')).rejects.toThrow('not stopped before a step');
    }
    expect(await flow.stepNow('authorization-request')).toMatchObject({
      wrongValue,
      isWrongAccepted: acceptsPlainPkce,
    });
  },
);
