import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  type Server,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import { memorySecrets } from './secrets.ts';

const secrets = memorySecrets();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ secrets });
});
afterEach(() => engine.close());

const target = misbehavingServer();

const save = (transport: Partial<StdioSettings> = {}, id: string | null = null): Promise<Server> =>
  engine.call('servers/save', {
    id,
    settings: {
      name: 'mine',
      transport: { kind: 'stdio', ...target, cwd: engine.folder, env: [], inherit: 'safe', ...transport },
      era: 'legacy',
      revision: null,
      timeouts: defaultTimeouts,
      keepAlive: noKeepAlive,
      client: defaultClientProfile,
      notes: '',
    },
  });

const variable = (name: string, value: string | null, secret = false) => ({ name, value, secret });

/** What the user is shown when the server is opened; null when it runs without a question. */
async function shownFor({ id }: Server) {
  const answer = await engine.call('sessions/open', { serverId: id });
  return answer.outcome === 'approval-needed' ? answer.launch : null;
}

describe('what is run', () => {
  /** Two programs of one name, in the working folder and along PATH; each says which of the two was run. */
  async function twoPrograms() {
    const real = join(engine.folder, 'real');
    const here = join(engine.folder, 'here');
    for (const folder of [real, here]) {
      await mkdir(folder);
      const script = `#!/bin/sh\n/bin/echo "$0" > '${join(engine.folder, 'ran')}'\nexec '${target.command}' ${target.args.map((arg) => `'${arg}'`).join(' ')}\n`;
      await writeFile(join(folder, 'server'), script);
      await chmod(join(folder, 'server'), 0o755);
    }
    return { real, here, ran: async () => (await readFile(join(engine.folder, 'ran'), 'utf8')).trim() };
  }

  test.each([
    ['an empty place', ({ real }: { real: string }) => `:${real}`],
    ['an empty place at its end', ({ real }: { real: string }) => `/nowhere:${real}:`],
    ['a relative place', ({ real }: { real: string }) => `.:${real}`],
    ['a place outside', ({ real }: { real: string }) => `../real:${real}`],
  ])('is the very file that was shown, with %s in PATH', async (_, pathOf) => {
    const programs = await twoPrograms();
    const env = [variable('PATH', pathOf(programs))];
    const server = await save({ command: 'server', args: [], cwd: programs.here, env });
    const shown = await shownFor(server);
    expect((await engine.reconnect(server.id)).phase).toBe('ready');
    expect(await programs.ran()).toBe(shown?.resolved);
  });

  test('is asked for again when another file has come first', async () => {
    const { real, here, ran } = await twoPrograms();
    const first = join(engine.folder, 'first');
    await mkdir(first);
    const env = [variable('PATH', `${first}:${real}`)];
    const server = await save({ command: 'server', args: [], cwd: here, env });
    await engine.reconnect(server.id);
    expect(await ran()).toBe(join(real, 'server'));
    await writeFile(join(first, 'server'), '#!/bin/sh\n');
    await chmod(join(first, 'server'), 0o755);
    expect(await shownFor(server)).toMatchObject({ resolved: join(first, 'server') });
  });

  test('is nothing when nothing was found, though the system would find it', async () => {
    const { here, ran } = await twoPrograms();
    // An empty PATH is the working folder to some systems, and /bin to others.
    const server = await save({ command: 'server', args: [], cwd: here, env: [variable('PATH', '')] });
    expect(await shownFor(server)).toMatchObject({ resolved: null });
    const session = await engine.reconnect(server.id);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'command-not-found' } });
    await expect(ran()).rejects.toThrow('ENOENT');
  });
});

describe('an approval', () => {
  test('shows the values of variables, but of secret ones only that they are set', async () => {
    const server = await save({
      env: [variable('PORT', '8080'), variable('API_KEY', 'hunter2222', true)],
      inherit: 'all',
    });
    expect(await shownFor(server)).toMatchObject({
      env: [
        { name: 'PORT', value: '8080' },
        { name: 'API_KEY', value: null },
      ],
      inherit: 'all',
    });
  });

  test.each<[string, Partial<StdioSettings>]>([
    ['a value', { env: [variable('NODE_OPTIONS', '--require ./evil.cjs'), variable('KEY', null, true)] }],
    ['a secret value', { env: [variable('NODE_OPTIONS', ''), variable('KEY', 'other secret', true)] }],
    [
      'a further variable',
      { env: [variable('NODE_OPTIONS', ''), variable('KEY', null, true), variable('A', '')] },
    ],
    ['what is inherited', { inherit: 'all' }],
  ])('is asked for again when %s has changed', async (_, change) => {
    const env = [variable('NODE_OPTIONS', ''), variable('KEY', 'a secret', true)];
    const server = await save({ env });
    await engine.reconnect(server.id);
    expect(await shownFor(server)).toBeNull();
    const same = env.map((entry) => (entry.secret ? { ...entry, value: null } : entry));
    const changed = await save({ env: same, ...change }, server.id);
    expect(await shownFor(changed)).not.toBeNull();
    const back = await save({ env }, server.id);
    expect(await shownFor(back)).toBeNull();
  });

  test('a variable cannot bring in code that was never approved', async () => {
    const evil = join(engine.folder, 'evil.cjs');
    const ran = join(engine.folder, 'evil-ran');
    await writeFile(evil, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`);
    const server = await save({ env: [variable('NODE_OPTIONS', '')] });
    await engine.reconnect(server.id);
    await save({ env: [variable('NODE_OPTIONS', `--require ${evil}`)] }, server.id);
    const answer = await engine.call('sessions/open', { serverId: server.id });
    if (answer.outcome === 'opened') await engine.settled(answer.session.id, ['ready', 'failed', 'closed']);
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
  });

  test('is kept without secret values, and without the key that they are compared by', async () => {
    const server = await save({ env: [variable('KEY', 'hunter2222', true)] });
    await engine.reconnect(server.id);
    const text = await readFile(join(engine.folder, 'approvals.json'), 'utf8');
    expect(text).toContain('"KEY"');
    expect(text).not.toContain('hunter2222');
    const key = await secrets.get('approvals/key');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(text).not.toContain(key);
  });

  test('is asked for and given after a key store that failed answers again', async () => {
    let isLocked = true;
    const store = memorySecrets();
    const get = async (key: string) => {
      if (key === 'approvals/key' && isLocked) throw new Error('the key store is locked');
      return store.get(key);
    };
    await engine.close();
    engine = await EngineFixture.open({ secrets: { ...store, get } });
    const server = await save({ env: [variable('KEY', 'hunter2222', true)] });
    await expect(shownFor(server)).rejects.toThrow('Something went wrong');
    isLocked = false;
    expect(await shownFor(server)).not.toBeNull();
    await engine.reconnect(server.id);
    expect(await shownFor(server)).toBeNull();
  });

  test('is listed with all that was shown, and after it is revoked the user is asked again', async () => {
    const server = await save({ env: [variable('PORT', '8080')] });
    const shown = await shownFor(server);
    await engine.reconnect(server.id);
    const [approval, ...others] = await engine.call('approvals/list', {});
    expect(others).toEqual([]);
    expect(approval).toMatchObject({ launch: shown, serverIds: [server.id] });
    const reported: unknown[] = [];
    engine.engine.onEvent(({ event, payload }) => {
      if (event === 'approvals/changed') reported.push(payload);
    });
    await engine.call('approvals/revoke', { id: approval?.id ?? '' });
    expect(await engine.call('approvals/list', {})).toEqual([]);
    expect(reported).toEqual([[]]);
    expect(await shownFor(server)).toEqual(shown);
  });

  test('goes with its server, but stays while another server runs the same', async () => {
    const one = await save();
    await engine.reconnect(one.id);
    const other = await save();
    expect(await shownFor(other)).toBeNull();
    await engine.call('servers/remove', { id: one.id });
    expect(await engine.call('approvals/list', {})).toMatchObject([{ serverIds: [other.id] }]);
    await engine.call('servers/remove', { id: other.id });
    expect(await engine.call('approvals/list', {})).toEqual([]);
    expect(await shownFor(await save())).not.toBeNull();
  });

  test('by an earlier version, which ignored values, is asked for again; the rest of that file does no harm', async () => {
    const path = join(engine.folder, 'approvals.json');
    await writeFile(path, JSON.stringify({ version: 1, approved: ['0'.repeat(64)] }));
    expect(await engine.call('approvals/list', {})).toEqual([]);
    const server = await save();
    expect(await shownFor(server)).not.toBeNull();
    await engine.reconnect(server.id);
    expect(await shownFor(server)).toBeNull();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: 1, approved: [] });
  });
});
