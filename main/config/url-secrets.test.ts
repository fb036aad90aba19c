import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { plainHttpSettings, type Server } from '#shared/contract/servers.ts';
import { memorySecrets } from './secrets.ts';
import type { Secrets } from './secrets.ts';

const PASSWORD = 'sesame-Qm2xVb';
const TOKEN = 'token-Lk4TzR8w';
const basic = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;

async function openEngine(platform: Parameters<typeof EngineFixture.open>[0] = {}) {
  const engine = await EngineFixture.open({ host: 'web', ...platform });
  onTestFinished(() => engine.close());
  const reported: string[] = [];
  engine.engine.onEvent((frame) => {
    reported.push(JSON.stringify(frame));
  });
  return { engine, reported };
}

async function serve() {
  const server = await ScriptedHttpServer.open({ era: 'both' });
  onTestFinished(() => server.close());
  const whole = `${server.url.replace('http://', `http://me:${PASSWORD}@`)}?team=a&api_key=${TOKEN}`;
  const shown = `${server.url.replace('http://', 'http://••••@')}?team=a&api_key=••••`;
  return { server, whole, shown };
}

const fileOf = (engine: EngineFixture) => readFile(join(engine.folder, 'servers.json'), 'utf8');

const urlOf = ({ transport }: Pick<Server, 'transport'>) =>
  transport.kind === 'http' ? transport.url : 'no URL';

async function saveUrl(engine: EngineFixture, url: string, id?: string) {
  const [first] = await engine.call('servers/list', {});
  const settings = { name: 'mine', revision: null, timeouts: defaults, notes: '', ...first };
  return engine.call('servers/save', {
    id: id ?? null,
    settings: { era: 'auto', keepAlive, client, ...settings, transport: plainHttpSettings(url) },
  });
}

const defaults = { initialize: 60_000, request: 60_000, requestMax: 600_000 };
const keepAlive = { every: null, onSilence: 'warn' as const };
const client = { info: null, capabilities: null, roots: [], rules: [] };

/** What the version before wrote for a server with such a URL. */
const earlierFile = (url: string) => {
  const settings = { name: 'old', era: 'auto', revision: null, timeouts: defaults, keepAlive, client };
  const server = { ...settings, transport: plainHttpSettings(url), notes: '', id: 'v1', source: 'user' };
  return JSON.stringify({ version: 1, servers: [server], hasDemo: false }, null, 2);
};

describe('the user info and the credential parameters of a URL', () => {
  test('go to the server, and are neither in a file nor on the page', async () => {
    const { engine, reported } = await openEngine();
    const { server, whole, shown } = await serve();
    const session = await engine.connectUrl(whole);
    expect(session.phase).toBe('ready');
    expect(server.requests.length).toBeGreaterThan(0);
    for (const request of server.requests) {
      expect(request.url).toBe(`/mcp?team=a&api_key=${TOKEN}`);
      expect(request.header('authorization')).toBe(basic);
    }
    const [listed] = await engine.call('servers/list', {});
    expect(listed && urlOf(listed)).toBe(shown);
    reported.push(JSON.stringify([listed, session, await engine.rows(session.id)]));
    await engine.engine.close();
    const paths = await readdir(engine.folder, { recursive: true, withFileTypes: true });
    const files = paths.filter((path) => path.isFile()).map((path) => join(path.parentPath, path.name));
    expect(files.some((path) => path.endsWith('.mcptrace'))).toBe(true);
    const all = [...reported, ...(await Promise.all(files.map((path) => readFile(path, 'latin1'))))];
    for (const text of all) {
      for (const secret of [PASSWORD, TOKEN, basic.slice('Basic '.length)])
        expect(text).not.toContain(secret);
    }
  });

  test('of a file of an earlier version move to the store when it is read, and the server gets them', async () => {
    const secrets = memorySecrets();
    const { engine } = await openEngine({ secrets });
    const { server, whole, shown } = await serve();
    await writeFile(join(engine.folder, 'servers.json'), earlierFile(whole));
    const [listed] = await engine.call('servers/list', {});
    expect(listed && urlOf(listed)).toBe(shown);
    const file = await fileOf(engine);
    expect(file).toContain(shown);
    expect(file).not.toMatch(new RegExp(`${PASSWORD}|${TOKEN}`));
    expect(await secrets.get('server/v1/url/user-info')).toBe(`me:${PASSWORD}`);
    expect(await secrets.get('server/v1/url/api_key')).toBe(TOKEN);
    expect((await engine.reconnect('v1')).phase).toBe('ready');
    expect(server.requests[0]?.url).toBe(`/mcp?team=a&api_key=${TOKEN}`);
    expect(server.requests[0]?.header('authorization')).toBe(basic);
  });

  test('stay in such a file when a single command reads it, which would lose them; it shows none', async () => {
    const { engine } = await openEngine({ host: 'cli' });
    const { server, whole, shown } = await serve();
    await writeFile(join(engine.folder, 'servers.json'), earlierFile(whole));
    const [listed] = await engine.call('servers/list', {});
    expect(listed && urlOf(listed)).toBe(shown);
    expect(await fileOf(engine)).toBe(earlierFile(whole));
    expect((await engine.reconnect('v1')).phase).toBe('ready');
    expect(server.requests[0]?.header('authorization')).toBe(basic);
  });

  test('that are no longer held are a fault that says which, and nothing is sent without them', async () => {
    const { engine } = await openEngine();
    const { server, whole } = await serve();
    const { id } = await saveUrl(engine, whole);
    await engine.engine.close();
    // Without a key store the next run holds none of them.
    const { engine: next } = await openEngine({ dataFolder: engine.folder });
    await expect(next.reconnect(id)).rejects.toThrow(
      'The user name and password in the URL of "mine" are no longer held.',
    );
    expect(server.requests).toEqual([]);
    await saveUrl(next, `${server.url}?api_key=••••`, id);
    await expect(next.reconnect(id)).rejects.toThrow(
      'The value of "api_key" in the URL of "mine" is no longer held.',
    );
    await saveUrl(next, `${server.url}?api_key=again`, id);
    expect((await next.reconnect(id)).phase).toBe('ready');
    expect(server.requests[0]?.url).toBe('/mcp?api_key=again');
  });

  test('are kept by their placeholder, changed by another value, and forgotten with their place', async () => {
    const secrets: Secrets & { isPersistent: false } = memorySecrets();
    const { engine } = await openEngine({ secrets });
    const url = (query: string) => `https://example.com/mcp?${query}`;
    const { id } = await saveUrl(engine, url('token=one&x=1&token=two&sig=three'));
    const changed = await saveUrl(engine, url('token=••••&x=2&token=changed#••••'), id);
    expect(urlOf(changed)).toBe(url('token=••••&x=2&token=••••#••••'));
    const revealed = await engine.call('servers/reveal-url', { id });
    expect(revealed).toEqual({ url: url('token=one&x=2&token=changed#••••') });
    expect(await secrets.get(`server/${id}/url/sig`)).toBeNull();
    await engine.call('servers/remove', { id });
    expect(await engine.call('servers/reveal-url', { id })).toEqual({ url: null });
    await engine.engine.close();
    expect(await secrets.get(`server/${id}/url/token`)).toBeNull();
  });

  test('of a URL named on the command line are in no store and on no page, and reach the server', async () => {
    const secrets = memorySecrets();
    const { server, whole, shown } = await serve();
    const named = { kind: 'http', url: whole, headers: [], transport: 'auto' } as const;
    const { engine } = await openEngine({ secrets, namedServer: named });
    const [session] = await engine.call('sessions/list', {});
    expect((await engine.settled(session?.id ?? '', ['ready', 'failed'])).phase).toBe('ready');
    expect(server.requests[0]?.header('authorization')).toBe(basic);
    const [listed] = await engine.call('servers/list', {});
    expect(listed && urlOf(listed)).toBe(shown);
    expect(await secrets.get(`server/${listed?.id}/url/user-info`)).toBeNull();
    await saveUrl(engine, shown, listed?.id);
    expect(await secrets.get(`server/${listed?.id}/url/user-info`)).toBe(`me:${PASSWORD}`);
  });

  test.each([
    ['https://a@b:secret@example.com', 'https://••••@example.com'],
    ['https:///a:secret@example.com/', 'https://••••@example.com/'],
    ['https://example.com/?to\tken=secret', 'https://example.com/?token=••••'],
    ['https://example.com/?a%70i-key=secret', 'https://example.com/?a%70i-key=••••'],
    ['https://example.com/#access_token=secret', 'https://example.com/#access_token=••••'],
  ])('are found in %j', async (written, shown) => {
    const { engine } = await openEngine();
    expect(urlOf(await saveUrl(engine, written))).toBe(shown);
    expect(await fileOf(engine)).not.toContain('secret@');
  });

  test('are the only parts that change: another URL is kept as it was written', async () => {
    const { engine } = await openEngine();
    const url = 'HTTPS://Example.com:443/a%20b/?q=1&page=2&sessionId=5#part';
    expect(urlOf(await saveUrl(engine, url))).toBe(url);
  });
});
