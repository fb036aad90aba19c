import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aFlow, aStep } from '#fixtures/page/known-flows.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

const SECRET = 'refresh-token-4711-abcdef';

test('a trace shows its authorization flows as they were, with their rows and without secrets', async () => {
  const live = await HttpRecording.begin({ secrets: { refresh_token: SECRET } });
  onTestFinished(() => live.close());
  const { trace } = live;
  const exchange = live.request({ method: 'GET', url: 'http://127.0.0.1:3000/.well-known/x' });
  const row = trace.index.exchanges.row(exchange);
  const finding = {
    rule: 'issuer-differs',
    severity: 'error' as const,
    text: `The issuer differs: ${SECRET}`,
    source: 'RFC 8414 3.3',
    expected: 'a',
    received: 'b',
    row,
    library: 'accepted',
  };
  const first = aStep({ id: 1, row, findings: [finding] });
  const stopped = aFlow({ mode: 'stepped', state: 'stopped', currentStep: 2 });
  trace.authorization('server metadata: found', stopped, [first]);
  const second = aStep({ id: 2, after: 1, name: 'token', state: 'failed', row: null, outcome: 'Refused.' });
  trace.authorization('token: refused', { ...stopped, state: 'failed', currentStep: null }, [
    second,
    { ...first, state: 'taken-back' },
  ]);
  trace.authorization('revoked', aFlow({ id: 'flow-2', number: 2 }), [aStep({ name: 'revoke' })]);
  await trace.file.flush();

  const engine = await EngineFixture.open();
  onTestFinished(() => engine.close());
  const path = join(engine.folder, 'recorded.mcptrace');
  await copyFile(trace.file.path, path);
  const { sessionId } = await engine.call('traces/open', { path });
  await engine.until(async () => {
    const all = await engine.call('traces/opened', {});
    return all.find((one) => one.sessionId === sessionId)?.isRead ? true : null;
  });

  expect(await readFile(path, 'utf8')).not.toContain(SECRET);
  const [one, other, ...more] = await engine.call('authorization/flows', { sessionId });
  expect(more).toEqual([]);
  expect(one).toMatchObject({ id: 'flow-1', sessionId, state: 'failed', mode: 'stepped', currentStep: null });
  expect(one?.steps.map(({ id, state, row: shown }) => [id, state, shown])).toEqual([
    [1, 'taken-back', row],
    [2, 'failed', null],
  ]);
  expect(one?.steps[0]?.findings[0]).toMatchObject({ row, library: 'accepted' });
  expect(one?.steps[0]?.findings[0]?.text).toMatch(/^The issuer differs: \[secret refresh_token, /);
  expect(other).toMatchObject({ id: 'flow-2', steps: [{ name: 'revoke', request: aStep().request }] });
  const rows = await engine.rows(sessionId);
  expect(rows.filter(({ kind }) => kind === 'authorization').map(({ summary }) => summary)).toEqual([
    'server metadata: found',
    'token: refused',
    'revoked',
  ]);
});
