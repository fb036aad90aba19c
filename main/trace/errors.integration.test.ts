import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demo } from '#fixtures/cli/servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { events } from '#shared/contract/index.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { withResolvers } from '#transports/async.ts';

/** What counts as an error, wherever a number of errors is shown. */

async function open(dataFolder?: string): Promise<EngineFixture> {
  const engine = await EngineFixture.open(dataFolder === undefined ? {} : { dataFolder });
  onTestFinished(() => engine.close());
  return engine;
}

/** How many rows the chip *Errors* shows, in one of the two views. */
async function filtered(
  engine: EngineFixture,
  sessionId: string,
  view: 'messages' | 'calls',
): Promise<number> {
  const done = new Map<string, number>();
  const reported = withResolvers<number>();
  let wanted: string | null = null;
  const look = () => {
    const matches = wanted === null ? undefined : done.get(wanted);
    if (matches !== undefined) reported.resolve(matches);
  };
  const stop = engine.engine.onEvent((frame) => {
    if (frame.event !== 'trace/filtered') return;
    const { filterId, matches, done: isDone } = events['trace/filtered'].parse(frame.payload);
    if (isDone) done.set(filterId, matches);
    look();
  });
  const { filterId } = await engine.call('trace/filter', { sessionId, text: 'is:error', view });
  wanted = filterId;
  look();
  const matches = await reported.promise;
  stop();
  await engine.call('trace/end-filter', { sessionId, filterId });
  return matches;
}

/** The number in the list of traces, as soon as it is known. */
const listed = (engine: EngineFixture, path: string): Promise<number> =>
  engine.until(async () => {
    const { files } = await engine.call('traces/list', {});
    return files.find((file) => file.path === path)?.errors ?? null;
  });

/** Each number of errors that the window shows of a session that has ended. */
async function errorsOf(engine: EngineFixture, { id, traceFile: { path } }: SessionView) {
  await engine.call('sessions/close', { sessionId: id });
  const { counts } = await engine.session(id);
  const statistics = await engine.call('trace/statistics', { sessionId: id, rows: { of: 'all' } });
  const chip = await filtered(engine, id, 'messages');
  const chipOfCalls = await filtered(engine, id, 'calls');
  // Another run counts the file again for its list, and derives all from the records again for its overview.
  const later = await open(engine.folder);
  const list = await listed(later, path);
  await rm(join(engine.folder, 'trace-counts.json'), { force: true });
  const counted = await open(engine.folder);
  const recounted = await listed(counted, path);
  const { sessionId } = await counted.call('traces/open', { path });
  const overview = await counted.until(async () => {
    const opened = await counted.call('traces/opened', {});
    return opened.find((one) => one.sessionId === sessionId && one.isRead && one.isChecked) ?? null;
  });
  return {
    footer: counts.errors,
    chip,
    chipOfCalls,
    list,
    recounted,
    overview: overview.counts.errors,
    chipOfFile: await filtered(counted, sessionId, 'messages'),
    ofCalls: statistics.calls.reduce((sum, { errors }) => sum + errors, 0),
  };
}

/** The same number everywhere; those of calls apart, which are some of all. */
const everywhere = (errors: number, ofCalls: number) => ({
  footer: errors,
  chip: errors,
  chipOfCalls: errors,
  list: errors,
  recounted: errors,
  overview: errors,
  chipOfFile: errors,
  ofCalls,
});

test('a failed call, a lost call and noise count once each: in footer, chip, list and overview', async () => {
  const engine = await open();
  const server = scriptedServer(`
    'tools/call'(request) {
      const { name } = request.params;
      if (name === 'tool-error') answer(request, { content: [], isError: true });
      if (name === 'error') write({ id: request.id, error: { code: -32602, message: 'no' } });
      if (name === 'noise') console.log('a print statement');
      if (name === 'fine' || name === 'noise') answer(request, { content: [] });
    },
  `);
  const session = await engine.connect(server);
  for (const name of ['fine', 'tool-error', 'error', 'noise']) await engine.callTool(session.id, name);
  await engine.startTool(session.id, 'lost');
  await engine.row(session.id, ({ kind, summary }) => kind === 'request' && summary === 'lost');
  expect(await errorsOf(engine, session)).toEqual(everywhere(4, 3));
});

test('a start that fails counts as an error', async () => {
  const engine = await open();
  const session = await engine.connect({ command: process.execPath, args: ['-e', 'process.exit(3)'] });
  expect(session.phase).toBe('failed');
  const errors = await errorsOf(engine, session);
  expect(errors.footer).toBeGreaterThan(0);
  expect(errors).toEqual(everywhere(errors.footer, errors.ofCalls));
});

test('a server that cannot be reached counts as an error, also when only the era was to be found out', async () => {
  const gone = await ScriptedHttpServer.open();
  await gone.close();
  const engine = await open();
  const session = await engine.connectUrl(gone.url);
  expect(session.phase).toBe('failed');
  expect(await errorsOf(engine, session)).toEqual(everywhere(1, 0));
});

test('a call refused with an HTTP status counts once, not again as an exchange', async () => {
  const server = await ScriptedHttpServer.open({
    era: 'legacy',
    handlers: {
      'tools/call': (_, exchange) => {
        exchange.reply(500, {}, 'out of order');
        return undefined;
      },
    },
  });
  onTestFinished(() => server.close());
  const engine = await open();
  const session = await engine.connectUrl(server.url, { era: 'legacy' });
  await engine.callTool(session.id, 'echo');
  expect(await errorsOf(engine, session)).toEqual(everywhere(1, 1));
});

test.each(['legacy', 'auto'] as const)('a good server has no errors, %s', async (era) => {
  const [command = '', ...args] = demo;
  const engine = await open();
  const session = await engine.connect({ command, args }, { era });
  await engine.callTool(session.id, 'echo', { message: 'hi' });
  expect(await errorsOf(engine, session)).toEqual(everywhere(0, 0));
});

test('detecting the era of a slow server is not an error', async () => {
  const engine = await open();
  // It answers server/discover only when initialize has come as well, which it then does not understand.
  const server = scriptedServer(`
    'server/discover'(request) { server.discover = request; },
    initialize({ id }) {
      answer(server.discover, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        serverInfo: { name: 'slow', version: '1.0.0' },
        ttlMs: 0,
        cacheScope: 'private',
      });
      write({ id, error: { code: -32601, message: 'Method not found' } });
    },
  `);
  const session = await engine.connect(server, { era: 'auto' });
  expect(session.agreement?.era).toBe('modern');
  expect(await errorsOf(engine, session)).toEqual(everywhere(0, 0));
});
