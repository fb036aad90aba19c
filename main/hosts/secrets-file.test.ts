import { spawnSync } from 'node:child_process';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CredentialStore } from '#authorization/credentials.ts';
import { type Cipher, secretsFile } from './secrets-file.ts';

/** A real cipher whose key lives as long as the test. `stale` asks for re-encryption as a rotated key does. */
function cipherWith(key: Buffer, stale = false): Cipher {
  return {
    async encrypt(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    async decrypt(bytes) {
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      cipher.setAuthTag(bytes.subarray(-16));
      const text = Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]);
      return { text: text.toString('utf8'), isStale: stale };
    },
  };
}

async function emptyPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'secrets.json');
}

test('secrets survive a restart, unreadable on disk and for their owner alone', async () => {
  const [path, key] = [await emptyPath(), randomBytes(32)];
  const store = secretsFile(path, cipherWith(key));
  expect(store.isPersistent).toBe(true);
  expect(await store.get('token')).toBeNull();
  await store.set('token', 'hunter2');
  expect(await readFile(path, 'utf8')).not.toContain('hunter2');
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await secretsFile(path, cipherWith(key)).get('token')).toBe('hunter2');
});

test('changes at the same time all count', async () => {
  const store = secretsFile(await emptyPath(), cipherWith(randomBytes(32)));
  const keys = ['a', 'b', '__proto__', 'constructor'];
  await Promise.all(keys.map((key) => store.set(key, `value of ${key}`)));
  await store.remove('a');
  expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual([
    null,
    'value of b',
    'value of __proto__',
    'value of constructor',
  ]);
});

test('a value whose key is lost is gone', async () => {
  const path = await emptyPath();
  await secretsFile(path, cipherWith(randomBytes(32))).set('token', 'hunter2');
  expect(await secretsFile(path, cipherWith(randomBytes(32))).get('token')).toBeNull();
});

test('a value under an old key is encrypted again', async () => {
  const [path, key] = [await emptyPath(), randomBytes(32)];
  await secretsFile(path, cipherWith(key)).set('token', 'hunter2');
  const before = await readFile(path, 'utf8');
  expect(await secretsFile(path, cipherWith(key, true)).get('token')).toBe('hunter2');
  expect(await readFile(path, 'utf8')).not.toBe(before);
  expect(await secretsFile(path, cipherWith(key)).get('token')).toBe('hunter2');
});

test('a damaged file is said and not overwritten', async () => {
  const path = await emptyPath();
  await writeFile(path, '{"version":1,"values":');
  const store = secretsFile(path, cipherWith(randomBytes(32)));
  await expect(store.set('token', 'hunter2')).rejects.toThrow('is damaged');
  await expect(store.get('token')).rejects.toThrow('is damaged');
  expect(await readFile(path, 'utf8')).toBe('{"version":1,"values":');
});

test('stored credentials survive a restart except rows of the trace, and no part of them is readable on disk', async () => {
  const [path, key] = [await emptyPath(), randomBytes(32)];
  const before = new CredentialStore(secretsFile(path, cipherWith(key)), () => {});
  const { id } = await before.saveClient({
    serverId: 'server',
    serverUrl: 'https://mcp.example/mcp',
    issuer: 'https://as.example',
    clientId: 'client',
    registration: 'dynamic',
    clientSecret: 'planted-client-secret',
    secretExpiresAt: null,
    authMethod: null,
    redirectUri: null,
    management: { uri: 'https://as.example/register/1', accessToken: 'planted-management-token' },
    resource: 'https://mcp.example/mcp',
    requestedScope: null,
    dropped: [],
    isIssuerRejected: false,
    endpoints: {
      token: 'https://as.example/token',
      revocation: null,
      introspection: null,
      jwks: null,
      authMethods: null,
    },
  });
  const tokens = {
    accessToken: 'planted-access-token',
    refreshToken: 'planted-refresh-token',
    idToken: null,
    tokenType: 'Bearer',
    scope: null,
    receivedAt: 0,
    expiresAt: null,
  };
  const saved = await before.saveTokens(id, {
    tokens,
    signature: { state: 'none', detail: '' },
    row: 7,
    dpopThumbprint: null,
  });
  expect(await before.list('server')).toMatchObject([{ generations: [{ row: 7 }] }]);
  expect(await readFile(path, 'utf8')).not.toMatch(/planted|example/);
  const after = new CredentialStore(secretsFile(path, cipherWith(key)), () => {});
  expect(await after.get(id)).toEqual(saved);
  expect(await after.list('server')).toMatchObject([
    { id, isPersistent: true, generations: [{ number: 1, state: 'in-use', row: null }] },
  ]);
  await after.forget(id);
  expect(await readFile(path, 'utf8')).not.toContain(id);
  expect(await before.list(null)).toEqual([]);
});

test('work under one name runs in one app at a time, also after an app that ended in between', async () => {
  const path = await emptyPath();
  const [one, other] = [1, 2].map(() => secretsFile(path, cipherWith(randomBytes(32))));
  let running = 0;
  const work = async () => {
    expect(++running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return 'done';
  };
  const lock = (store = one) => store?.exclusively?.('tokens', work);
  expect(await Promise.all([lock(), lock(other), lock(), lock(other)])).toEqual(Array(4).fill('done'));
  await expect(one?.exclusively?.('tokens', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(dirname(path))).toEqual([]);
  // A process that has ended holds it.
  const id = createHash('sha256').update('tokens').digest('hex').slice(0, 16);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(`${path}.${id}.lock`, String(pid));
  expect(await lock()).toBe('done');
});
