import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import {
  everythingOverStdio,
  sdkOverStdio,
  startEverything,
  type StartedServer,
  startSdkServer,
} from '#fixtures/http/start-server.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { TraceRow } from '#shared/trace/row.ts';

let engine: EngineFixture;
let started: StartedServer | null = null;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await started?.close();
  started = null;
});

async function overHttp(starting: Promise<StartedServer>): Promise<SessionView> {
  started = await starting;
  return engine.connectUrl(started.url);
}

const overStdio = (target: { command: string; args: string[] }) => engine.connect(target, { era: 'auto' });

/** Calls that every server here has under a name of its own. */
interface Tools {
  readonly slow: { readonly tool: string; readonly args: object; readonly steps: number };
  readonly fails: { readonly tool: string; readonly args: object };
  readonly long: { readonly tool: string; readonly args: object };
}

const ofEverything: Tools = {
  slow: { tool: 'trigger-long-running-operation', args: { duration: 0.3, steps: 3 }, steps: 3 },
  fails: { tool: 'get-sum', args: { a: 'one', b: 2 } },
  long: { tool: 'trigger-long-running-operation', args: { duration: 600, steps: 2 } },
};

const ofSdk: Tools = {
  slow: { tool: 'slow', args: { steps: 3, milliseconds: 5 }, steps: 3 },
  fails: { tool: 'fail', args: {} },
  long: { tool: 'hang', args: {} },
};

interface Reached {
  readonly connect: () => Promise<SessionView>;
  readonly transport: SessionView['transport'];
  readonly era: 'legacy' | 'modern';
  readonly server: string;
  readonly tools: Tools;
}

const everythingName = 'mcp-servers/everything';
const legacy = { era: 'legacy' } as const;
const modern = { era: 'modern' } as const;

const servers: Readonly<Record<string, Reached>> = {
  'server-everything on stdio': {
    connect: () => overStdio(everythingOverStdio),
    transport: 'stdio',
    ...legacy,
    server: everythingName,
    tools: ofEverything,
  },
  'server-everything over HTTP+SSE': {
    connect: () => overHttp(startEverything('sse')),
    transport: 'http-sse',
    ...legacy,
    server: everythingName,
    tools: ofEverything,
  },
  'server-everything over Streamable HTTP': {
    connect: () => overHttp(startEverything('streamableHttp')),
    transport: 'streamable-http',
    ...legacy,
    server: everythingName,
    tools: ofEverything,
  },
  'the SDK, legacy, on stdio': {
    connect: () => overStdio(sdkOverStdio('legacy')),
    transport: 'stdio',
    ...legacy,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
  'the SDK, legacy, over Streamable HTTP': {
    connect: () => overHttp(startSdkServer('legacy')),
    transport: 'streamable-http',
    ...legacy,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
  'the SDK, modern, on stdio': {
    connect: () => overStdio(sdkOverStdio('modern')),
    transport: 'stdio',
    ...modern,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
  'the SDK, modern, over Streamable HTTP': {
    connect: () => overHttp(startSdkServer('modern')),
    transport: 'streamable-http',
    ...modern,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
  'the SDK of both eras on stdio': {
    connect: () => overStdio(sdkOverStdio('both')),
    transport: 'stdio',
    ...modern,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
  'the SDK of both eras over Streamable HTTP': {
    connect: () => overHttp(startSdkServer('both')),
    transport: 'streamable-http',
    ...modern,
    server: 'sdk-fixture',
    tools: ofSdk,
  },
};

describe.each(Object.entries(servers))('%s', (_name, { connect, transport, era, server, tools }) => {
  test('connects, lists its tools, answers, reports progress, fails, is cancelled, and leaves nothing', async () => {
    const session = await connect();
    expect(session.fault).toBeNull();
    expect(session).toMatchObject({
      phase: 'ready',
      transport,
      agreement: { era, server: { name: server } },
    });
    const { id } = session;

    const { entries } = await engine.call('catalog/tools', { sessionId: id });
    expect(entries.map((entry) => entry.usable && entry.tool.name)).toContain(tools.long.tool);

    const echoed = await engine.callTool(id, 'echo', { message: 'h\u00e9llo' });
    expect(echoed).toMatchObject({ state: 'ok', fault: null });
    const { text } = await engine.call('calls/result', { sessionId: id, callId: echoed.id });
    expect(text).toContain('Echo: h\u00e9llo');

    const slow = await engine.callTool(id, tools.slow.tool, tools.slow.args);
    expect(slow).toMatchObject({
      state: 'ok',
      progress: { count: tools.slow.steps, total: tools.slow.steps },
    });
    const reports = (await engine.rows(id)).filter((row) => row.method === 'notifications/progress');
    expect(reports.map(({ parent }) => parent)).toEqual(reports.map(() => slow.requestRow));

    expect(await engine.callTool(id, tools.fails.tool, tools.fails.args)).toMatchObject({
      state: 'tool-error',
    });
    expect((await engine.callTool(id, 'no-such-tool')).state).toMatch(/^(tool|protocol)-error$/);

    await cancel(session, tools.long);
    expect((await engine.callTool(id, 'echo', { message: 'again' })).state).toBe('ok');

    await engine.call('sessions/close', { sessionId: id });
    const { phase, process: child } = await engine.session(id);
    expect(phase).toBe('closed');
    if (child !== null) expect(() => process.kill(child.pid ?? 0, 0)).toThrow('ESRCH');
    expect(process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS)/.test(kind))).toEqual([]);
    const rows = await engine.rows(id);
    expect(rows.filter(isUnfinished)).toEqual([]);
    expect(rows.filter(({ status }) => status === 'invalid')).toEqual([]);
  });
});

test('modern: arguments that want it go in header lines too, in a form that any text survives', async () => {
  const { id } = await overHttp(startSdkServer('modern'));
  for (const [args, headers] of [
    [
      { region: 'eu', priority: 3 },
      [
        ['Mcp-Param-Region', 'eu'],
        ['Mcp-Param-Priority', '3'],
      ],
    ],
    [{ region: 'Zürich' }, [['Mcp-Param-Region', '=?base64?WsO8cmljaA==?=']]],
  ] as const) {
    const call = await engine.callTool(id, 'routed', args);
    expect(call).toMatchObject({ state: 'ok', fault: null });
    const { exchange } = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
    const lines = exchange?.request.headers ?? [];
    expect(lines.filter(([name]) => /^mcp-param-/i.test(name))).toEqual(headers);
    expect(lines).toContainEqual(['Mcp-Name', 'routed']);
  }
});

test('legacy: what the server sends in a call comes by the stream of that call', async () => {
  const { id } = await overHttp(startSdkServer('legacy'));
  const call = await engine.callTool(id, 'notify');
  expect(call).toMatchObject({ state: 'ok' });
  const log = await engine.row(id, (row) => row.method === 'notifications/message');
  const rows = await engine.rows(id);
  expect(log.exchange).toBe(rows[call.requestRow]?.exchange);
  expect(rows[call.responseRow ?? -1]?.exchange).toBe(log.exchange);
});

const isUnfinished = ({ status }: TraceRow): boolean => status === 'pending' || status === 'receiving';

/** Cancels a call that would take too long, in the way of the era and transport. */
async function cancel({ id, transport, agreement }: SessionView, { tool, args }: Tools['long']) {
  const call = await engine.startTool(id, tool, args);
  if (tool === 'hang') await said('hang: begun');
  await engine.call('calls/cancel', { sessionId: id, callId: call.id });
  expect((await engine.ended(id, call.id)).state).toBe('cancelled');
  if (agreement?.era === 'modern' && transport === 'streamable-http') {
    // By closing the stream (MCP 2026-07-28 transports, cancellation).
    const { exchange } = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
    expect(exchange?.end).toMatchObject({ how: 'dropped' });
  } else {
    const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
    expect(notice.parent).toBe(call.requestRow);
  }
  if (tool === 'hang') await said('hang: cancelled');

  /** Waits until the server has said this on standard error, which is on record only when it is on stdio. */
  async function said(words: string): Promise<void> {
    if (started !== null) await started.said(words);
    else await engine.row(id, (row) => row.kind === 'stderr' && row.summary.includes(words));
  }
}
