import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browse } from '#fixtures/authorization/browser.ts';
import { startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import { listen, type Listening } from '#fixtures/http/listen.ts';
import type { StartedServer } from '#fixtures/http/start-server.ts';
import { findWrongValue, type WrongValue, wrongValues } from '#shared/authorization/wrong-values.ts';
import type { StepRequest } from '#shared/contract/authorization.ts';
import { checkCallback } from './checks/callback.ts';
import { authenticateClient } from './client-authentication.ts';
import { DpopProver } from './dpop.ts';
import type { RawResponse } from './exchange.ts';
import { type FormRequest, formRequestToSend } from './form-request.ts';
import { clientCredentialsRequest } from './grants.ts';
import { challengeOf } from './pkce.ts';
import { materialize } from './step-request.ts';

const { send } = plainSender();
const verifier = 'the-verifier-of-this-request-with-43-characters';
const state = 'the-state-of-this-request';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let server: StartedServer;
let issuer: string;
let client: Listening;
let callbacks: string[] = [];

beforeAll(async () => {
  server = await startOidcServer({
    codeLifetime: 2,
    clients: [
      {
        client_id: 'service',
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [publicKey.export({ format: 'jwk' })] },
        grant_types: ['client_credentials'],
        response_types: [],
      },
    ],
  });
  const metadata = await fetch(server.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'));
  issuer = z.object({ authorization_servers: z.tuple([z.string()]) }).parse(await metadata.json())
    .authorization_servers[0];
  client = await listen((request, response) => {
    callbacks.push(`${client.origin}${request.url ?? ''}`);
    response.end('Done');
  });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const redirectUri = () => `${client.origin}/callback`;

const requestWith = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({
    name,
    value,
    fingerprint: null,
    isOn: true,
    note: '',
    row: null,
  }));

const authorizationRequest = (clientId: string): StepRequest => ({
  method: 'GET',
  url: `${issuer}/auth`,
  sentBy: 'browser',
  query: requestWith({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state,
    scope: 'files:read',
    resource: server.url,
  }),
  headers: [],
  bodyKind: 'none',
  body: [],
});

const tokenRequest = (form: Readonly<Record<string, string>>): StepRequest => ({
  method: 'POST',
  url: `${issuer}/token`,
  sentBy: 'client',
  query: [],
  headers: requestWith({ 'Content-Type': 'application/x-www-form-urlencoded' }),
  bodyKind: 'form',
  body: requestWith(form),
});

const codeRequest = (clientId: string, code: string): StepRequest =>
  tokenRequest({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri(),
    code_verifier: verifier,
    resource: server.url,
  });

async function register(): Promise<string> {
  const response = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [redirectUri()],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }),
  });
  return z.object({ client_id: z.string() }).parse(await response.json()).client_id;
}

/** The URL that the browser is redirected to; null if it is shown an error page. */
async function authorize(request: StepRequest): Promise<string | null> {
  callbacks = [];
  await browse(materialize(request, new Map()).url.href, { fields: { login: 'user', password: 'any' } });
  return callbacks[0] ?? null;
}

const codeOf = (callback: string | null): string =>
  callback === null ? '' : (new URL(callback).searchParams.get('code') ?? '');

const bodySchema = z.looseObject({ error: z.string().optional(), refresh_token: z.string().optional() });
const bodyOf = ({ body }: RawResponse) => bodySchema.parse(JSON.parse(body.toString()));
const sendStep = (request: StepRequest) => send(materialize(request, new Map()));

function changeOf(value: WrongValue, request: StepRequest): StepRequest {
  if (value.change.kind !== 'request') throw new Error(`${value.name} changes no request`);
  return value.change.apply(request);
}

const atStep = (step: 'authorization-request' | 'token' | 'refresh', kind: WrongValue['change']['kind']) =>
  wrongValues
    .filter(({ steps, change }) => steps.includes(step) && change.kind === kind)
    .map((value) => [value.name, value] as const);

test('correct values are accepted', async () => {
  const clientId = await register();
  const callback = await authorize(authorizationRequest(clientId));
  const response = await sendStep(codeRequest(clientId, codeOf(callback)));
  expect(response.status).toBe(200);
});

test.each(atStep('authorization-request', 'request'))(
  'the authorization request is rejected with %s',
  async (_, value) => {
    const clientId = await register();
    const callback = await authorize(changeOf(value, authorizationRequest(clientId)));
    if (value.rejectedBy === 'client') {
      const context = { redirectUri: redirectUri(), state, issuer, promisesIss: true, row: null };
      expect(checkCallback(callback ?? '', context)).toMatchObject({ value: null });
      return;
    }
    const code = codeOf(callback);
    // A wrong challenge shows when the verifier is sent.
    if (code === '') expect(callback === null || callback.includes('error=invalid_')).toBe(true);
    else
      expect(bodyOf(await sendStep(codeRequest(clientId, code)))).toMatchObject({ error: 'invalid_grant' });
    if (value.expected === 'invalid_target') expect(callback).toContain('error=invalid_target');
  },
);

test.each(atStep('token', 'request'))('the token request is rejected with %s', async (_, value) => {
  const clientId = await register();
  const code = codeOf(await authorize(authorizationRequest(clientId)));
  expect(code).not.toBe('');
  const response = await sendStep(changeOf(value, codeRequest(clientId, code)));
  expect(response.status).toBe(400);
  expect(value.expected).toContain(bodyOf(response).error);
});

test.each(atStep('refresh', 'request'))('the refresh is rejected with %s', async (_, value) => {
  const clientId = await register();
  const code = codeOf(await authorize(authorizationRequest(clientId)));
  const { refresh_token = '' } = bodyOf(await sendStep(codeRequest(clientId, code)));
  const request = tokenRequest({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token,
    resource: server.url,
  });
  const response = await sendStep(changeOf(value, request));
  expect(response.status).toBe(400);
  expect(value.expected).toContain(bodyOf(response).error);
});

test('a code is rejected when it is sent twice', async () => {
  const clientId = await register();
  const request = codeRequest(clientId, codeOf(await authorize(authorizationRequest(clientId))));
  expect((await sendStep(request)).status).toBe(200);
  expect(findWrongValue('code-twice')?.change).toEqual({ kind: 'twice' });
  expect(bodyOf(await sendStep(request)).error).toBe('invalid_grant');
});

test('a code is rejected when it has expired', async () => {
  const clientId = await register();
  const request = codeRequest(clientId, codeOf(await authorize(authorizationRequest(clientId))));
  await after(3000);
  expect(bodyOf(await sendStep(request)).error).toBe('invalid_grant');
});

const claims = wrongValues.flatMap((value) =>
  value.change.kind === 'claims' ? [[value.name, value, value.change] as const] : [],
);

test.each(claims)('%s is rejected', async (_, value, { jwt, claims: claimsAt, hasOtherKey }) => {
  const wrong = claimsAt(Math.floor(Date.now() / 1000));
  const of = (name: typeof jwt) => (jwt === name ? wrong : {});
  const response = await requestAsService(of('client-assertion'), of('dpop-proof'), hasOtherKey);
  expect(response.status).toBeGreaterThanOrEqual(400);
  // oidc-provider says that an assertion of two clients is no valid request.
  const expected = value.name === 'assertion-subject' ? 'invalid_request' : value.expected;
  expect(bodyOf(response).error).toBe(expected);
});

test('a client assertion is rejected when its jti is sent twice', async () => {
  const request = await serviceRequest({}, {});
  expect((await send(request)).status).toBe(200);
  expect(findWrongValue('assertion-reused')?.change).toEqual({ kind: 'twice' });
  // A proof may come only once too, so the second request has another one.
  const { headers } = await serviceRequest({}, {});
  expect(bodyOf(await send({ ...request, headers })).error).toBe('invalid_client');
});

test('correct claims are accepted', async () => {
  expect((await requestAsService({}, {})).status).toBe(200);
});

/** Asks for a token with an assertion of the client and a DPoP proof, some of their claims replaced. */
async function requestAsService(
  assertionClaims: object,
  proofClaims: object,
  hasOtherKey = false,
): Promise<RawResponse> {
  return send(await serviceRequest(assertionClaims, proofClaims, hasOtherKey));
}

async function serviceRequest(assertionClaims: object, proofClaims: object, hasOtherKey = false) {
  const target = { tokenEndpoint: new URL(`${issuer}/token`), resource: server.url, scope: 'files:read' };
  const request: FormRequest = await authenticateClient(clientCredentialsRequest(target), {
    method: 'private_key_jwt',
    client: {
      clientId: 'service',
      clientSecret: null,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    issuer,
    claims: { ...assertionClaims },
    hasOtherKey,
  });
  const prover = await DpopProver.create();
  const { method, url } = request;
  const proof = prover.proofFor({ method, url, accessToken: null, claims: { ...proofClaims } });
  return formRequestToSend({ ...request, headers: [...request.headers, ['DPoP', proof]] });
}
