import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { RowChoice, Statistics } from '#shared/contract/trace.ts';
import { formatBytes, formatDuration, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { CallTable } from './call-table.tsx';
import { ToolSizeTable } from './tool-size-table.tsx';
import { useAnswer } from '../use-answer.ts';

/** What the rows on screen come to: calls by method and tool, and what tool definitions cost. */
export function StatisticsView({
  sessionId,
  rows,
  onShow,
  onOpenRow,
}: {
  readonly sessionId: string;
  /** Which rows it is about: all, or those of the filter. */
  readonly rows: RowChoice;
  /** Shows only the rows of this filter. */
  readonly onShow: (filter: string) => void;
  readonly onOpenRow: (row: number) => void;
}) {
  const [attempt, setAttempt] = useState(0);
  const {
    answer: statistics,
    failure,
    isAwaited,
  } = useAnswer(
    JSON.stringify([sessionId, rows]),
    () => call('trace/statistics', { sessionId, rows }),
    attempt,
  );
  return (
    <section aria-label="Statistics" aria-busy={isAwaited} className="flex h-full flex-col overflow-auto p-3">
      <div className="flex items-center gap-3 pb-2 text-mute">
        <p className="min-w-0 flex-1 truncate">{statistics && totals(statistics, rows)}</p>
        <Button
          variant="quiet"
          size="small"
          icon={<RefreshCw aria-hidden className="size-3.5" />}
          onClick={() => setAttempt(attempt + 1)}
          disabled={isAwaited}
        >
          Count again
        </Button>
      </div>
      {failure !== null && <FaultCard fault={faultOf(failure)} className="mb-3" />}
      {statistics && statistics.calls.length === 0 && (
        <EmptyState title="No message to count">
          {rows.of === 'filter'
            ? 'None of the rows that the filter shows is a request or a notification.'
            : 'Requests and notifications are counted here as soon as there are some.'}
        </EmptyState>
      )}
      {statistics && statistics.calls.length > 0 && <CallTable calls={statistics.calls} onShow={onShow} />}
      {statistics && statistics.tools.length > 0 && (
        <ToolSizeTable tools={statistics.tools} onOpenRow={onOpenRow} />
      )}
    </section>
  );
}

function totals({ rows, span, bytesIn, bytesOut }: Statistics, choice: RowChoice): string {
  const which = choice.of === 'filter' ? ' that the filter shows' : '';
  const parts = [
    `${formatQuantity(rows, 'row')}${which}`,
    `over ${formatDuration(span)}`,
    `${formatBytes(bytesOut)} sent`,
    `${formatBytes(bytesIn)} received`,
  ];
  return parts.join(' · ');
}
