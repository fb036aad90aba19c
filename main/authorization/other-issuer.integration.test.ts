import { decodeJwt, exportPKCS8, generateKeyPair } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { beginFlow, flowNow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { initializeResult } from '#fixtures/misbehaving/base.ts';
import type { Message } from '#fixtures/misbehaving/message.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(() => engine.close());

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** A server whose metadata is where its revision looks for it. */
const open = async (
  revision: string,
  authorization: ProtectedServerOptions['authorization'] = {},
  more: ProtectedServerOptions = {},
) =>
  opened(
    await ProtectedServer.open({
      ...more,
      authorization,
      ...(revision === '2025-03-26' && {
        sharesOrigin: true,
        resourceMetadataAt: [],
        namesMetadata: false,
      }),
    }),
  );

const run = (
  { url }: ProtectedServer,
  revision: string,
  mode: AuthorizationFlow['mode'] = 'automatic',
  settings: Partial<AuthorizationSettings> = {},
) => beginFlow(engine, url, { mode, revision, settings });

/** Goes on after the fault of a stepped flow, to its next stop. */
async function continueAnyway(flow: AuthorizationFlow): Promise<AuthorizationFlow> {
  await engine.call('authorization/override', { flowId: flow.id });
  return engine.until(async () => {
    const now = await flowNow(engine, flow);
    return now !== null && now.fault === null && now.state !== 'running' ? now : null;
  });
}

describe('metadata', () => {
  test.each(
    revisions.flatMap((revision) =>
      [
        ['of another issuer', 'https://honest.example'],
        ['of an issuer that is written in another way', 'SPELLING'],
        ['that names no issuer', undefined],
      ].map(([what = '', issuer]) => ({ revision, what, issuer })),
    ),
  )('$what stops a flow of $revision, and nothing is sent to its endpoints', async ({ revision, issuer }) => {
    const server = await open(revision);
    const claimed = issuer === 'SPELLING' ? server.authorization.issuer.replace('http', 'HTTP') : issuer;
    server.authorization.options = { ...server.authorization.options, metadata: { issuer: claimed } };
    const flow = await run(server, revision);
    const { authorization } = server;
    const used = ['register', 'authorize', 'token'].flatMap((path) => authorization.requestsTo(path));
    expect(used).toEqual([]);
    expect(flow).toMatchObject({ state: 'failed', canOverride: false });
    expect(flow.fault?.code).toMatch(/^issuer-(?:differs|spelling-differs|missing)$/);
  });

  test('whose issuer has a slash less, as that of Google, stops a flow of 2026-07-28 alone', async () => {
    for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) {
      const server = await open(revision);
      const named = `${server.authorization.issuer}/`;
      server.options = { ...server.options, resourceMetadata: { authorization_servers: [named] } };
      const { state, steps } = await run(server, revision);
      const rules = steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));
      expect([revision, state]).toEqual([revision, revision === '2026-07-28' ? 'failed' : 'done']);
      expect(rules).toContain('issuer-slash-differs');
    }
  });

  test('of another issuer can be used by a stepped flow that continues anyway', async () => {
    const server = await open('2025-06-18', {
      sendsIss: false,
      metadata: { issuer: 'https://honest.example' },
    });
    const stopped = await stepThrough(engine, await run(server, '2025-06-18', 'stepped'));
    expect(stopped).toMatchObject({ fault: { code: 'issuer-differs' }, canOverride: true });
    const done = await stepThrough(engine, await continueAnyway(stopped));
    expect(done.state).toBe('done');
    expect(done.steps.find(({ isOverridden }) => isOverridden)?.outcome).toBe(
      'It is the metadata of another issuer. You continued anyway.',
    );
  });

  test('with a further fault that stops cannot be used, even by a stepped flow', async () => {
    const server = await open('2025-11-25', {
      metadata: { issuer: 'https://honest.example', token_endpoint: 'http://honest.example/token' },
    });
    const flow = await stepThrough(engine, await run(server, '2025-11-25', 'stepped'));
    expect(flow).toMatchObject({ state: 'failed', canOverride: false });
  });
});

const claimsHonest = { metadata: { issuer: 'https://honest.example' } };

/** A client that acts for itself and signs its assertions. */
async function withOwnKey(): Promise<Partial<AuthorizationSettings>> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    grant: 'client-credentials',
    clientId: 'me',
    privateKey: { isSet: true, value: await exportPKCS8(privateKey) },
    authMethod: 'private_key_jwt',
  };
}

/** The issuers that the assertions at the token endpoint are for. */
const audiencesAt = ({ authorization }: ProtectedServer) =>
  authorization.requestsTo('token').map(({ body }) => {
    const assertion = new URLSearchParams(body.toString()).get('client_assertion') ?? '';
    return decodeJwt(assertion).aud;
  });

test('a client assertion is not sent where the metadata claims another issuer', async () => {
  const server = await open('2025-06-18', claimsHonest);
  await run(server, '2025-06-18', 'automatic', await withOwnKey());
  expect(audiencesAt(server)).toEqual([]);
});

test('a client assertion is not sent there in a session with a negotiated revision', async () => {
  const initialize = (request: Message) => initializeResult(request, '2025-06-18');
  const server = await open('2025-06-18', claimsHonest, { handlers: { initialize }, protects: [] });
  const { id, agreement } = await engine.connectUrl(server.url, {
    era: 'legacy',
    http: { authorization: { ...defaultAuthorization, ...(await withOwnKey()) } },
  });
  expect(agreement).toMatchObject({ revision: '2025-06-18' });
  server.options = { ...server.options, protects: ['POST'] };
  await engine.callTool(id, 'echo', { text: 'hi' });
  expect(audiencesAt(server)).toEqual([]);
});

test('a client assertion is for the issuer that was asked for, also where the flow continued anyway', async () => {
  const server = await open('2025-06-18', claimsHonest);
  const stopped = await stepThrough(engine, await run(server, '2025-06-18', 'stepped', await withOwnKey()));
  await stepThrough(engine, await continueAnyway(stopped));
  expect(audiencesAt(server)).toEqual([server.authorization.issuer]);
});

describe('the iss of a callback', () => {
  const wrong = {
    differs: (parameters: URLSearchParams) => {
      parameters.set('iss', 'https://honest.example');
      return parameters;
    },
    'is missing though promised': (parameters: URLSearchParams) => {
      parameters.delete('iss');
      return parameters;
    },
  };

  test.each(
    revisions.flatMap((revision) =>
      (['differs', 'differs, not promised', 'is missing though promised'] as const).map((what) => ({
        revision,
        what,
      })),
    ),
  )('stops a flow of $revision if it $what: the code goes nowhere', async ({ revision, what }) => {
    const server = await open(revision, {
      callback: what === 'is missing though promised' ? wrong[what] : wrong.differs,
      ...(what === 'differs, not promised' && {
        metadata: { authorization_response_iss_parameter_supported: undefined },
      }),
    });
    const flow = await run(server, revision);
    expect(server.authorization.requestsTo('authorize')).toHaveLength(1);
    expect(server.authorization.requestsTo('token')).toEqual([]);
    expect(flow.state).toBe('failed');
    expect(flow.fault?.code).toMatch(/^iss-(?:differs|missing)$/);
  });

  test.each(['differs', 'is missing though promised'] as const)(
    'can be ignored by a stepped flow that continues anyway: it %s',
    async (what) => {
      const server = await open('2025-11-25', { callback: wrong[what] });
      const stopped = await stepThrough(engine, await run(server, '2025-11-25', 'stepped'));
      expect(stopped).toMatchObject({ state: 'failed', canOverride: true });
      expect(stopped.steps.at(-1)?.name).toBe('callback');
      const done = await stepThrough(engine, await continueAnyway(stopped));
      expect(done.state).toBe('done');
      expect(server.authorization.requestsTo('token')).toHaveLength(1);
    },
  );
});

test('in a mix-up, where metadata of one issuer leads to the pages of another, the code goes nowhere', async () => {
  const clients = [{ clientId: 'known', redirectUris: [], authMethod: 'none' }] as const;
  for (const revision of revisions)
    for (const claims of ['its own issuer', 'the other issuer'] as const) {
      const honest = opened(await AuthorizationServer.open({ clients }));
      const server = await open(revision, {
        clients,
        sendsIss: false,
        metadata: {
          authorization_endpoint: `${honest.issuer}/authorize`,
          ...(claims === 'the other issuer' && { issuer: honest.issuer }),
        },
      });
      honest.resources.push(server.url);
      const flow = await run(server, revision, 'automatic', { clientId: 'known' });
      expect([revision, claims, server.authorization.requestsTo('token')]).toEqual([revision, claims, []]);
      expect(flow.fault?.code).toBe(claims === 'its own issuer' ? 'iss-differs' : 'issuer-differs');
    }
});
