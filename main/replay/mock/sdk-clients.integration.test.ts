import { Readable } from 'node:stream';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { connectLegacy } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { sdkOverStdio, startSdkServer } from '#fixtures/http/start-server.ts';
import { TraceMock, type MockedExchange } from '#main/mock.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

const model = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' } as const;
const form = { action: 'accept', content: { name: 'Ada', size: 'm' } } as const;
const roots = { roots: [{ uri: 'file:///srv/work', name: 'work' }] };
const capabilities = { sampling: {}, elicitation: { form: {} }, roots: {} };

/** Answers what the server asks, as the SDK clients below do. */
const client = {
  ...defaultClientProfile,
  rules: (
    [
      ['sampling/createMessage', model],
      ['elicitation/create', form],
    ] as const
  ).map(([method, value]) => ({
    method,
    delay: 0,
    answer: { kind: 'result' as const, json: JSON.stringify(value) },
  })),
};

interface Tool {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const steps = { steps: 3, milliseconds: 20 };
const legacyCalls: readonly Tool[] = [
  { name: 'echo', arguments: { message: 'hi' } },
  { name: 'count', arguments: steps },
  { name: 'ask-sampling', arguments: {} },
  { name: 'ask-elicitation', arguments: {} },
  { name: 'fail', arguments: {} },
];
const modernCalls: readonly Tool[] = [
  { name: 'echo', arguments: { message: 'hi' } },
  { name: 'slow', arguments: steps },
  { name: 'ask-two', arguments: {} },
  { name: 'fail', arguments: {} },
];

let engine: EngineFixture;
const traces: Record<string, string> = {};
beforeAll(async () => {
  engine = await EngineFixture.open();
  for (const transport of ['stdio', 'streamable-http'] as const) {
    const legacy = await connectLegacy(engine, transport, { client });
    traces[`legacy ${transport}`] = await recorded(legacy.session.id, legacyCalls);
    await legacy.close();
  }
  const overStdio = await engine.connect(sdkOverStdio('modern'), { era: 'modern', client });
  traces['modern stdio'] = await recorded(overStdio.id, modernCalls);
  const server = await startSdkServer('modern');
  traces['modern streamable-http'] = await recorded(
    (await engine.connectUrl(server.url, { client })).id,
    modernCalls,
  );
  await server.close();
}, 60_000);
afterAll(() => engine.close());

/** Calls these tools and ends the session; returns its file. */
async function recorded(sessionId: string, calls: readonly Tool[]): Promise<string> {
  for (const { name, arguments: args } of calls) await engine.callTool(sessionId, name, args);
  await engine.call('sessions/close', { sessionId });
  return (await engine.session(sessionId)).traceFile.path;
}

/** What a client got: the texts of the tools, and how often it got progress, logs and questions. */
interface Received {
  readonly tools: readonly string[];
  readonly texts: unknown[];
  readonly progress: number[];
  logs: number;
  readonly asked: string[];
}

/**
 * Notes the progress that arrives. A client under load reads the last of it together with the response, and then ignores it; the clients
 * only have to ask for it.
 */
function noteProgress(transport: ReadingTransport, received: Received): void {
  const take = transport.onmessage;
  transport.onmessage = (message: unknown, extra?: never) => {
    const progress = progressSchema.safeParse(message).data?.params.progress;
    if (progress !== undefined) received.progress.push(progress);
    take?.(message as never, extra);
  };
}

interface ReadingTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

const progressSchema = z.object({
  method: z.literal('notifications/progress'),
  params: z.object({ progress: z.number() }),
});

const onprogress = (): void => undefined;

const textOf = (result: Record<string, unknown>): unknown => {
  const { content } = result;
  return Array.isArray(content) ? (content[0] as { text?: unknown } | undefined)?.text : content;
};

async function playV1(transport: StdioV1 | HttpV1): Promise<Received> {
  const sdk = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities });
  const received: Received = { tools: [], texts: [], progress: [], logs: 0, asked: [] };
  sdk.setRequestHandler(CreateMessageRequestSchema, () => {
    received.asked.push('sampling');
    return model;
  });
  sdk.setRequestHandler(ElicitRequestSchema, () => {
    received.asked.push('elicitation');
    return { ...form };
  });
  sdk.setRequestHandler(ListRootsRequestSchema, () => roots);
  sdk.setNotificationHandler(LoggingMessageNotificationSchema, () => void received.logs++);
  await sdk.connect(transport);
  noteProgress(transport, received);
  const { tools } = await sdk.listTools();
  for (const call of legacyCalls)
    received.texts.push(
      textOf(await sdk.callTool({ ...call }, undefined, 'steps' in call.arguments ? { onprogress } : {})),
    );
  await sdk.ping();
  await sdk.close();
  return { ...received, tools: tools.map(({ name }) => name) };
}

async function playV2(
  mode: 'legacy' | 'auto',
  transport: StdioV2 | HttpV2,
  calls: readonly Tool[],
): Promise<Received> {
  const sdk = new ClientV2({ name: 'v2', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  const received: Received = { tools: [], texts: [], progress: [], logs: 0, asked: [] };
  sdk.setRequestHandler('sampling/createMessage', () => {
    received.asked.push('sampling');
    return model;
  });
  sdk.setRequestHandler('elicitation/create', () => {
    received.asked.push('elicitation');
    return { ...form };
  });
  sdk.setRequestHandler('roots/list', () => roots);
  await sdk.connect(transport);
  noteProgress(transport, received);
  const { tools } = await sdk.listTools();
  for (const call of calls)
    received.texts.push(
      textOf(await sdk.callTool({ ...call }, 'steps' in call.arguments ? { onprogress } : {})),
    );
  await sdk.close();
  return { ...received, tools: tools.map(({ name }) => name) };
}

const legacyTexts = [
  'Echo: hi',
  'Counted to 3.',
  expect.stringContaining('Paris'),
  expect.stringContaining('Ada'),
  'It went wrong.',
];
const modernTexts = [
  'Echo: hi',
  'Done in 3 steps.',
  expect.stringMatching(/Ada.*Paris|Paris.*Ada/),
  'It went wrong.',
];

/** The command line of a mock on stdio that fails if a recorded call is not requested. */
const overStdio = (trace: string) => ({
  command: process.execPath,
  args: [cliEntry, 'mock', trace, '--unused', 'fail', '--json'],
  stderr: 'pipe' as const,
});

/** Serves a trace over HTTP; returns what the client got, the exchanges, and what was not requested. */
async function overHttp(trace: string, play: (url: URL) => Promise<Received>) {
  const exchanges: MockedExchange[] = [];
  const mock = await TraceMock.open({
    paths: [trace],
    match: 'context',
    latency: 'max:20',
    forward: null,
    faults: null,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  try {
    const received = await play(new URL(await mock.serveHttp(0)));
    return { received, exchanges, summary: mock.summary };
  } finally {
    await mock.close();
  }
}

/** What the mock wrote to its standard error: an object for each exchange and the summary. */
async function linesOf(transport: StdioV1 | StdioV2): Promise<Record<string, unknown>[]> {
  let text = '';
  const { stderr } = transport;
  if (!(stderr instanceof Readable)) throw new Error('standard error is a pipe');
  for await (const bytes of stderr) text += String(bytes);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const legacyResult = { texts: legacyTexts, progress: [1, 2, 3], asked: ['sampling', 'elicitation'] };
const modernResult = { texts: modernTexts, progress: [1, 2, 3] };
const faultless = { inexact: 0, misses: 0, unused: [] };

describe.each(['stdio', 'streamable-http'])('a legacy session recorded over %s', (recordedOver) => {
  const trace = () => traces[`legacy ${recordedOver}`] ?? '';

  test('carries the client of SDK 1 through, over stdio', async () => {
    const transport = new StdioV1(overStdio(trace()));
    const lines = linesOf(transport);
    expect(await playV1(transport)).toMatchObject(legacyResult);
    expect((await lines).at(-1)).toMatchObject(faultless);
  }, 20_000);

  test('carries the client of SDK 1 through, over HTTP', async () => {
    const { received, exchanges, summary } = await overHttp(trace(), (url) => playV1(new HttpV1(url)));
    expect(received).toMatchObject(legacyResult);
    expect(received.logs).toBeGreaterThan(0);
    expect(exchanges.map(({ method, match }) => `${method} ${match}`)).toContain('tools/call exact');
    expect(summary).toMatchObject(faultless);
  });

  test('carries the client of SDK 2 through, over stdio', async () => {
    const transport = new StdioV2(overStdio(trace()));
    const lines = linesOf(transport);
    expect(await playV2('legacy', transport, legacyCalls)).toMatchObject(legacyResult);
    expect((await lines).at(-1)).toMatchObject(faultless);
  }, 20_000);

  test('carries the client of SDK 2 through, over HTTP, whichever era it tries first', async () => {
    const { received, summary } = await overHttp(trace(), (url) =>
      playV2('auto', new HttpV2(url), legacyCalls),
    );
    expect(received).toMatchObject(legacyResult);
    expect(summary).toMatchObject(faultless);
  });
});

describe.each(['stdio', 'streamable-http'])('a modern session recorded over %s', (recordedOver) => {
  const trace = () => traces[`modern ${recordedOver}`] ?? '';

  test('carries the client of SDK 2 through, over stdio', async () => {
    const transport = new StdioV2(overStdio(trace()));
    const lines = linesOf(transport);
    const received = await playV2('auto', transport, modernCalls);
    expect(received).toMatchObject(modernResult);
    expect(received.asked.toSorted()).toEqual(['elicitation', 'sampling']);
    expect((await lines).at(-1)).toMatchObject(faultless);
  }, 20_000);

  test('carries the client of SDK 2 through, over HTTP', async () => {
    const { received, summary } = await overHttp(trace(), (url) =>
      playV2('auto', new HttpV2(url), modernCalls),
    );
    expect(received).toMatchObject(modernResult);
    expect(received.asked.toSorted()).toEqual(['elicitation', 'sampling']);
    expect(summary).toMatchObject(faultless);
  });
});
