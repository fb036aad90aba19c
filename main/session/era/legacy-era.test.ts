import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test('initialize says who we are, what we can do, and the revision of the settings, whatever it is', async () => {
  const { id, agreement } = await engine.connect(misbehavingServer(), { revision: 'banana' });
  const request = await engine.row(id, (row) => row.method === 'initialize' && row.direction === 'out');
  const { text } = await engine.call('trace/detail', { sessionId: id, row: request.row });
  expect(JSON.parse(text ?? '')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: 'banana',
      // Of a revision nobody knows, all that there is.
      capabilities: defaultClientCapabilities('banana'),
      clientInfo: { name: 'sightglass', title: 'Sightglass', version: '0.0.0' },
    },
  });
  expect(agreement).toMatchObject({ requestedRevision: 'banana', revision: '2025-11-25' });
});

test('when a server refuses our revision, the revisions it names are reported', async () => {
  const { fault } = await engine.connect(misbehavingServer('version-error'));
  expect(fault?.why).toContain('2024-11-05, 2025-03-26, 2025-06-18');
});
