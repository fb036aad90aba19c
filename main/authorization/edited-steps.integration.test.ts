import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import {
  changed,
  parameterOf,
  sendDraft,
  stepTo,
  stoppedStep,
} from '#fixtures/authorization/edited-steps.ts';
import { beginFlow, flowNow, settledFlow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type {
  AuthorizationFlow,
  AuthorizationSettings,
  StepDraft,
  StepName,
} from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();

/** A stepped flow that is stopped before its first step. */
async function begin(settings: Partial<AuthorizationSettings> = {}, options: ProtectedServerOptions = {}) {
  const server = opened(
    await ProtectedServer.open({ accepts: () => true, challengeScope: 'files:read', ...options }),
  );
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const flow = await beginFlow(engine, server.url, { mode: 'stepped', settings });
  const lastForm = () =>
    new URLSearchParams(server.authorization.requestsTo('token').at(-1)?.body.toString() ?? '');
  const lastQuery = () =>
    new URL(server.authorization.requestsTo('authorize').at(-1)?.url ?? '', server.origin).searchParams;
  return { server, engine, flow, lastForm, lastQuery };
}

/** Takes the last step back. */
async function back(engine: EngineFixture, flow: AuthorizationFlow, draft?: StepDraft) {
  await engine.call('authorization/back', { flowId: flow.id, draft });
  return stoppedAnew(engine, flow);
}

/** Forks at the first step of this name. */
async function fork(engine: EngineFixture, flow: AuthorizationFlow, name: StepName) {
  const stepId = flow.steps.find((step) => step.name === name)?.id ?? 0;
  await engine.call('authorization/fork', { flowId: flow.id, stepId });
  return stoppedAnew(engine, flow);
}

const stoppedAnew = (engine: EngineFixture, { sessionId, id, currentStep }: AuthorizationFlow) =>
  engine.until(async () => {
    const now = await flowNow(engine, { sessionId, id });
    return now?.state === 'stopped' && now.currentStep !== currentStep ? now : null;
  });

const added = (name: string, value: string) => ({
  name,
  value,
  fingerprint: null,
  isOn: true,
  note: '',
  row: null,
});

describe('what was edited in a step is there again', () => {
  test('after Back: values, headers, URL, method, added and switched-off parameters, while state and challenge are new', async () => {
    const { server, engine, flow, lastQuery } = await begin();
    const stopped = await stepTo(engine, flow, 'authorization-request');
    const { request } = stoppedStep(stopped);
    const edited = {
      ...changed(request, { scope: { value: 'a b c' }, resource: { isOn: false } }),
      query: [
        ...changed(request, { scope: { value: 'a b c' }, resource: { isOn: false } }).query,
        added('login_hint', 'me'),
      ],
    };
    const waiting = await sendDraft(engine, stopped, { request: edited });
    const again = await back(engine, waiting);
    const step = stoppedStep(again);
    expect(step.original?.request.query.map(({ name }) => name)).toEqual(
      request.query.map(({ name }) => name),
    );
    expect(parameterOf(step.request, 'scope')?.value).toBe('a b c');
    expect(parameterOf(step.request, 'resource')?.isOn).toBe(false);
    expect(parameterOf(step.request, 'login_hint')?.value).toBe('me');
    for (const name of ['state', 'code_challenge'])
      expect(parameterOf(step.request, name)?.value).not.toBe(parameterOf(request, name)?.value);
    // Sent without a further change, it is sent with them.
    const token = await stepTo(engine, again, 'token');
    expect(Object.fromEntries(lastQuery())).toMatchObject({ scope: 'a b c', login_hint: 'me' });
    expect(lastQuery().has('resource')).toBe(false);

    const form = stoppedStep(token).request;
    const post = {
      ...form,
      method: 'PUT',
      url: `${form.url}/`,
      headers: [...form.headers, added('X-Test', 'yes')],
      body: [...form.body, added('extra', '1')],
    };
    const failed = await sendDraft(engine, token, { request: post });
    const beforeToken = await back(engine, failed);
    expect(stoppedStep(beforeToken)).toMatchObject({
      name: 'token',
      request: { method: 'PUT', url: post.url },
    });
    await sendDraft(engine, beforeToken, {});
    const sent = server.log.filter(({ request: { method } }) => method === 'PUT').map((one) => one.request);
    expect(sent.map(({ url }) => url)).toEqual(['/token/', '/token/']);
    expect(sent.map((one) => one.header('x-test'))).toEqual(['yes', 'yes']);
    expect(sent.map(({ body }) => new URLSearchParams(body.toString()).get('extra'))).toEqual(['1', '1']);
  });

  test('after a fork, at later steps too, with a new code and verifier', async () => {
    const { server, engine, flow, lastForm } = await begin();
    const token = await stepTo(engine, flow, 'token');
    const { request } = stoppedStep(token);
    const body = [...request.body, added('extra', '1')];
    const done = await stepThrough(engine, await sendDraft(engine, token, { request: { ...request, body } }));
    const first = lastForm();
    const forked = await fork(engine, done, 'authorization-request');
    const again = await stepTo(engine, forked, 'token');
    expect(stoppedStep(again).original).not.toBeNull();
    expect(await stepThrough(engine, again)).toMatchObject({ state: 'done', fault: null });
    expect(lastForm().get('extra')).toBe('1');
    for (const name of ['code', 'code_verifier']) expect(lastForm().get(name)).not.toBe(first.get(name));
    expect(server.leaks).toEqual([]);
  });

  test('a random value that was edited is kept, and as a secret it stays hidden', async () => {
    const { engine, flow, lastForm } = await begin();
    const token = await stepTo(engine, flow, 'token');
    const typed = 'a-verifier-that-the-user-typed-and-nobody-else-knows';
    const request = changed(stoppedStep(token).request, { code_verifier: { value: typed } });
    const failed = await sendDraft(engine, token, { request });
    expect(failed.state).toBe('failed');
    const again = await back(engine, failed);
    const { id, request: shown } = stoppedStep(again);
    expect(JSON.stringify(again)).not.toContain(typed);
    expect(parameterOf(shown, 'code_verifier')?.fingerprint).not.toBe(
      parameterOf(stoppedStep(token).request, 'code_verifier')?.fingerprint,
    );
    const revealed = await engine.call('authorization/reveal', {
      flowId: flow.id,
      stepId: id,
      name: 'code_verifier',
    });
    expect(revealed.value).toBe(typed);
    await sendDraft(engine, again, {});
    expect(lastForm().get('code_verifier')).toBe(typed);
  });

  test('a wrong value is chosen again, and another one replaces it', async () => {
    const { engine, flow, lastQuery } = await begin();
    const stopped = await stepTo(engine, flow, 'authorization-request');
    const waiting = await sendDraft(engine, stopped, { wrongValue: 'challenge-wrong' });
    const again = await back(engine, waiting);
    expect(stoppedStep(again)).toMatchObject({ wrongValue: 'challenge-wrong' });
    // The request is shown without it, so that it can be removed.
    expect(parameterOf(stoppedStep(again).request, 'code_challenge')?.note).toBe('SHA-256 of the verifier');
    const token = await stepTo(engine, await sendDraft(engine, again, {}), 'token');
    expect(token.steps.findLast(({ name }) => name === 'authorization-request')).toMatchObject({
      wrongValue: null,
      original: null,
    });
    expect(lastQuery().get('code_challenge')).toHaveLength(43);
  });

  test('what was changed but not sent is there again when the flow comes back to the step', async () => {
    const { engine, flow } = await begin();
    const token = await stepTo(engine, flow, 'token');
    const request = changed(stoppedStep(token).request, { resource: { value: 'https://other.example' } });
    const again = await back(engine, token, { request, wrongValue: null });
    expect(stoppedStep(again).name).toBe('authorization-request');
    const forward = await stepTo(engine, again, 'token');
    expect(parameterOf(stoppedStep(forward).request, 'resource')?.value).toBe('https://other.example');
  });

  test('Reset sends the request as it was planned, and the changes are gone', async () => {
    const { engine, flow, lastQuery } = await begin();
    const stopped = await stepTo(engine, flow, 'authorization-request');
    const request = changed(stoppedStep(stopped).request, { scope: { value: 'a b c' } });
    const again = await back(engine, await sendDraft(engine, stopped, { request }));
    const { original } = stoppedStep(again);
    const waiting = await sendDraft(engine, again, { request: original?.request ?? null });
    expect(lastQuery().get('scope')).not.toBe('a b c');
    expect(stoppedStep(await back(engine, waiting)).original).toBeNull();
  });

  test('Run to end sends the stopped step as it is shown, and later ones, which nobody sees, as they are planned', async () => {
    const { engine, flow, lastForm, lastQuery } = await begin();
    const stopped = await stepTo(engine, flow, 'authorization-request');
    const asked = changed(stoppedStep(stopped).request, { scope: { value: 'a b c' } });
    const token = await stepTo(engine, await sendDraft(engine, stopped, { request: asked }), 'token');
    const { request } = stoppedStep(token);
    const body = [...request.body, added('extra', '1')];
    const sent = await sendDraft(engine, token, { request: { ...request, body } });
    const forked = await fork(engine, sent, 'authorization-request');
    await engine.call('authorization/run', { flowId: flow.id });
    const done = await settledFlow(engine, forked, ['running', 'waiting', 'stopped']);
    expect(done).toMatchObject({ state: 'done', fault: null });
    expect(lastQuery().get('scope')).toBe('a b c');
    expect(lastForm().has('extra')).toBe(false);
    // They are there again where the flow stops.
    const again = await stepTo(engine, await fork(engine, done, 'authorization-request'), 'token');
    expect(parameterOf(stoppedStep(again).request, 'extra')?.value).toBe('1');
  });

  test('the first step of a flow too, which is planned only once', async () => {
    const { server, engine, flow } = await begin();
    const { request } = stoppedStep(flow);
    const edited = { ...request, headers: [...request.headers, added('X-Test', 'yes')] };
    const second = await sendDraft(engine, flow, { request: edited });
    const again = await back(engine, second);
    expect(stoppedStep(again).original?.request.headers).toEqual(request.headers);
    await sendDraft(engine, again, { request: stoppedStep(again).original?.request ?? null });
    const sent = server.log.filter(({ request: { url } }) => url === '/mcp');
    expect(sent.map((one) => one.request.header('x-test') ?? null)).toEqual(['yes', null]);
  });
});

describe('the client assertion of a stopped step', () => {
  const signing = async (options: ProtectedServerOptions = {}) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1' }] };
    return begin(
      {
        grant: 'client-credentials',
        clientId: 'app',
        authMethod: 'private_key_jwt',
        privateKey: { isSet: true, value: await exportPKCS8(privateKey) },
      },
      {
        ...options,
        authorization: {
          clients: [{ clientId: 'app', redirectUris: [], authMethod: 'private_key_jwt', jwks }],
        },
      },
    );
  };
  const claimsIn = (form: URLSearchParams) => {
    const [header, claims] = (form.get('client_assertion') ?? '')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
      .filter((part) => part.startsWith('{'));
    return {
      ...(JSON.parse(header ?? '{}') as Record<string, unknown>),
      ...(JSON.parse(claims ?? '{}') as Record<string, unknown>),
    };
  };

  test('is signed again for another audience and key ID, and once more after Back', async () => {
    const { server, engine, flow, lastForm } = await signing();
    const token = await stepTo(engine, flow, 'token');
    const { issuer } = server.authorization;
    expect(stoppedStep(token).assertion).toEqual({ audience: issuer, keyId: null });
    const assertion = { audience: 'https://wrong.example', keyId: 'key-1' };
    const failed = await sendDraft(engine, token, { assertion });
    expect(failed).toMatchObject({ state: 'failed', fault: { code: 'token-error' } });
    expect(claimsIn(lastForm())).toMatchObject({ aud: assertion.audience, kid: 'key-1' });
    const first = lastForm().get('client_assertion');
    const again = await back(engine, failed);
    expect(stoppedStep(again)).toMatchObject({
      assertion,
      original: { assertion: { audience: issuer, keyId: null } },
    });
    await sendDraft(engine, again, {});
    expect(claimsIn(lastForm())).toMatchObject({ aud: assertion.audience, kid: 'key-1' });
    expect(lastForm().get('client_assertion')).not.toBe(first);
    const right = await sendDraft(engine, await back(engine, (await flowNow(engine, flow)) ?? flow), {
      assertion: { audience: issuer, keyId: 'key-1' },
    });
    expect(await stepThrough(engine, right)).toMatchObject({ state: 'done', fault: null });
  });

  test('a wrong claim is signed with the audience and key ID that were chosen', async () => {
    const { server, engine, flow, lastForm } = await signing();
    const token = await stepTo(engine, flow, 'token');
    const assertion = { audience: server.authorization.issuer, keyId: 'key-1' };
    await sendDraft(engine, token, { assertion, wrongValue: 'assertion-expired' });
    const { kid, aud, exp } = claimsIn(lastForm());
    expect([kid, aud]).toEqual(['key-1', server.authorization.issuer]);
    expect(Number(exp) * 1000).toBeLessThan(Date.now());
  });
});
