import { describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import {
  changed,
  parameterOf,
  sendDraft,
  stepTo,
  stoppedStep,
} from '#fixtures/authorization/edited-steps.ts';
import { beginFlow, settledFlow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { ReceivedRequest } from '#fixtures/http/received.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
  droppableParameters,
} from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();

/** A server that takes tokens for any resource, whose first scopes are in its challenge. */
async function open(options: ProtectedServerOptions = {}) {
  const server = opened(
    await ProtectedServer.open({ accepts: () => true, challengeScope: 'files:read', ...options }),
  );
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  return { server, engine };
}

const queriesOf = (server: Pick<ProtectedServer, 'authorization'>) =>
  server.authorization
    .requestsTo('authorize')
    .map(({ url }) => new URL(url, server.authorization.origin).searchParams);
const formOf = ({ body }: ReceivedRequest) => new URLSearchParams(body.toString());
const formsOf = (server: Pick<ProtectedServer, 'authorization'>) =>
  server.authorization.requestsTo('token').map(formOf);

/** A stepped flow whose authorization request left these out, stopped before its token request. */
async function afterSwitchingOff(
  names: readonly string[],
  options: ProtectedServerOptions = {},
  settings: Partial<AuthorizationSettings> = {},
) {
  const { server, engine } = await open(options);
  const begun = await beginFlow(engine, server.url, { mode: 'stepped', settings });
  const stopped = await stepTo(engine, begun, 'authorization-request');
  const off = Object.fromEntries(names.map((name) => [name, { isOn: false }]));
  const sent = await sendDraft(engine, stopped, { request: changed(stoppedStep(stopped).request, off) });
  return { server, engine, flow: await stepTo(engine, sent, 'token') };
}

/** Refreshes the tokens of a flow by hand. */
async function refresh(engine: EngineFixture, { serverId, sessionId }: AuthorizationFlow) {
  const [credentials] = await engine.call('authorization/credentials', { serverId });
  const flow = await engine.call('authorization/refresh', {
    credentialsId: credentials?.id ?? '',
    sessionId,
  });
  return settledFlow(engine, flow, ['running']);
}

describe('a parameter that was switched off at the authorization request', () => {
  test.each(['resource', 'redirect_uri'])(
    '%s stays off in the token request, which says why',
    async (name) => {
      const { server, engine, flow } = await afterSwitchingOff([name]);
      expect(queriesOf(server)[0]?.has(name)).toBe(false);
      expect(parameterOf(stoppedStep(flow).request, name)).toMatchObject({
        isOn: false,
        note: 'off: switched off in the authorization request',
        value: expect.any(String),
      });
      const done = await stepThrough(engine, flow);
      expect(done).toMatchObject({ state: 'done', fault: null });
      expect(formsOf(server).map((form) => form.has(name))).toEqual([false]);
    },
  );

  test('resource stays off in every refresh, after a restart too', async () => {
    const { server, engine, flow } = await afterSwitchingOff(['resource']);
    const done = await stepThrough(engine, flow);
    for (let time = 1; time <= 2; time++)
      expect(await refresh(engine, done)).toMatchObject({ state: 'done' });
    await engine.call('sessions/close', { sessionId: done.sessionId });
    // As after a restart: the session knows only what is stored.
    const again = await engine.reconnect(done.serverId);
    expect(await refresh(engine, { ...done, sessionId: again.id })).toMatchObject({
      state: 'done',
      steps: [{ name: 'refresh' }],
    });
    const forms = formsOf(server);
    expect(forms.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
      'refresh_token',
      'refresh_token',
    ]);
    expect(forms.some((form) => form.has('resource'))).toBe(false);
  });

  test('it stays off where the request is sent once more with a nonce', async () => {
    const { server, engine, flow } = await afterSwitchingOff(
      ['resource'],
      { authorization: { demandsNonce: true } },
      { dpop: true },
    );
    expect(await stepThrough(engine, flow)).toMatchObject({ state: 'done' });
    expect(formsOf(server).map((form) => form.has('resource'))).toEqual([false, false]);
  });

  test('it is switched on again at the token request, and the refresh follows that', async () => {
    const { server, engine, flow } = await afterSwitchingOff(['resource']);
    const request = changed(stoppedStep(flow).request, { resource: { isOn: true } });
    const done = await stepThrough(engine, await sendDraft(engine, flow, { request }));
    expect(await refresh(engine, done)).toMatchObject({ state: 'done' });
    expect(formsOf(server).map((form) => form.get('resource'))).toEqual([server.resource, server.resource]);
  });

  test('switched off at the token request only, it stays off in the refresh', async () => {
    const { server, engine, flow } = await afterSwitchingOff([]);
    const request = changed(stoppedStep(flow).request, { resource: { isOn: false } });
    const done = await stepThrough(engine, await sendDraft(engine, flow, { request }));
    const refreshed = await refresh(engine, done);
    expect(formsOf(server).map((form) => form.has('resource'))).toEqual([false, false]);
    const [step] = refreshed.steps;
    expect(step?.request && parameterOf(step.request, 'resource')?.note).toMatch(/^off: switched off in /);
  });

  test('a wrong value that takes it out leaves later requests as they were', async () => {
    const { server, engine } = await open();
    const begun = await beginFlow(engine, server.url, { mode: 'stepped' });
    const stopped = await stepTo(engine, begun, 'authorization-request');
    const sent = await sendDraft(engine, stopped, { wrongValue: 'resource-missing' });
    await stepThrough(engine, sent);
    expect(queriesOf(server)[0]?.has('resource')).toBe(false);
    expect(formsOf(server)[0]?.get('resource')).toBe(server.resource);
  });

  test('in a step-up of the session resource stays off, and the scope, which that is about, is requested', async () => {
    const { server, engine } = await open({ toolScopes: { write: 'files:write' } });
    const connecting = engine.connectUrl(server.url, {
      http: { authorization: { ...defaultAuthorization, mode: 'stepped' } },
    });
    const flowAt = (place: number) =>
      engine.until(async () => {
        const [session] = await engine.call('sessions/list', {});
        const flows = session && (await engine.call('authorization/flows', { sessionId: session.id }));
        return flows?.[place]?.state === 'stopped' ? flows[place] : null;
      });
    const off = { resource: { isOn: false }, scope: { isOn: false } };
    const first = await stepTo(engine, await flowAt(0), 'authorization-request');
    await stepThrough(
      engine,
      await sendDraft(engine, first, { request: changed(stoppedStep(first).request, off) }),
    );
    const { id } = await connecting;
    const calling = engine.callTool(id, 'write', {});
    const second = await stepTo(engine, await flowAt(1), 'authorization-request');
    const { request } = stoppedStep(second);
    expect(parameterOf(request, 'resource')).toMatchObject({
      isOn: false,
      note: 'off: switched off in the authorization request',
    });
    expect(parameterOf(request, 'scope')?.isOn).toBe(true);
    await stepThrough(engine, second);
    expect((await calling).state).toBe('ok');
    expect([...queriesOf(server), ...formsOf(server)].some((one) => one.has('resource'))).toBe(false);
  });

  test('a new attempt has it again, after a fork', async () => {
    const { engine, flow } = await afterSwitchingOff(['resource']);
    const request = flow.steps.find(({ name }) => name === 'authorization-request');
    await engine.call('authorization/fork', { flowId: flow.id, stepId: request?.id ?? 0 });
    const forked = await settledFlow(engine, flow);
    const on = changed(stoppedStep(forked).request, { resource: { isOn: true } });
    const token = await stepTo(engine, await sendDraft(engine, forked, { request: on }), 'token');
    expect(parameterOf(stoppedStep(token).request, 'resource')).toMatchObject({
      isOn: true,
      note: 'the same as in the authorization request',
    });
  });
});

describe('the setting never to send', () => {
  test.each(droppableParameters)('%s: it is in no request of an automatic flow', async (name) => {
    const { server, engine } = await open();
    const settings = { dropped: [name], extra: [{ name: 'nonce', value: 'n' }] };
    const done = await beginFlow(engine, server.url, { mode: 'automatic', settings });
    expect(done).toMatchObject({ state: 'done', fault: null });
    await refresh(engine, done);
    const sent = [...queriesOf(server), ...formsOf(server)];
    expect(sent).toHaveLength(3);
    expect(sent.map((parameters) => parameters.has(name))).toEqual([false, false, false]);
    const others = droppableParameters.filter((one) => one !== name);
    expect(others.map((one) => queriesOf(server)[0]?.has(one))).toEqual([true, true, true]);
  });

  test('a stepped flow shows it with its note, and can send it', async () => {
    const { server, engine } = await open();
    const settings = { dropped: ['resource' as const] };
    const begun = await beginFlow(engine, server.url, { mode: 'stepped', settings });
    const stopped = await stepTo(engine, begun, 'authorization-request');
    const { request } = stoppedStep(stopped);
    expect(parameterOf(request, 'resource')).toMatchObject({
      isOn: false,
      note: 'off: switched off in the settings',
    });
    const on = changed(request, { resource: { isOn: true } });
    await stepThrough(engine, await sendDraft(engine, stopped, { request: on }));
    expect(queriesOf(server)[0]?.get('resource')).toBe(server.resource);
    expect(formsOf(server)[0]?.get('resource')).toBe(server.resource);
  });

  test('the step-up of a session leaves it out', async () => {
    const { server, engine } = await open({ toolScopes: { write: 'files:write' } });
    const session = await engine.connectUrl(server.url, {
      http: { authorization: { ...defaultAuthorization, dropped: ['resource'] } },
    });
    expect((await engine.callTool(session.id, 'write', {})).state).toBe('ok');
    expect(queriesOf(server).map((query) => query.has('resource'))).toEqual([false, false]);
  });

  test('at an identity provider it leaves out nonce and resource, but not the scope openid', async () => {
    const provider = opened(
      await AuthorizationServer.open({
        clients: [{ clientId: 'at-the-provider', redirectUris: [], authMethod: 'none' }],
        metadataForms: ['openid-inserted'],
      }),
    );
    const { server, engine } = await open({
      authorization: {
        clients: [{ clientId: 'app', secret: 's', redirectUris: [], authMethod: 'client_secret_basic' }],
        trusted: [{ issuer: provider.issuer, tokens: provider.tokens }],
        defaultScope: 'files:read',
      },
    });
    const done = await beginFlow(engine, server.url, {
      mode: 'automatic',
      settings: {
        grant: 'enterprise',
        clientId: 'app',
        clientSecret: { isSet: true, value: 's' },
        identityProvider: { issuer: provider.issuer, clientId: 'at-the-provider' },
        dropped: ['nonce', 'resource', 'scope'],
      },
    });
    expect(done).toMatchObject({ state: 'done', fault: null });
    const [signIn] = queriesOf({ authorization: provider });
    expect([signIn?.has('nonce'), signIn?.get('scope')]).toEqual([false, 'openid']);
    const [, exchange] = formsOf({ authorization: provider });
    const [token] = formsOf(server);
    for (const form of [exchange, token])
      expect([form?.has('resource'), form?.has('scope')]).toEqual([false, false]);
    expect(exchange?.get('grant_type')).toContain('token-exchange');
  });
});
