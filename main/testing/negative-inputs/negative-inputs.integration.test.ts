import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectModern } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { negativeServer } from '#fixtures/negative/command.ts';
import type { InboxRule } from '#shared/contract/inbox.ts';
import { type NegativeInput, negativeKinds, type NegativeOutcome } from '#shared/contract/negative-inputs.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeAll(async () => {
  engine = await EngineFixture.open();
});
afterAll(() => engine.close());

/** All lists are read before inputs are made of them. */
async function planOf(sessionId: string): Promise<NegativeInput[]> {
  await engine.until(async () => {
    const { state } = await engine.call('catalog/prompts', { sessionId });
    return state === 'ready' || null;
  });
  return engine.call('negative-inputs/plan', { sessionId });
}

async function runAll(
  sessionId: string,
  choose: (input: NegativeInput) => boolean = () => true,
): Promise<NegativeOutcome[]> {
  const ids = (await planOf(sessionId)).filter(choose).map(({ id }) => id);
  return engine.call('negative-inputs/run', { sessionId, ids, consent: true });
}

/** The fixture accepts anything for its destructive tool. */
const isReadOnly = ({ mayDestroy }: NegativeInput): boolean => !mayDestroy;

const kindsWith = (
  outcomes: readonly NegativeOutcome[],
  assessment: NegativeOutcome['assessment'],
): string[] => [
  ...new Set(outcomes.filter((one) => one.assessment === assessment).map(({ input }) => input.kind)),
];

describe('a server that mishandles', () => {
  test('nothing passes with every kind of input', async () => {
    const { id } = await engine.connect(negativeServer());
    const outcomes = await runAll(id, isReadOnly);
    expect(outcomes.filter(({ assessment }) => assessment !== 'passed')).toEqual([]);
    expect(new Set(outcomes.map(({ input }) => input.kind))).toEqual(new Set(negativeKinds));
  });

  test.each(negativeKinds)('%s is named for exactly that', async (kind) => {
    const { id } = await engine.connect(negativeServer(kind));
    const outcomes = await runAll(id, isReadOnly);
    expect(kindsWith(outcomes, 'failed')).toEqual([kind]);
    expect(kindsWith(outcomes, 'warning')).toEqual([]);
    const failed = outcomes.find(({ assessment }) => assessment === 'failed');
    const { text } = await engine.call('trace/detail', { sessionId: id, row: failed?.requestRow ?? -1 });
    expect(text).toContain(`"method":"${failed?.input.method}"`);
  });
});

test('paths that lead out are tried on resources and templates, in both forms', async () => {
  const { id } = await engine.connect(negativeServer('path-traversal'));
  const outcomes = await runAll(
    id,
    ({ kind, method }) => kind === 'path-traversal' && method === 'resources/read',
  );
  const path = `${'../'.repeat(8)}etc/passwd`;
  expect(outcomes.map(({ input, assessment }) => [input.what, assessment])).toEqual([
    [`the URI is note://${path}`, 'failed'],
    [`the URI is note://${path.replaceAll('..', '%2e%2e')}`, 'failed'],
  ]);
});

test('inputs that may do harm are marked, and only the chosen ones are sent', async () => {
  const { id } = await engine.connect(negativeServer());
  const plan = await planOf(id);
  const harmful = plan.filter(({ mayDestroy }) => mayDestroy);
  expect(new Set(harmful.map(({ target }) => target))).toEqual(new Set(['erase']));
  const before = (await engine.rows(id)).length;
  const outcomes = await engine.call('negative-inputs/run', {
    sessionId: id,
    ids: plan.slice(0, 2).map((input) => input.id),
    consent: true,
  });
  expect(outcomes.map(({ input }) => input)).toEqual(plan.slice(0, 2));
  expect((await engine.rows(id)).length).toBe(before + 4);
});

test('without consent nothing is sent', async () => {
  const { id } = await engine.connect(negativeServer());
  const outcome = await engine.engine.handle('negative-inputs/run', {
    sessionId: id,
    ids: [],
    consent: false,
  });
  expect(outcome).toMatchObject({ ok: false, fault: { code: 'bad-params' } });
});

test('a run is stopped, and two cannot run at once', async () => {
  const { id } = await engine.connect(negativeServer());
  const ids = (await planOf(id)).map((input) => input.id);
  const running = engine.call('negative-inputs/run', { sessionId: id, ids, consent: true });
  await expect(engine.call('negative-inputs/run', { sessionId: id, ids, consent: true })).rejects.toThrow(
    /already/,
  );
  await engine.call('negative-inputs/stop', { sessionId: id });
  expect((await running).length).toBeLessThan(ids.length);
});

test('a run that waits for the Inbox is stopped at once', async () => {
  const { id } = await engine.connect(everythingOverStdio);
  const asking = (await planOf(id)).filter(
    ({ kind, target }) => kind === 'huge-value' && target === 'trigger-sampling-request',
  );
  const ids = asking.map((input) => input.id);
  const running = engine.call('negative-inputs/run', { sessionId: id, ids, consent: true });
  await engine.until(async () => (await engine.call('inbox/list', { sessionId: id }))[0] ?? null);
  await engine.call('negative-inputs/stop', { sessionId: id });
  expect(await running).toMatchObject([{ assessment: 'unknown' }]);
});

test('server-everything is named for what it really mishandles', async () => {
  // Some of its tools ask for a completion or for input before they answer.
  const rules: InboxRule[] = [
    { method: 'sampling/createMessage', answer: { kind: 'error', code: -1, message: 'no' }, delay: 0 },
    { method: 'elicitation/create', answer: { kind: 'decline' }, delay: 0 },
  ];
  const { id } = await engine.connect(everythingOverStdio, { client: { ...defaultClientProfile, rules } });
  const outcomes = await runAll(id);
  const others = outcomes.filter(({ assessment }) => assessment !== 'passed');
  expect(others.map(({ input, assessment, got }) => [input.method, assessment, got.slice(0, 30)])).toEqual([
    ['tools/call', 'warning', 'a result with isError: MCP err'],
    ['tools/list', 'failed', 'accepted: {"tools":[{"name":"e'],
    ['resources/list', 'failed', 'accepted: {"resources":[{"uri"'],
    ['resources/templates/list', 'failed', 'accepted: {"resourceTemplates"'],
    ['prompts/list', 'failed', 'accepted: {"prompts":[{"name":'],
    ['resources/read', 'warning', 'error -32602 (Invalid params):'],
    ['logging/setLevel', 'warning', 'error -32603 (Internal error):'],
  ]);
  expect(others.map(({ input }) => input.kind)).toEqual([
    'unknown-tool',
    ...Array<string>(4).fill('bad-cursor'),
    'unknown-resource',
    'invalid-log-level',
  ]);
  expect(outcomes.length).toBeGreaterThan(50);
  // None of its schemas forbids further arguments.
  const kinds = negativeKinds.filter((kind) => kind !== 'extra-argument');
  expect(new Set(outcomes.map(({ input }) => input.kind))).toEqual(new Set(kinds));
});

test('a modern server of ours passes', async () => {
  const feature = await connectModern(engine, 'stdio');
  try {
    const outcomes = await runAll(feature.session.id, ({ target }) => target === null);
    expect(outcomes.filter(({ assessment }) => assessment !== 'passed')).toEqual([]);
    expect(outcomes.map(({ input }) => input.kind)).toContain('unknown-resource');
  } finally {
    await feature.close();
  }
});
