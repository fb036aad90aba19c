import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
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
    return { text: after.text, renewed: renewedIdsIn(after, 's1') };
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

test('what was said of the next ids is withdrawn when these were sent, and is not said of another session', async () => {
  const isFailing = { context: false };
  fakeEngine({
    'composer/context': () => {
      if (isFailing.context) throw new FaultError({ code: 'closed', what: 'The session is closed.' });
      return { nextId: 9, meta: null };
    },
    'sessions/send': () => ({ row: 0 }),
  });
  const { addMessage, bytesOf, changeMessage, renewedIdsIn, useComposition } = await import('./composer.ts');
  const { sendMessages } = await import('./sent-messages.ts');
  const serverId = 'server-11';
  const { result } = renderHook(() => useComposition(serverId));
  const said = (sessionId = 's1') => renewedIdsIn(result.current.messages.at(-1)!, sessionId)?.next ?? null;
  const send = async (composed: Composed, whileSent?: string) => {
    const message = result.current.messages.at(-1)!;
    await act(async () => {
      const ready = [{ message, bytes: bytesOf(message, new Map()), composed }];
      const sending = sendMessages({ id: 's1', serverId }, ready, {
        order: 'at-once',
        pause: 0,
        label: 'Send',
      });
      if (whileSent !== undefined) changeMessage(serverId, message.id, { text: whileSent });
      await sending;
    });
  };
  act(() => addMessage(serverId, '{"id":8,"method":"a"}'));
  await send('sent');
  expect([said(), said('s2')]).toEqual([['9'], null]);
  await send('anyway');
  expect(said()).toBeNull();
  await send('sent');
  expect(said()).toEqual(['10']);
  await send('sent', '{"id":10,"method":"b"}');
  expect(said()).toBeNull();
  await send('sent');
  expect(said()).toEqual(['11']);
  isFailing.context = true;
  await send('sent');
  expect(said()).toBeNull();
});
