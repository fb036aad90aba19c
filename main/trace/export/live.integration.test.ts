import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Prints one line of 300 kB on stderr when its tool `noisy` is called, of which any part could be a password. */
const server = scriptedServer(`
  'tools/call'(request) {
    if (request.params.name === 'noisy') console.error('password=' + '.'.repeat(300_000) + 'x!');
    answer(request, { content: [] });
  },
`);

/** Milliseconds; a pattern that is not linear holds the engine for more than a minute. */
const TIMEOUT = 15_000;

test(
  'a live session answers its commands while one stderr line of 300 kB is searched for secrets',
  async () => {
    const { id } = await engine.connect(server);
    expect(await engine.callTool(id, 'noisy')).toMatchObject({ state: 'ok' });
    const line = await engine.row(id, ({ kind, size }) => kind === 'stderr' && size >= 300_000);
    const search = { isOver: false };
    const preview = engine
      .call('exports/preview', {
        sessionId: id,
        rows: { of: 'all' },
        format: 'mcptrace',
        redaction: { isOn: true, patterns: [] },
      })
      .finally(() => (search.isOver = true));
    // One call is always under way, so that the search meets one whenever it begins.
    while (!search.isOver) expect(await engine.callTool(id, 'quiet')).toMatchObject({ state: 'ok' });
    expect((await preview).entries).toBeGreaterThan(line.row);
  },
  TIMEOUT,
);
