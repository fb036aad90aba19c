import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { mermaidOf, SequenceView, stepsOf } from './sequence-view.tsx';

afterEach(cleanup);

const call = aRow({
  row: 4,
  kind: 'request',
  direction: 'out',
  method: 'tools/call',
  summary: 'ask',
  pair: 8,
});
const asked = aRow({
  row: 5,
  kind: 'request',
  direction: 'in',
  method: 'sampling/createMessage',
  summary: '',
  pair: 6,
});
const said = aRow({
  row: 6,
  kind: 'result',
  direction: 'out',
  method: 'sampling/createMessage',
  summary: '',
  status: 'ok',
  pair: 5,
});
const log = aRow({ row: 7, kind: 'stderr', direction: 'in', method: null, summary: 'thinking; of "x"' });
const answer = aRow({
  row: 8,
  kind: 'result',
  direction: 'in',
  method: 'tools/call',
  summary: 'ask',
  status: 'ok',
  pair: 4,
});
const conversation = [answer, call, asked, said, log];

describe('rows as steps', () => {
  test('stand in the order of the trace, and each side is busy while it owes an answer', () => {
    const steps = stepsOf(conversation);
    expect(steps.map(({ row }) => row)).toEqual([4, 5, 6, 7, 8]);
    expect(steps.map(({ isServerBusy }) => isServerBusy)).toEqual([true, true, true, true, true]);
    expect(steps.map(({ isClientBusy }) => isClientBusy)).toEqual([false, true, true, false, false]);
    expect(steps.map(({ direction }) => direction)).toEqual(['out', 'in', 'out', null, 'in']);
  });

  test('a request whose answer is not among them keeps nobody busy', () => {
    expect(stepsOf([call, log]).some(({ isServerBusy }) => isServerBusy)).toBe(false);
  });
});

test('copied as text they are a diagram in which no label can end its line', () => {
  expect(mermaidOf(stepsOf(conversation), 'my: server')).toBe(`sequenceDiagram
  participant C as Sightglass
  participant S as my#58; server
  C->>S: tools/call ask
  S->>C: sampling/createMessage
  C-->>S: ok · sampling/createMessage
  Note over C,S: stderr thinking#59; of #34;x#34;
  S-->>C: ok · tools/call ask
`);
});

test('the diagram shows each row and leads to it', async () => {
  const asks = vi.fn<(rows: readonly number[]) => void>();
  fakeEngine({
    'trace/rows-by-number': ({ rows }) => {
      asks(rows);
      return conversation.filter(({ row }) => rows.includes(row));
    },
  });
  const onOpenRow = vi.fn<(row: number) => void>();
  render(
    <SequenceView
      sessionId="s1"
      server="everything"
      rows={[8, 4, 5, 6, 7]}
      onClose={() => undefined}
      onOpenRow={onOpenRow}
    />,
  );
  await userEvent.click(
    await screen.findByRole('button', { name: /Row #6: sampling\/createMessage, from the server/ }),
  );
  expect(onOpenRow).toHaveBeenCalledWith(5);
  expect(asks).toHaveBeenCalledWith([4, 5, 6, 7, 8]);
  expect(screen.getAllByRole('listitem')).toHaveLength(5);
});
