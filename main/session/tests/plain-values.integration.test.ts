// Plain words as secrets: they change nothing but their own header or variable.
import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import { plainValues } from '#fixtures/plain-values.ts';

const bench = benchForEachTest();
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const tool = {
  name: 'echo',
  title: 'text',
  description: plainValues.join(' '),
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  annotations: { readOnlyHint: true },
};
const result = {
  content: [{ type: 'text', text: plainValues.join(' ') }],
  structuredContent: Object.fromEntries(plainValues.map((value) => [value, value])),
};

const stdioServer = scriptedServer(`
  'tools/list': (request) => answer(request, { tools: [${JSON.stringify(tool)}] }),
  'tools/call': (request) => {
    process.stderr.write(${JSON.stringify(plainValues.join(' '))} + '\\n');
    answer(request, ${JSON.stringify(result)});
  },`);

const named = (prefix: string) =>
  plainValues.map((value, place) => ({ name: `${prefix}${place}`, value, secret: true }));

/** Everything that a screen and a file get of a session, without what differs from run to run. */
async function everythingOf(sessionId: string) {
  const { traceFile, phase } = await engine.session(sessionId);
  const call = await engine.callTool(sessionId, 'echo', { name: 'http' });
  const { text } = await engine.call('calls/result', { sessionId, callId: call.id, from: 0 });
  const { entries } = await engine.call('catalog/tools', { sessionId });
  const { agreement } = await engine.session(sessionId);
  const rows = (await engine.rows(sessionId))
    .map(({ kind, method, status, summary }) => JSON.stringify({ kind, method, status, summary }))
    .toSorted();
  await engine.call('sessions/close', { sessionId });
  const trace = await readFile(traceFile.path, 'utf8');
  return {
    phase,
    trace,
    path: traceFile.path,
    shown: { result: text, state: call.state, entries, agreement: { ...agreement, handshake: 0 }, rows },
  };
}

/** The texts of the messages in a trace, in one order: standard error may come before or after the response. */
const messagesOf = (trace: string): string[] =>
  trace
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind?: string; text?: string })
    .flatMap(({ kind, text }) => (kind === 'unit' || kind === 'stderr' ? [text ?? ''] : []))
    .toSorted();

async function opensAgain(path: string): Promise<string> {
  const { sessionId } = await engine.call('traces/open', { path });
  const view = await engine.until(async () => {
    const all = await engine.call('traces/opened', {});
    return all.find((one) => one.sessionId === sessionId && one.isRead && one.isChecked) ?? null;
  });
  return JSON.stringify(view);
}

test('plain words in headers that the user marked as secret change no message, no list, no result and no record', async () => {
  const server = await bench.serve({
    handlers: { 'tools/list': () => ({ tools: [tool] }), 'tools/call': () => result },
  });
  const plain = await everythingOf((await engine.connectUrl(server.url, { era: 'legacy' })).id);
  const headers = named('X-Plain-');
  const { id } = await engine.connectUrl(server.url, { era: 'legacy', http: { headers } });
  expect((await engine.session(id)).phase).toBe('ready');
  const secret = await everythingOf(id);
  expect(server.requests.at(-1)?.header('x-plain-0')).toBe(plainValues[0]);
  expect(secret.shown).toEqual(plain.shown);
  expect(messagesOf(secret.trace)).toEqual(messagesOf(plain.trace));
  // Each is hidden in its own header, and nothing else is.
  const own = /\["X-Plain-\d+","\[secret header:X-Plain-\d+, \d+ characters, \w{8}\]"\]/g;
  const requests = secret.trace.split('\n').filter((line) => line.includes('"kind":"http-request"'));
  expect(requests.length).toBeGreaterThan(2);
  for (const line of requests) expect(line.match(own)).toHaveLength(plainValues.length);
  expect(secret.trace.replaceAll(own, '')).not.toContain('[secret ');
  expect(await opensAgain(secret.path)).not.toContain('[secret ');
});

test('plain words in variables with the names of secrets change no message, no list, no result and no record', async () => {
  const plain = await everythingOf((await engine.connect(stdioServer)).id);
  const { id } = await engine.connect(stdioServer, { env: named('API_TOKEN_') });
  expect((await engine.session(id)).phase).toBe('ready');
  const secret = await everythingOf(id);
  expect(secret.shown).toEqual(plain.shown);
  expect(messagesOf(secret.trace)).toEqual(messagesOf(plain.trace));
  expect(secret.trace).not.toContain('[secret ');
  expect(await opensAgain(secret.path)).not.toContain('[secret ');
});

test.each([
  ['Authorization', 'Bearer http'],
  ['Authorization', 'Basic bWU6dGV4dA=='],
  ['Cookie', 'mode=content; kind=object'],
  ['Proxy-Authorization', 'Basic dGV4dDpuYW1l'],
  ['X-Api-Key', 'content'],
  ['X-Auth', 'Token structuredContent'],
])('a plain word in %s, %s, is replaced there only', async (name, value) => {
  const server = await bench.serve({
    handlers: { 'tools/list': () => ({ tools: [tool] }), 'tools/call': () => result },
  });
  const { id } = await engine.connectUrl(server.url, {
    era: 'legacy',
    http: { headers: [{ name, value, secret: true }] },
  });
  expect((await engine.session(id)).phase).toBe('ready');
  const { shown, trace } = await everythingOf(id);
  expect(JSON.parse(shown.result ?? '')).toEqual(result);
  expect(shown.entries).toMatchObject([{ tool }]);
  expect(JSON.stringify(messagesOf(trace))).not.toContain('[secret ');
  expect(trace).toContain(`[secret header:${name}, `);
  expect(trace).not.toContain(JSON.stringify([name, value]));
});

test('a key or a fixed value of our own output is not replaced, even as the value of a secret header', async () => {
  const server = await bench.serve();
  const words = ['traceFile', 'resumableTasks', 'outputValidation', 'requestRow', 'protocol-error'];
  const headers = words.map((value, place) => ({ name: `X-Ours-${place}`, value, secret: true }));
  const { id } = await engine.connectUrl(server.url, { era: 'legacy', http: { headers } });
  expect(await engine.session(id)).toMatchObject({ phase: 'ready', resumableTasks: 0 });
  expect((await engine.callTool(id, 'no such tool')).state).toBe('protocol-error');
});
