import type { CallStatistics } from '#shared/contract/trace.ts';
import { formatBytes, formatCount, formatDuration } from '#shared/format.ts';
import { printValue } from '#shared/trace/filter/index.ts';
import { cx } from '#ui/cx.ts';
import { visibleLine } from '#ui/visible.ts';
import { type FigureColumn, FigureTable } from './figure-table.tsx';

/** Requests and notifications by method, tool and direction: how many, how long, how large. */
export function CallTable({
  calls,
  onShow,
}: {
  readonly calls: readonly CallStatistics[];
  readonly onShow: (filter: string) => void;
}) {
  return (
    <FigureTable
      label="Calls"
      columns={callColumns}
      rows={calls}
      keyOf={({ direction, method, tool }) => JSON.stringify([direction, method, tool])}
      act={onShow}
    />
  );
}

const time = (value: number | null) =>
  value === null ? <span className="text-faint">–</span> : formatDuration(value);

const timeOf = (label: string, hint: string, of: (row: CallStatistics) => number | null) => ({
  label,
  hint,
  show: (row: CallStatistics) => time(of(row)),
  figure: (row: CallStatistics) => of(row) ?? -1,
});

const callColumns: readonly FigureColumn<CallStatistics, (filter: string) => void>[] = [
  { label: 'method and tool', show: (row, onShow) => <CallName row={row} onShow={onShow} /> },
  { label: 'count', show: ({ count }) => formatCount(count), figure: ({ count }) => count },
  {
    label: 'errors',
    hint: 'Answered with an error, by a tool that failed, or not at all',
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
  timeOf('p50', 'Half of the answers came within this time', ({ p50 }) => p50),
  timeOf('p95', '95 of 100 answers came within this time', ({ p95 }) => p95),
  timeOf('p99', '99 of 100 answers came within this time', ({ p99 }) => p99),
  timeOf('longest', 'The answer that took longest', ({ longest }) => longest),
  {
    label: 'asked',
    hint: 'Bytes of the requests or notifications',
    show: ({ bytes }) => formatBytes(bytes),
    figure: ({ bytes }) => bytes,
  },
  {
    label: 'answered',
    hint: 'Bytes of the answers',
    show: ({ answerBytes }) =>
      answerBytes > 0 ? formatBytes(answerBytes) : <span className="text-faint">–</span>,
    figure: ({ answerBytes }) => answerBytes,
  },
];

const directions = {
  out: { arrow: '→', label: 'to the server', tone: 'text-out' },
  in: { arrow: '←', label: 'from the server', tone: 'text-in' },
} as const;

function CallName({
  row: { direction, method, tool },
  onShow,
}: {
  readonly row: CallStatistics;
  readonly onShow: (filter: string) => void;
}) {
  const { arrow, label, tone } = directions[direction];
  const filter = [printValue('method', method), tool !== null && printValue('tool', tool), `dir:${direction}`]
    .filter(Boolean)
    .join(' ');
  return (
    <button
      type="button"
      title="Show only these rows"
      onClick={() => onShow(filter)}
      className="mono max-w-full truncate text-left hover:underline"
    >
      <span role="img" aria-label={label} className={tone}>
        {arrow}
      </span>{' '}
      {visibleLine(method)} {tool !== null && <span className="text-mute">{visibleLine(tool)}</span>}
    </button>
  );
}
