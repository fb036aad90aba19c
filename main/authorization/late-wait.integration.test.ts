import { beforeEach, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { beginFlow, flowNow, settledFlow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
});

const tokenStep = ({ steps }: AuthorizationFlow) => steps.findLast(({ name }) => name === 'token');

/** A flow whose code is held back until it has expired. */
async function lateFlow() {
  const server = opened(await ProtectedServer.open());
  const begun = await beginFlow(engine, server.url, { mode: 'stepped' });
  const flow = await stepThrough(engine, begun, ({ name }) => name === 'token');
  const startedAt = Date.now();
  await engine.call('authorization/send', { flowId: flow.id, request: null, wrongValue: 'code-expired' });
  const waiting = await engine.until(async () => {
    const now = await flowNow(engine, flow);
    return now !== null && tokenStep(now)?.lateUntil != null ? now : null;
  });
  return { server, flow, waiting, startedAt };
}

test('a code that is sent late says until when it is held back, and can be sent earlier', async () => {
  const { server, flow, waiting, startedAt } = await lateFlow();
  const until = tokenStep(waiting)?.lateUntil ?? 0;
  expect(until - startedAt).toBeGreaterThanOrEqual(10 * 60_000);
  expect(server.authorization.requestsTo('token')).toEqual([]);
  await engine.call('authorization/send-early', { flowId: flow.id });
  const sent = await settledFlow(engine, flow);
  expect(tokenStep(sent)).toMatchObject({ state: 'done', lateUntil: null, isWrongAccepted: true });
  expect(server.authorization.requestsTo('token')).toHaveLength(1);
  await expect(engine.call('authorization/send-early', { flowId: flow.id })).rejects.toMatchObject({
    fault: { code: 'flow-not-late' },
  });
});

test('a flow that is cancelled meanwhile sends nothing', async () => {
  const { server, flow } = await lateFlow();
  await engine.call('authorization/cancel', { flowId: flow.id });
  expect(await settledFlow(engine, flow)).toMatchObject({ state: 'cancelled' });
  await expect(engine.call('authorization/send-early', { flowId: flow.id })).rejects.toThrow(/./);
  expect(server.authorization.requestsTo('token')).toEqual([]);
});
