import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { ClientProfile } from '#shared/contract/servers.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Sends the requests that a call names, and answers it with all responses once they are there. */
const asking = scriptedServer(`
  'tools/call'(request) {
    this.call = request;
    this.responses = [];
    this.expected = request.params.arguments.requests.length;
    request.params.arguments.requests.forEach(([method, params], at) => write({ id: 'q' + at, method, params }));
  },
  answered(message) {
    if (message.id === undefined) return;
    this.responses.push(message.error ?? message.result);
    if (this.responses.length === this.expected)
      answer(this.call, { content: [], structuredContent: { responses: this.responses } });
  },`);

const connect = async (client: Partial<ClientProfile> = {}) =>
  (await engine.connect(asking, { client: { ...defaultClientProfile, rules: [], ...client } })).id;

const form = (message: string): [string, object] => [
  'elicitation/create',
  { message, requestedSchema: { type: 'object', properties: {} } },
];
const sampling: [string, object] = ['sampling/createMessage', { messages: [], maxTokens: 1 }];

const ask = (sessionId: string, ...requests: readonly [string, object][]) =>
  engine.startTool(sessionId, 'ask', { requests });
const entries = (sessionId: string) => engine.call('inbox/list', { sessionId });
const waiting = (sessionId: string, count: number) =>
  engine.until(async () => {
    const open = (await entries(sessionId)).filter(({ state }) => state === 'waiting');
    return open.length === count ? open : null;
  });
const responses = async (sessionId: string, callId: string) => {
  await engine.ended(sessionId, callId);
  const { text } = await engine.call('calls/result', { sessionId, callId });
  return (JSON.parse(text ?? '{}') as { structuredContent: { responses: unknown[] } }).structuredContent
    .responses;
};

test('more requests in a minute than the settings allow get an error that the user sees', async () => {
  const id = await connect({ requestsPerMinute: 2 });
  await ask(id, sampling, sampling, sampling, sampling);
  await waiting(id, 2);
  const refused = await engine.until(async () => {
    const over = (await entries(id)).filter(({ answer }) => answer?.by === 'rate');
    return over.length === 2 ? over : null;
  });
  expect(refused.map(({ answer }) => answer?.content)).toEqual(
    Array.from({ length: 2 }, () => ({
      kind: 'error',
      code: -32000,
      message: 'Too many requests: this client takes at most 2 a minute',
    })),
  );
  const { text, row } = await engine.call('trace/detail', {
    sessionId: id,
    row: refused[0]?.responseRow ?? -1,
  });
  expect(text).toContain('"code":-32000');
  expect(row).toMatchObject({ direction: 'out', kind: 'error', automatic: true });
});

test('everything of a server is declined, what waits and what comes, until the user takes it back', async () => {
  const id = await connect();
  const first = await ask(id, sampling, form('?'));
  await waiting(id, 2);
  await engine.call('inbox/decline-all', { sessionId: id, isOn: true });
  const declined = [{ code: -1, message: 'User rejected sampling request' }, { action: 'decline' }];
  expect(await responses(id, first.id)).toEqual(declined);
  expect((await engine.session(id)).isDecliningAll).toBe(true);
  const second = await ask(id, sampling, form('again?'));
  expect(await responses(id, second.id)).toEqual(declined);
  expect((await entries(id)).map(({ answer }) => answer?.by)).toEqual(
    Array.from({ length: 4 }, () => 'declining'),
  );
  await engine.call('inbox/decline-all', { sessionId: id, isOn: false });
  expect((await engine.session(id)).isDecliningAll).toBe(false);
  await ask(id, sampling);
  await waiting(id, 1);
});

test('a rule with a text answers only questions that contain it', async () => {
  const answer = { kind: 'result', json: '{"action":"accept","content":{"a":1.0}}' } as const;
  const id = await connect({
    rules: [{ method: 'elicitation/create', contains: 'the “pipe”', answer, delay: 0 }],
  });
  const call = await ask(id, form('Which is the “pipe”?'), form('Which valve?'));
  const [entry] = await waiting(id, 1);
  expect(entry?.params).toContain('Which valve?');
  await engine.call('inbox/answer', { sessionId: id, entryId: entry?.id ?? '', answer: { kind: 'decline' } });
  expect(await responses(id, call.id)).toEqual([
    { action: 'accept', content: { a: 1 } },
    { action: 'decline' },
  ]);
});

test('requests that clients do not support wait for the user if the settings hold them', async () => {
  const id = await connect({ holdsUnknown: true, capabilities: {} });
  const call = await ask(id, ['tea/make', { sugar: 1.0 }], ['tea/pour', {}], sampling);
  const [make, pour, model] = await waiting(id, 3);
  expect(make).toMatchObject({ method: 'tea/make', params: '{"sugar":1}', suggestion: null });
  const say = (entry: typeof make, answer: Parameters<typeof give>[1]) => give(entry?.id ?? '', answer);
  const give = (entryId: string, answer: { kind: 'result'; json: string } | { kind: 'decline' }) =>
    engine.call('inbox/answer', { sessionId: id, entryId, answer });
  await say(make, { kind: 'result', json: '{"tea":true}' });
  await say(pour, { kind: 'decline' });
  await say(model, { kind: 'decline' });
  expect(await responses(id, call.id)).toEqual([
    { tea: true },
    { code: -32601, message: 'Method not found: tea/pour' },
    { code: -1, message: 'User rejected sampling request' },
  ]);
});
