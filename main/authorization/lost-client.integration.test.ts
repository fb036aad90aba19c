import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, jsonAnswer, textAnswer } from '#fixtures/authorization/answer.ts';
import { browserOfUser } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: (url) => browserOfUser(() => engine)(url) });
});
afterEach(() => engine.close());

/** A session with a server, whose token is no longer accepted. */
async function rejectedSession(
  options: ProtectedServerOptions = {},
  settings: Partial<AuthorizationSettings> = {},
) {
  const server = opened(await ProtectedServer.open(options));
  const session = await engine.connectUrl(server.url, {
    http: { authorization: { ...defaultAuthorization, ...settings } },
  });
  expect(session.phase).toBe('ready');
  const { authorization } = server;
  for (const token of authorization.tokens.all) if (token.kind === 'access') token.isRevoked = true;
  const call = () => engine.callTool(session.id, 'echo', { text: 'hi' });
  const flows = () => engine.call('authorization/flows', { sessionId: session.id });
  const answer = (overrides: NonNullable<ProtectedServerOptions['authorization']>['overrides']) => {
    authorization.options = { ...authorization.options, overrides: overrides ?? {} };
  };
  const registrations = () => authorization.requestsTo('register').length;
  return { server, session, call, flows, answer, registrations };
}

/** The authorization server has lost its clients. */
const forgetClients = ({ server }: Pick<Awaited<ReturnType<typeof rejectedSession>>, 'server'>) => {
  server.authorization.clients.all.length = 0;
};

/** Answers with an error, to clients that are not registered. */
const toUnknown =
  ({ server }: Pick<Awaited<ReturnType<typeof rejectedSession>>, 'server'>, error: Answer) =>
  (answer: Answer, { body, url }: { readonly body: Buffer; readonly url: string }) => {
    const parameters = new URLSearchParams(
      body.length > 0 ? body.toString() : new URL(url, 'http://x').search,
    );
    const isKnown = server.authorization.clients.find(parameters.get('client_id') ?? '') !== null;
    return isKnown ? answer : error;
  };

describe('a registration that the authorization server has lost is made again', () => {
  test.each<[string, Answer]>([
    ['401 invalid_client', jsonAnswer({ error: 'invalid_client' }, { status: 401 })],
    ['400 invalid_client', jsonAnswer({ error: 'invalid_client' }, { status: 400 })],
    ['400 unauthorized_client', jsonAnswer({ error: 'unauthorized_client' }, { status: 400 })],
    [
      'invalid_client as a form',
      textAnswer(400, 'error=invalid_client&error_description=gone', 'application/x-www-form-urlencoded'),
    ],
  ])('after %s at the refresh', async (_, error) => {
    const run = await rejectedSession();
    forgetClients(run);
    run.answer({ refresh: toUnknown(run, error), token: toUnknown(run, error) });
    expect((await run.call()).state).toBe('ok');
    expect(run.registrations()).toBe(2);
    const [, refresh, again] = await run.flows();
    expect(refresh).toMatchObject({ state: 'failed' });
    expect(again?.steps.map(({ name }) => name)).toContain('registration');
    const stored = await engine.call('authorization/credentials', { serverId: run.session.serverId });
    expect(stored).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['401 invalid_client', jsonAnswer({ error: 'invalid_client' }, { status: 401 })],
    ['400 unauthorized_client', jsonAnswer({ error: 'unauthorized_client' }, { status: 400 })],
  ])('after %s at the code exchange, once', async (_, error) => {
    const run = await rejectedSession({ authorization: { refresh: 'none' } });
    const [client] = run.server.authorization.clients.all;
    const isOld = (body: Buffer) =>
      new URLSearchParams(body.toString()).get('client_id') === client?.clientId;
    run.answer({ token: (answer, { body }) => (isOld(body) ? error : answer) });
    expect((await run.call()).state).toBe('ok');
    expect(run.registrations()).toBe(2);
    const steps = (await run.flows()).at(-1)?.steps ?? [];
    expect(steps.map(({ name }) => name).filter((name) => name === 'token')).toHaveLength(2);
    expect(steps.find(({ name }) => name === 'token')?.outcome).toContain('Its registration was dropped');
  });

  test.each<[string, Record<string, string>]>([
    ['unauthorized_client', { error: 'unauthorized_client', error_description: 'The client is gone' }],
    ['invalid_client', { error: 'invalid_client', error_description: 'The client is gone' }],
  ])('after a redirect with %s', async (_, error) => {
    const run = await rejectedSession({ authorization: { refresh: 'none' } });
    const [client] = run.server.authorization.clients.all;
    run.answer({
      authorization: (answer, { url }) => {
        const { searchParams } = new URL(url, 'http://x');
        if (searchParams.get('client_id') !== client?.clientId) return answer;
        const target = new URL(searchParams.get('redirect_uri') ?? '');
        const state = searchParams.get('state') ?? '';
        target.search = new URLSearchParams({
          ...error,
          state,
          iss: run.server.authorization.issuer,
        }).toString();
        return { status: 302, headers: [['Location', target.href]], body: '' };
      },
    });
    expect((await run.call()).state).toBe('ok');
    expect(run.registrations()).toBe(2);
    const steps = (await run.flows()).at(-1)?.steps ?? [];
    expect(steps.find(({ name }) => name === 'callback')?.outcome).toContain('The client is gone');
  });

  test('after an error page', async () => {
    const run = await rejectedSession({ authorization: { refresh: 'none' } });
    forgetClients(run);
    expect((await run.call()).state).toBe('ok');
    expect(run.registrations()).toBe(2);
  });

  test('but not a second time in the same flow', async () => {
    const run = await rejectedSession({ authorization: { refresh: 'none' } });
    run.answer({
      token: jsonAnswer({ error: 'invalid_client', error_description: 'Never heard' }, { status: 401 }),
    });
    const { fault } = await run.call();
    expect(fault).toMatchObject({ quote: 'invalid_client: Never heard' });
    expect(fault?.next).toContain('registered a moment ago');
    expect(run.registrations()).toBe(2);
  });

  test('but never for a client that the user registered', async () => {
    const clientId = 'of-the-user';
    const run = await rejectedSession(
      {
        authorization: {
          refresh: 'none',
          clients: [{ clientId, redirectUris: [], authMethod: 'none' }],
        },
      },
      { clientId },
    );
    run.answer({ token: jsonAnswer({ error: 'invalid_client' }, { status: 401 }) });
    const { fault } = await run.call();
    expect(fault?.next).toContain('Compare the client ID');
    expect(run.registrations()).toBe(0);
  });
});

describe('a refresh that fails leads to an authorization', () => {
  test.each<[string, Answer]>([
    ['invalid_grant', jsonAnswer({ error: 'invalid_grant' }, { status: 400 })],
    ['status 403', textAnswer(403, 'Forbidden')],
    ['status 404', textAnswer(404, 'Not found')],
    ['status 500', textAnswer(500, '')],
    ['a page', textAnswer(200, '<!doctype html><title>Sign in</title>', 'text/html')],
    ['no token', jsonAnswer({ token_type: 'Bearer' })],
    ['a redirect', { status: 302, headers: [['Location', '/login']], body: '' }],
    ['a connection that is cut', { status: 200, headers: [], body: '', ending: 'cut' }],
  ])('after %s', async (_, refresh) => {
    const run = await rejectedSession();
    run.answer({ refresh });
    expect((await run.call()).state).toBe('ok');
    expect((await run.flows()).map(({ state }) => state)).toEqual(['done', 'failed', 'done']);
    expect(run.registrations()).toBe(1);
  });

  test('where the server rejects the refreshed token too', async () => {
    const run = await rejectedSession();
    run.answer({
      refresh: (answer) => {
        const isObject = typeof answer.body === 'object' && !Buffer.isBuffer(answer.body);
        return { ...answer, body: { ...(isObject ? answer.body : {}), access_token: 'not-accepted' } };
      },
    });
    expect((await run.call()).state).toBe('ok');
    const flows = await run.flows();
    expect(flows.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(flows[1]?.steps.at(-1)).toMatchObject({ name: 'use-token', state: 'failed' });
    expect(flows[1]?.steps.at(-1)?.outcome).toContain('A new authorization follows');
  });

  test('but not after the request was cancelled', async () => {
    const run = await rejectedSession();
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    let answerNow = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    run.answer({
      refresh: async () => {
        isAsked();
        await answered;
        return jsonAnswer({ error: 'invalid_grant' }, { status: 400 });
      },
    });
    const { id: callId } = await engine.startTool(run.session.id, 'echo', { text: 'hi' });
    await asked;
    await engine.call('calls/cancel', { sessionId: run.session.id, callId });
    answerNow();
    await engine.until(async () => ((await run.flows()).at(-1)?.state === 'failed' ? true : null));
    expect((await run.flows()).map(({ state }) => state)).toEqual(['done', 'failed']);
    expect(run.server.authorization.requestsTo('authorize')).toHaveLength(1);
  });
});
