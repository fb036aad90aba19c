import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { CredentialStore, type RegisteredClient } from '#authorization/credentials.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
  type ServerSettings,
} from '#shared/contract/servers.ts';
import { Removals, UNDO_PERIOD } from './removals.ts';
import { memorySecrets } from './secrets.ts';

const opened = closeAfterEachTest();

const secrets = memorySecrets();

/** An engine of a window on this folder; without one, on a folder of its own. */
const open = async (dataFolder?: string) =>
  opened(
    await EngineFixture.open({
      host: 'web',
      secrets,
      ...(dataFolder !== undefined && { dataFolder }),
    }),
  );

let engine: EngineFixture;

beforeEach(async () => {
  engine = await open();
});

afterEach(() => {
  vi.useRealTimers();
});

const settings = (name: string): ServerSettings => ({
  name,
  transport: {
    ...plainHttpSettings('http://127.0.0.1:1/mcp'),
    headers: [{ name: 'X-Key', value: `key of ${name}`, secret: true }],
  },
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
});

const save = (name: string) => engine.call('servers/save', { id: null, settings: settings(name) });
const names = async (of = engine) => (await of.call('servers/list', {})).map(({ name }) => name);

/** What can be brought back, the oldest first. */
const removed = (of = engine) => of.call('removals/list', {});

/** Undoes the removal that came last. */
async function undo(of = engine): Promise<void> {
  const last = (await removed(of)).at(-1);
  await of.call('removals/restore', { id: last?.id ?? '' });
}

const client: Omit<RegisteredClient, 'serverId'> = {
  serverUrl: 'http://127.0.0.1:1/mcp',
  issuer: 'https://issuer.example',
  clientId: 'client',
  registration: 'pre-registered',
  clientSecret: 'secret of the client',
  secretExpiresAt: null,
  authMethod: null,
  redirectUri: null,
  management: null,
  resource: 'http://127.0.0.1:1/mcp',
  requestedScope: null,
  dropped: [],
  isIssuerRejected: false,
  endpoints: {
    token: 'https://issuer.example/token',
    revocation: null,
    introspection: null,
    jwks: null,
    authMethods: null,
  },
};

/** The names of the stored secrets that belong to a server. */
const storedOf = async (id: string) =>
  (await Promise.all([`server/${id}/header/x-key`].map((key) => secrets.get(key)))).filter(
    (value) => value !== null,
  );

describe('a removed server', () => {
  test('comes back in its place, with its secrets, its approvals and its credentials', async () => {
    const first = await save('first');
    await save('second');
    const store = new CredentialStore({ ...secrets, isPersistent: true }, () => {});
    await store.saveClient({ ...client, serverId: first.id });
    await engine.call('servers/remove', { id: first.id });
    expect(await names()).toEqual(['second']);
    expect(await removed()).toMatchObject([{ kind: 'server', name: 'first' }]);
    await undo();
    expect(await names()).toEqual(['first', 'second']);
    expect(await engine.call('servers/list', {})).toContainEqual(first);
    expect(await engine.call('servers/reveal', { id: first.id, name: 'X-Key' })).toEqual({
      value: 'key of first',
    });
    expect(await engine.call('authorization/credentials', { serverId: first.id })).toHaveLength(1);
    expect(await removed()).toEqual([]);
  });

  test('that ran runs again without a question, and asks while it is removed', async () => {
    const { serverId } = await engine.connect(misbehavingServer());
    const before = await engine.call('approvals/list', {});
    await engine.call('servers/remove', { id: serverId });
    expect(await engine.call('approvals/list', {})).toEqual([]);
    await undo();
    expect(await engine.call('approvals/list', {})).toEqual(before);
    expect(await engine.call('sessions/open', { serverId })).toMatchObject({ outcome: 'opened' });
  });

  test('is deleted with all its secrets when the app ends', async () => {
    const { id } = await save('first');
    await engine.call('servers/remove', { id });
    expect(await storedOf(id)).toEqual(['key of first']);
    await engine.engine.close();
    expect(await storedOf(id)).toEqual([]);
    expect(await readFile(join(engine.folder, 'removed.json'), 'utf8')).not.toContain('first');
  });

  test('can still be brought back after the app was killed, and is deleted later if nobody does', async () => {
    const [first, second] = [await save('first'), await save('second')];
    await engine.call('servers/remove', { id: first.id });
    await engine.call('servers/remove', { id: second.id });
    // Killed: nothing is closed.
    const next = await open(engine.folder);
    expect(await names(next)).toEqual([]);
    await undo(next);
    expect(await names(next)).toEqual(['second']);
    vi.useFakeTimers({ toFake: ['Date'], now: (await removed(next))[0]!.until + 1 });
    const later = await open(engine.folder);
    expect(await removed(later)).toEqual([]);
    expect([await storedOf(first.id), await storedOf(second.id)]).toEqual([[], ['key of second']]);
    const [one] = await removed();
    await expect(engine.call('removals/restore', { id: one?.id ?? 'none' })).resolves.toBeNull();
  });

  test('that was saved again keeps its secrets when the time is over', async () => {
    const { id } = await save('first');
    await engine.call('servers/remove', { id });
    const other = await open(engine.folder);
    await other.call('servers/save', { id, settings: settings('first') });
    await engine.engine.close();
    expect(await storedOf(id)).toEqual(['key of first']);
  });
});

test('a revoked approval comes back as it was', async () => {
  await engine.connect(misbehavingServer());
  const [approval] = await engine.call('approvals/list', {});
  await engine.call('approvals/revoke', { id: approval?.id ?? '' });
  expect(await engine.call('approvals/list', {})).toEqual([]);
  await undo();
  expect(await engine.call('approvals/list', {})).toEqual([approval]);
});

test('a deleted trace comes back with all its bytes, under another name if its own is taken', async () => {
  const { id, traceFile } = await engine.connect(misbehavingServer());
  await engine.call('sessions/close', { sessionId: id });
  const bytes = await readFile(traceFile.path);
  const folder = join(engine.folder, 'traces');
  await engine.call('traces/delete', { path: traceFile.path });
  expect((await engine.call('traces/list', {})).files).toEqual([]);
  await undo();
  expect(await readFile(traceFile.path)).toEqual(bytes);
  await engine.call('traces/delete', { path: traceFile.path });
  await writeFile(traceFile.path, 'another');
  await undo();
  expect(await readFile(traceFile.path, 'utf8')).toBe('another');
  const restored = (await readdir(folder)).filter(
    (name) => name !== basename(traceFile.path) && name.endsWith('.mcptrace'),
  );
  expect(await readFile(join(folder, restored[0] ?? ''))).toEqual(bytes);
});

test('a deleted trace is gone from the disk when the app ends', async () => {
  const { id, traceFile } = await engine.connect(misbehavingServer());
  await engine.call('sessions/close', { sessionId: id });
  await engine.call('traces/delete', { path: traceFile.path });
  const held = join(engine.folder, 'traces', 'removed');
  expect(await readdir(held)).toHaveLength(1);
  await engine.engine.close();
  expect(await readdir(held)).toEqual([]);
});

test('what cannot be deleted in the end is no longer offered, and the next run deletes it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const begin = async (erase: () => Promise<void>) => {
    const [offered, errors]: [string[][], string[]] = [[], []];
    const removals = new Removals({
      folder: engine.folder,
      onChange: (list) => void offered.push(list.map(({ name }) => name)),
      reportError: (what) => void errors.push(what),
    });
    const note = removals.define('trace', z.null(), { restore: async () => {}, erase });
    await removals.begin();
    return { removals, note, offered, errors };
  };
  const first = await begin(() => Promise.reject(new Error('in use')));
  await first.note('a trace', null);
  await first.removals.close();
  expect(first.offered).toEqual([['a trace'], []]);
  expect(first.errors).toEqual(['while the removed trace was deleted']);
  vi.setSystemTime(UNDO_PERIOD);
  const second = await begin(async () => {});
  expect([second.offered, second.errors]).toEqual([[[]], []]);
  await second.removals.close();
});

describe('a step removed from a test file', () => {
  const text = [
    '# What the server must do.',
    'version: 1',
    'steps:',
    '  # The first, with a reason.',
    '  - name: one',
    '    call: echo # called by its old name',
    '    arguments: { text: "a" }',
    '    expect: { status: ok }',
    '',
    '  # The second.',
    '  - name: two',
    '    call: echo',
    '    expect: { status: ok }',
    '',
  ].join('\n');

  const write = async () => {
    const path = join(engine.folder, 'own.mcptest.yaml');
    await writeFile(path, text);
    return path;
  };

  test('comes back with its comments, byte for byte if the file was not changed since', async () => {
    const path = await write();
    await engine.call('saved-calls/remove', { path, index: 0, name: 'one' });
    expect(await readFile(path, 'utf8')).not.toContain('name: one');
    await undo();
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('comes back beside what was changed in the file since', async () => {
    const path = await write();
    await engine.call('saved-calls/remove', { path, index: 0, name: 'one' });
    await writeFile(path, `${await readFile(path, 'utf8')}  # The third.\n  - name: three\n    call: echo\n`);
    await undo();
    const restored = await readFile(path, 'utf8');
    expect((await engine.call('saved-calls/read', { path })).calls.map(({ name }) => name)).toEqual([
      'one',
      'two',
      'three',
    ]);
    expect(restored).toContain('# called by its old name');
    expect(restored).toContain('# The third.');
  });

  test('does not come back over a step that has its name by now', async () => {
    const path = await write();
    await engine.call('saved-calls/remove', { path, index: 0, name: 'one' });
    const changed = (await readFile(path, 'utf8')).replace('name: two', 'name: one');
    await writeFile(path, changed);
    await expect(undo()).rejects.toThrow('already has a call named "one"');
    expect(await readFile(path, 'utf8')).toBe(changed);
    // It can be tried again once the other has another name.
    expect(await removed()).toMatchObject([{ kind: 'saved-call', name: 'one' }]);
  });
});

test('forgotten credentials and a removed key come back, and leave the store when the app ends', async () => {
  const { id: serverId } = await save('first');
  const keys: string[] = [];
  const own = { ...secrets, set: (key: string, value: string) => (keys.push(key), secrets.set(key, value)) };
  const other = opened(await EngineFixture.open({ host: 'web', secrets: own, dataFolder: engine.folder }));
  const store = new CredentialStore({ ...secrets, isPersistent: true }, () => {});
  const { id } = await store.saveClient({ ...client, serverId });
  const forget = () => other.call('authorization/forget', { credentialsId: id });
  await forget();
  expect(await other.call('authorization/credentials', { serverId })).toEqual([]);
  await undo(other);
  expect(await store.get(id)).toMatchObject({ clientSecret: 'secret of the client' });
  await other.call('model/set-key', { key: 'sk-1' });
  await other.call('model/set-key', { key: null });
  expect(await other.call('model/has-key', {})).toEqual({ hasKey: false });
  await undo(other);
  expect(await other.call('model/has-key', {})).toEqual({ hasKey: true });
  await forget();
  await other.call('model/set-key', { key: null });
  await other.engine.close();
  const left = await Promise.all(
    [...new Set(keys)].map(async (key) => [key, await secrets.get(key)] as const),
  );
  expect(left.filter(([, value]) => /secret of the client|sk-1/.test(value ?? ''))).toEqual([]);
});
