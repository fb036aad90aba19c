import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { memorySecrets } from '#config/secrets.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import type { ServerIdentity } from '#fixtures/http/listen.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { type HttpSettings, plainHttpSettings } from '#shared/contract/servers.ts';
import { exchangeOutOfBand } from '#transports/http-out-of-band.ts';
import { Authorizations } from './authorizations.ts';
import { IssuerBindings, noBindings } from './issuer-bindings.ts';
import { CredentialStore } from './credentials.ts';

const closeAfter = closeAfterEachTest();

describe('an untrusted certificate that the user accepted for the server', () => {
  let engine: EngineFixture;
  let folder: string;
  beforeEach(async () => {
    engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
    folder = await mkdtemp(join(tmpdir(), 'sightglass-ca-'));
  });
  afterEach(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  const connect = (server: ProtectedServer, tls: Partial<HttpSettings['tls']>) =>
    engine.connectUrl(server.url, {
      http: {
        tls: { ...plainHttpSettings(server.url).tls, ...tls },
        authorization: defaultAuthorization,
      },
    });
  const fingerprintOf = ({ cert }: ServerIdentity) => new X509Certificate(cert).fingerprint256;

  test('is not accepted from an authorization server, even if it is the same one', async () => {
    const identity = await makeCertificate();
    const server = closeAfter(await ProtectedServer.open({ identity, authorization: { identity } }));
    const session = await connect(server, { accepted: fingerprintOf(identity) });
    expect(session.phase).toBe('failed');
    const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
    expect(flow?.steps.find(({ name }) => name === 'resource-metadata')).toMatchObject({
      state: 'done',
      response: { status: 200 },
    });
    const refused = flow?.steps.filter(({ name, request }) => name === 'server-metadata' && request !== null);
    expect(refused?.length).toBeGreaterThan(0);
    for (const step of refused ?? []) {
      expect(step).toMatchObject({ response: null, outcome: expect.stringContaining('certificate') });
    }
    expect(server.authorization.requests).toEqual([]);
  });

  test('an authority that the user trusts counts for an authorization server, too', async () => {
    const authority = await makeCertificate({ names: ['Test authority'], isAuthority: true });
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, authority.cert);
    const server = closeAfter(
      await ProtectedServer.open({
        identity: await makeCertificate({ authority }),
        authorization: { identity: await makeCertificate({ authority }) },
      }),
    );
    const session = await connect(server, { caFile });
    const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
    expect(flow?.steps.find(({ name }) => name === 'server-metadata')?.response?.status).toBe(200);
  });
});

describe('a public server that names a host with a private address', () => {
  /** A flow at a public server, which is not asked: its challenge names the metadata. */
  async function beginAt(
    mode: 'automatic' | 'stepped',
    {
      settings = {},
      canAsk = false,
      allowedAddresses = [],
    }: {
      readonly settings?: Partial<AuthorizationSettings>;
      readonly canAsk?: boolean;
      readonly allowedAddresses?: readonly string[];
    } = {},
  ) {
    const server = closeAfter(await ProtectedServer.open());
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const under = closeAfter(new ClientUnderTest({ origin: 'https://mcp.example', lookup }));
    const sink = (event: (typeof under.events)[number]) => void under.events.push(event);
    const store = new CredentialStore(memorySecrets(), () => undefined);
    const authorizations = new Authorizations({
      store,
      emit: () => undefined,
      clientName: 'test',
      userAgent: 'test',
      openBrowser: null,
      isWatched: true,
      canAsk,
      bindings: new IssuerBindings({ read: async () => noBindings, update: async () => undefined }),
      allowedAddresses,
    });
    const session = authorizations.begin(
      {
        id: 'server',
        url: 'https://mcp.example/mcp',
        settings: { ...defaultAuthorization, ...settings },
        isUnattended: false,
        allowedIssuers: [],
        sendsResourceQuery: false,
        browserLimit: null,
      },
      {
        sessionId: 's',
        trace: {
          markSecret: () => undefined,
          redacted: (value) => value,
          responseCopy: ({ headers, body }) => ({ headers, text: body.toString(), hide: (text) => text }),
          mark: () => undefined,
          authorization: () => undefined,
        },
        customHeaders: [],
        revision: () => null,
        onState: () => undefined,
        recordReceived: () => null,
        faultOfPrivate: (url) => under.client.faultOfPrivate(url),
        exchange: async (request) => ({ ...(await exchangeOutOfBand(under.client, sink, request)), row: 1 }),
      },
    );
    closeAfter(session);
    const metadata = `http://login.example:${new URL(server.origin).port}/.well-known/oauth-protected-resource/mcp`;
    const demand = {
      status: 401,
      headers: [['WWW-Authenticate', `Bearer resource_metadata="${metadata}"`]] as const,
      row: null,
    };
    const flow = session.beginManually(mode, { revision: null, settings: {} }, demand);
    return { server, flow, metadata };
  }

  test('stops an automatic flow before anything is sent there', async () => {
    const { server, flow, metadata } = await beginAt('automatic');
    const end = await flow.ended;
    expect(end).toMatchObject({
      state: 'failed',
      fault: { code: 'private-address', what: expect.stringContaining(new URL(metadata).host) },
    });
    expect(flow.view.steps.at(-1)).toMatchObject({ name: 'resource-metadata', state: 'failed' });
    expect(server.log).toEqual([]);
  });

  test('is asked about where the user can be asked, and requested after the answer yes', async () => {
    const { server, flow } = await beginAt('automatic', { canAsk: true });
    await expect.poll(() => flow.view.state).toBe('waiting');
    expect(flow.view).toMatchObject({
      mode: 'automatic',
      question: { kind: 'private-address', fault: { code: 'private-address' } },
      fault: null,
    });
    expect(server.log).toEqual([]);
    flow.answer(true);
    // It is the metadata of another resource.
    expect(await flow.ended).toMatchObject({ state: 'failed', fault: { code: 'resource-differs' } });
    expect(server.transcript).toEqual(['GET mcp-server /.well-known/oauth-protected-resource/mcp']);
    expect(flow.view.question).toBeNull();
  });

  test('is requested if the user has allowed its address', async () => {
    const { server, flow } = await beginAt('automatic', { allowedAddresses: ['login.example'] });
    await flow.ended;
    expect(server.transcript[0]).toBe('GET mcp-server /.well-known/oauth-protected-resource/mcp');
  });

  test('is requested when the user sends the step', async () => {
    const { server, flow } = await beginAt('stepped');
    await expect.poll(() => flow.view.state).toBe('stopped');
    expect(server.log).toEqual([]);
    flow.send({ request: null, wrongValue: null });
    await expect
      .poll(() => server.transcript)
      .toEqual(['GET mcp-server /.well-known/oauth-protected-resource/mcp']);
  });

  test('is not requested by a scan, whose URLs nobody has seen', async () => {
    const { server, flow } = await beginAt('stepped');
    await expect.poll(() => flow.view.state).toBe('stopped');
    await flow.scan();
    const scanned = flow.view.steps.filter(({ label }) => label.startsWith('scan'));
    expect(scanned[0]?.outcome).toContain('only this machine or its network can reach');
    expect(server.log).toEqual([]);
  });
});
