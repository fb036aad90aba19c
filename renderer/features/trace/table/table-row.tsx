import { memo } from 'react';
import type { TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import type { Carried } from './carried.ts';
import type { ColumnName } from './column-plan.ts';
import { type CellContext, columns } from './columns.tsx';

/** How a row stands to the selected one. */
export type Relation = 'pair' | 'child' | 'exchange' | null;

export interface TableRowProps extends Omit<CellContext, 'bar'> {
  readonly id: string;
  /** Its place in the list on screen, from 0. */
  readonly place: number;
  /** Undefined while it is on its way. */
  readonly row: TraceRow | undefined;
  readonly names: readonly ColumnName[];
  readonly isSelected: boolean;
  /** The keys act on it, although it is not selected. */
  readonly isCursor: boolean;
  readonly relation: Relation;
  readonly carried: Carried;
  readonly barLeft: number;
  readonly barWidth: number;
}

/** One row of the table. Takes plain values, so that a row that did not change is not drawn again. */
export const TableRow = memo(function TableRow({
  id,
  place,
  row,
  names,
  isSelected,
  isCursor,
  relation,
  carried,
  barLeft,
  barWidth,
  ...context
}: TableRowProps) {
  return (
    <div
      role="row"
      id={id}
      // The header is the first row.
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      data-place={place}
      data-row={row?.row}
      data-cursor={isCursor || undefined}
      data-relation={relation}
      data-carried={carried}
      className="trace-row"
    >
      {names.map((name, order) => {
        const { className, isFigure, cell } = columns[name];
        return (
          <div
            key={name}
            role="gridcell"
            aria-colindex={order + 1}
            className={cx('trace-cell', `cell-${name}`, isFigure && 'trace-figure', className)}
          >
            {row && cell(row, { ...context, bar: { left: barLeft, width: barWidth } })}
          </div>
        );
      })}
    </div>
  );
});

/** How `row` stands to the selected one: the other half of its call, what belongs to that call, or its exchange. */
export function relationTo(selected: TraceRow | null, row: TraceRow | undefined): Relation {
  if (selected === null || row === undefined || row.row === selected.row) return null;
  if (row.row === selected.pair) return 'pair';
  const request = selected.kind === 'request' ? selected.row : selected.pair;
  if (row.parent !== null && (row.parent === request || row.parent === selected.row)) return 'child';
  if (row.row === selected.parent) return 'pair';
  return row.row === selected.exchange || row.exchange === selected.row ? 'exchange' : null;
}
