import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampled } from '#fixtures/engine/inbox-answers.ts';
import { connectLegacy, type FeatureSession, legacyTransports } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { InboxAnswer, InboxEntry, InboxRule } from '#shared/contract/inbox.ts';
import { defaultClientProfile, defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
let feature: FeatureSession;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

const rule = (method: InboxRule['method'], answer: InboxAnswer, delay = 0): InboxRule => ({
  method,
  answer,
  delay,
});

describe.each(legacyTransports)('over %s', (transport) => {
  const connect = async (settings = {}) => {
    feature = await connectLegacy(engine, transport, settings);
    expect(feature.session).toMatchObject({ phase: 'ready', transport });
    return feature.session.id;
  };
  const start = (sessionId: string, tool: string, args: object = {}) =>
    engine.call('calls/start', { sessionId, tool, arguments: JSON.stringify(args), timeout: null });
  const waiting = (sessionId: string, count = 1) =>
    engine.until(async () => {
      const entries = await engine.call('inbox/list', { sessionId });
      const open = entries.filter(({ state }) => state === 'waiting');
      return open.length === count ? open : null;
    });
  const answer = (sessionId: string, entry: InboxEntry | undefined, said: InboxAnswer) =>
    engine.call('inbox/answer', { sessionId, entryId: entry?.id ?? '', answer: said });
  const entryOf = async (sessionId: string, id: string | undefined) =>
    (await engine.call('inbox/list', { sessionId })).find((entry) => entry.id === id);
  const resultOf = async (sessionId: string, callId: string) => {
    await engine.ended(sessionId, callId);
    return (await engine.call('calls/result', { sessionId, callId })).text ?? '';
  };

  test('a question inside a call waits for the user, and goes back as it was written', async () => {
    const id = await connect();
    const call = await start(id, 'ask-sampling');
    const [entry] = await waiting(id);
    expect(entry).toMatchObject({
      method: 'sampling/createMessage',
      by: 'request',
      callId: call.id,
      suggestion: null,
    });
    expect(entry?.params).toContain('What is the capital of France?');
    expect(await engine.call('calls/list', { sessionId: id })).toMatchObject([
      { state: 'running', inboxEntryIds: [entry?.id] },
    ]);
    await answer(id, entry, sampled);
    expect(await resultOf(id, call.id)).toContain('Paris');
    expect(await engine.call('calls/list', { sessionId: id })).toMatchObject([
      { state: 'ok', inboxEntryIds: [] },
    ]);
    const answered = await entryOf(id, entry?.id);
    expect(answered).toMatchObject({ state: 'answered', answer: { by: 'user' } });
    const { text, row } = await engine.call('trace/detail', {
      sessionId: id,
      row: answered?.responseRow ?? -1,
    });
    expect(text).toContain(`"result":${sampled.json}`);
    expect(row).toMatchObject({ direction: 'out', kind: 'result', automatic: false, pair: entry?.row });
  });

  test.each([
    [{ kind: 'decline' }, 'User rejected sampling request'],
    [{ kind: 'cancel' }, 'User cancelled sampling request'],
    [{ kind: 'error', code: -32603, message: 'no model' }, 'no model'],
  ] as const)('sampling is refused with an error: %j', async (said, words) => {
    const id = await connect();
    const call = await start(id, 'ask-sampling');
    const [entry] = await waiting(id);
    await answer(id, entry, said);
    expect(await resultOf(id, call.id)).toContain(words);
  });

  test.each(['decline', 'cancel'] as const)('elicitation has a result for it: %s', async (kind) => {
    const id = await connect();
    const call = await start(id, 'ask-elicitation');
    const [entry] = await waiting(id);
    await answer(id, entry, { kind });
    expect(await resultOf(id, call.id)).toContain(`\\"action\\":\\"${kind}\\"`);
  });

  test('an answer that is no object is refused, and the question still waits', async () => {
    const id = await connect();
    await start(id, 'ask-sampling');
    const [entry] = await waiting(id);
    await expect(answer(id, entry, { kind: 'result', json: '[1]' })).rejects.toThrow('not a JSON object');
    await expect(answer(id, entry, { kind: 'defaults' })).rejects.toThrow('no default answer');
    expect(await waiting(id)).toHaveLength(1);
    await answer(id, entry, { kind: 'decline' });
    await expect(answer(id, entry, { kind: 'decline' })).rejects.toThrow('no longer waits');
  });

  test.each([
    ['"result":{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"m"}', 'Paris'],
    ['"error":{"code":-32603,"message":"no model today"}', 'no model today'],
  ])(
    'a response that the user composed closes the entry, and nothing else is sent: %s',
    async (member, words) => {
      const id = await connect();
      const call = await start(id, 'ask-sampling');
      const [entry] = await waiting(id);
      const { row } = await engine.call('trace/detail', { sessionId: id, row: entry?.row ?? -1 });
      const send = (requestId: string) =>
        engine.call('sessions/send', {
          sessionId: id,
          bytes: { as: 'text', text: `{"jsonrpc":"2.0","id":${requestId},${member}}` },
          headers: null,
          composed: 'sent',
        });
      await send('"another"');
      expect(await waiting(id)).toHaveLength(1);
      const sent = await send(String(row.id));
      expect(await resultOf(id, call.id)).toContain(words);
      expect(await entryOf(id, entry?.id)).toMatchObject({
        state: 'answered',
        answer: { by: 'user' },
        responseRow: sent.row,
      });
      await expect(answer(id, entry, sampled)).rejects.toThrow('no longer waits');
      const rows = await engine.rows(id);
      expect(rows.filter(({ direction, pair }) => direction === 'out' && pair === entry?.row)).toHaveLength(
        1,
      );
    },
  );

  test('questions nested in one call come one after another, those asked at once together', async () => {
    const id = await connect({
      client: {
        ...defaultClientProfile,
        roots: [{ uri: 'file:///work', name: null }],
        rules: [rule('roots/list', { kind: 'defaults' }), rule('sampling/createMessage', sampled, 5)],
      },
    });
    const call = await start(id, 'nested', { depth: 5 });
    const form = await engine.until(async () => {
      const entries = await engine.call('inbox/list', { sessionId: id });
      return entries.find(({ method }) => method === 'elicitation/create') ?? null;
    });
    expect(form.params).toContain('Paris');
    await answer(id, form, { kind: 'result', json: '{"action":"accept","content":{"name":"Ada"}}' });
    const second = await engine.until(async () => {
      const entries = await engine.call('inbox/list', { sessionId: id });
      return entries.length === 5 ? entries.at(-1) : null;
    });
    await answer(id, second, { kind: 'decline' });
    const text = await resultOf(id, call.id);
    expect(text).toContain('file:///work');
    expect((await engine.call('inbox/list', { sessionId: id })).map(({ method }) => method)).toEqual([
      'sampling/createMessage',
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
      'elicitation/create',
    ]);
    await start(id, 'ask-three');
    const [other] = await waiting(id);
    await answer(id, other, { kind: 'decline' });
  });

  test('several wait at once, and the session goes on beside them', async () => {
    const id = await connect({ client: { ...defaultClientProfile, rules: [] } });
    const call = await start(id, 'ask-three');
    const open = await waiting(id, 3);
    expect(await engine.callTool(id, 'echo', { message: 'beside' })).toMatchObject({ state: 'ok' });
    expect((await engine.session(id)).waiting).toBe(3);
    for (const entry of open.toReversed()) await answer(id, entry, { kind: 'decline' });
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
  });

  test('what the server takes back is withdrawn, and never answered', async () => {
    const id = await connect();
    const call = await start(id, 'ask-and-cancel', { what: 'elicitation', milliseconds: 20 });
    await engine.ended(id, call.id);
    const entry = await engine.until(async () => {
      const [one] = await engine.call('inbox/list', { sessionId: id });
      return one?.state === 'withdrawn' ? one : null;
    });
    await expect(answer(id, entry, { kind: 'decline' })).rejects.toThrow('no longer waits');
    const rows = await engine.rows(id);
    expect(rows[entry.row]).toMatchObject({ method: 'elicitation/create', status: 'cancelled', pair: null });
  });

  test('the timeout of a call is paused while it waits for the user', async () => {
    const id = await connect({
      timeouts: { ...defaultTimeouts, request: 1500, requestMax: 1500 },
      client: {
        ...defaultClientProfile,
        rules: [rule('sampling/createMessage', sampled, 2500)],
      },
    });
    const call = await start(id, 'ask-sampling');
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
  });

  test('a disconnect answers what waits with cancel', async () => {
    const id = await connect();
    await start(id, 'ask-elicitation');
    const [entry] = await waiting(id);
    await engine.call('sessions/close', { sessionId: id });
    const answered = await entryOf(id, entry?.id);
    expect(answered).toMatchObject({
      state: 'answered',
      answer: { content: { kind: 'cancel' }, by: 'closing' },
    });
    const { text } = await engine.call('trace/detail', { sessionId: id, row: answered?.responseRow ?? -1 });
    expect(text).toContain('"result":{"action":"cancel"}');
  });

  test('a server that dies meanwhile leaves a question that is lost', async () => {
    const id = await connect();
    await start(id, 'ask-then-die');
    const entry = await engine.until(async () => {
      const [one] = await engine.call('inbox/list', { sessionId: id });
      return one && (one.state === 'lost' || transport === 'streamable-http') ? one : null;
    });
    expect(entry.method).toBe('sampling/createMessage');
  });

  test('a question that was not announced, or that no client knows, is answered with -32601', async () => {
    const id = await connect({ client: { ...defaultClientProfile, capabilities: { roots: {} } } });
    for (const tool of ['ask-unannounced', 'ask-unknown']) {
      const call = await start(id, tool);
      expect(await resultOf(id, call.id)).toContain('-32601');
    }
    expect(await engine.call('inbox/list', { sessionId: id })).toEqual([]);
  });

  test('an address to visit is accepted, and said to be complete later', async () => {
    const id = await connect();
    const call = await start(id, 'ask-url');
    const [entry] = await waiting(id);
    expect(entry).toMatchObject({ suggestion: '{"action":"accept"}', completedRow: null });
    await answer(id, entry, { kind: 'defaults' });
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
    const complete = await engine.until(async () => {
      const row = (await entryOf(id, entry?.id))?.completedRow ?? null;
      return row === null ? null : { row };
    });
    expect((await engine.rows(id))[complete.row]).toMatchObject({
      method: 'notifications/elicitation/complete',
    });
  });

  test('a call that fails because an address has to be visited first puts it in the inbox', async () => {
    const id = await connect();
    const call = await engine.ended(id, (await start(id, 'needs-url')).id);
    expect(call).toMatchObject({ state: 'protocol-error', error: { code: -32042 } });
    const [entry] = await waiting(id);
    expect(entry).toMatchObject({ by: 'error', callId: call.id, row: call.responseRow });
    await answer(id, entry, { kind: 'defaults' });
    expect(await entryOf(id, entry?.id)).toMatchObject({ state: 'answered', responseRow: null });
    await engine.callTool(id, 'complete-elicitation');
    expect(await engine.callTool(id, 'needs-url')).toMatchObject({ state: 'ok' });
  });

  test('roots are those of the settings, and the server is notified when they change', async () => {
    const id = await connect({
      client: { ...defaultClientProfile, roots: [{ uri: 'file:///a', name: 'A' }] },
    });
    const first = await start(id, 'ask-roots');
    expect(await resultOf(id, first.id)).toContain('file:///a');
    const [server] = (await engine.call('servers/list', {})).filter(
      ({ id: serverId }) => serverId === feature.session.serverId,
    );
    if (server === undefined) throw new Error('the server is not listed');
    const { id: serverId, source: _, ...settings } = server;
    const client = { ...settings.client, roots: [{ uri: 'file:///b', name: null }] };
    await engine.call('servers/save', { id: serverId, settings: { ...settings, client } });
    await engine.row(id, (row) => row.method === 'notifications/roots/list_changed');
    const second = await start(id, 'ask-roots');
    expect(await resultOf(id, second.id)).toContain('file:///b');
  });

  test('the user notifies the server that the roots changed, if the session declared it', async () => {
    const id = await connect();
    const { row } = await engine.call('sessions/notify-roots', { sessionId: id });
    expect((await engine.rows(id))[row]).toMatchObject({
      method: 'notifications/roots/list_changed',
      direction: 'out',
      automatic: false,
    });
    await engine.call('sessions/close', { sessionId: id });
    await expect(engine.call('sessions/notify-roots', { sessionId: id })).rejects.toThrow('is closed');
  });

  test('a session that did not declare to notify of roots cannot', async () => {
    const id = await connect({ client: { ...defaultClientProfile, capabilities: { roots: {} } } });
    await expect(engine.call('sessions/notify-roots', { sessionId: id })).rejects.toThrow('was not notified');
  });

  test('a rule that cannot answer a question leaves it to the user', async () => {
    const id = await connect({
      client: {
        ...defaultClientProfile,
        rules: [
          rule('sampling/createMessage', { kind: 'defaults' }),
          rule('elicitation/create', { kind: 'result', json: 'no json' }),
        ],
      },
    });
    await start(id, 'ask-sampling');
    await waiting(id, 1);
    await start(id, 'ask-elicitation');
    for (const entry of await waiting(id, 2)) await answer(id, entry, { kind: 'decline' });
  });
});
