import { beforeEach, describe, expect, test } from 'vitest';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings, type Server, type TransportSettings } from '#shared/contract/servers.ts';
import { memorySecrets } from './secrets.ts';
import { ServerSecrets } from './server-secrets.ts';
import { serverOfThisRun } from './servers-of-this-run.ts';

let store: ReturnType<typeof memorySecrets>;
let secrets: ServerSecrets;
beforeEach(() => {
  store = memorySecrets();
  secrets = new ServerSecrets(store);
});

const withEnv = (...env: [name: string, value: string | null, secret: boolean][]): TransportSettings => ({
  kind: 'stdio',
  command: 'node',
  args: [],
  cwd: null,
  env: env.map(([name, value, secret]) => ({ name, value, secret })),
  inherit: 'safe',
});
const withHeaders = (...headers: [name: string, value: string | null][]): TransportSettings => ({
  ...plainHttpSettings('https://example.com/mcp'),
  headers: headers.map(([name, value]) => ({ name, value, secret: true })),
});
const named = { kind: 'stdio', command: 'node', args: [], cwd: '/', env: {} } as const;
const serverWith = (transport: TransportSettings): Server => ({ ...serverOfThisRun('s1', named), transport });
const saved = async (transport: TransportSettings) => serverWith(await secrets.keep('s1', transport));

describe('the secrets of a saved server', () => {
  test('are in the store and out of the settings, and go with the server at connect', async () => {
    const server = await saved(withEnv(['KEY', 'hunter2222', true], ['MODE', 'test', false]));
    expect(server.transport).toEqual(withEnv(['KEY', null, true], ['MODE', 'test', false]));
    expect(await new ServerSecrets(store).valuesOf(server)).toEqual({
      lines: [
        ['KEY', 'hunter2222'],
        ['MODE', 'test'],
      ],
      secrets: new Map([['env:KEY', 'hunter2222']]),
    });
  });

  test('are revealed by name: a variable as it is written, a header in any case', async () => {
    const variable = await saved(withEnv(['KEY', 'hunter2222', true], ['MODE', 'test', false]));
    expect(await secrets.reveal(variable, 'KEY')).toBe('hunter2222');
    expect(await secrets.reveal(variable, 'key')).toBeNull();
    expect(await secrets.reveal(variable, 'MODE')).toBeNull();
    const header = await saved(withHeaders(['X-Key', 'sesame']));
    expect(await secrets.reveal(header, 'x-KEY')).toBe('sesame');
  });

  test('that are not held are left out at connect', async () => {
    const server = serverWith(withHeaders(['X-Key', null]));
    expect(await secrets.valuesOf(server)).toEqual({ lines: [], secrets: new Map() });
  });

  test('are forgotten with the server, or with the setting they belonged to', async () => {
    const before = await saved(withEnv(['STAYS', 'one', true], ['GOES', 'two', true]));
    const now = serverWith(withEnv(['STAYS', null, true]));
    await secrets.forget(before, now);
    expect(await secrets.reveal(before, 'STAYS')).toBe('one');
    expect(await secrets.reveal(before, 'GOES')).toBeNull();
    await secrets.forget(now);
    expect(await secrets.reveal(before, 'STAYS')).toBeNull();
  });

  test('are distinguished when a header occurs twice', async () => {
    const server = await saved(withHeaders(['X-Key', 'one'], ['x-key', 'two']));
    expect((await secrets.valuesOf(server)).lines).toEqual([
      ['X-Key', 'one'],
      ['x-key', 'two'],
    ]);
  });
});

describe('the secrets of the authorization at a server', () => {
  const withClient = (value: string | null, isSet = true): TransportSettings => ({
    ...plainHttpSettings('https://example.com/mcp'),
    authorization: { ...defaultAuthorization, clientId: 'sightglass', clientSecret: { isSet, value } },
  });

  test('are in the store and out of the settings, and an edit that leaves them out keeps them', async () => {
    const server = await saved(withClient('client-secret-1'));
    expect(server.transport).toEqual(withClient(null));
    const edited = await saved(withClient(null));
    expect(await new ServerSecrets(store).authorizationOf(edited)).toMatchObject({
      clientId: 'sightglass',
      clientSecret: { isSet: true, value: 'client-secret-1' },
      privateKey: { isSet: false, value: null },
    });
  });

  test('are removed by an empty value, and with the server', async () => {
    const server = await saved(withClient('client-secret-1'));
    const emptied = await saved(withClient(''));
    expect(emptied.transport).toEqual(withClient(null, false));
    expect((await secrets.authorizationOf(server)).clientSecret).toEqual({ isSet: false, value: null });
    const again = await saved(withClient('client-secret-2'));
    await secrets.forget(again);
    expect((await secrets.authorizationOf(again)).clientSecret).toEqual({ isSet: false, value: null });
  });

  test('of this run are in memory alone until it is saved', async () => {
    const held = serverWith(secrets.hold('s1', withClient('client-secret-1')));
    expect(held.transport).toEqual(withClient(null));
    expect((await secrets.authorizationOf(held)).clientSecret.value).toBe('client-secret-1');
    expect((await new ServerSecrets(store).authorizationOf(held)).clientSecret.value).toBeNull();
    const kept = serverWith(await secrets.keep('s1', held.transport));
    expect((await new ServerSecrets(store).authorizationOf(kept)).clientSecret.value).toBe('client-secret-1');
  });

  test('are none by default', async () => {
    expect(await secrets.authorizationOf(serverWith(withEnv()))).toEqual(defaultAuthorization);
  });
});

describe('the secrets of a server of this run', () => {
  test('are held in memory alone, and in the store once it is saved', async () => {
    const held = serverWith(secrets.hold('s1', withHeaders(['X-Key', 'sesame'])));
    expect(held.transport).toEqual(withHeaders(['X-Key', null]));
    expect(await secrets.reveal(held, 'X-Key')).toBe('sesame');
    expect(await new ServerSecrets(store).reveal(held, 'X-Key')).toBeNull();
    await secrets.keep('s1', held.transport);
    expect(await new ServerSecrets(store).reveal(held, 'X-Key')).toBe('sesame');
  });

  test('that are saved as not secret are in its settings', async () => {
    secrets.hold('s1', withEnv(['MODE', 'test', true]));
    expect(await secrets.keep('s1', withEnv(['MODE', null, false]))).toEqual(
      withEnv(['MODE', 'test', false]),
    );
    expect(await secrets.reveal(serverWith(withEnv(['MODE', null, true])), 'MODE')).toBeNull();
  });
});
