import { join } from 'node:path';
import { copyFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

const opened = closeAfterEachTest();

test.each<[string, ProtectedServerOptions]>([
  ['a token', { protects: [], challengeScope: 'mcp:write' }],
  ['more scopes', { challengeScope: 'mcp:basic' }],
])(
  'a call that is sent again because the server demands %s is one call with both requests',
  async (_, options) => {
    const server = opened(await ProtectedServer.open({ ...options, toolScopes: { write: 'mcp:write' } }));
    const engine = opened(
      await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }),
    );
    const { id: sessionId } = await engine.connectUrl(server.url);
    server.options = { ...server.options, protects: ['POST'] };
    const call = await engine.callTool(sessionId, 'write');
    expect(call.state).toBe('ok');
    const [first, second, ...others] = call.rounds;
    expect(others).toEqual([]);
    expect(call).toMatchObject({ requestRow: first?.requestRow, requestId: second?.requestId });
    expect(second?.responseRow).toBe(call.responseRow);
    const { rows } = await engine.call('trace/relatives', {
      sessionId,
      row: call.requestRow,
      by: 'parent',
      from: 0,
      count: 10,
    });
    expect(rows.map(({ row, kind }) => [row, kind])).toEqual([[second?.requestRow, 'request']]);

    const { calls } = await engine.call('trace/calls', { sessionId, from: 0, count: 10 });
    expect(calls).toMatchObject([{ row: second?.requestRow, outcome: 'ok' }]);

    const ofTool = { tool: 'write', before: null, count: 10 };
    expect(await engine.call('calls/list', { sessionId })).toMatchObject([{ id: call.id }]);
    expect(await engine.call('calls/history', { sessionId, ...ofTool })).toMatchObject([{ id: call.id }]);
    for (const round of call.rounds) {
      const found = await engine.call('calls/of-row', { sessionId, row: round.requestRow });
      expect(found?.id).toBe(call.id);
    }

    await engine.call('sessions/close', { sessionId });
    const { traceFile } = await engine.settled(sessionId, ['closed']);
    const path = join(engine.folder, 'again.mcptrace');
    await copyFile(traceFile.path, path);
    const { sessionId: recordedId } = await engine.call('traces/open', { path });
    await engine.until(async () => {
      const all = await engine.call('traces/opened', {});
      return all.find((one) => one.sessionId === recordedId)?.isRead ? true : null;
    });
    const { state, rounds, requestRow, responseRow, duration } = call;
    const recorded = { state, rounds, requestRow, responseRow, duration };
    expect(await engine.call('calls/list', { sessionId: recordedId })).toMatchObject([recorded]);
    expect(await engine.call('calls/history', { sessionId: recordedId, ...ofTool })).toMatchObject([
      recorded,
    ]);
  },
);
