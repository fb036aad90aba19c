import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { type CallComparison, countClasses, type OpenComparison } from '#shared/contract/comparison.ts';
import { CallLine } from './call-line.tsx';
import { CallTable } from './call-table.tsx';
import { ComparedCalls } from './compared-calls.ts';

const comparison: OpenComparison = {
  id: 'c1',
  classes: ['same'],
  recordedRows: [0],
  counts: countClasses([{ class: 'same' }]),
  catalog: [],
  uncomparedLists: [],
  lostLists: [],
  latency: null,
  steps: [],
  unchanged: { tool: 0, resource: 0, template: 0, prompt: 0 },
};

test('calls of one tool differ by what they were called with', () => {
  const call: CallComparison = {
    class: 'same',
    method: 'tools/call',
    target: 'price_of',
    paramsPreview: 'article: "a-17"',
    direction: 'out',
    recorded: null,
    other: null,
    differences: [],
    ignored: [],
    summary: '',
    isAccepted: false,
  };
  const line = { of: 'call', place: 0 } as const;
  render(<CallLine id="l" at={0} line={line} name="same" call={call} isSelected={false} />);
  const shown = screen.getByTitle('article: "a-17"');
  expect(shown.closest('[role=gridcell]')?.textContent).toBe('tools/call price_ofarticle: "a-17"');
  cleanup();
});

test('the order is chosen with the keyboard, which opens no response', async () => {
  fakeEngine({ 'comparison/calls': () => [] });
  const [onOrder, onEnter, onDifference] = [
    vi.fn<() => void>(),
    vi.fn<() => void>(),
    vi.fn<(step: 1 | -1) => void>(),
  ];
  const nothing = () => undefined;
  render(
    <CallTable
      comparison={comparison}
      calls={new ComparedCalls('c1')}
      lines={[{ of: 'call', place: 0 }]}
      cursor={0}
      order="class"
      onOrder={onOrder}
      onSelect={nothing}
      onToggle={nothing}
      onDifference={onDifference}
      onEnter={onEnter}
      compared={undefined}
      sides={{ recorded: 's1', other: 's2', replay: null }}
      sideNames={{ heads: ['04:27:03', '04:28:10'], names: ['billing 04:27:03', 'billing 04:28:10'] }}
      onIgnore={nothing}
      onAccept={nothing}
      ref={null}
    />,
  );
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole('grid'));
  await userEvent.keyboard('n{Enter}');
  expect(onDifference).toHaveBeenCalledWith(1);
  expect(onEnter).toHaveBeenCalledTimes(1);
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'class' }));
  await userEvent.keyboard('{Enter} ');
  expect(onOrder).toHaveBeenCalledTimes(2);
  expect(onEnter).toHaveBeenCalledTimes(1);
});
