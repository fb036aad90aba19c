import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import {
  type CallStatistics,
  responsesFor,
  type RowChoice,
  type Statistics,
  type ToolSize,
} from '#shared/contract/trace.ts';
import { formatBytes, formatDuration, formatQuantity, formatCount } from '#shared/format.ts';
import { printValue } from '#shared/trace/filter/index.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { DirectionArrow } from '#ui/direction-arrow.tsx';
import { ErrorGroupTable } from './error-groups.tsx';
import { type FigureColumn, FigureTable } from './figure-table.tsx';
import { StatisticsCharts } from './statistics-charts.tsx';

/** Statistics of rows: calls by method and tool, errors by what they say, and the size of tool definitions. */
export function StatisticsView({
  sessionId,
  rows,
  callsId,
  onNarrow,
  onShow,
  onShowAll,
  onOpenRow,
}: {
  readonly sessionId: string;
  readonly rows: RowChoice;
  /** The id of the list of calls into which the rows are folded; null if each of them is listed. */
  readonly callsId: string | null;
  /** Shows those of the rows in the trace that this filter matches too. */
  readonly onNarrow: (term: string) => void;
  /** Shows only the rows of this filter. */
  readonly onShow: (filter: string) => void;
  /** Lists each of the rows that are counted. */
  readonly onShowAll: () => void;
  readonly onOpenRow: (row: number) => void;
}) {
  const [attempt, setAttempt] = useState(0);
  const {
    latest: statistics,
    fault,
    isLoading,
  } = useQuery(JSON.stringify([sessionId, rows, callsId, attempt]), () =>
    call('trace/statistics', { sessionId, rows, filterId: callsId }),
  );
  return (
    <section aria-label="Statistics" aria-busy={isLoading} className="flex h-full flex-col overflow-auto p-3">
      <div className="flex items-center gap-3 pb-2 text-mute">
        <p className="min-w-0 flex-1">{statistics && totals(statistics, rows)}</p>
        <Button
          variant="quiet"
          size="small"
          icon={<RefreshCw aria-hidden className="size-3.5" />}
          onClick={() => setAttempt(attempt + 1)}
          disabled={isLoading}
        >
          Count again
        </Button>
      </div>
      {statistics && <FoldedRows {...statistics} onShowAll={onShowAll} />}
      {fault && <FaultCard fault={fault} className="mb-3" />}
      {statistics && statistics.calls.length === 0 && (
        <EmptyState title="No message to count">
          {rows.of === 'filter'
            ? 'None of the filtered rows is a request or a notification.'
            : 'Requests and notifications are counted here once there are some.'}
        </EmptyState>
      )}
      {statistics && statistics.calls.length > 0 && (
        <StatisticsCharts statistics={statistics} onShow={onNarrow} />
      )}
      {statistics && statistics.calls.length > 0 && <CallTable calls={statistics.calls} onShow={onNarrow} />}
      {statistics && statistics.errorGroups.length > 0 && (
        <ErrorGroupTable statistics={statistics} onShow={onShow} onOpenRow={onOpenRow} />
      )}
      {statistics && statistics.tools.length > 0 && (
        <ToolSizeTable tools={statistics.tools} onOpenRow={onOpenRow} />
      )}
    </section>
  );
}

/** Says why the list has fewer rows than are counted. */
function FoldedRows({
  rows,
  listed,
  onShowAll,
}: {
  readonly rows: number;
  readonly listed: number;
  readonly onShowAll: () => void;
}) {
  if (listed >= rows) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 pb-2 text-mute">
      The list of calls has {formatQuantity(listed, 'row')}; the others are folded into them.
      <Button variant="quiet" size="small" onClick={onShowAll}>
        List all {formatCount(rows)}
      </Button>
    </p>
  );
}

function totals(
  { rows, requests, responses, notifications, span, bytesIn, bytesOut }: Statistics,
  choice: RowChoice,
): string {
  const which = choice.of === 'filter' ? ' of the filter' : '';
  const others = rows - requests - responses - notifications;
  const kinds = [
    requests > 0 && formatQuantity(requests, 'request'),
    responses > 0 && formatQuantity(responses, 'response'),
    notifications > 0 && formatQuantity(notifications, 'notification'),
    others > 0 && formatQuantity(others, 'other'),
  ].filter(Boolean);
  const parts = [
    `${formatQuantity(rows, 'row')}${which}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`,
    `over ${formatDuration(span)}`,
    `${formatBytes(bytesOut)} sent`,
    `${formatBytes(bytesIn)} received`,
  ];
  return parts.join(' · ');
}

/** Requests and notifications by method, tool and direction: count, duration, size. */
export function CallTable({
  calls,
  onShow,
}: {
  readonly calls: readonly CallStatistics[];
  readonly onShow: (filter: string) => void;
}) {
  return (
    <>
      <h3 className="caption mb-1">
        Requests and notifications{' '}
        <span className="font-normal tracking-normal normal-case">each counted once, with its response</span>
      </h3>
      <FigureTable
        label="Calls"
        columns={callColumns}
        rows={calls}
        keyOf={({ direction, method, tool }) => JSON.stringify([direction, method, tool])}
        act={onShow}
      />
    </>
  );
}

const nothing = <span className="text-faint">–</span>;

const part = { p50: 'Half', p95: '95 of 100', p99: '99 of 100' } as const;

/** A percentile, or why it says nothing. */
const percentile = (name: keyof typeof part) => ({
  label: name,
  hint: `${part[name]} of the responses arrived within this time`,
  show: ({ responses, [name]: value }: CallStatistics) =>
    value !== null ? (
      formatDuration(value)
    ) : (
      <span
        className="text-faint"
        title={`${formatQuantity(responses, 'response')}: ${name} is shown from ${responsesFor[name]} on`}
      >
        –
      </span>
    ),
  figure: (row: CallStatistics) => row[name] ?? -1,
});

const sentBytes = ({ direction, bytes, responseBytes }: CallStatistics) =>
  direction === 'out' ? bytes : responseBytes;
const receivedBytes = ({ direction, bytes, responseBytes }: CallStatistics) =>
  direction === 'out' ? responseBytes : bytes;

const bytesOf = (label: string, hint: string, of: (row: CallStatistics) => number) => ({
  label,
  hint,
  show: (row: CallStatistics) => (of(row) > 0 ? formatBytes(of(row)) : nothing),
  figure: of,
});

const callColumns: readonly FigureColumn<CallStatistics, (filter: string) => void>[] = [
  { label: 'method and tool', show: (row, onShow) => <CallName row={row} onShow={onShow} /> },
  { label: 'count', show: ({ count }) => formatCount(count), figure: ({ count }) => count },
  {
    label: 'errors',
    hint: 'Error response, failed tool, or no response',
    show: ({ errors }) => (
      <span className={cx(errors > 0 ? 'text-err' : 'text-faint')}>{formatCount(errors)}</span>
    ),
    figure: ({ errors }) => errors,
  },
  {
    label: 'waiting',
    show: ({ pending }) => (
      <span className={cx(pending > 0 ? 'text-warn' : 'text-faint')}>{formatCount(pending)}</span>
    ),
    figure: ({ pending }) => pending,
  },
  percentile('p50'),
  percentile('p95'),
  percentile('p99'),
  {
    label: 'longest',
    hint: 'The slowest response',
    show: ({ longest }) => (longest === null ? nothing : formatDuration(longest)),
    figure: ({ longest }) => longest ?? -1,
  },
  bytesOf('sent', 'Bytes that we sent: of requests and notifications, or of our responses', sentBytes),
  bytesOf('received', 'Bytes that the server sent', receivedBytes),
];

function CallName({
  row: { direction, method, tool },
  onShow,
}: {
  readonly row: CallStatistics;
  readonly onShow: (filter: string) => void;
}) {
  // A response has the method of its request, and may have this direction.
  const kinds = 'kind:request,notification';
  const target = tool !== null && printValue('tool', tool);
  const filter = [printValue('method', method), target, `dir:${direction}`, kinds].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      title="Show only these rows"
      onClick={() => onShow(filter)}
      className="mono max-w-full truncate text-left hover:underline"
    >
      <DirectionArrow direction={direction} /> {visibleLine(method)}{' '}
      {tool !== null && <span className="text-mute">{visibleLine(tool)}</span>}
    </button>
  );
}

/** The size of each tool definition in a model's context. */
export function ToolSizeTable({
  tools,
  onOpenRow,
}: {
  readonly tools: readonly ToolSize[];
  readonly onOpenRow: (row: number) => void;
}) {
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <section aria-label="Tool definitions" className="mt-5">
      <h3 className="caption mb-1">
        Tool definitions{' '}
        <span className="font-normal tracking-normal normal-case">
          {formatBytes(bytes)}, about {formatCount(tokens)} tokens of a model’s context
        </span>
      </h3>
      <FigureTable
        label="Sizes of tool definitions"
        columns={toolColumns}
        rows={tools}
        keyOf={({ name }) => name}
        act={onOpenRow}
      />
    </section>
  );
}

const toolColumns: readonly FigureColumn<ToolSize, (row: number) => void>[] = [
  { label: 'tool', show: ({ name }) => <span className="mono">{visibleLine(name)}</span> },
  { label: 'bytes', show: ({ bytes }) => formatBytes(bytes), figure: ({ bytes }) => bytes },
  {
    label: 'tokens',
    hint: 'An estimate: four characters per token',
    show: ({ tokens }) => `≈ ${formatCount(tokens)}`,
    figure: ({ tokens }) => tokens,
  },
  { label: 'listed in', show: ({ row }, onOpenRow) => <RowLink row={row} onOpen={() => onOpenRow(row)} /> },
];
