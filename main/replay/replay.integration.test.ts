import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import {
  everythingOverStdio,
  sdkOverStdio,
  startEverything,
  startSdkServer,
} from '#fixtures/http/start-server.ts';
import { modernOverStdio } from '#fixtures/modern/start.ts';
import { isUnderWay } from '#shared/contract/calls.ts';
import type { Comparison } from '#shared/contract/comparison.ts';
import { events, type Params } from '#shared/contract/index.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';

let engine: EngineFixture;
beforeAll(async () => {
  engine = await EngineFixture.open();
});
afterAll(() => engine.close());

/** A shop that gives each order a number of its own, and asks before it pays. @param show the input schema of its tool */
const shop = (total: string, show = `{ type: 'object' }`) =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [
      { name: 'order', inputSchema: { type: 'object' } },
      { name: 'show', inputSchema: ${show}, annotations: { readOnlyHint: true } },
      { name: 'pay', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    ] }),
    'tools/call': (request) => {
      const { name, arguments: given } = request.params;
      server.orders ??= new Set();
      if (name === 'order') {
        const id = 'order-' + String(Math.random()).slice(2, 12);
        server.orders.add(id);
        answer(request, { content: [], structuredContent: { id } });
      } else if (!server.orders.has(given.id)) {
        write({ id: request.id, error: { code: -32602, message: 'no such order' } });
      } else if (name === 'show') {
        answer(request, { content: [], structuredContent: { id: given.id, total: ${total} } });
      } else {
        server.paying = request;
        write({ id: 'q' + request.id, method: 'elicitation/create', params: {
          message: 'Pay?', requestedSchema: { type: 'object', properties: { pin: { type: 'string' } } } } });
      }
    },
    answered: ({ result }) => answer(server.paying, {
      content: [{ type: 'text', text: result.action + ' with ' + JSON.stringify(result.content ?? null) }] }),
  `);

/** A server whose tool "search_tools" returns a text. */
const chooser = (text: string) =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [
      { name: 'search_tools', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      { name: 'read_file', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      { name: 'wipe_disk', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
    ] }),
    'tools/call': (request) => answer(request, { content: [{ type: 'text', text:
      request.params.name === 'search_tools' ? '${text}' : 'done' }] }),
    'prompts/get': (request) => answer(request, { messages: [] }),
    'resources/read': (request) => answer(request, { contents: [] }),
    'completion/complete': (request) => answer(request, { completion: { values: [] } }),
  `);

async function requestTool(sessionId: string, params: string): Promise<void> {
  const { id } = await engine.call('calls/request', {
    sessionId,
    method: 'tools/call',
    params,
    timeout: null,
  });
  await engine.ended(sessionId, id);
}

function withoutMeta(params: string | null): unknown {
  const { _meta: _, ...others } = JSON.parse(params ?? '{}');
  return others;
}

const pin = JSON.stringify({ action: 'accept', content: { pin: '0815' } });

/** Orders something, shows it, and pays for it after the user has answered. */
async function recordShop(): Promise<string> {
  const { id: sessionId } = await engine.connect(shop('12'));
  const { id: orderCall } = await engine.callTool(sessionId, 'order');
  const { text } = await engine.call('calls/result', { sessionId, callId: orderCall });
  const order = /"order-\d+"/.exec(text ?? '')?.[0] ?? 'none';
  await engine.callTool(sessionId, 'show', `{"id":${order}}`);
  const paying = await engine.startTool(sessionId, 'pay', `{"id":${order}}`);
  const question = await engine.until(
    async () =>
      (await engine.call('inbox/list', { sessionId })).find(({ state }) => state === 'waiting') ?? null,
  );
  await engine.call('inbox/answer', {
    sessionId,
    entryId: question.id,
    answer: { kind: 'result', json: pin },
  });
  await engine.ended(sessionId, paying.id);
  return sessionId;
}

async function replay(
  recorded: string,
  sessionId: string,
  options: Partial<Params<'replay/run'>> = {},
): Promise<{ run: ReplayRun; comparison: Comparison }> {
  const all = { recorded, sessionId, rows: null, allowWrites: true, speed: null };
  const run = await engine.call('replay/run', { ...all, ...options });
  const comparison = await engine.call('comparison/compare', {
    recorded,
    other: sessionId,
    rules: [],
    replay: run,
  });
  return { run, comparison };
}

/** The classes of the calls we sent, in their order. */
const sentClasses = ({ calls }: Comparison) =>
  calls.filter(({ direction }) => direction === 'out').map((call) => `${call.target}: ${call.class}`);

describe('a replay', () => {
  test('uses the values of its own responses, and answers as recorded', async () => {
    const recorded = await recordShop();
    const { id } = await engine.connect(shop('12'));
    const { run, comparison } = await replay(recorded, id);
    expect(run).toMatchObject({ answered: 1, declined: 0 });
    expect(run.calls.map(({ replaced }) => replaced)).toEqual([[], ['$.arguments.id'], ['$.arguments.id']]);
    expect(sentClasses(comparison)).toEqual(['order: noise', 'show: noise', 'pay: noise']);
    expect(comparison.calls[0]?.ignored).toEqual([
      {
        path: '$.structuredContent.id',
        why: 'replaced',
        recorded: expect.stringMatching(/^"order-/),
        other: expect.stringMatching(/^"order-/),
      },
    ]);
    const pay = comparison.calls.find(({ target }) => target === 'pay');
    expect(pay?.differences).toEqual([]);
    expect(comparison.catalog).toEqual([]);
  });

  test('of a build with one changed value names exactly this', async () => {
    const recorded = await recordShop();
    const { id } = await engine.connect(shop('13'));
    const { comparison } = await replay(recorded, id);
    expect(sentClasses(comparison)).toEqual(['order: noise', 'show: behavior', 'pay: noise']);
    expect(comparison.calls.find(({ target }) => target === 'show')?.differences).toEqual([
      { path: '$.structuredContent.total', kind: 'changed', recorded: '12', other: '13' },
    ]);
  });

  test('of a build with one changed tool names exactly this tool, with the call that breaks', async () => {
    const recorded = await recordShop();
    const narrowed = `{ type: 'object', properties: { currency: { type: 'string' } }, required: ['currency'] }`;
    const { id } = await engine.connect(shop('12', narrowed));
    const { comparison } = await replay(recorded, id);
    expect(comparison.catalog).toMatchObject([
      {
        rule: 'argument-required',
        class: 'breaking',
        of: 'tool',
        name: 'show',
        calls: { count: 1, broken: 1 },
      },
    ]);
    expect(sentClasses(comparison)).toEqual(['order: noise', 'show: noise', 'pay: noise']);
  });

  test('without consent calls only what is read-only', async () => {
    const recorded = await recordShop();
    const { id } = await engine.connect(shop('12'));
    const { run, comparison } = await replay(recorded, id, { allowWrites: false });
    expect(run.calls.map(({ skipped }) => skipped)).toEqual(['writes', null, null]);
    // The order was never made, so the others fail.
    expect(sentClasses(comparison)).toEqual(['order: skipped', 'show: flipped', 'pay: flipped']);
  });

  test('lets no response choose the tool, the prompt or what is completed next', async () => {
    const { id: recorded } = await engine.connect(chooser('read_file'));
    await engine.callTool(recorded, 'search_tools');
    await engine.callTool(recorded, 'read_file', { path: 'read_file' });
    const ref = { type: 'ref/prompt', name: 'read_file' };
    for (const [method, params] of [
      ['prompts/get', { name: 'read_file' }],
      ['completion/complete', { ref, argument: { name: 'read_file', value: 'read_file' } }],
    ] as const) {
      const { id } = await engine.call('calls/request', {
        sessionId: recorded,
        method,
        params: JSON.stringify(params),
        timeout: null,
      });
      await engine.ended(recorded, id);
    }
    const { id } = await engine.connect(chooser('wipe_disk'));
    await replay(recorded, id);
    const { calls } = await engine.call('trace/calls', { sessionId: id, from: 0, count: 10 });
    // A value of an argument is what it came from.
    const completed = { ref, argument: { name: 'read_file', value: 'wipe_disk' } };
    expect(calls.map(({ method, params }) => [method, withoutMeta(params)])).toEqual([
      ['tools/call', { name: 'search_tools', arguments: {} }],
      ['tools/call', { name: 'read_file', arguments: { path: 'wipe_disk' } }],
      ['prompts/get', { name: 'read_file' }],
      ['completion/complete', completed],
    ]);
  });

  test('without consent sends no call that some server reads as one of another tool', async () => {
    const { id: recorded } = await engine.connect(chooser('nothing'));
    for (const params of ['{"name":"read_file","Name":"wipe_disk"}', '{"name":"read_file"}'])
      await requestTool(recorded, params);
    const { id } = await engine.connect(chooser('nothing'));
    const { run } = await replay(recorded, id, { allowWrites: false });
    expect(run.calls.map(({ skipped }) => skipped)).toEqual(['writes', null]);
  });

  test('a plan says that nothing is known of a call that some server reads as one of another tool', async () => {
    const { id: recorded } = await engine.connect(chooser('nothing'));
    const { id } = await engine.connect(chooser('nothing'));
    const effects = async () => {
      const plan = await engine.call('replay/plan', { recorded, sessionId: id, scope: { of: 'all' } });
      return plan.calls.map(({ target, effect }) => [target, effect]);
    };
    await requestTool(recorded, '{"name":"read_file"}');
    expect(await effects()).toEqual([['read_file', 'reads']]);
    await requestTool(recorded, '{"name":"read_file","Name":"wipe_disk"}');
    expect(await effects()).toEqual([['read_file', 'unannotated']]);
  });

  test('reads no URI that was left out, though a response brings it', async () => {
    const { id: recorded } = await engine.connect(chooser('demo://chosen'));
    await engine.callTool(recorded, 'search_tools');
    for (const uri of ['demo://chosen', 'demo://left-out']) {
      const read = { sessionId: recorded, method: 'resources/read', timeout: null };
      const { id } = await engine.call('calls/request', { ...read, params: JSON.stringify({ uri }) });
      await engine.ended(recorded, id);
    }
    const { id } = await engine.connect(chooser('demo://left-out'));
    const leaveOut = [{ method: 'resources/read', target: 'demo://left-out' }];
    const { run } = await replay(recorded, id, { leaveOut });
    expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'declined', 'declined']);
  });

  test('never sends the placeholder of a secret', async () => {
    const { id: recorded } = await engine.connect(shop('12'));
    await engine.callTool(recorded, 'show', { id: '[secret member password, 8 characters, 0011aabb]' });
    const { id } = await engine.connect(shop('12'));
    const { run, comparison } = await replay(recorded, id);
    expect(run.calls.map(({ skipped }) => skipped)).toEqual(['secret']);
    expect(sentClasses(comparison)).toEqual(['show: skipped']);
  });

  test('sends the values that are given for secrets, and keeps them out of its trace', async () => {
    const { id: recorded } = await engine.connect(shop('12'));
    const password = '[secret member password, 8 characters, 0011aabb]';
    await engine.callTool(recorded, 'show', { id: `order of ${password}` });
    await engine.callTool(recorded, 'show', { id: '[secret member password, 8 characters, ccddeeff]' });
    await engine.callTool(recorded, 'show', { id: password });
    const { id } = await engine.connect(shop('12'));
    const plan = await engine.call('replay/plan', { recorded, sessionId: id, scope: { of: 'all' } });
    const other = '[secret member password, 8 characters, ccddeeff]';
    expect(plan.secrets).toEqual(
      [password, other].map((placeholder) => ({ placeholder, kind: 'member password' })),
    );
    expect(plan.calls).toMatchObject([
      {
        count: 3,
        unsendable: 0,
        withSecrets: [
          { placeholders: [password], count: 2 },
          { placeholders: [other], count: 1 },
        ],
      },
    ]);
    const { run } = await replay(recorded, id, { variables: { '0011aabb': '"wombat-4711"' } });
    expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'secret', null]);
    const sent = await engine.call('trace/calls', { sessionId: id, from: 0, count: 10 });
    expect(sent.calls.map(({ params }) => params)).toEqual([
      expect.stringMatching(/"id":"order of \[secret member password, 11 characters, [0-9a-f]{8}\]"/),
      expect.stringMatching(/"id":"\[secret member password, 11 characters, [0-9a-f]{8}\]"/),
    ]);
    // A secret number is recorded as a number that nobody writes so.
    await engine.callTool(recorded, 'show', '{"id":"a","pin":0e-18874363}');
    const numbers = await replay(recorded, id, { variables: { '18874363': '"471108"' } });
    expect(numbers.run.calls.map(({ skipped }) => skipped)).toEqual(['secret', 'secret', 'secret', null]);
    const [, , last] = (await engine.call('trace/calls', { sessionId: id, from: 0, count: 10 })).calls;
    expect(last?.params).toMatch(/"pin":0e-\d+/);
    expect(last?.params).not.toContain('18874363');
    // A placeholder is a name, too.
    const whole = await replay(recorded, id, { variables: { [other]: '"wombat-0815"' } });
    expect(whole.run.calls.map(({ skipped }) => skipped)).toEqual(['secret', null, 'secret', 'secret']);
    for (const [name, value, code] of [
      ['password', '"wombat-4711"', 'several-secrets'],
      ['token', '"wombat-4711"', 'no-such-secret'],
      ['ccddeeff', '"abc"', 'short-secret'],
    ] as const) {
      const failing = replay(recorded, id, { variables: { [name]: value } });
      await expect(failing).rejects.toMatchObject({ fault: { code } });
    }
  });

  test('sends calls at the same time, but not before those whose values they use', async () => {
    /** Answers two calls at once; a third waits for none. */
    const meeting = scriptedServer(`
      'tools/list': (request) => answer(request, { tools: ['meet', 'take'].map((name) => ({
        name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
      'tools/call': (request) => {
        const { name, arguments: { token } } = request.params;
        if (name === 'take') return answer(request, { content: [], isError: token !== server.token });
        server.met ??= [];
        if (server.met.push(request) < 2) return;
        server.token = 'token-' + Math.random();
        for (const one of server.met.splice(0)) answer(one, { content: [], structuredContent: { token: server.token } });
      },
    `);
    const { id: recorded } = await engine.connect(meeting);
    const both = [await engine.startTool(recorded, 'meet'), await engine.startTool(recorded, 'meet')];
    const [met] = await Promise.all(both.map(({ id }) => engine.ended(recorded, id)));
    const { text } = await engine.call('calls/result', { sessionId: recorded, callId: met?.id ?? '' });
    const token = /token-[\d.]+/.exec(text ?? '')?.[0] ?? 'none';
    await engine.callTool(recorded, 'take', { token });
    const { id } = await engine.connect(meeting);
    const { run, comparison } = await replay(recorded, id, { concurrency: 3 });
    expect(run.calls.map(({ replaced }) => replaced)).toEqual([[], [], ['$.arguments.token']]);
    expect(sentClasses(comparison)).toEqual(['meet: noise', 'meet: noise', 'take: noise']);
  });

  test('by steps sends what it is told to', async () => {
    const recorded = await recordShop();
    const { id: sessionId } = await engine.connect(shop('12'));
    const asked: (string | null)[] = [];
    const answers = ['send', 'skip', 'stop'] as const;
    const stop = engine.engine.onEvent(({ event, payload }) => {
      if (event !== 'replay/waiting') return;
      const { target, recordedRow } = events['replay/waiting'].parse(payload);
      const answer = answers[asked.push(target) - 1] ?? 'stop';
      void engine.call('replay/step', { sessionId, recordedRow, answer });
    });
    const { run } = await replay(recorded, sessionId, { isStepped: true });
    stop();
    expect(asked).toEqual(['order', 'show', 'pay']);
    expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'declined', 'stopped']);
  });

  test('sends only the chosen calls', async () => {
    const recorded = await recordShop();
    const { calls } = await engine.call('trace/calls', { sessionId: recorded, from: 0, count: 10 });
    const { id } = await engine.connect(shop('12'));
    const { run } = await replay(recorded, id, {
      rows: calls.filter(({ target }) => target === 'order').map(({ row }) => row),
    });
    expect(run.calls.map(({ target, row }) => [target, row !== null])).toEqual([['order', true]]);
  });

  test('compares the results of tasks with the recorded ones', async () => {
    const { id: recorded } = await engine.connect(worker('12'));
    const options = { task: { ttl: null } };
    const started = await engine.startTool(recorded, 'work', {}, options);
    const { responseRow, rounds } = await engine.ended(recorded, started.id);
    const { calls } = await engine.call('trace/calls', { sessionId: recorded, from: 0, count: 10 });
    expect(calls).toMatchObject([
      { method: 'tools/call', responseRow, outcome: 'ok', response: expect.stringContaining('"total":12') },
    ]);
    expect(calls[0]?.task).toMatchObject({
      row: rounds[0]?.responseRow,
      created: expect.stringContaining('"status":"working"'),
    });
    const { id: same } = await engine.connect(worker('12'));
    expect(sentClasses((await replay(recorded, same)).comparison)).toEqual(['work: noise']);
    const { id: changed } = await engine.connect(worker('13'));
    const { run, comparison } = await replay(recorded, changed);
    expect(run.calls.map(({ skipped }) => skipped)).toEqual([null]);
    expect(sentClasses(comparison)).toEqual(['work: behavior']);
    expect(comparison.calls[0]?.differences).toEqual([
      { path: '$.structuredContent.total', kind: 'changed', recorded: '12', other: '13' },
    ]);
    const { id: failing } = await engine.connect(worker('fail()'));
    expect(sentClasses((await replay(recorded, failing)).comparison)).toEqual(['work: flipped']);
    // The extension has the result in the task.
    const { id: modern } = await engine.connect(modernOverStdio, { era: 'auto' });
    await engine.callTool(modern, 'long-job', { steps: 1, milliseconds: 1 });
    const inTask = await engine.call('trace/calls', { sessionId: modern, from: 0, count: 10 });
    expect(inTask.calls).toMatchObject([{ target: 'long-job', task: {}, outcome: 'ok' }]);
    expect(inTask.calls[0]?.response).toMatch(/^\{.*"content":/);
  });

  test('of server-everything against itself has no difference but noise', async () => {
    const { id: recorded } = await engine.connect(everythingOverStdio);
    for (const [tool, args] of [
      ['echo', { message: 'hi' }],
      ['get-sum', { a: 1, b: 2 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-annotated-message', { messageType: 'success', includeImage: true }],
      ['get-resource-links', { count: 3 }],
    ] as const) {
      await engine.callTool(recorded, tool, args);
    }
    const read = await engine.call('calls/request', {
      sessionId: recorded,
      method: 'resources/read',
      params: '{"uri":"demo://resource/dynamic/text/1"}',
      timeout: null,
    });
    await engine.ended(recorded, read.id);
    const { id } = await engine.connect(everythingOverStdio);
    const { comparison } = await replay(recorded, id);
    const { counts, catalog } = comparison;
    expect(catalog).toEqual([]);
    // It has ids of its own, each used once.
    const ids = (await engine.rows(id)).flatMap((row) =>
      row.kind === 'request' && row.direction === 'out' ? [row.id] : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(counts).toMatchObject({ breaking: 0, flipped: 0, behavior: 0, unclear: 0, missing: 0, extra: 0 });
    expect(counts.same + counts.noise).toBeGreaterThanOrEqual(6);
  });

  test('in the modern era has no difference either', async () => {
    const { id: recorded } = await engine.connect(modernOverStdio, { era: 'auto' });
    const tools = await engine.call('catalog/tools', { sessionId: recorded });
    const named = tools.entries.flatMap((entry) => (entry.usable ? [entry.tool.name] : []));
    expect(named).toContain('echo');
    await engine.callTool(recorded, 'echo', { message: 'hi' });
    const { id } = await engine.connect(modernOverStdio, { era: 'auto' });
    const { run, comparison } = await replay(recorded, id);
    expect(run.calls.filter(({ row }) => row !== null)).toHaveLength(1);
    expect(sentClasses(comparison)).toEqual(['echo: same']);
    expect(comparison.catalog).toEqual([]);
  });

  test('from stdio to Streamable HTTP has no difference', async () => {
    const { id: recorded } = await engine.connect(everythingOverStdio);
    await engine.callTool(recorded, 'echo', { message: 'hi' });
    await engine.callTool(recorded, 'get-structured-content', { location: 'New York' });
    const server = await startEverything('streamableHttp');
    onTestFinished(() => server.close());
    const { id } = await engine.connectUrl(server.url);
    const { comparison } = await replay(recorded, id);
    expect(sentClasses(comparison)).toEqual(['echo: same', 'get-structured-content: same']);
    expect(comparison.catalog).toEqual([]);
  });

  test('from the legacy to the modern era has no difference but what only one era has', async () => {
    const { id: recorded } = await engine.connect(sdkOverStdio('legacy'));
    const asking = ['ask-elicitation', 'ask-sampling', 'ask-two'];
    await engine.callTool(recorded, 'echo', { message: 'hi' });
    for (const tool of asking) {
      const call = await engine.startTool(recorded, tool);
      await answerUntilEnded(recorded, call.id);
    }
    const server = await startSdkServer('modern');
    onTestFinished(() => server.close());
    const { id } = await engine.connectUrl(server.url);
    const { run, comparison } = await replay(recorded, id);
    expect(run).toMatchObject({ answered: 4, declined: 0 });
    expect(sentClasses(comparison)).toEqual(['echo', ...asking].map((tool) => `${tool}: noise`));
    expect(new Set(comparison.calls.flatMap(({ ignored }) => ignored.map(({ why }) => why)))).toEqual(
      new Set(['era']),
    );
    const questions = comparison.calls.filter(({ direction }) => direction === 'in');
    expect(questions.map((call) => `${call.method}: ${call.class}`)).toEqual([
      'elicitation/create: same',
      'sampling/createMessage: same',
      'elicitation/create: same',
      'sampling/createMessage: same',
    ]);
    // The server has these in the legacy era only, because they send requests of their own.
    expect(comparison.catalog.map(({ rule, name }) => `${rule} ${name}`)).toEqual(
      ['ping-client', 'ask-and-cancel', 'ask-url'].map((tool) => `tool-removed ${tool}`),
    );
  });
});

/** A server that does all work in tasks. @param total what comes of it */
const worker = (total: string) =>
  scriptedServer(`
    initialize: (request) => answer(request, {
      protocolVersion: request.params.protocolVersion,
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      serverInfo: { name: 'worker', version: '1.0.0' },
    }),
    'tools/list': (request) => answer(request, { tools: [{
      name: 'work', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true },
      execution: { taskSupport: 'required' } }] }),
    task: (status) => ({ taskId: server.taskId, status, ttl: null, pollInterval: 1,
      createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString() }),
    'tools/call': (request) => {
      server.taskId = 'task-' + Math.random();
      answer(request, { task: server.task('working') });
    },
    'tasks/get': (request) => answer(request, server.task('completed')),
    'tasks/result': (request) => {
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId: request.params.taskId } };
      const fail = () => { throw new Error('out of stock'); };
      try {
        answer(request, { content: [], structuredContent: { total: ${total} }, _meta });
      } catch ({ message }) {
        write({ id: request.id, error: { code: -32000, message } });
      }
    },
  `);

/** Answers what the server asks until a call has ended. */
async function answerUntilEnded(sessionId: string, callId: string): Promise<void> {
  const answers = {
    'elicitation/create': { action: 'accept', content: { name: 'Grace' } },
    'sampling/createMessage': { role: 'assistant', model: 'any', content: { type: 'text', text: 'Paris' } },
    'roots/list': { roots: [] },
  };
  await engine.until(async () => {
    for (const { id: entryId, method, state } of await engine.call('inbox/list', { sessionId })) {
      if (state !== 'waiting') continue;
      const json = JSON.stringify(new Map(Object.entries(answers)).get(method));
      await engine.call('inbox/answer', { sessionId, entryId, answer: { kind: 'result', json } });
    }
    const call = (await engine.call('calls/list', { sessionId })).find(({ id }) => id === callId);
    return call !== undefined && !isUnderWay(call) ? true : null;
  });
}

/** A server whose answers follow from the arguments alone; one value can be injected. */
const deterministic = (injected: string) =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: ['add', 'list', 'fail'].map((name) => ({
      name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
    'tools/call': (request) => {
      const { name, arguments: { n } } = request.params;
      if (name === 'fail') return write({ id: request.id, error: { code: -32000 - (n % 7), message: 'n is ' + n } });
      const value = name === 'add' ? { sum: n + 1 } : { items: Array.from({ length: n % 5 }, (_, at) => ({ at, n })) };
      ${injected}
      answer(request, { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
    },
  `);

test('a random session replays without a difference, and with an injected one as exactly this', async () => {
  const { id: recorded } = await engine.connect(deterministic(''));
  const { id: same } = await engine.connect(deterministic(''));
  const { id: changed } = await engine.connect(
    deterministic(`if (name === 'add' && n === 41) value.sum = 'many';`),
  );
  const calls = fc.array(
    fc.record({ tool: fc.constantFrom('add', 'list', 'fail'), n: fc.integer({ min: 0, max: 99 }) }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(calls, async (steps) => {
      const rows: number[] = [];
      for (const { tool, n } of steps) rows.push((await engine.callTool(recorded, tool, { n })).requestRow);
      rows.push((await engine.callTool(recorded, 'add', { n: 41 })).requestRow);
      const compared = async (sessionId: string) => {
        const { run, comparison } = await replay(recorded, sessionId, { rows });
        const sent = new Set(run.calls.map(({ recordedRow }) => recordedRow));
        return comparison.calls.filter((call) => sent.has(call.recorded?.row ?? -1));
      };
      expect((await compared(same)).map((call) => call.class)).toEqual(rows.map(() => 'same'));
      const differing = (await compared(changed)).filter((call) => call.class !== 'same');
      const expected = [...steps.filter(({ tool, n }) => tool === 'add' && n === 41), 'the last'];
      expect(differing.map((call) => call.class)).toEqual(expected.map(() => 'behavior'));
      for (const { differences } of differing) {
        expect(differences.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
          '$.content[0].text.sum type',
          '$.structuredContent.sum type',
        ]);
      }
    }),
    { numRuns: 20 },
  );
});
