import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const tool = {
  name: 'x',
  inputSchema: {
    type: 'object',
    properties: { count: { type: 'integer' }, word: { type: 'string', pattern: '^(a+)+$' } },
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};

/** A server with that tool, whose results are made by this expression of `args`. */
const serverWith = (result: string) =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [${JSON.stringify(tool)}] }),
    'tools/call'(request) { const args = request.params.arguments; answer(request, ${result}); },
  `);

/** The call with both verdicts on it. */
const validationsOf = (sessionId: string, callId: string) =>
  engine.until(async () => {
    const call = (await engine.call('calls/list', { sessionId })).find(({ id }) => id === callId);
    return call && call.state !== 'running' && call.argumentsValidation !== null ? call : null;
  });

test('a call has what the schemas say of its arguments and of its structured content', async () => {
  const { id } = await engine.connect(serverWith(`{ content: [], structuredContent: { sum: args.count } }`));
  const good = await engine.callTool(id, 'x', { count: 1 });
  expect(await validationsOf(id, good.id)).toMatchObject({
    state: 'ok',
    argumentsValidation: { state: 'valid' },
    outputValidation: { state: 'valid' },
  });
  // What is wrong is sent all the same: it is the server that is tested.
  const bad = await engine.callTool(id, 'x', { count: 'one' });
  expect(await validationsOf(id, bad.id)).toMatchObject({
    state: 'ok',
    argumentsValidation: {
      state: 'invalid',
      errors: [{ pointer: '/count', keyword: 'type', message: 'must be integer, not string' }],
    },
    outputValidation: {
      state: 'invalid',
      errors: [{ pointer: '/sum', keyword: 'type', message: 'must be number, not string' }],
    },
  });
});

test('missing structured content is wrong, but not where the tool failed', async () => {
  const { id } = await engine.connect(serverWith(`{ content: [], isError: args.count === 0 }`));
  expect((await engine.callTool(id, 'x', { count: 1 })).outputValidation).toMatchObject({ state: 'invalid' });
  expect(await engine.callTool(id, 'x', { count: 0 })).toMatchObject({
    state: 'tool-error',
    outputValidation: null,
  });
});

test('a pattern that takes forever is given up, and the engine goes on', async () => {
  const { id } = await engine.connect(serverWith(`{ content: [], structuredContent: { sum: 1 } }`));
  const { id: callId } = await engine.callTool(id, 'x', { word: `${'a'.repeat(60)}!` });
  expect(await validationsOf(id, callId)).toMatchObject({
    state: 'ok',
    argumentsValidation: { state: 'unknown', reason: expect.stringContaining('given up') },
    outputValidation: { state: 'valid' },
  });
  expect(await engine.callTool(id, 'x', { word: 'aaa' })).toMatchObject({ state: 'ok' });
  await engine.call('sessions/ping', { sessionId: id });
});

test('a call of an unlisted tool is not validated', async () => {
  const { id } = await engine.connect(serverWith(`{ content: [] }`));
  expect(await engine.callTool(id, 'hidden', {})).toMatchObject({
    state: 'ok',
    argumentsValidation: null,
    outputValidation: null,
  });
});
