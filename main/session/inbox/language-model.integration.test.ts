import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { type FakeModel, startFakeModel } from '#fixtures/fake-model.ts';
import { completion } from '#fixtures/page/samples.ts';
import { completionsUrl } from '#shared/contract/language-model.ts';

let engine: EngineFixture;
let model: FakeModel;
beforeEach(async () => {
  engine = await EngineFixture.open();
  model = await startFakeModel();
});
afterEach(async () => {
  await engine.close();
  await model.close();
});

const server = scriptedServer(`
  'tools/call'(request) {
    this.call = request;
    const { method, params } = request.params.arguments;
    write({ id: 'q', method, params });
  },
  answered(message) {
    if (message.id === 'q') answer(this.call, { content: [], structuredContent: { got: message.result ?? message.error } });
  },`);

const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const body = '{"model":"fake-1","messages":[{"role":"user","content":"Hello?"}],"temperature":0.10}';
const KEY = 'sk-very-secret-123456';

async function waiting(question: object = sampling) {
  const { id } = await engine.connect(server);
  const call = await engine.startTool(id, 'ask', question);
  const entry = await engine.until(
    async () => (await engine.call('inbox/list', { sessionId: id }))[0] ?? null,
  );
  return { sessionId: id, entryId: entry.id, row: entry.row, callId: call.id };
}
const configure = async () => {
  await engine.call('settings/write', { modelUrl: model.url });
  await engine.call('model/set-key', { key: KEY });
};

test('a model is asked with exactly what the user approved, and its response goes to nobody else', async () => {
  await configure();
  const { sessionId, entryId, row } = await waiting();
  const { text, duration } = await engine.call('model/ask', { sessionId, entryId, body });
  expect(JSON.parse(text)).toMatchObject({ model: 'fake-1-large', usage: { total_tokens: 46 } });
  expect(duration).toBeGreaterThan(0);
  expect(model.requests).toMatchObject([
    { path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` }, body: JSON.parse(body) },
  ]);
  expect((await engine.call('inbox/list', { sessionId }))[0]).toMatchObject({
    state: 'waiting',
    answer: null,
  });
  // Its traffic is on record, without the key.
  const marks = await engine.call('trace/marks', { sessionId });
  expect(marks).toMatchObject([{ row }]);
  expect(marks[0]?.note).toContain(`POST ${model.url}/v1/chat/completions, 200 after`);
  expect(marks[0]?.note).toContain(`Request: ${body}\nResponse: ${text}`);
  await engine.call('inbox/answer', { sessionId, entryId, answer: { kind: 'decline' } });
  await engine.call('sessions/close', { sessionId });
  const { path } = (await engine.session(sessionId)).traceFile;
  const trace = await readFile(path, 'utf8');
  expect(trace).toContain('Asked a language model');
  expect(trace).not.toContain(KEY);
});

test('a credential in the address is in no trace and no fault, though the model repeats it in any form', async () => {
  const planted = 'k3y-Zq8/Vw+27=Lm';
  const address = new URL(model.url);
  address.searchParams.set('api_key', planted);
  await engine.call('settings/write', { modelUrl: address.href });
  // The page writes back what it was given.
  const { modelUrl } = await engine.call('settings/read', {});
  await engine.call('settings/write', { modelUrl });
  const forms = [planted, encodeURIComponent(planted), Buffer.from(planted).toString('base64')];
  const { sessionId, entryId } = await waiting();
  for (const status of [200, 401]) {
    model.reply = () => ({ status, text: JSON.stringify({ error: { message: forms.join(' and ') } }) });
    const failed = await engine
      .call('model/ask', { sessionId, entryId, body })
      .catch((error: unknown) => error);
    const fault = JSON.stringify(Reflect.get(Object(failed), 'fault'));
    for (const form of forms) expect(fault).not.toContain(form);
  }
  expect(model.requests[0]?.path).toContain(`api_key=${encodeURIComponent(planted)}`);
  const [mark] = await engine.call('trace/marks', { sessionId });
  for (const form of forms) expect(mark?.note).not.toContain(form);
  expect(mark?.note).toContain('/v1/chat/completions?api_key=[secret url:api_key, ');
  await engine.call('sessions/close', { sessionId });
  const trace = await readFile((await engine.session(sessionId)).traceFile.path, 'utf8');
  const settings = await readFile(join(engine.folder, 'settings.json'), 'utf8');
  for (const form of forms) expect(trace + settings + modelUrl).not.toContain(form);
});

test('a key that is a plain word is sent, and replaces nothing in the answer', async () => {
  await configure();
  await engine.call('model/set-key', { key: 'message\n' });
  const { sessionId, entryId } = await waiting();
  const { text } = await engine.call('model/ask', { sessionId, entryId, body });
  expect(JSON.parse(text)).toHaveProperty('choices[0].message');
  expect(model.requests[0]?.headers.authorization).toBe('Bearer message');
});

test.each(['sk-part-one\nsk-part-two', 'sk-part-one sk-part-two', 'sk-part-one\u20ac'])(
  'a key that no header can carry is refused without being quoted',
  async (key) => {
    await configure();
    const faultTextOf = async (act: () => Promise<unknown>) => {
      const failed = await act().catch((error: unknown) => error);
      return JSON.stringify(Reflect.get(Object(failed), 'fault') ?? null);
    };
    const { sessionId, entryId } = await waiting();
    const setting = await faultTextOf(() => engine.call('model/set-key', { key }));
    const asking = await faultTextOf(() => engine.call('model/ask', { sessionId, entryId, body }));
    expect(setting + asking).not.toContain('sk-part');
    expect(JSON.stringify(await engine.call('trace/marks', { sessionId }))).not.toContain('sk-part');
    expect(setting).toContain('model-key-unusable');
    // The key before it is kept.
    expect(asking).toBe('null');
  },
);

test('none is asked without an address, for another kind of question, or after the answer', async () => {
  const { sessionId, entryId } = await waiting();
  await expect(engine.call('model/ask', { sessionId, entryId, body })).rejects.toThrow('No language model');
  await configure();
  await engine.call('inbox/answer', { sessionId, entryId, answer: { kind: 'decline' } });
  await expect(engine.call('model/ask', { sessionId, entryId, body })).rejects.toThrow('no longer waits');
  const form = await waiting({ method: 'elicitation/create', params: { message: '?', requestedSchema: {} } });
  await expect(engine.call('model/ask', { ...form, body })).rejects.toThrow('not sampling/createMessage');
  expect(model.requests).toEqual([]);
});

test('the key is stored as a secret, is never shown, and can be removed', async () => {
  expect(await engine.call('model/has-key', {})).toEqual({ hasKey: false });
  await configure();
  expect(await engine.call('model/has-key', {})).toEqual({ hasKey: true });
  expect(JSON.stringify(await engine.call('settings/read', {}))).not.toContain(KEY);
  await engine.call('model/set-key', { key: null });
  const { sessionId, entryId } = await waiting();
  await engine.call('model/ask', { sessionId, entryId, body });
  expect(model.requests[0]?.headers.authorization).toBeUndefined();
});

describe('an error is explained', () => {
  test.each([
    [
      { status: 401, text: `{"error":{"message":"Wrong key ${KEY}"}}` },
      ['status 401', 'the key', '[secret model key, '],
    ],
    [{ status: 404, text: '{"error":"model not found"}' }, ['no such model', 'model not found']],
    [{ status: 429, text: '' }, ['limits how often']],
    [{ status: 307, headers: { location: 'https://elsewhere.example/' }, text: '' }, ['redirects']],
    [{ text: '<html>hello</html>' }, ['not a chat completion', '<html>']],
    [{ text: '{"choices":[]}' }, ['not a chat completion']],
  ])('%j', async (reply, words) => {
    await configure();
    model.reply = () => reply;
    const { sessionId, entryId } = await waiting();
    const failed = await engine
      .call('model/ask', { sessionId, entryId, body })
      .catch((error: unknown) => error);
    const fault = JSON.stringify(Reflect.get(Object(failed), 'fault'));
    for (const word of words) expect(fault).toContain(word);
    expect(fault).not.toContain(KEY);
    expect((await engine.call('trace/marks', { sessionId }))[0]?.note).not.toContain(KEY);
  });

  test('of an address where nothing listens', async () => {
    await configure();
    await model.close();
    const { sessionId, entryId } = await waiting();
    await expect(engine.call('model/ask', { sessionId, entryId, body })).rejects.toThrow(
      'could not be asked',
    );
    expect((await engine.call('trace/marks', { sessionId }))[0]?.note).toContain('no response');
  });
});

test('another request can be made of the same question, and both are on record', async () => {
  await configure();
  const { sessionId, entryId } = await waiting();
  await engine.call('model/ask', { sessionId, entryId, body });
  model.reply = () => ({ text: completion('second') });
  const { text } = await engine.call('model/ask', { sessionId, entryId, body: body.replace('0.10', '0.9') });
  expect(text).toContain('second');
  const [mark] = await engine.call('trace/marks', { sessionId });
  expect(mark?.note.match(/Asked a language model/g)).toHaveLength(2);
});

test.each([
  ['http://localhost:11434', 'http://localhost:11434/v1/chat/completions'],
  ['https://a.example/', 'https://a.example/v1/chat/completions'],
  ['https://a.example/api/v2/', 'https://a.example/api/v2/chat/completions'],
  ['https://a.example/v1/chat/completions?v=1', 'https://a.example/v1/chat/completions?v=1'],
])('the API of %s is %s', (base, url) => {
  expect(completionsUrl(base)).toBe(url);
});
