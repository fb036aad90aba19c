import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aCall } from '#fixtures/page/samples.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import { readUpdated, skipUpdates, uriRead } from './resources-state.ts';

const subscription = (notifications: number, id = 'sub-1'): Subscription => ({
  id,
  sessionId: 's1',
  state: 'active',
  requested: { resourceSubscriptions: ['x://a'] },
  acknowledged: null,
  kind: 'resource',
  row: 1,
  notifications,
  lastRow: 2,
  fault: null,
});

test('a flood of updates is answered with one read at a time', async () => {
  let reads = 0;
  const read = (id: string) =>
    aCall({
      id,
      sessionId: 's1',
      method: 'resources/read',
      tool: null,
      arguments: '{"uri":"x://a"}',
      state: 'running',
    });
  const { asked } = fakeEngine({ 'calls/request': () => read(`r${++reads}`) });
  void readUpdated(subscription(1));
  void readUpdated(subscription(2));
  void readUpdated(subscription(3));
  await waitFor(() => expect(asked('calls/request')).toHaveLength(1));
  emit('calls/changed', { ...read('r1'), state: 'ok', result: '{"contents":[]}' });
  // The updates reported while it was read cause one more, and no further.
  await waitFor(() => expect(asked('calls/request')).toHaveLength(2));
  emit('calls/changed', { ...read('r2'), state: 'ok', result: '{"contents":[]}' });
  await readUpdated(subscription(3));
  expect(asked('calls/request')).toHaveLength(2);
});

test('updates from before are not read when reading on update is switched on', async () => {
  const { asked } = fakeEngine({});
  skipUpdates(subscription(5, 'sub-2'));
  await readUpdated(subscription(5, 'sub-2'));
  expect(asked('calls/request')).toEqual([]);
});

test('the URI of a read; null for any other request', () => {
  expect(uriRead(aCall({ method: 'resources/read', tool: null, arguments: '{"uri":"x://a"}' }))).toBe(
    'x://a',
  );
  expect(uriRead(aCall({ method: 'resources/read', tool: null, arguments: '{"uri":5}' }))).toBeNull();
  expect(uriRead(aCall({ method: 'ping', tool: null, arguments: '{}' }))).toBeNull();
});
