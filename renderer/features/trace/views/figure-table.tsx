import { ArrowDown } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { cx } from '#ui/cx.ts';

/** @typeParam Action what a cell can do with its row */
export interface FigureColumn<Row, Action> {
  readonly label: string;
  /** The text of a tooltip. */
  readonly hint?: string;
  readonly show: (row: Row, act: Action) => ReactNode;
  /** Sort key, largest first; without one the column cannot be sorted. */
  readonly figure?: (row: Row) => number;
}

/** A sortable table of figures. The first column names their subject. */
export function FigureTable<Row, Action>({
  label,
  columns,
  rows,
  keyOf,
  act,
}: {
  readonly label: string;
  readonly columns: readonly FigureColumn<Row, Action>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly act: Action;
}) {
  const [sortedBy, setSortedBy] = useState<string | null>(null);
  const figure = columns.find((column) => column.label === sortedBy)?.figure;
  const sorted = figure === undefined ? rows : rows.toSorted((a, b) => figure(b) - figure(a));
  return (
    <table aria-label={label} className="w-full max-w-[1200px] border-collapse text-right tabular-nums">
      <thead>
        <tr className="h-row border-b border-line text-xs text-faint">
          {columns.map((column, index) => (
            <th
              key={column.label}
              scope="col"
              title={column.hint}
              aria-sort={column.label === sortedBy ? 'descending' : undefined}
              className={cx(
                'px-2 font-normal whitespace-nowrap first:pl-0',
                index === 0 && 'w-full text-left',
              )}
            >
              {column.figure === undefined ? (
                column.label
              ) : (
                <button
                  type="button"
                  onClick={() => setSortedBy(column.label === sortedBy ? null : column.label)}
                  className="inline-flex items-center gap-0.5 whitespace-nowrap hover:text-text"
                >
                  {column.label === sortedBy && <ArrowDown aria-hidden className="size-3" />}
                  {column.label}
                </button>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr key={keyOf(row)} className="h-row border-b border-line hover:bg-hover">
            {columns.map((column, index) => (
              <td
                key={column.label}
                className={cx(
                  'px-2 whitespace-nowrap first:pl-0',
                  index === 0 ? 'max-w-0 truncate text-left' : 'mono text-sm',
                )}
              >
                {column.show(row, act)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
