import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { readPlace } from './place.ts';
import { useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';
import type { Composed } from '#shared/trace/record.ts';

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

test('what was sent as it is in the editor has the next ids, and all else as it was', async () => {
  let row = 0;
  fakeEngine({
    'composer/context': () => ({ nextId: 8, meta: null }),
    'sessions/send': () => ({ row: row++ }),
  });
  const { addMessage, bytesOf, changeMessage, renewedIdsIn, useComposition } = await import('./composer.ts');
  const { sendMessages } = await import('./sent-messages.ts');
  const serverId = 'server-10';
  const { result } = renderHook(() => useComposition(serverId));
  const variables = new Map([['id', '3']]);
  const send = async (text: string, composed: Composed = 'sent', editWhileSent = (now: string) => now) => {
    act(() => addMessage(serverId, text));
    const message = result.current.messages.at(-1)!;
    await act(async () => {
      const bytes = bytesOf(message, variables);
      const sending = sendMessages({ id: 's1', serverId }, [{ message, bytes, composed }], {
        order: 'at-once',
        pause: 0,
        label: 'Send',
      });
      changeMessage(serverId, message.id, { text: editWhileSent(text) });
      await sending;
    });
    const after = result.current.messages.at(-1)!;
    act(() => changeMessage(serverId, message.id, { text: '' }));
    return { text: after.text, renewed: renewedIdsIn(after) };
  };
  const call =
    '{ "id": 3,\n  "method": "a", "params": {"_meta": {"progressToken": 3}, "n": 1.50, "id": 3},\n "jsonrpc": "2.0" }';
  expect(await send(call)).toMatchObject({
    text: call.replace('"id": 3,\n', '"id": 8,\n').replace('Token": 3', 'Token": 8'),
    renewed: { sent: ['3'], next: ['8'] },
  });
  const batch = '[ {"id":"a","method":"a"},\n\t{"method":"note"} , {"id":21,"method":"b"}]';
  expect(await send(batch)).toMatchObject({
    text: '[ {"id":22,"method":"a"},\n\t{"method":"note"} , {"id":23,"method":"b"}]',
    renewed: { sent: ['"a"', '21'], next: ['22', '23'] },
  });
  // What broke a rule, was edited since, has its id from a variable, or is no request.
  const unchanged: Parameters<typeof send>[] = [
    [call, 'anyway'],
    [call, 'sent', (now) => now.replace('1.50', '2')],
    ['{"id":"${id}","method":"a"}'],
    ['{"method":"note"}'],
    ['{"id":3,"result":{}}'],
  ];
  for (const [text, composed, edit = (now: string) => now] of unchanged) {
    expect(await send(text, composed, edit)).toMatchObject({ text: edit(text), renewed: null });
  }
});
