import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { browse, type Visit } from '#fixtures/authorization/browser.ts';
import { beginFlow, flowNow, settledFlow, stepThrough, takeStep } from '#fixtures/authorization/flow-runs.ts';
import { setClock, startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { StartedServer } from '#fixtures/http/start-server.ts';
import { type WrongValue, wrongValues, wrongValuesFor } from '#shared/authorization/wrong-values.ts';
import type { AuthorizationFlow, AuthorizationSettings, StepName } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();

let server: StartedServer;
/** Of oidc-provider. */
let issuer: string;
let engine: EngineFixture;
let privateKey: string;
/** What the browser opened for the last authorization request. */
let visits: Visit[] = [];
let current: Pick<AuthorizationFlow, 'id'> | null = null;

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const typs = { workload: 'JWT', enterprise: 'oauth-id-jag+jwt' } as const;

beforeAll(async () => {
  const keys = await generateKeyPair('ES256', { extractable: true });
  privateKey = await exportPKCS8(keys.privateKey);
  const signs = {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [await exportJWK(keys.publicKey)] },
  };
  const asksUsers = {
    redirect_uris: ['http://127.0.0.1/callback'],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const presents = { token_endpoint_auth_method: 'none', grant_types: [JWT_BEARER], response_types: [] };
  server = await startOidcServer({
    clients: [
      { client_id: 'app', token_endpoint_auth_method: 'none', ...asksUsers },
      { client_id: 'signing-app', ...signs, ...asksUsers },
      { client_id: 'service', ...signs, grant_types: ['client_credentials'], response_types: [] },
      { client_id: 'workload', ...presents },
      { client_id: 'enterprise', ...presents },
    ],
    assertionTypes: typs,
  });
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', server.url));
  ({
    authorization_servers: [issuer],
  } = z.object({ authorization_servers: z.tuple([z.string()]) }).parse(await metadata.json()));
  engine = await EngineFixture.open({
    openInBrowser: async (url) => {
      visits = await browse(url, { fields: { login: 'user', password: 'any' } });
      // A user says that the browser shows an error page.
      if (visits.at(-1)?.status === 400)
        await engine.call('authorization/no-callback', { flowId: current?.id ?? '' });
    },
    waitToBeLate: (milliseconds) => setClock(server, milliseconds),
  });
});
afterEach(() => setClock(server, 0));
afterAll(async () => {
  await engine.close();
  await server.close();
});

/** A stepped flow that stops before its first step, of each kind that the requests of the menu belong to. */
const kinds = {
  'the code grant': () => begin({ clientId: 'app' }),
  'a refresh': () => beginRefresh(authorize({ clientId: 'app' })),
  'client credentials with a signed assertion and DPoP': () => begin(serviceSettings()),
  'a refresh with a signed assertion and DPoP': () => {
    signedTokens ??= authorize({ clientId: 'signing-app', privateKey: secret(privateKey), dpop: true });
    return beginRefresh(signedTokens);
  },
  'the token of a workload': () => begin(assertionSettings('workload-identity', 'workload')),
  'the assertion of an identity provider': () => begin(assertionSettings('enterprise', 'enterprise')),
} satisfies Record<string, () => Promise<AuthorizationFlow>>;
type Kind = keyof typeof kinds;

const secret = (value: string) => ({ isSet: true, value });

const serviceSettings = (): Partial<AuthorizationSettings> => ({
  grant: 'client-credentials',
  clientId: 'service',
  privateKey: secret(privateKey),
  dpop: true,
  scopes: 'files:read',
});

const assertionSettings = (
  grant: AuthorizationSettings['grant'],
  clientId: string,
): Partial<AuthorizationSettings> => ({
  grant,
  clientId,
  scopes: 'files:read',
  testIdentityProvider: { user: 'Ada', port: null },
});

async function begin(settings: Partial<AuthorizationSettings>): Promise<AuthorizationFlow> {
  return beginFlow(engine, server.url, {
    mode: 'stepped',
    settings: { ...settings, registration: 'pre-registered', mode: 'stepped' },
  });
}

/** The session and the credentials of a client that has tokens. */
async function authorize(settings: Partial<AuthorizationSettings>) {
  const { serverId, sessionId } = await stepThrough(engine, await begin(settings));
  const [credentials] = await engine.call('authorization/credentials', { serverId });
  return { sessionId, credentialsId: credentials?.id ?? '' };
}

const beginRefresh = async (of: ReturnType<typeof authorize>): Promise<AuthorizationFlow> =>
  settledFlow(engine, await engine.call('authorization/refresh', await of));

/** Tokens that stay, because a wrong assertion or proof is rejected before oidc-provider uses up the refresh token. */
let signedTokens: ReturnType<typeof authorize> | null = null;

/** The flows in which a step has the parameter of a wrong value. */
function kindsFor({ parameter }: WrongValue, step: StepName): readonly Kind[] {
  if (step === 'assertion') return ['the token of a workload', 'the assertion of an identity provider'];
  if (parameter === 'assertion') return ['the token of a workload'];
  const isSigned = parameter === 'client_assertion' || parameter === 'DPoP';
  if (step === 'refresh') return [isSigned ? 'a refresh with a signed assertion and DPoP' : 'a refresh'];
  return [isSigned ? 'client credentials with a signed assertion and DPoP' : 'the code grant'];
}

const cases = wrongValues.flatMap((value) =>
  value.steps.flatMap((step) =>
    kindsFor(value, step).map((kind) => [value.name, step, kind, value] as const),
  ),
);

const stepNow = ({ steps, currentStep }: AuthorizationFlow) => steps.find(({ id }) => id === currentStep);

/** The codes of OAuth that a wrong value may be rejected with. */
const codesOf = ({ expected }: WrongValue): string[] => expected.match(/\binvalid_\w+/g) ?? [];

describe('a stepped flow at oidc-provider', () => {
  test.each(Object.keys(kinds) as Kind[])('gets a token with the correct values of %s', async (kind) => {
    const done = await stepThrough(engine, await kinds[kind]());
    expect([done.state, done.fault]).toEqual(['done', null]);
  });

  test.each(cases)('%s in the step %s of %s is rejected, and it says so', async (name, at, kind, value) => {
    const stopped = await stepThrough(engine, await kinds[kind](), (step) => step.name === at);
    const own = stepNow(stopped);
    expect(wrongValuesFor(at, own?.request ?? null).map((one) => one.name)).toContain(name);
    current = stopped;
    visits = [];
    const ended = await stepThrough(engine, await takeStep(engine, stopped, name));
    const sent = ended.steps.find(({ id }) => id === stopped.currentStep);
    expect([ended.state, sent?.wrongValue, sent?.isWrongAccepted]).toEqual(['failed', name, false]);
    if (value.change.kind === 'secret') {
      // The page sees that it is another one, and not what it is.
      const shown = sent?.request?.body.find((one) => one.name === value.parameter);
      expect(shown).toMatchObject({ value: null, note: 'wrong value' });
    }

    const rejecting = ended.steps.findLast(({ state }) => state === 'failed');
    const last = visits.at(-1);
    if (value.rejectedBy === 'client') {
      expect(new URL(last?.url ?? '').searchParams.has('code')).toBe(true);
      expect([rejecting?.name, ended.fault?.code]).toEqual([
        'callback',
        name === 'state-missing' ? 'state-missing' : 'state-differs',
      ]);
    } else if (codesOf(value).length === 0) {
      expect(value.expected).toBe('an error page without a redirect');
      expect([last?.url.startsWith(`${issuer}/auth?`), last?.status]).toEqual([true, 400]);
      expect(ended.fault?.code).toBe('authorization-error-page');
    } else if (rejecting?.name === 'callback') {
      expect(codesOf(value)).toContain(new URL(last?.url ?? '').searchParams.get('error') ?? '');
    } else {
      const { status = 0, body = null } = rejecting?.response ?? {};
      expect(rejecting?.request?.url).toBe(`${issuer}/token`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(codesOf(value)).toContain((JSON.parse(body ?? '{}') as { error: string }).error);
    }
  });
});

test.each(['challenge-plain', 'challenge-method-missing'])(
  'a server that accepts %s is said to accept it',
  async (name) => {
    const lenient = opened(await ProtectedServer.open({ authorization: { acceptsPlainPkce: true } }));
    const stopped = await stepThrough(
      engine,
      await beginFlow(engine, lenient.url, { mode: 'stepped' }),
      (step) => step.name === 'authorization-request',
    );
    const ended = await stepThrough(engine, await takeStep(engine, stopped, name));
    expect(ended.state).toBe('done');
    const sent = (await flowNow(engine, ended))?.steps.find(({ id }) => id === stopped.currentStep);
    expect([sent?.wrongValue, sent?.isWrongAccepted]).toEqual([name, true]);
  },
);
