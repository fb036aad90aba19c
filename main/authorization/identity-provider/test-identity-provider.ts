import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import { answerRequests, closeListener, listen, urlOfRequest } from '#transports/listener.ts';
import { isLoopback } from '#shared/loopback.ts';
import { ID_JAG } from '#authorization/grants.ts';
import { challengeOf } from '#authorization/pkce.ts';
import { IssuedAssertions, LIFETIME, type TestFault, testFaults } from './issued-assertions.ts';
import { signInError, signInPage } from './sign-in-page.ts';

type Settings = NonNullable<AuthorizationSettings['testIdentityProvider']>;

/** Limit of bytes of a head or a body that is sent to it. */
const MAX_REQUEST = 64 * 1024;

/** Limit of sign-ins that wait, and of codes that are not redeemed. */
const MAX_PENDING = 20;

/** An authorization request that was accepted. */
interface Accepted {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly challenge: string;
  readonly nonce: string | null;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly location?: string;
  readonly body: string;
}

/**
 * An identity provider for tests, on 127.0.0.1: signs in anyone who asks, by OpenID Connect with PKCE, exchanges its ID tokens for
 * ID-JAGs, and issues tokens of workloads, also broken ones. Its keys are made when it opens first, and never stored.
 */
export class TestIdentityProvider {
  readonly #settings: Settings;
  readonly #requests = new Map<string, Accepted>();
  readonly #codes = new Map<string, Accepted & { readonly user: string }>();
  #assertions: IssuedAssertions | null = null;
  #server: Server | null = null;
  /** Of the first time it was opened; the issuer stays the same. */
  #port: number | null = null;
  /** Opening and closing, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Opens it, unless it is open; returns its issuer. @throws FaultError if the port is busy */
  open(): Promise<string> {
    return this.#next(async () => {
      this.#assertions ??= await IssuedAssertions.create();
      if (this.#server !== null) return this.#issuer;
      const wanted = this.#port ?? this.#settings.port;
      const { server, port } = await listen({
        host: '127.0.0.1',
        port: wanted ?? 0,
        maxHead: MAX_REQUEST,
      }).catch((error: unknown) => {
        throw new FaultError(cannotListen(wanted, error));
      });
      answerRequests(server, async (request, response) => write(response, await this.#answer(request)));
      this.#port = port;
      this.#server = server;
      return this.#issuer;
    });
  }

  /** Idempotent. It can be opened again, with the same issuer and keys. */
  close(): Promise<void> {
    return this.#next(async () => {
      const server = this.#server;
      this.#server = null;
      if (server !== null) await closeListener(server);
    });
  }

  #next<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }

  get #issuer(): string {
    return `http://127.0.0.1:${this.#port ?? 0}`;
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    // A page of another site that resolves its name to this address gets nothing.
    if (request.headers.host !== new URL(this.#issuer).host) return text(421, 'Another host was asked for.');
    const url = urlOfRequest(request, this.#issuer);
    if (url === null) return text(400, 'This is no address of the test identity provider.');
    try {
      switch (`${request.method ?? ''} ${url.pathname}`) {
        case 'GET /.well-known/openid-configuration':
          return json(200, this.#metadata);
        case 'GET /jwks':
          return json(200, this.#made.jwks);
        case 'GET /authorize':
          return this.#authorize(url.searchParams);
        case 'POST /sign-in':
          return this.#signIn(await formOf(request));
        case 'POST /token':
          return json(200, await this.#token(await formOf(request)));
        default:
          return text(404, 'Not found');
      }
    } catch (error) {
      if (error instanceof Rejection)
        return json(400, { error: error.error, error_description: error.message });
      throw error;
    }
  }

  get #made(): IssuedAssertions {
    if (this.#assertions === null) throw new Error('it is opened before it answers');
    return this.#assertions;
  }

  get #metadata(): object {
    const issuer = this.#issuer;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', TOKEN_EXCHANGE, 'client_credentials'],
      scopes_supported: ['openid'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #authorize(parameters: URLSearchParams): Answer {
    const redirectUri = parameters.get('redirect_uri') ?? '';
    const challenge = parameters.get('code_challenge') ?? '';
    const refuse = (why: string) => html(400, signInError(why));
    if (!URL.canParse(redirectUri) || !isLoopbackHttp(new URL(redirectUri)))
      return refuse('redirect_uri is not an http URL on this machine.');
    if (parameters.get('response_type') !== 'code') return refuse('response_type is not code.');
    if (challenge === '' || parameters.get('code_challenge_method') !== 'S256')
      return refuse('code_challenge with the method S256 is missing.');
    const request = randomUUID();
    const clientId = parameters.get('client_id') ?? '';
    remember(this.#requests, request, {
      clientId,
      redirectUri,
      challenge,
      state: parameters.get('state'),
      nonce: parameters.get('nonce'),
    });
    return html(200, signInPage({ request, user: this.#settings.user, clientId }));
  }

  #signIn(form: URLSearchParams): Answer {
    const id = form.get('request') ?? '';
    const request = this.#requests.get(id);
    if (request === undefined)
      return html(400, signInError('This sign-in is over. Begin again in Sightglass.'));
    const user = (form.get('user') ?? '').trim().slice(0, 200);
    if (user === '') return html(400, signInError('The test user needs a name.'));
    this.#requests.delete(id);
    const code = randomUUID();
    remember(this.#codes, code, { ...request, user });
    const target = new URL(request.redirectUri);
    target.searchParams.append('code', code);
    if (request.state !== null) target.searchParams.append('state', request.state);
    target.searchParams.append('iss', this.#issuer);
    return { status: 303, location: target.href, body: '' };
  }

  #token(form: URLSearchParams): Promise<object> {
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return this.#redeem(form);
      case TOKEN_EXCHANGE:
        return this.#exchange(form);
      case 'client_credentials':
        return this.#issueWorkloadToken(form);
      default:
        throw new Rejection('unsupported_grant_type', 'There is no such grant.');
    }
  }

  async #redeem(form: URLSearchParams): Promise<object> {
    const value = form.get('code') ?? '';
    const code = this.#codes.get(value);
    this.#codes.delete(value);
    if (code === undefined) throw new Rejection('invalid_grant', 'The code is unknown or was used.');
    if (form.get('client_id') !== code.clientId || form.get('redirect_uri') !== code.redirectUri)
      throw new Rejection('invalid_grant', 'client_id or redirect_uri is not that of the request.');
    if (challengeOf(form.get('code_verifier') ?? '') !== code.challenge)
      throw new Rejection('invalid_grant', 'code_verifier does not match code_challenge.');
    return {
      access_token: randomUUID(),
      token_type: 'Bearer',
      expires_in: LIFETIME,
      scope: 'openid',
      id_token: await this.#made.idToken({ issuer: this.#issuer, ...code }),
    };
  }

  async #exchange(form: URLSearchParams): Promise<object> {
    if (form.get('requested_token_type') !== ID_JAG)
      throw new Rejection('invalid_request', `requested_token_type must be ${ID_JAG}.`);
    const clientId = form.get('client_id') ?? '';
    const user = await this.#userOf(form.get('subject_token') ?? '', clientId);
    const scope = form.get('scope');
    const assertion = await this.#made.idJag(
      {
        issuer: this.#issuer,
        user,
        audience: audienceOf(form),
        clientId,
        resource: form.get('resource'),
        scope,
      },
      faultOf(form),
    );
    return {
      issued_token_type: ID_JAG,
      access_token: assertion,
      token_type: 'N_A',
      expires_in: LIFETIME,
      ...(scope !== null && { scope }),
    };
  }

  async #userOf(idToken: string, clientId: string): Promise<string> {
    try {
      const keys = createLocalJWKSet({ keys: [...this.#made.jwks.keys] });
      const { payload } = await jwtVerify(idToken, keys, { issuer: this.#issuer, audience: clientId });
      return payload.sub ?? '';
    } catch {
      throw new Rejection('invalid_grant', 'subject_token is not an ID token of this identity provider.');
    }
  }

  async #issueWorkloadToken(form: URLSearchParams): Promise<object> {
    const claims = { issuer: this.#issuer, workload: this.#settings.user, audience: audienceOf(form) };
    return {
      access_token: await this.#made.workloadToken(claims, faultOf(form)),
      issued_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_type: 'N_A',
      expires_in: LIFETIME,
    };
  }
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** An OAuth error. */
class Rejection extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

function audienceOf(form: URLSearchParams): string {
  const audience = form.get('audience');
  if (audience === null || audience === '') throw new Rejection('invalid_request', 'audience is missing.');
  return audience;
}

function faultOf(form: URLSearchParams): TestFault {
  const named = form.get('test_fault') ?? 'none';
  const fault = testFaults.find((one) => one === named);
  if (fault === undefined)
    throw new Rejection('invalid_request', `test_fault is not one of ${testFaults.join(', ')}.`);
  return fault;
}

const isLoopbackHttp = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url);

/** Keeps the newest ones. */
function remember<T>(map: Map<string, T>, id: string, value: T): void {
  const [oldest] = map.keys();
  if (map.size >= MAX_PENDING && oldest !== undefined) map.delete(oldest);
  map.set(id, value);
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_REQUEST) throw new Rejection('invalid_request', 'The request is too long.');
    chunks.push(bytes);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});
const html = (status: number, body: string): Answer => ({ status, type: 'text/html; charset=utf-8', body });
const text = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

function write(response: ServerResponse, { status, type, location, body }: Answer): void {
  response.writeHead(status, {
    ...(type !== undefined && { 'Content-Type': type }),
    ...(location !== undefined && { Location: location }),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(body);
}

function cannotListen(port: number | null, error: unknown) {
  const code = systemCodeOf(error);
  const where = port === null ? 'a free port' : `port ${port}`;
  return {
    code: 'test-provider-port',
    what: `The test identity provider cannot listen at ${where} of 127.0.0.1 (${code ?? 'unknown'}).`,
    ...(code === 'EADDRINUSE' && { why: 'Another program listens there, or another flow of this app.' }),
    next: 'End that program, or choose another port in the settings of the server.',
  };
}
