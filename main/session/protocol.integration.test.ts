import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectModern, connectNested, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { answersItself, Scene } from '#fixtures/protocol/scene.ts';
import { sentIn, type Support, supports, titleOf } from '#fixtures/protocol/support.ts';
import { revisions } from '#shared/protocol/revisions.ts';

function connect(engine: EngineFixture, { revision, transport }: Support): Promise<FeatureSession> {
  const settings = { client: answersItself, revision };
  if (revision !== '2026-07-28') return connectNested(engine, transport, settings);
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
      if (!isEmbedded) await scene.shown(method, kind, from);
    },
  );
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
