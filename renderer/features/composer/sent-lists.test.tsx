import { cleanup, render, renderHook, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { sendMessages } from '#model/sent-messages.ts';
import { MessageList } from './message-list.tsx';
import { unitKey, useUnitOutcomes } from './outcome.ts';
import { Outcomes } from './outcomes.tsx';

afterEach(cleanup);

const session = aSession({ id: 'session-a', serverId: 'server-a' });

/** Two calls of a tool that were sent, which differ by their arguments. */
const rows = ['a-17', 'b-4'].map((article, row) =>
  aRow({
    row,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'price_of',
    paramsPreview: `article: "${article}", amount: 1`,
    id: String(row + 1),
    status: 'ok',
  }),
);

async function sendBoth() {
  let sent = 0;
  fakeEngine({
    'sessions/send': () => ({ row: sent++ }),
    'trace/rows': ({ from, count }) => ({ total: rows.length, rows: rows.slice(from, from + count) }),
    'trace/rows-by-number': ({ rows: numbers }) => numbers.flatMap((row) => rows[row] ?? []),
    'saved-calls/read': ({ path }) => ({
      path,
      exists: false,
      variables: {},
      target: null,
      calls: [],
      errors: [],
    }),
  });
  const message = {
    id: 1,
    text: '{}',
    isRaw: false,
    headers: [],
    timeout: '',
    saved: null,
    renewed: null,
  } as const;
  const ready = { message, bytes: { as: 'text', text: '{}' }, composed: 'anyway' } as const;
  await sendMessages(session, [ready, ready], { order: 'at-once', pause: 0, label: 'Send' });
}

test('calls of one tool differ by their arguments in the history and in the outcomes', async () => {
  await sendBoth();
  render(<MessageList session={session} />);
  const history = within(screen.getByRole('list', { name: 'History' }));
  await history.findByTitle('article: "a-17", amount: 1');
  expect(history.getByTitle('article: "b-4", amount: 1').parentElement?.textContent).toContain('price_of');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Find a message' }), 'b-4');
  expect(history.getAllByRole('listitem')).toHaveLength(1);
  cleanup();

  render(<Outcomes sessionId="session-a" messageId={0} />);
  const outcomes = within(screen.getByRole('list', { name: 'Sent messages' }));
  await outcomes.findByTitle('article: "a-17", amount: 1');
  expect(outcomes.getByTitle('article: "b-4", amount: 1')).toBeTruthy();
});

test('an outcome is held only as long as it is asked for', async () => {
  await sendBoth();
  const [first, second] = [0, 1].map((row) => ({ sessionId: session.id, row }));
  if (first === undefined || second === undefined) expect.fail();
  const { result, rerender } = renderHook(useUnitOutcomes, { initialProps: [first, second] });
  await expect.poll(() => [...result.current.keys()].sort()).toEqual([unitKey(first), unitKey(second)]);
  rerender([second]);
  expect([...result.current.keys()]).toEqual([unitKey(second)]);
  rerender([first, second]);
  await expect.poll(() => result.current.has(unitKey(first))).toBe(true);
});
