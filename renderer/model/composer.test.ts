import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { readPlace } from './place.ts';
import { useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';

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

test('what is edited to be sent again has the next id, and all else as it was', async () => {
  const units = [
    '{"jsonrpc":"2.0","id":3,"method":"a","params":{"_meta":{"progressToken":3},"n":12345678901234567890,"id":3}}',
    '[{"jsonrpc":"2.0","id":3,"method":"a"},{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","id":"s","method":"b"}]',
    '{"jsonrpc":"2.0","id":3,"result":{}}',
  ];
  fakeEngine({
    'trace/summary': () => ({
      rows: 3,
      counts: { errors: 0, found: 0, asks: 0 },
      clock: { at: 0, wall: 0 },
      server: { name: 'server', transport: 'stdio', command: 'x', args: [] },
    }),
    'trace/bytes': ({ row }) => ({ base64: btoa(units[row] ?? ''), total: units[row]?.length ?? 0 }),
    'composer/context': () => ({ nextId: 8, meta: null }),
  });
  useSessions.setState({ sessions: { s1: aSession({ id: 's1', serverId: 'server-9' }) } });
  useSelection.setState({ serverId: 'server-9', openedId: null });
  const { editAndResend, useComposition } = await import('./composer.ts');
  const { result } = renderHook(() => useComposition('server-9'));
  const edited: unknown[] = [];
  for (const row of units.keys()) {
    await act(() => editAndResend('s1', row));
    edited.push(compactJson(result.current.messages.at(-1)?.text ?? ''));
  }
  // The ids of messages in the composer are taken, too.
  expect(edited).toEqual([
    units[0]?.replace('"id":3,"method"', '"id":8,"method"').replace('"progressToken":3', '"progressToken":8'),
    '[{"jsonrpc":"2.0","id":9,"method":"a"},{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","id":10,"method":"b"}]',
    units[2],
  ]);
});
