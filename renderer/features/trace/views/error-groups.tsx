import type { ErrorGroup, Statistics } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { kindLabels, statusLabel, toneClasses } from '../table/row-labels.ts';
import { type FigureColumn, FigureTable } from './figure-table.tsx';

interface Actions {
  readonly onShow: (filter: string) => void;
  readonly onOpenRow: (row: number) => void;
}

/** Errors that say the same, counted, with the way to their rows. */
export function ErrorGroupTable({
  statistics: { errorGroups, ungroupedErrors },
  ...actions
}: Actions & { readonly statistics: Pick<Statistics, 'errorGroups' | 'ungroupedErrors'> }) {
  const total = errorGroups.reduce((sum, { count }) => sum + count, ungroupedErrors);
  return (
    <section aria-label="Errors" className="mt-5">
      <h3 className="caption mb-1">
        Errors by what they say{' '}
        <span className="font-normal tracking-normal normal-case">
          {formatQuantity(total, 'row')} with <code className="mono">is:error</code>: failed calls, invalid
          messages, failed connections
        </span>
      </h3>
      <FigureTable
        label="Errors by what they say"
        columns={columns}
        rows={errorGroups}
        keyOf={({ rows }) => String(rows[0])}
        act={actions}
      />
      {ungroupedErrors > 0 && (
        <p className="mt-1 text-mute">
          {formatQuantity(ungroupedErrors, 'more error is', 'more errors are')} not in these groups. Filter
          the trace to group fewer rows.
        </p>
      )}
    </section>
  );
}

const columns: readonly FigureColumn<ErrorGroup, Actions>[] = [
  { label: 'error', show: (group, { onShow }) => <ErrorName group={group} onShow={onShow} /> },
  {
    label: 'outcome',
    show: (group) => {
      const { text, tone, hint } = statusLabel(group);
      return (
        <span title={hint} className={toneClasses[tone]}>
          {text}
        </span>
      );
    },
  },
  { label: 'count', show: ({ count }) => formatCount(count), figure: ({ count }) => count },
  {
    label: 'first',
    show: ({ rows: [first = 0] }, { onOpenRow }) => <RowLink row={first} onOpen={() => onOpenRow(first)} />,
  },
  {
    label: 'last',
    show: ({ count, last }, { onOpenRow }) =>
      count > 1 && <RowLink row={last} onOpen={() => onOpenRow(last)} />,
    figure: ({ last }) => last,
  },
];

function ErrorName({ group, onShow }: { readonly group: ErrorGroup; readonly onShow: Actions['onShow'] }) {
  const { kind, method, tool, text, count, rows } = group;
  return (
    <button
      type="button"
      title={
        count === rows.length ? 'Show only these rows' : `Show only the first ${rows.length} of these rows`
      }
      onClick={() => onShow(rowFilter(rows))}
      className={cx('mono max-w-full truncate text-left hover:underline', text === null && 'text-mute')}
    >
      {visibleLine(method ?? kindLabels[kind].text)}{' '}
      {tool !== null && <span className="text-mute">{visibleLine(tool)} </span>}
      {text !== null && <span className="text-err">{visibleLine(text)}</span>}
    </button>
  );
}

/** A filter that matches just these rows. */
const rowFilter = (rows: readonly number[]): string =>
  `row:${rows.map((row) => rowNumber(row).slice(1)).join(',')}`;
