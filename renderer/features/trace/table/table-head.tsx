import { memo } from 'react';
import { cx } from '#ui/cx.ts';
import { useColumnDrag } from './column-drag.ts';
import { changed, type ColumnName } from './column-plan.ts';
import { columns } from './columns.tsx';
import { type Columns, keepPlans } from './use-columns.ts';

/**
 * The head of the table: its edges are dragged for other widths, its columns for another order; a right click opens
 * the menu, where keys do the same.
 */
export const TableHead = memo(function TableHead({
  columns: shown,
  onMenu,
}: {
  readonly columns: Columns;
  readonly onMenu: () => void;
}) {
  const { names, plans, preview } = shown;
  const { moving, before, ...drag } = useColumnDrag({ plans, preview });
  const resetWidth = (name: ColumnName) => keepPlans(changed(plans, name, { width: null }));
  return (
    <div role="rowgroup" className="trace-head-group">
      <div
        role="row"
        aria-rowindex={1}
        className="trace-head"
        data-drop={moving !== null && before === null ? 'end' : undefined}
        onContextMenu={(press) => {
          press.preventDefault();
          onMenu();
        }}
        {...drag}
      >
        {names.map((name, order) => {
          const { label, title, isLabelHidden, isFigure } = columns[name];
          return (
            <div
              key={name}
              role="columnheader"
              aria-colindex={order + 1}
              data-column={name}
              data-moving={name === moving || undefined}
              data-drop={moving !== null && name === before ? 'before' : undefined}
              title={title}
              className={cx('trace-cell trace-head-cell', `cell-${name}`, isFigure && 'trace-figure')}
            >
              {isLabelHidden ? <span className="sr-only">{label}</span> : label}
              <span aria-hidden className="trace-edge" onDoubleClick={() => resetWidth(name)} />
            </div>
          );
        })}
      </div>
    </div>
  );
});
