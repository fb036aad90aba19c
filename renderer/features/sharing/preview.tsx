import { selectTraceRow } from '#model/selection.ts';
import type { Removal } from '#shared/contract/exports.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { shortSample } from './short-sample.ts';
import { formatWords } from './formats.ts';
import type { PreviewState } from './use-preview.ts';

/** What the export would hold, and each kind of thing that it leaves out with a sample. */
export function Preview({
  state: { preview, fault, isLooking },
  unavailableReason,
  sessionId,
}: {
  readonly state: PreviewState;
  /** Why nothing can be looked at yet. */
  readonly unavailableReason: string | null;
  readonly sessionId: string;
}) {
  if (fault) return <FaultCard fault={fault} />;
  if (preview === null) {
    return (
      <p role="status" className="text-mute">
        {unavailableReason ?? 'Looking through the trace…'}
      </p>
    );
  }
  const { format, entries, leftOut, removals, removed } = preview;
  return (
    <section aria-label="Preview" aria-busy={isLooking} className={isLooking ? 'opacity-60' : undefined}>
      <p role="status">
        <span className="font-medium">{formatQuantity(entries, ...formatWords[format].entry)}</span>
        <span className="text-mute">
          {removed === 0 ? ', nothing left out' : `, ${formatQuantity(removed, 'value')} left out`}
          {leftOut > 0 && `; ${formatQuantity(leftOut, 'chosen row')} without a place in this format`}
        </span>
      </p>
      {removals.length > 0 && <Removals removals={removals} sessionId={sessionId} />}
    </section>
  );
}

function Removals({
  removals,
  sessionId,
}: {
  readonly removals: readonly Removal[];
  readonly sessionId: string;
}) {
  return (
    <table aria-label="What is left out" className="mt-1.5 w-full table-fixed border-collapse">
      <thead>
        <tr className="h-row text-left text-xs text-faint">
          <th className="w-[26%] font-normal">Left out</th>
          <th className="w-14 pr-3 text-right font-normal">Times</th>
          <th className="font-normal">First seen as</th>
          <th className="w-14 text-right font-normal">Row</th>
        </tr>
      </thead>
      <tbody>
        {removals.map(({ kind, count, sample, row }) => (
          <tr key={kind} className="h-row border-t border-line align-baseline">
            <td className="py-0.5 pr-3 break-words">{visibleLine(kind)}</td>
            <td className="mono py-0.5 pr-3 text-right tabular-nums">{formatCount(count)}</td>
            <td title={visibleLine(sample)} className="mono py-0.5 [overflow-wrap:anywhere] text-mute">
              {visibleLine(shortSample(sample))}
            </td>
            <td className="py-0.5 text-right">
              <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
