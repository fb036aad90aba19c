import { describe, expect, test } from 'vitest';
import { accepted, sampled, wantsTool } from '#fixtures/engine/inbox-answers.ts';
import { benchForAllTests } from '#fixtures/protocol/real-bench.ts';
import type { CatalogListName } from '#shared/contract/catalog.ts';

const transports = ['stdio', 'streamable-http'] as const;

describe.each(transports)('the official SDK in the legacy era over %s', (transport) => {
  const support = { server: 'the official SDK', revision: '2025-11-25', transport } as const;
  const shared = benchForAllTests(support);

  test('asks two things at once, each by a request of its own, inside the call', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-two');
    const [form, model] = (await bench.waiting(2)).toSorted((a, b) => a.method.localeCompare(b.method));
    expect([form, model]).toMatchObject([
      { method: 'elicitation/create', by: 'request', key: null },
      { method: 'sampling/createMessage', by: 'request', key: null },
    ]);
    await bench.answer(model, sampled);
    await bench.answer(form, accepted({ name: 'Ada' }));
    const ended = await bench.ended(call);
    expect(ended.rounds).toHaveLength(1);
    const result = await bench.resultOf(call);
    for (const part of ['Ada', 'Paris']) expect(result).toContain(part);
  });

  test('lets the model use a tool', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-model-with-tools');
    const entry = await bench.question('sampling/createMessage');
    expect(entry.params).toContain('"toolChoice":{"mode":"auto"}');
    await bench.answer(entry, wantsTool);
    expect(await bench.resultOf(call)).toContain('tool_use');
  });

  test('says when what was to be done on a page is complete', async () => {
    const { bench } = shared;
    const call = await bench.start('ask-url');
    const entry = await bench.question('elicitation/create');
    await bench.answer(entry, { kind: 'defaults' });
    expect(await bench.resultOf(call)).toContain('accept');
    const complete = await bench.engine.until(async () => {
      const known = (await bench.entries()).find(({ id }) => id === entry.id);
      return known?.completedRow ?? null;
    });
    const rows = await bench.engine.rows(bench.sessionId);
    expect(rows[complete]).toMatchObject({ method: 'notifications/elicitation/complete' });
  });

  test('takes a question back, which is then withdrawn and never answered', async () => {
    const { bench } = shared;
    expect(await bench.call('ask-and-cancel')).toContain('too late');
    const entry = await bench.engine.until(async () => {
      const entries = await bench.entries();
      return entries.find(({ state }) => state === 'withdrawn') ?? null;
    });
    expect(entry).toMatchObject({ method: 'sampling/createMessage', responseRow: null });
  });

  test.each<[list: CatalogListName, tool: string]>([
    ['tools', 'change-tools'],
    ['prompts', 'change-prompts'],
    ['resources', 'change-resources'],
  ])('says that its %s changed, and they are read again', async (list, tool) => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const hasExtra = async () => {
      const { entries } = await engine.call(`catalog/${list}`, { sessionId });
      return entries.some((entry) => entry.usable && entry.raw.includes('"name":"extra"'));
    };
    for (const isThere of [true, false]) {
      await bench.call(tool);
      await engine.until(async () => ((await hasExtra()) === isThere ? true : null));
    }
  });

  test('structured content is validated, and a tool error is not a protocol error', async () => {
    const { bench } = shared;
    expect(await bench.ended(await bench.start('structured'))).toMatchObject({
      state: 'ok',
      outputValidation: { state: 'valid' },
    });
    expect(await bench.ended(await bench.start('fail'))).toMatchObject({ state: 'tool-error', error: null });
  });
});
