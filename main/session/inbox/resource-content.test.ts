import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const CONTENT = 'the-content-of-the-resource';

/** Has one resource, and asks for all that a client may give once it was read. */
const server = scriptedServer(`
  initialize: (request) => answer(request, {
    protocolVersion: request.params.protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'scripted', version: '1.0.0' },
  }),
  'resources/list': (request) => answer(request, { resources: [{ uri: 'a://one', name: 'one' }] }),
  'resources/read'(request) {
    answer(request, { contents: [{ uri: 'a://one', text: ${JSON.stringify(CONTENT)} }] });
    const content = { type: 'text', text: 'Summarize the resource a://one' };
    write({
      id: 'sampling',
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content }], maxTokens: 10, includeContext: 'allServers' },
    });
    const requestedSchema = { type: 'object', properties: { text: { type: 'string' } } };
    write({ id: 'form', method: 'elicitation/create', params: { message: 'What does a://one hold?', requestedSchema } });
    write({ id: 'roots', method: 'roots/list' });
  },`);

test('the content of a resource that was read is in nothing that is offered or sent to the server', async () => {
  const { id: sessionId } = await engine.connect(server);
  // The last list that is read without being asked for.
  await engine.row(sessionId, ({ method }) => method === 'resources/templates/list');
  const { id } = await engine.call('calls/request', {
    sessionId,
    method: 'resources/read',
    params: '{"uri":"a://one"}',
    timeout: null,
  });
  await engine.ended(sessionId, id);
  const result = await engine.call('calls/result', { sessionId, callId: id });
  expect(result.text).toContain(CONTENT);

  const waiting = await engine.until(async () => {
    const entries = await engine.call('inbox/list', { sessionId });
    return entries.length === 3 ? entries : null;
  });
  expect(JSON.stringify(waiting)).not.toContain(CONTENT);
  await engine.row(sessionId, (row) => row.kind === 'result' && row.direction === 'out');
  await engine.call('catalog/refresh', { sessionId, list: 'resources' });

  const sent = (await engine.rows(sessionId)).filter(({ direction }) => direction === 'out');
  const texts = await Promise.all(
    sent.map(async ({ row }) => (await engine.call('trace/detail', { sessionId, row })).text ?? ''),
  );
  expect(texts.filter((text) => text.includes(CONTENT))).toEqual([]);
  // Only the read itself, and what is answered without the user: the roots.
  const since = texts.slice(texts.findIndex((text) => text.includes('resources/read')) + 1);
  expect(since.map((text) => JSON.parse(text) as { id: unknown; method?: string })).toMatchObject([
    { id: 'roots' },
    { method: 'resources/list' },
  ]);
});
