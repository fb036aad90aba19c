import { expect, test } from 'vitest';
import { memorySecrets } from '#config/secrets.ts';
import {
  type Credentials,
  CredentialStore,
  type ReceivedTokens,
  type RegisteredClient,
} from './credentials.ts';

const client: RegisteredClient = {
  serverId: 'server',
  serverUrl: 'https://mcp.example/mcp',
  issuer: 'https://as.example',
  clientId: 'client',
  registration: 'dynamic',
  clientSecret: 'planted-client-secret',
  secretExpiresAt: null,
  authMethod: 'client_secret_basic',
  redirectUri: 'http://127.0.0.1:1/callback',
  management: { uri: 'https://as.example/register/1', accessToken: 'planted-management-token' },
  resource: 'https://mcp.example/mcp',
  requestedScope: 'read',
  dropped: [],
  isIssuerRejected: false,
  endpoints: {
    token: 'https://as.example/token',
    revocation: null,
    introspection: null,
    jwks: null,
    authMethods: null,
  },
};

const preRegistered: RegisteredClient = { ...client, registration: 'pre-registered' };

const received = (
  accessToken: string,
  refreshToken: string | null = null,
  row: number | null = null,
): ReceivedTokens => ({
  tokens: {
    accessToken,
    refreshToken,
    idToken: null,
    tokenType: 'Bearer',
    scope: 'read',
    receivedAt: 1000,
    expiresAt: 100_000,
  },
  signature: { state: 'none', detail: '' },
  row,
  dpopThumbprint: null,
});

const open = (storage = memorySecrets()) => {
  const changed: string[] = [];
  return { store: new CredentialStore(storage, (serverId) => changed.push(serverId)), changed, storage };
};

test('stores clients by server, issuer and client ID', async () => {
  const { store } = open();
  const first = await store.saveClient(preRegistered);
  const again = await store.saveClient({ ...preRegistered, clientSecret: null });
  const others = await Promise.all(
    [{ serverId: 'other' }, { issuer: 'https://as.example/' }, { clientId: 'client-2' }].map((change) =>
      store.saveClient({ ...preRegistered, ...change }),
    ),
  );
  expect(again.id).toBe(first.id);
  expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
  expect(await store.list(null)).toHaveLength(4);
  expect((await store.list('server')).map(({ hasClientSecret }) => hasClientSecret)).toEqual([
    false,
    true,
    true,
  ]);
});

test('a list has no secret of a client or its tokens', async () => {
  const { store, changed } = open();
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('planted-access-token', 'planted-refresh-token', 7));
  const list = await store.list('server');
  expect(JSON.stringify(list)).not.toContain('planted');
  expect(list).toEqual([
    {
      id,
      serverId: 'server',
      issuer: 'https://as.example',
      clientId: 'client',
      registration: 'dynamic',
      hasClientSecret: true,
      resource: 'https://mcp.example/mcp',
      generations: [expect.objectContaining({ number: 1, state: 'in-use', row: 7 })],
      isPersistent: false,
    },
  ]);
  expect(changed).toEqual(['server', 'server']);
});

test('concurrent changes are all kept', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  await Promise.all([
    ...Array.from({ length: 5 }, (_, count) => store.saveTokens(id, received(`token-${count}`))),
    ...Array.from({ length: 5 }, (_, count) =>
      store.saveClient({ ...preRegistered, clientId: `other-${count}` }),
    ),
  ]);
  expect((await store.get(id))?.generations.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(await store.list(null)).toHaveLength(6);
});

test('one refresh runs at a time, and those who ask meanwhile get its result', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('old', 'refresh-1'));
  let requests = 0;
  const request = async ({ tokens }: Credentials) => {
    requests += 1;
    expect(tokens?.refreshToken).toBe('refresh-1');
    await new Promise((resolve) => setImmediate(resolve));
    return received('new', 'refresh-2');
  };
  const results = await Promise.all([1, 2, 3].map(() => store.refresh(id, 'old', request)));
  const late = await store.refresh(id, 'old', request);
  expect(requests).toBe(1);
  expect([...results, late].map(({ tokens }) => tokens?.accessToken)).toEqual(['new', 'new', 'new', 'new']);
});

test('a rotated refresh token is stored before it is used', async () => {
  const memory = memorySecrets();
  const { store } = open({
    ...memory,
    set: async (key, value) => {
      await new Promise((resolve) => setImmediate(resolve));
      await memory.set(key, value);
    },
  });
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('a', 'refresh-1'));
  const { tokens } = await store.refresh(id, 'a', async () => received('b', 'refresh-2'));
  expect(tokens?.refreshToken).toBe('refresh-2');
  expect(await memory.get(`authorization/${id}`)).toContain('refresh-2');
});

test('a failed refresh changes nothing, and the next one runs', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('a', 'refresh-1'));
  await expect(store.refresh(id, 'a', () => Promise.reject(new Error('no response')))).rejects.toThrow(
    'no response',
  );
  expect((await store.get(id))?.tokens?.refreshToken).toBe('refresh-1');
  const { tokens } = await store.refresh(id, 'a', async () => received('b', 'refresh-2'));
  expect(tokens?.accessToken).toBe('b');
});

test('what the user replaces or forgets while a refresh runs stays so', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('a', 'refresh-1'));
  const result = await store.refresh(id, 'a', async () => {
    await store.replace(id, { accessToken: 'given', refreshToken: null }, 5);
    return received('b');
  });
  expect(result.tokens?.accessToken).toBe('given');
  const forgotten = store.refresh(id, 'given', async () => {
    await store.forget(id);
    return received('c');
  });
  await expect(forgotten).rejects.toMatchObject({ fault: { code: 'no-such-credentials' } });
  expect(await store.list(null)).toEqual([]);
});

test('tokens are dropped when the server or its resource has another URL', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  for (const change of [{ serverUrl: 'https://evil.example/mcp' }, { resource: 'https://mcp.example' }]) {
    await store.saveClient(client);
    await store.saveTokens(id, received('a'));
    const same = await store.saveClient({ ...client, requestedScope: 'read write' });
    expect(same.tokens?.accessToken).toBe('a');
    const changed = await store.saveClient({ ...client, ...change });
    expect(changed).toMatchObject({ id, tokens: null, generations: [] });
  }
});

test('an expired, revoked or replaced token shows as such', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  const states = async () =>
    (await store.list(null)).flatMap(({ generations }) => generations.map((one) => one.state));
  await store.saveTokens(id, received('a', 'r'));
  await store.expire(id, 2000);
  expect(await states()).toEqual(['expired']);
  expect((await store.get(id))?.tokens).toMatchObject({ refreshToken: 'r', expiresAt: 2000 });
  await store.replace(id, { accessToken: 'given', refreshToken: 'r-2' }, 3000);
  expect((await store.get(id))?.tokens).toMatchObject({
    accessToken: 'given',
    refreshToken: 'r-2',
    scope: 'read',
  });
  await store.revoked(id, 'access_token', 4000);
  expect((await store.get(id))?.tokens).toMatchObject({ refreshToken: 'r-2', expiresAt: 4000 });
  await store.saveTokens(id, received('b', 'r-3'));
  await store.revoked(id, 'refresh_token', 5000);
  expect((await store.get(id))?.tokens).toMatchObject({ accessToken: 'b', refreshToken: null });
  await store.revoked(id, 'access_token', 6000);
  expect((await store.get(id))?.tokens).toBeNull();
  expect(await states()).toEqual(['expired', 'revoked', 'revoked']);
});

test('a dynamic client replaces those of its issuer that have no tokens', async () => {
  const { store } = open();
  const used = await store.saveClient({ ...client, clientId: 'used' });
  await store.saveTokens(used.id, received('a'));
  await store.saveClient({ ...client, clientId: 'unused' });
  await store.saveClient({ ...client, clientId: 'elsewhere', issuer: 'https://other.example' });
  await store.saveClient(preRegistered);
  await store.saveClient({ ...client, clientId: 'new' });
  expect((await store.list('server')).map(({ clientId }) => clientId)).toEqual([
    'used',
    'elsewhere',
    'client',
    'new',
  ]);
});

test('what came of verifying a token is noted at its generation', async () => {
  const { store } = open();
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('a'));
  await store.saveTokens(id, received('b'));
  const signature = { state: 'verified' as const, detail: 'Signed with a key.' };
  await store.saveSignature(id, 'b', signature);
  const [stored] = await store.list(null);
  expect(stored?.generations.map((one) => one.signature.state)).toEqual(['none', 'verified']);
});

test('forgets one client, and all of a server', async () => {
  const { store, storage } = open();
  const { id } = await store.saveClient(preRegistered);
  await store.saveClient({ ...preRegistered, clientId: 'second' });
  await store.saveClient({ ...preRegistered, serverId: 'other' });
  await store.forget(id);
  await store.forget(id);
  expect(await store.list('server')).toHaveLength(1);
  await store.forgetServer('server');
  expect((await store.list(null)).map(({ serverId }) => serverId)).toEqual(['other']);
  expect(await storage.get(`authorization/${id}`)).toBeNull();
  await expect(store.expire(id, 0)).rejects.toMatchObject({ fault: { code: 'no-such-credentials' } });
});

test('a damaged value counts as lost', async () => {
  const { store, storage } = open();
  const { id } = await store.saveClient(client);
  await storage.set(`authorization/${id}`, '{"version":2}');
  expect(await store.get(id)).toBeNull();
  expect(await store.list(null)).toEqual([]);
  await storage.set('authorization', 'not JSON');
  expect(await store.list(null)).toEqual([]);
});

test('two apps with one store see what the other has refreshed', async () => {
  const { store, storage } = open();
  const other = new CredentialStore(storage, () => {});
  const { id } = await store.saveClient(client);
  await store.saveTokens(id, received('a', 'refresh-1'));
  await other.refresh(id, 'a', async () => received('b', 'refresh-2'));
  const { tokens } = await store.refresh(id, 'a', () => Promise.reject(new Error('used twice')));
  expect(tokens?.refreshToken).toBe('refresh-2');
});
