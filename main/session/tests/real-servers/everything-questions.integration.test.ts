import { describe, expect, test } from 'vitest';
import { accepted, sampled } from '#fixtures/engine/inbox-answers.ts';
import { benchForAllTests } from '#fixtures/protocol/real-bench.ts';
import { everythingSupports } from '#fixtures/protocol/real-support.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import { revisionAtLeast } from '#shared/protocol/revisions.ts';

const url = 'https://sign-in.invalid/start';
const roots = [{ uri: 'file:///work', name: 'work' }];

describe.each(everythingSupports)('server-everything, $revision over $transport, asks', (support) => {
  const { revision } = support;
  const shared = benchForAllTests(support, { client: { ...defaultClientProfile, roots } });

  test('for the model, which is answered manually', async () => {
    const { bench } = shared;
    const call = await bench.start('trigger-sampling-request', { prompt: 'Capital of France?' });
    const entry = await bench.question('sampling/createMessage');
    expect(entry).toMatchObject({ by: 'request', callId: call.id, suggestion: null });
    expect(entry.params).toContain('Capital of France?');
    await bench.answer(entry, sampled);
    expect(await bench.resultOf(call)).toContain('Paris');
  });

  test('for the model, which is refused', async () => {
    const { bench } = shared;
    const call = await bench.start('trigger-sampling-request', { prompt: 'Well?' });
    await bench.answer(await bench.question('sampling/createMessage'), { kind: 'decline' });
    expect((await bench.ended(call)).state).toBe('tool-error');
    expect(await bench.resultOf(call)).toContain('User rejected');
  });

  test('for the roots automatically, and again when they change', async () => {
    const { bench, real } = shared;
    const { engine } = bench;
    const answeredTimes = async (count: number) => {
      const asked = await bench.requests('roots/list', 'in');
      return asked.filter(({ status }) => status === 'ok').length >= count ? true : null;
    };
    await engine.until(() => answeredTimes(1));
    expect(await bench.call('get-roots-list')).toContain('file:///work');
    const servers = await engine.call('servers/list', {});
    const server = servers.find(({ id }) => id === real.session.serverId);
    if (server === undefined) throw new Error('the server is not listed');
    const { id, source: _, ...settings } = server;
    const client = { ...settings.client, roots: [{ uri: 'file:///elsewhere', name: null }] };
    await engine.call('servers/save', { id, settings: { ...settings, client } });
    await engine.until(() => answeredTimes(2));
    // It says so in a log message once it has taken them in.
    await engine.until(async () => {
      const said = await bench.notices('notifications/message');
      return said.filter(({ summary }) => summary.includes('Roots updated')).length >= 2 ? true : null;
    });
    expect(await bench.call('get-roots-list')).toContain('file:///elsewhere');
  });

  test('nothing that was not announced', async () => {
    const bench = await shared.another({ client: { ...defaultClientProfile, capabilities: { roots: {} } } });
    const { engine, sessionId } = bench;
    const names = await engine.until(async () => {
      await engine.call('catalog/refresh', { sessionId, list: 'tools' });
      const { entries } = await engine.call('catalog/tools', { sessionId });
      const listed = entries.map((entry) => (entry.usable ? entry.tool.name : null));
      return listed.includes('get-roots-list') ? listed : null;
    });
    expect(names).not.toContain('trigger-sampling-request');
    expect(names).not.toContain('trigger-elicitation-request');
  });

  test('and gets a cancellation when the session is closed before an answer', async () => {
    const bench = await shared.another({});
    const { engine, sessionId } = bench;
    await bench.start('trigger-sampling-request', { prompt: 'Well?' });
    const entry = await bench.question('sampling/createMessage');
    await engine.call('sessions/close', { sessionId });
    const after = (await bench.entries()).find(({ id }) => id === entry.id);
    expect(after).toMatchObject({
      state: 'answered',
      answer: { content: { kind: 'cancel' }, by: 'closing' },
    });
    expect(await bench.textOf(after?.responseRow ?? -1)).toContain('User cancelled');
  });

  if (!revisionAtLeast(revision, '2025-06-18')) return;

  test.each([
    [accepted({ name: 'Ada', integer: 42 }), 'Favorite Integer: 42'],
    [{ kind: 'decline' }, 'declined to provide'],
    [{ kind: 'cancel' }, 'cancelled the elicitation'],
  ] as const)('for a form, and is told %j', async (said, words) => {
    const { bench } = shared;
    const call = await bench.start('trigger-elicitation-request');
    const entry = await bench.question('elicitation/create');
    expect(entry.params).toContain('"titledMultipleSelectEnum"');
    await bench.answer(entry, said);
    expect(await bench.resultOf(call)).toContain(words);
  });

  if (!revisionAtLeast(revision, '2025-11-25')) return;

  test('to open a page', async () => {
    const { bench } = shared;
    const call = await bench.start('trigger-url-elicitation', { url });
    const entry = await bench.question('elicitation/create');
    expect(entry).toMatchObject({ by: 'request', suggestion: '{"action":"accept"}' });
    await bench.answer(entry, { kind: 'defaults' });
    expect(await bench.resultOf(call)).toContain('User completed the URL elicitation');
  });

  test('by the error -32042 to open a page first, and takes the same call after it', async () => {
    const { bench } = shared;
    const args = { url, elicitationId: 'first', errorPath: true };
    const refused = await bench.ended(await bench.start('trigger-url-elicitation', args));
    expect(refused).toMatchObject({ state: 'protocol-error', error: { code: -32042 } });
    const first = await bench.question('elicitation/create');
    expect(first).toMatchObject({ by: 'error', callId: refused.id, row: refused.responseRow });
    await bench.answer(first, { kind: 'defaults' });
    const again = await bench.start('trigger-url-elicitation', args);
    await bench.answer(await bench.question('elicitation/create'), { kind: 'defaults' });
    expect(await bench.resultOf(again)).toContain('Elicitation ID: first');
  });
});
