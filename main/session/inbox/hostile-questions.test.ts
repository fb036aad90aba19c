import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A server of the modern era; with what it answers to a call. */
const modernServer = (handlers: string) =>
  scriptedServer(`
    'server/discover': (request) =>
      answer(request, {
        resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private',
      }),
    ${handlers}`);

const rules = [{ method: 'elicitation/create', answer: { kind: 'defaults' }, delay: 0 }] as const;
const client = { ...defaultClientProfile, rules: [...rules] };

const first = (sessionId: string) =>
  engine.until(async () => (await engine.call('inbox/list', { sessionId }))[0] ?? null);
const ended = (sessionId: string) => engine.row(sessionId, ({ summary }) => summary.includes('that was all'));
const reported = `write({ method: 'notifications/message', params: { level: 'info', data: 'that was all' } })`;

test('a form of 10,000 fields that all have a default comes with its suggestion', async () => {
  const server = scriptedServer(`
    'tools/call'() {
      const fields = Array.from({ length: 10_000 }, (_, place) => ['f' + place, { type: 'string', default: 'd' + place }]);
      const requestedSchema = { type: 'object', properties: Object.fromEntries(fields), required: fields.map(([key]) => key) };
      write({ id: 'q', method: 'elicitation/create', params: { message: 'many', requestedSchema } });
    },`);
  const { id } = await engine.connect(server);
  await engine.startTool(id, 'ask');
  const { suggestion } = await first(id);
  expect(suggestion).toMatch(/^\{"action":"accept","content":\{"f0":"d0","f1":"d1",.*"f9999":"d9999"\}\}$/);
});

test('a result that asks 5,000 questions is answered by the rule for them', async () => {
  const server = modernServer(`
    'tools/call'(request) {
      const { inputResponses } = request.params;
      if (inputResponses) return answer(request, { resultType: 'complete', content: [], structuredContent: { count: Object.keys(inputResponses).length } });
      const params = { message: 'a question'.repeat(20), requestedSchema: { type: 'object', properties: {} } };
      const inputRequests = Object.fromEntries(Array.from({ length: 5_000 }, (_, place) => ['k' + place, { method: 'elicitation/create', params }]));
      answer(request, { resultType: 'input_required', inputRequests });
    },`);
  const { id } = await engine.connect(server, { era: 'modern', client });
  const call = await engine.callTool(id, 'ask');
  expect(call).toMatchObject({ state: 'ok', rounds: [{}, {}] });
  const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
  expect(text).toContain('"count":5000');
});

test('a batch of 1,000 questions is answered one by one, each with its own id', async () => {
  const server = scriptedServer(`
    'tools/call'() {
      const question = (place) => '{"jsonrpc":"2.0","id":' + (9007199254740993n + BigInt(place)) +
        ',"method":"sampling/createMessage","params":{"messages":[],"maxTokens":' + place + '}}';
      console.log('[' + Array.from({ length: 1_000 }, (_, place) => question(place)).join(',') + ']');
    },
    answered(message, line) {
      this.answers ??= [];
      this.answers.push(/"id":(\\d+)/.exec(line)[1]);
      const isAll = this.answers.every((id, place) => BigInt(id) === 9007199254740993n + BigInt(place));
      if (this.answers.length === 1_000 && isAll) process.exit(0);
    },`);
  const answer = { kind: 'result', json: '{}' } as const;
  const rule = { method: 'sampling/createMessage', answer, delay: 0 } as const;
  const { id } = await engine.connect(server, {
    revision: '2025-03-26',
    client: { ...defaultClientProfile, rules: [rule] },
  });
  await engine.startTool(id, 'ask');
  expect((await engine.settled(id, ['failed', 'closed'])).process).toMatchObject({ exitCode: 0 });
  const entries = await engine.call('inbox/list', { sessionId: id });
  expect(entries.map(({ params }) => params)).toEqual(
    Array.from({ length: 1_000 }, (_, place) => `{"messages":[],"maxTokens":${place}}`),
  );
});

test('a question is complete by the id of what is done elsewhere, and by no other', async () => {
  const server = scriptedServer(`
    'tools/call'() {
      for (const elicitationId of ['one', 'two', 'one'])
        write({ id: 'q' + Math.random(), method: 'elicitation/create', params: { mode: 'url', message: 'go', url: 'http://localhost/', elicitationId } });
      write({ method: 'notifications/elicitation/complete', params: { elicitationId: 'one' } });
      write({ method: 'notifications/elicitation/complete', params: {} });
      ${reported};
    },`);
  const { id } = await engine.connect(server);
  await engine.startTool(id, 'ask');
  const { row } = await engine.row(id, ({ method }) => method === 'notifications/elicitation/complete');
  await ended(id);
  const entries = await engine.call('inbox/list', { sessionId: id });
  expect(entries.map(({ completedRow }) => completedRow)).toEqual([row, null, row]);
});

test('a server that dies while a call waits for input takes both with it', async () => {
  const server = modernServer(`
    'tools/call'(request) {
      const question = { method: 'elicitation/create', params: { message: 'go', requestedSchema: { type: 'object', properties: {} } } };
      answer(request, { resultType: 'input_required', inputRequests: { a: question, b: question } });
    },
    die: () => process.exit(1),`);
  const { id } = await engine.connect(server, { era: 'modern' });
  const call = await engine.startTool(id, 'ask');
  await first(id);
  await engine.send(id, '{"jsonrpc":"2.0","method":"die"}');
  expect(await engine.ended(id, call.id)).toMatchObject({ state: 'lost', inboxEntryIds: [] });
  const entries = await engine.call('inbox/list', { sessionId: id });
  expect(entries.map(({ state }) => state)).toEqual(['lost', 'lost']);
});

test('a question is taken back by its id, beyond 2^53 too, and no other', async () => {
  const server = scriptedServer(`
    'tools/call'() {
      const ask = (id) => console.log('{"jsonrpc":"2.0","id":' + id + ',"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}');
      for (const id of ['9007199254740993', '9007199254740992', '"a"']) ask(id);
      for (const id of ['9007199254740993', '"a"'])
        console.log('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":' + id + '}}');
      ${reported};
    },`);
  const { id } = await engine.connect(server);
  await engine.startTool(id, 'ask');
  await ended(id);
  const entries = await engine.call('inbox/list', { sessionId: id });
  expect(entries.map(({ state }) => state)).toEqual(['withdrawn', 'waiting', 'withdrawn']);
});

test('a request whose params are no object is refused, so that its server need not wait', async () => {
  const server = scriptedServer(`
    'tools/call'(request) {
      this.call = request;
      write({ id: 'a', method: 'roots/list', params: null });
      write({ id: 'b', method: 'elicitation/create', params: [] });
    },
    codes: [],
    answered({ error }) {
      this.codes.push(error.code);
      if (this.codes.length === 2) answer(this.call, { content: [], structuredContent: this.codes });
    },`);
  const { id } = await engine.connect(server);
  const call = await engine.callTool(id, 'ask');
  const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
  expect(text).toContain('[-32602,-32602]');
  expect(await engine.call('inbox/list', { sessionId: id })).toEqual([]);
});

test('questions above the limit of waiting ones are refused', async () => {
  const server = scriptedServer(`
    'tools/call'(request) {
      this.call = request;
      for (let place = 0; place < 1_010; place++) write({ id: place, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    },
    refused: 0,
    answered({ error }) {
      if (error && ++this.refused === 10) answer(this.call, { content: [], structuredContent: { refused: error.message } });
    },`);
  const { id } = await engine.connect(server);
  const call = await engine.callTool(id, 'ask');
  expect(call.state).toBe('ok');
  expect((await engine.session(id)).waiting).toBe(1000);
  const entries = await engine.call('inbox/list', { sessionId: id });
  expect(entries.filter(({ answer }) => answer?.by === 'limit')).toHaveLength(10);
});
