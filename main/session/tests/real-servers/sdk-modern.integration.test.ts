import { describe, expect, test } from 'vitest';
import { accepted, sampled, wantsTool } from '#fixtures/engine/inbox-answers.ts';
import { modernTransports } from '#fixtures/engine/feature-servers.ts';
import { benchForAllTests, type RealBench } from '#fixtures/protocol/real-bench.ts';
import type { ListenFilter } from '#shared/contract/subscriptions.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

const levels = ['warning', 'error', 'critical', 'alert', 'emergency'];

describe.each(modernTransports)('the official SDK in the modern era over %s', (transport) => {
  const support = { server: 'the official SDK', revision: '2026-07-28', transport } as const;
  const shared = benchForAllTests(support);

  async function listen(bench: RealBench, filter: ListenFilter): Promise<string> {
    const { engine, sessionId } = bench;
    const { id } = await engine.call('subscriptions/listen', { sessionId, filter });
    await bench.subscription(id, ({ state }) => state !== 'requested');
    return id;
  }

  test('says who it is and what it has when it is asked', () => {
    expect(shared.real.session.agreement).toMatchObject({
      era: 'modern',
      revision: '2026-07-28',
      server: { name: 'sdk-fixture' },
      supportedRevisions: ['2026-07-28'],
      serverCapabilities: { completions: {}, resources: { subscribe: true } },
    });
  });

  test('asks two things at once, and takes both answers with the state that it sealed', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-two');
    const [form, model] = await bench.waiting(2);
    expect([form, model]).toMatchObject([
      { method: 'elicitation/create', by: 'input', key: 'your name', callId: call.id },
      { method: 'sampling/createMessage', by: 'input', key: 'opinion', callId: call.id },
    ]);
    await bench.answer(model, sampled);
    await bench.answer(form, accepted({ name: 'Ada' }));
    const ended = await bench.ended(call);
    expect(ended).toMatchObject({ state: 'ok', inboxEntryIds: [] });
    expect(ended.rounds).toHaveLength(2);
    const result = await bench.resultOf(call);
    for (const part of ['Ada', 'Paris', '\\"state\\":{\\"round\\":1}']) expect(result).toContain(part);
  });

  test('refuses a state that is not the one it gave', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const params = '{"name":"ask-two","arguments":{},"inputResponses":{},"requestState":"v1.e30.AAAA"}';
    const call = await engine.call('calls/request', {
      sessionId,
      method: 'tools/call',
      params,
      timeout: null,
    });
    expect(await bench.ended(call)).toMatchObject({ state: 'protocol-error', error: { code: -32602 } });
  });

  test('a state alone has the client come back at once, three times', async () => {
    const { bench } = shared;
    const ended = await bench.ended(await bench.start('ask-only-state'));
    expect(ended).toMatchObject({ state: 'ok' });
    expect(ended.rounds).toHaveLength(4);
  });

  test('is given up when it never has enough, and the session goes on', async () => {
    const rules = [{ method: 'elicitation/create', answer: { kind: 'defaults' }, delay: 0 } as const];
    const bench = await shared.another({ client: { ...defaultClientProfile, rules } });
    const ended = await bench.ended(await bench.start('ask-forever'));
    expect(ended).toMatchObject({ state: 'lost', fault: { code: 'too-many-rounds' } });
    expect(await bench.call('echo', { message: 'on' })).toContain('Echo: on');
  });

  test.each([
    ['prompts/get', { name: 'ask-prompt' }, 'I am Ada.'],
    ['resources/read', { uri: 'fixture://ask' }, 'For Ada.'],
  ])('%s asks too', async (method, params, words) => {
    const { bench } = shared;
    const result = bench.request(method, params);
    await bench.answer(await bench.question('elicitation/create'), { kind: 'defaults' });
    expect(await result).toContain(words);
  });

  test('lets the model use a tool', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-model-with-tools');
    const entry = await bench.question('sampling/createMessage');
    expect(entry.params).toContain('"toolChoice":{"mode":"auto"}');
    await bench.answer(entry, wantsTool);
    expect(await bench.resultOf(call)).toContain('tool_use');
  });

  test('asks to open a page, without an id for it', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-page');
    const entry = await bench.question('elicitation/create');
    expect(entry.params).toContain('"mode":"url"');
    expect(entry.params).not.toContain('elicitationId');
    await bench.answer(entry, { kind: 'defaults' });
    expect(await bench.resultOf(call)).toContain('accept');
  });

  test('refuses what it would need of a client that did not announce it', async () => {
    const bench = await shared.another({ client: { ...defaultClientProfile, capabilities: { roots: {} } } });
    expect(await bench.ended(await bench.start('ask-sampling'))).toMatchObject({
      state: 'protocol-error',
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
    expect(await bench.entries()).toEqual([]);
    const call = await bench.start('ask-roots');
    expect(await bench.resultOf(call)).toContain('roots');
  });

  test('says how long what it gives may be kept', async () => {
    const { engine, sessionId } = shared.bench;
    const { cache } = await engine.call('catalog/tools', { sessionId });
    expect(cache).toMatchObject({ ttl: 60_000, scope: 'public' });
    expect(await engine.call('catalog/prompts', { sessionId })).toMatchObject({
      cache: { ttl: 0, scope: 'private' },
    });
  });

  test('logs with a call once a level is set, and stops once it is unset', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const logged = async (level: string | null) => {
      await engine.call('sessions/set-log-level', { sessionId, level });
      const before = (await bench.notices('notifications/message')).length;
      await bench.call('log');
      const after = await bench.notices('notifications/message');
      return after.slice(before).map(({ summary }) => summary.split(' ')[0]);
    };
    expect(await logged(null)).toEqual([]);
    expect(await logged('warning')).toEqual(levels);
    expect(await logged(null)).toEqual([]);
  });

  test('values complete, by what was chosen before and for a template', async () => {
    const { bench } = shared;
    const ref = { type: 'ref/prompt', name: 'greet' };
    const argument = { name: 'name', value: 'b' };
    const context = { arguments: { language: 'German' } };
    expect(await bench.request('completion/complete', { ref, argument, context })).toContain('["Bernd"]');
    const template = { type: 'ref/resource', uri: 'fixture://item/{id}' };
    const ofTemplate = { ref: template, argument: { name: 'id', value: '1' } };
    expect(await bench.request('completion/complete', ofTemplate)).toContain('["1","10"]');
  });

  test('_meta of one call is sent as requested', async () => {
    const { bench } = shared;
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const call = await bench.start('echo', { message: 'hi' }, { meta: JSON.stringify({ traceparent }) });
    expect((await bench.ended(call)).state).toBe('ok');
    const sent = await bench.textOf(call.requestRow ?? -1);
    expect(sent).toContain(`"traceparent":"${traceparent}"`);
    expect(sent).toContain('"io.modelcontextprotocol/protocolVersion":"2026-07-28"');
  });

  test('tells each listen stream what it asked for, and lists are read again', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const filter = { toolsListChanged: true, taskIds: ['none'] };
    const tools = await listen(bench, filter);
    expect(await bench.subscription(tools, () => true)).toMatchObject({
      state: 'active',
      requested: filter,
      acknowledged: { toolsListChanged: true },
    });
    const text = await listen(bench, { resourceSubscriptions: ['fixture://text'] });
    await bench.call('touch-resource');
    await bench.call('touch-resource', { uri: 'fixture://bytes' });
    await bench.call('change-tools');
    await bench.subscription(text, ({ notifications }) => notifications === 1);
    await bench.subscription(tools, ({ notifications }) => notifications === 1);
    await engine.until(async () => {
      const { entries } = await engine.call('catalog/tools', { sessionId });
      return entries.some((entry) => entry.usable && entry.tool.name === 'extra') ? true : null;
    });
    for (const id of [tools, text]) await engine.call('subscriptions/end', { sessionId, id });
    for (const id of [tools, text]) await bench.subscription(id, ({ state }) => state === 'ended');
    await bench.call('change-tools');
    await bench.call('touch-resource');
    expect(await bench.subscription(text, () => true)).toMatchObject({ notifications: 1, fault: null });
    expect(await bench.subscription(tools, () => true)).toMatchObject({ notifications: 1, fault: null });
  });

  // The last, because the server is gone after it.
  test('ends a listen stream in order when it goes', async () => {
    const { bench } = shared;
    const id = await listen(bench, { promptsListChanged: true });
    await bench.start('leave');
    const ended = await bench.subscription(id, ({ state }) => state !== 'active');
    expect(ended).toMatchObject({ state: 'ended', fault: null });
    expect((await bench.engine.rows(bench.sessionId))[ended.row]).toMatchObject({ status: 'ok' });
  });
});
