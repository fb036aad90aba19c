import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectModern, type FeatureSession, modernTransports } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

let engine: EngineFixture;
let feature: FeatureSession;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

test.each(modernTransports)(
  'a tool whose headers are not valid is left out over HTTP alone (%s)',
  async (transport) => {
    feature = await connectModern(engine, transport);
    const { entries } = await engine.call('catalog/tools', { sessionId: feature.session.id });
    const found = entries.find(({ raw }) => raw.includes('"bad-header"'));
    if (transport === 'stdio') expect(found).toMatchObject({ usable: true });
    else
      expect(found).toMatchObject({
        usable: false,
        name: 'bad-header',
        error: expect.stringContaining('x-mcp-header'),
      });
  },
);
