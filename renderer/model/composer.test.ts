import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { readPlace } from './place.ts';

test('messages of before are there when the composer is loaded after the place was read', async () => {
  fakeEngine({
    'place/read': () => ({
      entries: {
        'composition server-1': {
          serverId: 'server-1',
          chosen: { count: 2, selected: 1, 'isRaw 1': true, order: 'at-once' },
          typed: { 'text 0': '{"id":1}', 'text 1': 'raw', pause: '5' },
        },
      },
      isOfThisRun: false,
    }),
  });
  await readPlace();
  const { useComposition } = await import('./composer.ts');
  const { result } = renderHook(() => useComposition('server-1'));
  const [first, second] = result.current.messages;
  expect([first?.text, second?.text, second?.isRaw]).toEqual(['{"id":1}', 'raw', true]);
  expect(result.current).toMatchObject({ selected: second?.id, order: 'at-once', pause: '5' });
});
