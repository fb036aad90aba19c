import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Answer } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { secretsFile } from './secrets-file.ts';

const opened = closeAfterEachTest();

/** An app whose browser grants everything, with the credentials that other apps of this data folder have. */
const openApp = async (dataFolder: string): Promise<EngineFixture> =>
  opened(
    await EngineFixture.open({
      dataFolder,
      credentials: secretsFile(join(dataFolder, 'credentials.json'), {
        encrypt: async (text) => Buffer.from(text),
        decrypt: async (bytes) => ({ text: bytes.toString(), isStale: false }),
      }),
      openInBrowser: async (url) => void (await browse(url)),
    }),
  );

const inSession = (engine: EngineFixture, sessionId: string) => {
  const flows = () => engine.call('authorization/flows', { sessionId });
  return {
    flows,
    echo: async () => (await engine.callTool(sessionId, 'echo', { text: 'x' })).state,
    refresh: async () => {
      const [stored] = await engine.call('authorization/credentials', { serverId: null });
      const params = { credentialsId: stored?.id ?? '', sessionId };
      const { id } = await engine.call('authorization/refresh', params);
      return engine.until(
        async () => (await flows()).find((one) => one.id === id && one.state === 'done') ?? null,
      );
    },
    generations: async () => {
      const [stored] = await engine.call('authorization/credentials', { serverId: null });
      return stored?.generations.map(({ state }) => state);
    },
  };
};

describe('two sessions with the same stored tokens', () => {
  /** In two apps, as two commands of a terminal have them. Their access token has expired. */
  async function connectTwice() {
    const dataFolder = await mkdtemp(join(tmpdir(), 'sightglass-two-'));
    const server = opened(await ProtectedServer.open());
    const [first, second] = [await openApp(dataFolder), await openApp(dataFolder)];
    const { id, serverId, phase } = await first.connectUrl(server.url);
    const session = await second.reconnect(serverId);
    expect([phase, session.phase]).toEqual(['ready', 'ready']);
    const before = server.log.length;
    const since = (path: string) => server.log.slice(before).filter(({ request }) => request.url === path);
    server.authorization.tokens.expireAccessTokens();
    return { one: inSession(first, id), other: inSession(second, session.id), server, since };
  }

  test('that expire at once send one refresh, and both use the rotated token', async () => {
    const { one, other, server, since } = await connectTwice();
    const refresh = async (answer: Answer) => {
      // Both have been rejected by now.
      while (since('/mcp').length < 2) await after(10);
      return answer;
    };
    server.authorization.options = { ...server.authorization.options, overrides: { refresh } };
    expect(await Promise.all([one.echo(), other.echo()])).toEqual(['ok', 'ok']);
    expect(since('/token')).toHaveLength(1);
    const flows = [...(await one.flows()), ...(await other.flows())];
    const steps = flows.flatMap((flow) => flow.steps.filter(({ name }) => name === 'refresh'));
    expect(steps.map(({ state }) => state)).toEqual(['done', 'done']);
    const taken = steps.filter(({ response, row }) => response === null && row === null);
    expect(taken.map(({ outcome }) => outcome)).toEqual([
      'Another session has refreshed the tokens. They are used here, and nothing was sent.',
    ]);
    expect(await one.generations()).toEqual(['replaced', 'in-use']);
    const used = server.app.requests.at(-1)?.header('Authorization')?.replace('Bearer ', '') ?? '';
    // A refresh token that came twice would have ended it.
    expect(server.authorization.tokens.findActive(used)?.kind).toBe('access');
    expect(server.leaks).toEqual([]);
  });

  test('take what the other has refreshed before', async () => {
    const { one, other, since } = await connectTwice();
    expect(await other.echo()).toBe('ok');
    expect(await one.echo()).toBe('ok');
    expect(since('/token')).toHaveLength(1);
  });

  test('refresh once when the user asks both', async () => {
    const { one, other, since } = await connectTwice();
    const flows = await Promise.all([one, other].map(({ refresh }) => refresh()));
    expect(flows.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(await Promise.all([one.echo(), other.echo()])).toEqual(['ok', 'ok']);
    expect(since('/token')).toHaveLength(1);
  });
});
