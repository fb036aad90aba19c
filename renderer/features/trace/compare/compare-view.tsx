import { X } from 'lucide-react';
import { useState } from 'react';
import { faultOf } from '#model/connection.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox } from '#ui/field.tsx';
import { useSignalled } from '../frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { useIsWide } from '../use-is-wide.ts';
import { ComparedFacts } from './compared-facts.tsx';
import { DiffTable } from './diff-table.tsx';
import { type Comparison, useComparison } from './use-comparison.ts';

/** From this width on the two texts stand side by side; pixels. */
const WIDE_ENOUGH = 560;

/** Two rows compared: their figures, and their messages line by line. */
export function CompareView({
  view,
  onClose,
}: {
  /** Two of its rows are chosen. */
  readonly view: TraceView;
  readonly onClose: () => void;
}) {
  const { sessionId, selection } = view;
  const left = useSignalled(view.signal, () => selection.picks.rows[0] ?? 0);
  const right = useSignalled(view.signal, () => selection.picks.rows[1] ?? 0);
  const [sortsKeys, setSortsKeys] = useState(false);
  const [bodyRef, isWide] = useIsWide(WIDE_ENOUGH);
  const { comparison, failure, isReading } = useComparison(sessionId, [left, right], sortsKeys);
  return (
    <section
      aria-label={`Rows ${rowNumber(left)} and ${rowNumber(right)} compared`}
      aria-busy={isReading}
      tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <div className="flex h-[34px] shrink-0 items-center gap-3 border-b border-line pr-1 pl-3">
        <h3 className="shrink-0 font-medium">Compare</h3>
        <p role="status" className="min-w-0 flex-1 truncate text-mute">
          {comparison && !isReading && verdict(comparison)}
        </p>
        <Checkbox
          label="Sort keys"
          checked={sortsKeys}
          onChange={setSortsKeys}
          className="shrink-0 text-mute"
        />
        <IconButton label="Close the comparison" shortcut="Escape" size="small" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div
        ref={bodyRef}
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Differences"
      >
        {failure !== null && <FaultCard fault={faultOf(failure)} className="m-3" />}
        {comparison && <Compared comparison={comparison} isSplit={isWide} />}
      </div>
    </section>
  );
}

function Compared({
  comparison: { details, texts, lines },
  isSplit,
}: {
  readonly comparison: Comparison;
  readonly isSplit: boolean;
}) {
  const [left, right] = details;
  return (
    <>
      <ComparedFacts left={left.row} right={right.row} />
      {(left.truncated || right.truncated) && (
        <p role="note" className="border-b border-line bg-raise px-3 py-1.5 text-mute">
          Only the beginning of {left.truncated && right.truncated ? 'both messages' : 'the longer message'}{' '}
          is compared.
        </p>
      )}
      {lines === null ? (
        <EmptyState title="Too different to line up">
          The two messages have next to nothing in common.
        </EmptyState>
      ) : (
        <DiffTable key={`${left.row.row} ${right.row.row}`} texts={texts} lines={lines} isSplit={isSplit} />
      )}
    </>
  );
}

function verdict({ lines }: Comparison): string {
  if (lines === null) return '';
  const count = lines.filter(({ kind }) => kind !== 'same').length;
  return count === 0 ? 'No line differs' : formatQuantity(count, 'line differs', 'lines differ');
}
