import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { afterEach, expect, test } from 'vitest';
import { memorySecrets } from '#config/secrets.ts';
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
} from '#fixtures/authorization/authorization-server.ts';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { authenticateClient, chooseClientAuth, type ClientIdentity } from './client-authentication.ts';
import { CredentialStore, type ReceivedTokens } from './credentials.ts';
import { DpopProver } from './dpop.ts';
import type { FormRequest } from './form-request.ts';
import {
  clientCredentialsRequest,
  introspectionRequest,
  jwtBearerRequest,
  refreshRequest,
  revocationRequest,
  tokenExchangeRequest,
} from './grants.ts';
import { readIssuerKeys, verifySignature } from './jwt.ts';
import { readTokenResponse, type TokenSet } from './tokens.ts';
import { materialize, prepareForm } from './step-request.ts';

/** A request as a flow sends it. */
function sentForm(form: FormRequest) {
  const { shown, secrets } = prepareForm(form);
  return materialize(shown, secrets);
}

const opened: AuthorizationServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function open(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const server = await AuthorizationServer.open(options);
  opened.push(server);
  return server;
}

const resource = 'https://mcp.example/mcp';
const confidential = { clientId: 'me & co', secret: 'p%ä+&:"', redirectUris: [] };
const { send } = plainSender();

const target = (server: AuthorizationServer, scope: string | null = null) => ({
  tokenEndpoint: new URL(`${server.issuer}/token`),
  resource,
  scope,
});

async function post(request: FormRequest, headers: HeaderLines = []) {
  const raw = sentForm(request);
  const response = await send({ ...raw, headers: [...raw.headers, ...headers] });
  const text = response.body.toString();
  return { ...response, json: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
}

/** Sends a request as this client, by the method that the metadata of the server leads to. */
async function postAs(server: AuthorizationServer, client: ClientIdentity, request: FormRequest) {
  const supported = server.clients.find(client.clientId)?.authMethod;
  const { method } = chooseClientAuth({
    setting: 'auto',
    registered: null,
    supported: supported === undefined ? null : [supported],
    client,
  });
  return post(await authenticateClient(request, { method, client, audience: server.issuer }));
}

function tokensOf(json: unknown): TokenSet {
  const tokens = readTokenResponse(json, { at: Date.now(), scope: null });
  if (tokens === null) throw new Error(`no token: ${JSON.stringify(json)}`);
  return tokens;
}

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'client credentials with a secret of any characters, by %s',
  async (authMethod) => {
    const server = await open({ clients: [{ ...confidential, authMethod }] });
    const client = { clientId: confidential.clientId, clientSecret: confidential.secret, privateKey: null };
    const { status, json } = await postAs(
      server,
      client,
      clientCredentialsRequest(target(server, 'files:read')),
    );
    expect([status, json?.['scope']]).toEqual([200, 'files:read']);
    expect(server.tokens.findActive(tokensOf(json).accessToken)?.resource).toBe(resource);
  },
);

test.each(['ES256', 'RS256'])(
  'client credentials with a key for %s, whose assertion is for the issuer',
  async (algorithm) => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwks = { keys: [await exportJWK(publicKey)] };
    const server = await open({
      clients: [{ clientId: 'me', redirectUris: [], authMethod: 'private_key_jwt', jwks }],
    });
    const client = { clientId: 'me', clientSecret: null, privateKey: await exportPKCS8(privateKey) };
    const { status } = await postAs(server, client, clientCredentialsRequest(target(server)));
    expect(status).toBe(200);
  },
);

test('a token is verified with the keys of its issuer, and not with those of another', async () => {
  const [server, other] = await Promise.all([
    open({ tokens: 'jwt', ...publicClient }),
    open({ tokens: 'jwt' }),
  ]);
  const { accessToken } = await firstTokens(server);
  const verify = async ({ issuer }: AuthorizationServer) => {
    const request = { method: 'GET', url: new URL(`${issuer}/jwks`), headers: [], body: null };
    return (await verifySignature(accessToken, readIssuerKeys(await send(request), issuer))).state;
  };
  expect(await verify(server)).toBe('verified');
  expect(await verify(other)).not.toBe('verified');
});

/** A client without a secret, whose first tokens come from an assertion of the server itself. */
const publicClient: AuthorizationServerOptions = {
  clients: [{ clientId: 'public', redirectUris: [], authMethod: 'none' }],
};
const asPublic = { clientId: 'public', clientSecret: null, privateKey: null };

async function firstTokens(server: AuthorizationServer): Promise<TokenSet> {
  const request = { clientId: 'public', scope: 'files:read', resource, keyThumbprint: null, family: 'one' };
  const access = await server.tokens.issueAccess(request);
  return tokensOf({
    access_token: access.value,
    refresh_token: server.tokens.issueRefresh(request).value,
    token_type: 'Bearer',
  });
}

test('requests that need a new token at once cause one refresh, and the rotated token is used next', async () => {
  const server = await open({ ...publicClient, refresh: 'rotated' });
  const store = new CredentialStore(memorySecrets(), () => {});
  const { id } = await store.saveClient({
    serverId: 'server',
    serverUrl: resource,
    issuer: server.issuer,
    clientId: 'public',
    registration: 'dynamic',
    clientSecret: null,
    secretExpiresAt: null,
    authMethod: 'none',
    redirectUri: null,
    management: null,
    resource,
    requestedScope: null,
    dropped: [],
    isIssuerRejected: false,
    endpoints: {
      token: `${server.issuer}/token`,
      revocation: null,
      introspection: null,
      jwks: null,
      authMethods: null,
    },
  });
  const received = (tokens: TokenSet): ReceivedTokens => ({
    tokens,
    signature: { state: 'none', detail: '' },
    row: null,
    dpopThumbprint: null,
  });
  await store.saveTokens(id, received(await firstTokens(server)));
  const refreshAll = async () => {
    const used = (await store.get(id))?.tokens?.accessToken ?? '';
    return Promise.all(
      Array.from({ length: 4 }, () =>
        store.refresh(id, used, async ({ tokens }) => {
          const request = refreshRequest(target(server), tokens?.refreshToken ?? '');
          return received(tokensOf((await postAs(server, asPublic, request)).json));
        }),
      ),
    );
  };
  await refreshAll();
  const results = await refreshAll();
  expect(server.requestsTo('token')).toHaveLength(2);
  expect(new Set(results.map(({ tokens }) => tokens?.accessToken)).size).toBe(1);
  const [stored] = await store.list('server');
  expect(stored?.generations.map(({ state }) => state)).toEqual(['replaced', 'replaced', 'in-use']);
  expect(new Set(stored?.generations.map(({ refreshFingerprint }) => refreshFingerprint)).size).toBe(3);
  // The server would have revoked all of them had an old one come again (RFC 9700 section 4.14).
  expect(server.tokens.findActive(results[0]?.tokens?.accessToken ?? '')).not.toBeNull();
});

test('a token is introspected, revoked and then inactive', async () => {
  const server = await open({ clients: [{ ...confidential, authMethod: 'client_secret_basic' }] });
  const client = { clientId: confidential.clientId, clientSecret: confidential.secret, privateKey: null };
  const { accessToken } = tokensOf(
    (await postAs(server, client, clientCredentialsRequest(target(server)))).json,
  );
  const introspect = async () =>
    (
      await postAs(
        server,
        client,
        introspectionRequest(new URL(`${server.issuer}/introspect`), accessToken, 'access_token'),
      )
    ).json;
  expect(await introspect()).toMatchObject({ active: true, client_id: confidential.clientId, aud: resource });
  const revocation = revocationRequest(new URL(`${server.issuer}/revoke`), accessToken, 'access_token');
  expect((await postAs(server, client, revocation)).status).toBe(200);
  expect(await introspect()).toEqual({ active: false });
});

test('an ID token becomes an assertion at the identity provider, and that a token at the authorization server', async () => {
  const provider = await open({
    clients: [{ clientId: 'at-the-provider', redirectUris: [], authMethod: 'none' }],
  });
  const server = await open({
    clients: [{ ...confidential, authMethod: 'client_secret_basic' }],
    trusted: [{ issuer: provider.issuer, tokens: provider.tokens }],
  });
  const now = Math.floor(Date.now() / 1000);
  const idToken = await provider.tokens.sign(
    { sub: 'user', aud: 'at-the-provider', iat: now, exp: now + 60 },
    'JWT',
  );
  const exchanged = await postAs(
    provider,
    { clientId: 'at-the-provider', clientSecret: null, privateKey: null },
    tokenExchangeRequest(target(provider, 'files:read'), {
      subject: { token: idToken, type: 'id_token' },
      audience: server.issuer,
    }),
  );
  expect(exchanged.json).toMatchObject({ token_type: 'N_A', scope: 'files:read' });
  const assertion = tokensOf(exchanged.json).accessToken;
  const client = { clientId: confidential.clientId, clientSecret: confidential.secret, privateKey: null };
  const redeemed = await postAs(server, client, jwtBearerRequest(target(server), assertion));
  expect(server.tokens.findActive(tokensOf(redeemed.json).accessToken)).toMatchObject({
    resource,
    scope: 'files:read',
  });
});

test('a proof without the nonce that the server demands is sent once more with it', async () => {
  const server = await open({ ...publicClient, demandsNonce: true });
  const { refreshToken } = await firstTokens(server);
  const prover = await DpopProver.create();
  const request = await authenticateClient(refreshRequest(target(server), refreshToken ?? ''), {
    method: 'none',
    client: asPublic,
    audience: server.issuer,
  });
  const attempt = async () => {
    const proof = await Promise.resolve(
      prover.proofFor({ method: 'POST', url: request.url, accessToken: null }),
    );
    const response = await post(request, [['DPoP', proof]]);
    prover.readNonce(response);
    return { response, mustRetry: prover.mustRetry(proof, response) };
  };
  const first = await attempt();
  expect([first.response.status, first.mustRetry]).toEqual([400, true]);
  const second = await attempt();
  expect([second.response.status, second.mustRetry]).toEqual([200, false]);
  const { accessToken, tokenType } = tokensOf(second.response.json);
  expect(tokenType).toBe('DPoP');
  expect(server.tokens.findActive(accessToken)?.keyThumbprint).toBe(prover.thumbprint);
});
