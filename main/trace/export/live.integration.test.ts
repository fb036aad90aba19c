import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Prints one line of 150 kB on stderr when its tool `noisy` is called. */
const server = scriptedServer(`
  'tools/call'(request) {
    if (request.params.name === 'noisy') console.error('.'.repeat(150_000));
    answer(request, { content: [] });
  },
`);

// The time of the test is the limit: a pattern that is not linear holds the engine for more than that.
test('a live session answers its commands while one stderr line of 150 kB is searched for secrets', async () => {
  const { id } = await engine.connect(server);
  expect(await engine.callTool(id, 'noisy')).toMatchObject({ state: 'ok' });
  const line = await engine.row(id, ({ kind, size }) => kind === 'stderr' && size >= 150_000);
  const preview = engine.call('exports/preview', {
    sessionId: id,
    rows: { of: 'all' },
    format: 'mcptrace',
    redaction: { isOn: true, patterns: [] },
  });
  expect(await engine.callTool(id, 'quiet')).toMatchObject({ state: 'ok' });
  expect((await preview).entries).toBeGreaterThan(line.row);
});
