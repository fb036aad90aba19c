import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { modernOverStdio } from '#fixtures/modern/start.ts';
import { isUnderWay } from '#shared/contract/calls.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { CallOutcome } from '#shared/contract/saved-calls.ts';

let files: OpenedFiles;
beforeAll(async () => {
  files = await OpenedFiles.begin();
});
afterAll(() => files.close());

type Call = readonly [what: string, params: object];

const sampled = { role: 'assistant', content: { type: 'text', text: 'Four.' }, model: 'test' };

function answerTo({ method, suggestion }: InboxEntry) {
  if (method === 'sampling/createMessage') return { kind: 'result', json: JSON.stringify(sampled) } as const;
  return suggestion === null ? ({ kind: 'decline' } as const) : ({ kind: 'defaults' } as const);
}

/** Makes calls, answers what the server asks, and returns the trace opened as a file. */
async function record(
  server: { command: string; args: readonly string[] },
  calls: readonly Call[],
): Promise<string> {
  const { engine } = files;
  const { id: sessionId, traceFile } = await engine.connect(server, { era: 'auto' });
  for (const [what, params] of calls) {
    const { id } = what.includes('/')
      ? await engine.call('calls/request', {
          sessionId,
          method: what,
          params: JSON.stringify(params),
          timeout: null,
        })
      : await engine.startTool(sessionId, what, params);
    await engine.until(async () => {
      for (const entry of await engine.call('inbox/list', { sessionId })) {
        // A rule answers that one.
        if (entry.state !== 'waiting' || entry.method === 'roots/list') continue;
        await engine.call('inbox/answer', { sessionId, entryId: entry.id, answer: answerTo(entry) });
      }
      const call = (await engine.call('calls/list', { sessionId })).find((one) => one.id === id);
      return call !== undefined && !isUnderWay(call) ? call : null;
    });
  }
  await engine.call('sessions/close', { sessionId });
  return (await files.read(traceFile.path)).sessionId;
}

let written = 0;
async function suiteOf(recorded: string) {
  const path = join(files.engine.folder, `suite-${++written}.mcptest.yaml`);
  const report = await files.engine.call('saved-calls/from-trace', { path, sessionId: recorded });
  return { path, report, text: await readFile(path, 'utf8') };
}

async function run(
  path: string,
  server: { command: string; args: readonly string[] },
  variables: Record<string, string> = {},
): Promise<string[]> {
  const { id: sessionId } = await files.engine.connect(server, { era: 'auto' });
  const outcomes: CallOutcome[] = await files.engine.call('saved-calls/run', {
    path,
    sessionId,
    indexes: null,
    variables,
    allowWrites: true,
  });
  return outcomes.map(({ name, state, failures }) =>
    [`${name}: ${state}`, ...failures.map(({ message }) => message)].join('; '),
  );
}

test('of server-everything passes against server-everything, with sampling, elicitation and errors', async () => {
  const recorded = await record(everythingOverStdio, [
    ['echo', { message: 'hi ${name}' }],
    ['get-sum', { a: 1, b: 2 }],
    ['get-structured-content', { location: 'New York' }],
    ['get-annotated-message', { messageType: 'success', includeImage: true }],
    ['get-resource-links', { count: 3 }],
    ['trigger-sampling-request', { prompt: 'Two and two?', maxTokens: 10 }],
    ['trigger-elicitation-request', {}],
    ['resources/read', { uri: 'demo://resource/dynamic/text/1' }],
    ['prompts/get', { name: 'none' }],
    ['no-such-tool', {}],
  ]);
  const { path, report, text } = await suiteOf(recorded);
  expect(report).toEqual({ calls: 10, variables: [], replaced: 0, leftOut: [] });
  expect(text).toContain('message: hi $${name}');
  expect(text).toContain('- to: sampling/createMessage');
  expect(await readdir(join(files.engine.folder, '__snapshots__'))).toEqual([
    expect.stringMatching(/^suite-1-get-annotated-message-[0-9a-f]{6}\.json$/),
  ]);
  expect(await run(path, everythingOverStdio)).toEqual([
    'echo: passed',
    'get-sum: passed',
    'get-structured-content: passed',
    'get-annotated-message: passed',
    'get-resource-links: passed',
    'trigger-sampling-request: passed',
    'trigger-elicitation-request: passed',
    'resources/read demo://resource/dynamic/text/1: passed',
    'prompts/get none: passed',
    'no-such-tool: passed',
  ]);
  await expect(files.engine.call('saved-calls/from-trace', { path, sessionId: recorded })).rejects.toThrow(
    /exists already/,
  );
  // Without the test file its snapshot is still somebody's, and stays; one with the same text is no obstacle.
  const folder = join(files.engine.folder, '__snapshots__');
  const snapshot = join(folder, (await readdir(folder))[0] ?? 'none');
  const original = await readFile(snapshot, 'utf8');
  await rm(path);
  await writeFile(snapshot, 'mine');
  await expect(files.engine.call('saved-calls/from-trace', { path, sessionId: recorded })).rejects.toThrow(
    /__snapshots__.* exists already/,
  );
  expect(await readFile(snapshot, 'utf8')).toBe('mine');
  await expect(readFile(path)).rejects.toThrow(/ENOENT/);
  await writeFile(snapshot, original);
  await files.engine.call('saved-calls/from-trace', { path, sessionId: recorded });
  expect(await readFile(path, 'utf8')).toBe(text);
});

test('of a modern session answers what its rounds ask', async () => {
  const calls: Call[] = [
    ['ask-two', {}],
    ['echo', { message: 'hi' }],
  ];
  const { path, report, text } = await suiteOf(await record(modernOverStdio, calls));
  expect(report).toEqual({ calls: 2, variables: [], replaced: 0, leftOut: [] });
  expect(text.match(/- to: /g)).toHaveLength(2);
  expect(await run(path, modernOverStdio)).toEqual(['ask-two: passed', 'echo: passed']);
});

/** Gives each order an id of its own, and wants a key to show it. */
const shop = (total: number) =>
  scriptedServer(`
  'server/discover': ({ id }) => write({ id, error: { code: -32601, message: 'unknown' } }),
  'tools/list': (request) => answer(request, { tools: ['order', 'show'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': (request) => {
    const { name, arguments: given } = request.params;
    if (name === 'order') server.order = { id: 'order-' + String(Math.random()).slice(2, 12), number: 1000 + Math.floor(Math.random() * 1e6) };
    else if (given.id !== server.order.id || given.number !== server.order.number) return write({ id: request.id, error: { code: -32602, message: 'no such order' } });
    answer(request, { content: [{ type: 'text', text: JSON.stringify({ ...server.order, key: given.key }) }], structuredContent: { total: ${total} } });
  },
`);

/** Calls the tool that creates an order; returns the order. */
async function orderIn(sessionId: string): Promise<{ readonly id: string; readonly number: number }> {
  const { id: callId } = await files.engine.callTool(sessionId, 'order');
  const { text } = await files.engine.call('calls/result', { sessionId, callId });
  const { content } = JSON.parse(text ?? '{}') as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? '') as { id: string; number: number };
}

test('captures what came out of earlier answers, and wants secrets as variables', async () => {
  const { engine } = files;
  const { id: sessionId, traceFile } = await engine.connect(shop(12));
  const { id, number } = await orderIn(sessionId);
  const key = '[secret member key, 8 characters, 0011aabb]';
  await engine.callTool(
    sessionId,
    'show',
    `{"id":${JSON.stringify(id)},"number":${number},"key":${JSON.stringify(key)},"pin":0e-4}`,
  );
  await engine.startTool(sessionId, 'show', { id, number, key });
  await engine.call('sessions/close', { sessionId });
  const { sessionId: recorded } = await files.read(traceFile.path);
  const { path, report, text } = await suiteOf(recorded);
  expect(report.variables).toEqual(['key', 'pin']);
  expect(text).not.toContain(id);
  expect(text).not.toContain(String(number));
  expect(text).not.toContain('0011aabb');
  expect(text).toContain('id: $.content[0].text.id');
  expect(text).toContain('--var NAME');
  expect((await run(path, shop(12)))[1]).toMatch(/^show: failed; the variable key is not set/);
  expect(text).not.toContain('0e-4');
  const variables = { key: '"open sesame"', pin: '4711' };
  expect((await run(path, shop(12), variables)).slice(0, 2)).toEqual(['order: passed', 'show: passed']);
  expect(await run(path, shop(13), variables)).toEqual(
    expect.arrayContaining(['show: failed; $.structuredContent.total: expected 12, got 13']),
  );
});

test('writes the name of a prompt as recorded, though an earlier answer had it', async () => {
  const names = scriptedServer(`
    'tools/call': (request) => answer(request, { content: [{ type: 'text', text: 'summarize' }] }),
    'prompts/get': (request) => answer(request, { messages: [] }),
  `);
  const summarize = { name: 'summarize', arguments: { text: 'summarize' } };
  const { text } = await suiteOf(
    await record(names, [
      ['search', {}],
      ['prompts/get', summarize],
    ]),
  );
  expect(text).toContain('name: summarize\n      arguments:\n        text: ${text}');
});

test('writes no secret that the recording has: in params it becomes a variable, in results it is not compared', async () => {
  const { engine } = files;
  const { id: sessionId, traceFile } = await engine.connect(shop(12));
  const { id, number } = await orderIn(sessionId);
  const planted = 'hunter2-planted-91';
  await engine.callTool(sessionId, 'show', JSON.stringify({ id, number, password: planted, key: planted }));
  await engine.call('sessions/close', { sessionId });
  const { sessionId: recorded } = await files.read(traceFile.path);
  const { path, report, text } = await suiteOf(recorded);
  expect(report).toMatchObject({ calls: 2, variables: ['password'], leftOut: [] });
  expect(report.replaced).toBeGreaterThan(1);
  expect(text).not.toContain(planted);
  expect(text).toContain('password: ${password}');
  expect(await run(path, shop(12), { password: '"another 4711"' })).toEqual([
    'order: passed',
    'show: passed',
  ]);
});
