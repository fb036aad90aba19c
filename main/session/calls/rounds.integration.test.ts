import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampled } from '#fixtures/engine/inbox-answers.ts';
import { connectModern, type FeatureSession, modernTransports } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { InboxAnswer } from '#shared/contract/inbox.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
let feature: FeatureSession;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

describe.each(modernTransports)('over %s', (transport) => {
  const connect = async (settings = {}) => {
    feature = await connectModern(engine, transport, settings);
    expect(feature.session).toMatchObject({ phase: 'ready', agreement: { era: 'modern' } });
    return feature.session.id;
  };

  const start = (sessionId: string, tool: string, args = '{}') =>
    engine.call('calls/start', { sessionId, tool, arguments: args, timeout: null });

  const waiting = (sessionId: string, count: number) =>
    engine.until(async () => {
      const entries = await engine.call('inbox/list', { sessionId });
      const open = entries.filter(({ state }) => state === 'waiting');
      return open.length === count ? open : null;
    });

  const answer = (sessionId: string, entryId: string, said: InboxAnswer) =>
    engine.call('inbox/answer', { sessionId, entryId, answer: said });

  const textOf = async (sessionId: string, row: number) =>
    (await engine.call('trace/detail', { sessionId, row })).text ?? '';

  test('two questions at once are answered manually, and the state goes back byte by byte', async () => {
    const id = await connect();
    const call = await start(id, 'ask-two');
    const [form, model] = await waiting(id, 2);
    expect([form, model]).toMatchObject([
      { method: 'elicitation/create', by: 'input', callId: call.id },
      { method: 'sampling/createMessage', by: 'input', callId: call.id },
    ]);
    expect((await engine.session(id)).waiting).toBe(2);
    const [running] = await engine.call('calls/list', { sessionId: id });
    expect(running).toMatchObject({ state: 'running', inboxEntryIds: [form?.id, model?.id] });

    await answer(id, model?.id ?? '', sampled);
    await answer(id, form?.id ?? '', {
      kind: 'result',
      json: '{"action":"accept","content":{"name":"Ada","n":12345678901234567890}}',
    });
    const ended = await engine.ended(id, call.id);
    expect(ended).toMatchObject({ state: 'ok', inboxEntryIds: [] });
    expect(ended.rounds).toHaveLength(2);
    const [first, second] = ended.rounds;
    expect(second?.requestId).toBeGreaterThan(first?.requestId ?? 0);
    const asked = await textOf(id, first?.responseRow ?? -1);
    const retried = await textOf(id, second?.requestRow ?? -1);
    const state = /"requestState":("(?:[^"\\]|\\.)*")/.exec(asked)?.[1];
    expect(state).toBeDefined();
    expect(retried).toContain(`"requestState":${state}`);
    expect(retried).toContain('12345678901234567890');
    const entries = await engine.call('inbox/list', { sessionId: id });
    expect(entries.map(({ responseRow }) => responseRow)).toEqual([second?.requestRow, second?.requestRow]);
  });

  test('a round that waits for input says so in the trace, and the last one is ok', async () => {
    const id = await connect();
    const call = await start(id, 'ask-two');
    const [form, model] = await waiting(id, 2);
    const rowsOfCall = async () =>
      (await engine.rows(id)).filter(
        ({ method, kind }) => method === 'tools/call' && (kind === 'request' || kind === 'result'),
      );
    expect(await rowsOfCall()).toMatchObject([
      { kind: 'request', status: 'input-required' },
      { kind: 'result', status: 'input-required' },
    ]);
    await answer(id, model?.id ?? '', sampled);
    await answer(id, form?.id ?? '', {
      kind: 'result',
      json: '{"action":"accept","content":{"name":"Ada"}}',
    });
    await engine.ended(id, call.id);
    expect((await rowsOfCall()).map(({ status }) => status)).toEqual([
      'input-required',
      'input-required',
      'ok',
      'ok',
    ]);
    expect((await engine.session(id)).counts.errors).toBe(0);
  });

  test('as many rounds as the server wants are one call, answered by rules', async () => {
    const id = await connect({
      client: {
        capabilities: null,
        roots: [{ uri: 'file:///work', name: 'work' }],
        rules: [
          { method: 'roots/list', answer: { kind: 'defaults' }, delay: 0 },
          {
            method: 'elicitation/create',
            answer: { kind: 'result', json: '{"action":"accept","content":{"name":"Ada"}}' },
            delay: 5,
          },
          { method: 'sampling/createMessage', answer: sampled, delay: 0 },
        ],
      },
    });
    const call = await start(id, 'ask-rounds', '{"rounds":4}');
    const ended = await engine.ended(id, call.id);
    expect(ended).toMatchObject({ state: 'ok' });
    expect(ended.rounds).toHaveLength(5);
    const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
    expect(text).toContain('file:///work');

    // A trace file does not hold the call, but its rows are related.
    await engine.callTool(id, 'ask-wrong');
    const { path } = (await engine.session(id)).traceFile;
    await engine.call('sessions/close', { sessionId: id });
    const { sessionId } = await engine.call('traces/open', { path });
    const history = async (tool: string) =>
      (await engine.call('calls/history', { sessionId, tool, before: null, count: 10 })).map((one) => ({
        state: one.state,
        code: one.fault?.code ?? null,
        rounds: one.rounds,
        responseRow: one.responseRow,
      }));
    const { rounds, responseRow } = ended;
    await expect
      .poll(() => history('ask-rounds'))
      .toEqual([{ state: 'ok', code: null, rounds, responseRow }]);
    expect(await history('ask-wrong')).toMatchObject([{ state: 'lost', code: 'input-not-given' }]);
    const row = rounds[2]?.requestRow ?? -1;
    const found = await engine.call('calls/of-row', { sessionId, row });
    expect(found).toMatchObject({ id: `row-${ended.requestRow}`, arguments: '{"rounds":4}' });
    const recorded = await engine.call('calls/result', { sessionId, callId: found?.id ?? '' });
    expect(recorded.text).toBe(text);
  });

  test('a server that never has enough is given up after so many rounds, and the session goes on', async () => {
    const id = await connect({
      client: {
        capabilities: null,
        roots: [],
        rules: [{ method: 'elicitation/create', answer: { kind: 'decline' }, delay: 0 }],
      },
    });
    const ended = await engine.ended(id, (await start(id, 'ask-forever')).id);
    expect(ended).toMatchObject({ state: 'lost', fault: { code: 'too-many-rounds' } });
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test.each([
    ['ask-no-state', 1],
    ['ask-all-fields', 1],
    ['ask-url', 1],
  ])('%s is answered with its defaults where they follow, else by hand', async (tool, count) => {
    const id = await connect();
    const call = await start(id, tool);
    const [entry] = await waiting(id, count);
    const said: InboxAnswer =
      entry?.suggestion == null
        ? { kind: 'result', json: '{"action":"accept","content":{"name":"Ada","size":"m"}}' }
        : { kind: 'defaults' };
    await answer(id, entry?.id ?? '', said);
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
  });

  test('a state alone sends the client back at once', async () => {
    const id = await connect();
    const ended = await engine.ended(id, (await start(id, 'ask-only-state', '{"rounds":3}')).id);
    expect(ended).toMatchObject({ state: 'ok' });
    expect(ended.rounds).toHaveLength(4);
  });

  test('an error for an answer ends the call, and what else was asked is withdrawn', async () => {
    const id = await connect();
    const call = await start(id, 'ask-two');
    const [, model] = await waiting(id, 2);
    await answer(id, model?.id ?? '', { kind: 'decline' });
    expect(await engine.ended(id, call.id)).toMatchObject({
      state: 'lost',
      fault: { code: 'input-refused' },
    });
    const entries = await engine.call('inbox/list', { sessionId: id });
    expect(entries.map(({ state }) => state)).toEqual(['withdrawn', 'answered']);
  });

  test('a request that no client answers is reported, not answered', async () => {
    const id = await connect();
    const ended = await engine.ended(id, (await start(id, 'ask-wrong')).id);
    expect(ended).toMatchObject({ state: 'lost', fault: { code: 'input-unanswerable' } });
  });

  test('a call that waits for an answer is cancelled without a word to the server', async () => {
    const id = await connect();
    const call = await start(id, 'ask-two');
    await waiting(id, 2);
    await engine.call('calls/cancel', { sessionId: id, callId: call.id });
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'cancelled' });
    expect(await waiting(id, 0)).toEqual([]);
  });

  test.each([
    ['prompts/get', '{"name":"ask-prompt"}'],
    ['resources/read', '{"uri":"fixture://ask"}'],
  ])('%s asks in the same way', async (method, params) => {
    const id = await connect();
    const call = await engine.call('calls/request', { sessionId: id, method, params, timeout: null });
    const open = await engine.until(async () => {
      const entries = await engine.call('inbox/list', { sessionId: id });
      return entries.length > 0 ? entries : null;
    });
    for (const { id: entryId, method: asked } of open) {
      const json =
        asked === 'sampling/createMessage' ? sampled.json : '{"action":"accept","content":{"name":"Ada"}}';
      await answer(id, entryId, { kind: 'result', json });
    }
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok', method });
  });

  test('where it must not be asked, input_required is a result like any other', async () => {
    const id = await connect();
    await engine.callTool(id, 'ask-in-next-list');
    await engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
    expect(await engine.call('catalog/tools', { sessionId: id })).toMatchObject({
      state: 'failed',
      fault: { code: 'list-missing' },
    });
    expect(await engine.call('inbox/list', { sessionId: id })).toEqual([]);
  });

  test('an answer may take longer than the time a call is given', async () => {
    const id = await connect({
      timeouts: { ...defaultTimeouts, request: 2000, requestMax: 2000 },
      client: {
        capabilities: null,
        roots: [],
        rules: [{ method: 'elicitation/create', answer: { kind: 'cancel' }, delay: 2500 }],
      },
    });
    const call = await start(id, 'ask-no-state');
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
  });
});
