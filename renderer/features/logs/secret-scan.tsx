import { ShieldCheck, TriangleAlert, X } from 'lucide-react';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { useQuery } from '#model/use-query.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';

/**
 * The secrets found in the messages that the list shows, without the secrets themselves: logs must contain no credentials
 * (MCP 2025-06-18 logging, security).
 */
export function SecretScan({
  sessionId,
  filterId,
  matches,
  onClose,
}: {
  readonly sessionId: string;
  readonly filterId: string;
  /** Messages in the list when the scan began. */
  readonly matches: number;
  readonly onClose: () => void;
}) {
  const { result, fault, isLoading } = useQuery(`${sessionId} ${filterId}`, () =>
    call('exports/preview', {
      sessionId,
      rows: { of: 'filter', filterId },
      format: 'mcptrace',
      redaction: { isOn: true, patterns: [] },
    }),
  );
  return (
    <section
      aria-label="Secrets in the logs"
      className="flex max-h-40 shrink-0 items-start gap-2 overflow-y-auto border-b border-line bg-raise px-3 py-1.5"
    >
      <div role="status" aria-busy={isLoading} className="min-w-0 flex-1">
        {isLoading && <p className="text-mute">Searching {formatCount(matches)} rows…</p>}
        {fault !== null && <FaultCard fault={fault} />}
        {result?.removed === 0 && (
          <p className="flex items-center gap-1.5">
            <ShieldCheck aria-hidden className="size-3.5 shrink-0 text-in" />
            No tokens, passwords or credentials were recognized in {formatQuantity(matches, 'row')}.
          </p>
        )}
        {result && result.removed > 0 && (
          <>
            <p className="flex items-center gap-1.5 text-warn">
              <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
              {formatQuantity(result.removed, 'value')} in the logs look like secrets:
            </p>
            <ul>
              {result.removals.map(({ kind, count, row, sample }) => (
                <li key={kind} className="flex min-h-row items-baseline gap-3">
                  <span className="shrink-0">
                    {visibleLine(kind)} <span className="text-mute">× {formatCount(count)}</span>
                  </span>
                  <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
                  <code className="mono min-w-0 truncate text-mute">{visibleLine(sample)}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <IconButton size="small" label="Close the search for secrets" onClick={onClose}>
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </section>
  );
}
