import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectModern, connectLegacy, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { answersItself, Scene } from '#fixtures/protocol/scene.ts';
import { sentIn, type Support, supports, titleOf } from '#fixtures/protocol/support.ts';
import { revisions } from '#shared/protocol/revisions.ts';

function connect(engine: EngineFixture, { revision, transport }: Support): Promise<FeatureSession> {
  const settings = { client: answersItself, revision };
  if (revision !== '2026-07-28') return connectLegacy(engine, transport, settings);
  return connectModern(engine, transport === 'stdio' ? 'stdio' : 'streamable-http', settings);
}

describe.each(supports)('$revision over $transport', (support) => {
  let engine: EngineFixture;
  let feature: FeatureSession;
  let scene: Scene;
  beforeAll(async () => {
    engine = await EngineFixture.open();
    feature = await connect(engine, support);
    scene = new Scene(engine, feature.session);
  });
  afterAll(async () => {
    await engine.close();
    await feature.close();
  });

  test('is what was agreed on', () => {
    const { phase, agreement, transport } = feature.session;
    expect({ phase, transport, revision: agreement?.revision }).toEqual({
      phase: 'ready',
      transport: support.transport,
      revision: support.revision,
    });
  });

  test.each(support.scenarios.map((scenario) => ({ title: titleOf(scenario), scenario })))(
    '$title',
    async ({ scenario: { method, kind, from, play } }) => {
      await play(scene);
      const isEmbedded = support.revision === '2026-07-28' && kind === 'request' && from === 'server';
      await (isEmbedded ? expectInResult(scene, method) : scene.shown(method, kind, from));
    },
  );
});

/** A server of the modern era asks in a result, and is answered in the request that tries again. */
async function expectInResult(scene: Scene, method: string): Promise<void> {
  const { asked, answered } = await scene.inputShown(method);
  expect(asked).toMatchObject({ kind: 'result', direction: 'in' });
  expect(answered).toMatchObject({ kind: 'request', direction: 'out' });
  const questions = questionsSchema.parse(asked.message).result.inputRequests;
  const [key] = Object.entries(questions).find(([, question]) => question.method === method) ?? [];
  expect(Object.keys(questions)).toContain(key);
  expect(answersSchema.parse(answered.message).params.inputResponses).toHaveProperty([key ?? '']);
}

const questionsSchema = z.object({
  result: z.object({ inputRequests: z.record(z.string(), z.object({ method: z.string() })) }),
});
const answersSchema = z.object({
  params: z.object({ inputResponses: z.record(z.string(), z.unknown()) }),
});

test.each(revisions.map(({ id }) => id))(
  'every method of %s is shown, over whatever transport',
  (revision) => {
    const shown = new Set(
      supports
        .filter((support) => support.revision === revision)
        .flatMap(({ scenarios }) => scenarios.map(titleOf)),
    );
    expect([...shown].toSorted()).toEqual(sentIn(revision).map(titleOf).toSorted());
  },
);
