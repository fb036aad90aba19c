import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectLegacy, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

let engine: EngineFixture;
const features: FeatureSession[] = [];
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  for (const feature of features.splice(0)) await feature.close();
});

/** A session with a server of its own, which is told of one root. */
async function connect(root: string): Promise<string> {
  const client = { ...defaultClientProfile, roots: [{ uri: root, name: null }] };
  const feature = await connectLegacy(engine, 'stdio', { client });
  features.push(feature);
  return feature.session.id;
}

async function answerFor(sessionId: string): Promise<string> {
  const { id: callId } = await engine.callTool(sessionId, 'ask-roots');
  return (await engine.call('calls/result', { sessionId, callId })).text ?? '';
}

const asked = (sessionId: string) => engine.call('inbox/list', { sessionId });

test('each server gets its own roots, and its requests wait in its own inbox', async () => {
  const [one, other] = [await connect('file:///one'), await connect('file:///other')];
  const [first, second] = [await answerFor(one), await answerFor(other)];
  expect(first).toContain('file:///one');
  expect(first).not.toContain('file:///other');
  expect(second).toContain('file:///other');
  expect(second).not.toContain('file:///one');

  await engine.startTool(one, 'ask-sampling');
  const entry = await engine.until(
    async () => (await asked(one)).find(({ state }) => state === 'waiting') ?? null,
  );
  expect((await asked(other)).filter(({ method }) => method === 'sampling/createMessage')).toEqual([]);
  expect((await engine.session(other)).waiting).toBe(0);
  const decline = { kind: 'decline' } as const;
  const elsewhere = { sessionId: other, entryId: entry.id, answer: decline };
  await expect(engine.call('inbox/answer', elsewhere)).rejects.toThrow('no longer waits');
  expect((await asked(one)).find(({ id }) => id === entry.id)?.state).toBe('waiting');
});
