import { memo, type PointerEvent, useRef, useState } from 'react';
import { cx } from '#ui/cx.ts';
import {
  changed,
  type ColumnName,
  type Columns,
  savePlans,
  columnNames,
  type ColumnPlan,
  moved,
} from './column-plan.ts';
import { columns } from './columns.tsx';

/**
 * The head of the table. Dragging an edge resizes a column, dragging a column moves it; a right click opens the menu,
 * which does the same by keyboard.
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
  const resetWidth = (name: ColumnName) => savePlans(changed(plans, name, { width: null }));
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

/** Distance at which a press becomes a drag; pixels. */
const SLACK = 4;

type Drag =
  | { readonly of: 'edge'; readonly name: ColumnName; readonly x: number; readonly width: number }
  | { readonly of: 'column'; readonly name: ColumnName; readonly x: number; readonly isMoving: boolean };

interface ColumnDrag {
  /** The column being dragged. */
  readonly moving: ColumnName | null;
  /** The column it would be dropped before; null for the end. */
  readonly before: ColumnName | null;
  readonly onPointerDown: (press: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (move: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

/** Dragging in the head of the table: an edge resizes its column, a column moves. */
function useColumnDrag({ plans, preview }: Pick<Columns, 'plans' | 'preview'>): ColumnDrag {
  const drag = useRef<Drag | null>(null);
  const latest = useRef<readonly ColumnPlan[] | null>(null);
  const [target, setTarget] = useState<{ name: ColumnName; before: ColumnName | null } | null>(null);

  const begin = (press: PointerEvent<HTMLElement>) => {
    const cell = cellAt(press.target);
    if (press.button !== 0 || cell === null) return;
    const isEdge = press.target instanceof Element && press.target.closest('.trace-edge') !== null;
    const { name, element } = cell;
    drag.current = isEdge
      ? { of: 'edge', name, x: press.clientX, width: element.offsetWidth }
      : { of: 'column', name, x: press.clientX, isMoving: false };
    press.currentTarget.setPointerCapture(press.pointerId);
    press.preventDefault();
  };

  const move = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const now = drag.current;
    if (now === null) return;
    if (now.of === 'edge') {
      latest.current = changed(plans, now.name, { width: now.width + clientX - now.x });
      preview(latest.current);
      return;
    }
    if (!now.isMoving && Math.abs(clientX - now.x) < SLACK) return;
    drag.current = { ...now, isMoving: true };
    setTarget({ name: now.name, before: columnAfter(currentTarget, clientX) });
  };

  const end = () => {
    const now = drag.current;
    if (now?.of === 'edge' && latest.current !== null) savePlans(latest.current);
    if (now?.of === 'column' && target !== null) savePlans(moved(plans, target.name, target.before));
    stop();
  };

  const stop = () => {
    drag.current = null;
    latest.current = null;
    setTarget(null);
  };

  return {
    moving: target?.name ?? null,
    before: target?.before ?? null,
    onPointerDown: begin,
    onPointerMove: move,
    onPointerUp: end,
    onPointerCancel: () => {
      stop();
      preview(null);
    },
  };
}

/** The column whose head cell contains the element. */
function cellAt(target: EventTarget): { name: ColumnName; element: HTMLElement } | null {
  const element = target instanceof Element ? target.closest('[data-column]') : null;
  if (!(element instanceof HTMLElement)) return null;
  const name = columnNames.find((one) => one === element.dataset.column);
  return name === undefined ? null : { name, element };
}

/** The first column whose centre is to the right of `x`. */
function columnAfter(head: HTMLElement, x: number): ColumnName | null {
  for (const cell of head.querySelectorAll('[data-column]')) {
    const { left, width } = cell.getBoundingClientRect();
    if (x < left + width / 2) return cellAt(cell)?.name ?? null;
  }
  return null;
}
