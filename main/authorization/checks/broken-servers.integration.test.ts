import { expect, test } from 'vitest';
import type { BrokenServer } from '#fixtures/authorization/broken-server.ts';
import { brokenServers } from '#fixtures/authorization/broken-servers.ts';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { encodeForm } from '#authorization/form-request.ts';
import { challengeOf } from '#authorization/pkce.ts';
import { checkCallback } from './callback.ts';
import { checkChallenge } from './challenge.ts';
import { type Checked, checkNoResponse } from './findings.ts';
import { checkForbidden } from './forbidden.ts';
import { checkRegistration } from './registration.ts';
import { checkResourceMetadata } from './resource-metadata.ts';
import { checkMetadataFound, checkServerMetadata } from './server-metadata.ts';
import { checkRefreshResponse, checkTokenResponse } from './token-response.ts';

const opened = closeAfterEachTest();
const redirectUri = 'http://127.0.0.1:1/callback';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

async function clientOf({ options, prepare, ...row }: BrokenServer): Promise<Client> {
  const server = opened(await ProtectedServer.open(options));
  prepare?.(server);
  return new Client(server, row);
}

// One that never answers is for the limit of time, which the connection has and no check.
test.each(brokenServers.filter(({ rule }) => rule !== 'no-response'))('$name', async (row) => {
  const client = await clientOf(row);
  const { findings, stop } = await client.check(row.step);
  const finding = findings.find(({ rule }) => rule === row.rule);
  expect(finding, JSON.stringify(findings)).toMatchObject({ source: row.source });
  expect(finding?.text).toMatch(row.text);
  if (row.stops) expect(stop?.rule).toBe(row.rule);
  else expect(stop).toBeNull();
  expect(client.server.leaks).toEqual([]);
});

test('a server that never answers', () => {
  const { stop } = checkNoResponse(
    { code: 'timeout', what: 'The server took longer than 30 s.' },
    { row: 4 },
  );
  expect(stop).toMatchObject({
    rule: 'no-response',
    source: 'limit of time',
    text: 'There was no response: The server took longer than 30 s.',
    row: 4,
  });
});

test('a correct server breaks no rule', async () => {
  const options = {
    challengeScope: 'files:read',
    authorization: { tokens: 'jwt' as const },
    toolScopes: { write: 'files:write' },
  };
  const client = new Client(opened(await ProtectedServer.open(options)), {});
  for (const step of ['challenge', 'resource-metadata', 'server-metadata'] as const)
    expect(await client.check(step)).toMatchObject({ findings: [], stop: null });
  for (const step of ['registration', 'callback', 'token', 'refresh'] as const) {
    const checked = await client.check(step);
    expect(checked).toMatchObject({ findings: [], stop: null });
    expect(checked.value).not.toBeNull();
  }
  expect(await client.check('step-up')).toMatchObject({
    value: { scope: 'files:write', error: 'insufficient_scope' },
    stop: { rule: 'forbidden-after-step-up' },
  });
});

/** Makes the requests of a flow one by one, whatever was found before. */
class Client {
  readonly server: ProtectedServer;
  readonly #row: Pick<BrokenServer, 'revision' | 'dpop'>;
  readonly #send = plainSender().send;
  readonly #state = 'the-state-of-this-request';

  constructor(server: ProtectedServer, row: Pick<BrokenServer, 'revision' | 'dpop'>) {
    this.server = server;
    this.#row = row;
  }

  async check(step: BrokenServer['step']): Promise<Checked<unknown>> {
    const { server } = this;
    const { revision = '2026-07-28' } = this.#row;
    const { issuer } = server.authorization;
    switch (step) {
      case 'challenge':
        return checkChallenge(await this.#call('echo', null), {
          revision,
          hadToken: false,
          hadFreshToken: false,
        });
      case 'resource-metadata': {
        const response = await this.#get(server.resourceMetadataUrl);
        return checkResourceMetadata(response, { revision, serverUrl: server.url, isNamed: true });
      }
      case 'server-metadata': {
        const url = `${server.authorization.origin}/.well-known/oauth-authorization-server`;
        const response = await this.#get(url);
        if (response.status === 404)
          return checkMetadataFound([{ url, outcome: 'HTTP 404' }], { revision, row: response.row });
        return checkServerMetadata(response, {
          revision,
          issuer,
          usesBrowser: true,
          needsRegistration: true,
        });
      }
      case 'registration': {
        const response = await this.#register();
        return checkRegistration(response, { sent: { redirect_uris: [redirectUri] }, now: Date.now() });
      }
      case 'callback': {
        const url = await this.#authorize(await this.#clientId());
        return checkCallback(url, {
          redirectUri,
          state: this.#state,
          issuer,
          promisesIss: true,
          row: null,
        });
      }
      case 'token':
        return checkTokenResponse(await this.#token(await this.#clientId()), this.#tokenContext);
      case 'refresh':
        return this.#refresh();
      case 'use-token': {
        const response = await this.#call('echo', await this.#accessToken());
        return checkChallenge(response, { revision, hadToken: true, hadFreshToken: true });
      }
      case 'step-up': {
        const response = await this.#call('write', await this.#accessToken());
        return checkForbidden(response, { revision, authorizations: 3, scope: 'files:read files:write' });
      }
    }
  }

  get #scope(): string | null {
    return this.server.options.challengeScope ?? null;
  }

  get #tokenContext() {
    const { server } = this;
    return {
      scope: this.#scope,
      resource: server.url,
      issuer: server.authorization.issuer,
      usesDpop: this.#row.dpop ?? false,
      authenticatesByHeader: false,
      now: Date.now(),
    };
  }

  async #refresh(): Promise<Checked<unknown>> {
    const clientId = await this.#clientId();
    const tokens = checkTokenResponse(await this.#token(clientId), this.#tokenContext).value;
    const { accessToken = '', refreshToken } = tokens ?? {};
    const response = await this.#post({
      grant_type: 'refresh_token',
      refresh_token: refreshToken ?? '',
      client_id: clientId,
    });
    return checkRefreshResponse(response, this.#tokenContext, {
      accessToken,
      refreshToken: refreshToken ?? '',
      scope: this.#scope,
      isPublicClient: true,
    });
  }

  async #accessToken(): Promise<string> {
    const response = await this.#token(await this.#clientId());
    return checkTokenResponse(response, this.#tokenContext).value?.accessToken ?? '';
  }

  async #clientId(): Promise<string> {
    const response = await this.#register();
    return checkRegistration(response, { sent: {}, now: Date.now() }).value?.clientId ?? '';
  }

  #register(): Promise<RawResponse> {
    return this.#send({
      method: 'POST',
      url: new URL(`${this.server.authorization.issuer}/register`),
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' })),
    });
  }

  /** The URL that the browser is redirected to. */
  async #authorize(clientId: string): Promise<string> {
    const url = new URL(`${this.server.authorization.issuer}/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: this.#state,
      ...(this.#scope !== null && { scope: this.#scope }),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      resource: this.server.url,
    }).toString();
    const { headers } = await this.#get(url.href);
    return headers.find(([name]) => name === 'Location')?.[1] ?? '';
  }

  async #token(clientId: string): Promise<RawResponse> {
    const callback = new URL(await this.#authorize(clientId));
    return this.#post({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: clientId,
      resource: this.server.url,
    });
  }

  #post(form: Readonly<Record<string, string>>): Promise<RawResponse> {
    return this.#send({
      method: 'POST',
      url: new URL(`${this.server.authorization.issuer}/token`),
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: Buffer.from(encodeForm(Object.entries(form))),
    });
  }

  #get(url: string): Promise<RawResponse> {
    return this.#send({ method: 'GET', url: new URL(url), headers: [], body: null });
  }

  #call(tool: string, token: string | null): Promise<RawResponse> {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const params = { name: tool, arguments: {}, _meta };
    return this.#send({
      method: 'POST',
      url: new URL(this.server.url),
      headers: token === null ? [] : [['Authorization', `Bearer ${token}`]],
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
    });
  }
}
