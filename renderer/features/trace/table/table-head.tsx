import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, memo, type PointerEvent, useRef, useState } from 'react';
import { type RowSort, type SortColumn, sortColumns } from '#shared/contract/trace.ts';
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
 * The head of the table. A click on a column sorts by it. Dragging an edge resizes a column, dragging a column moves it;
 * a right click opens the menu, which does the same by keyboard. One tab stop: the arrow keys move between the columns,
 * Enter sorts.
 */
export const TableHead = memo(function TableHead({
  columns: shown,
  sort,
  onSort,
  onMenu,
  onLeave,
}: {
  readonly columns: Columns;
  /** Null for the order of the trace. */
  readonly sort: RowSort | null;
  readonly onSort: (sort: RowSort | null) => void;
  readonly onMenu: () => void;
  /** The keys go on to the rows. */
  readonly onLeave: () => void;
}) {
  const { names, plans, preview } = shown;
  const sortBy = (name: ColumnName) => {
    const column = sortColumnOf(name);
    if (column !== null) onSort(sortAfter(sort, column));
  };
  const { moving, before, ...drag } = useColumnDrag({ plans, preview, onClick: sortBy });
  const [focused, setFocused] = useState<ColumnName>('number');
  const stop = names.includes(focused) ? focused : names[0];
  const onKeyDown = (press: KeyboardEvent<HTMLElement>) => {
    const cell = cellAt(press.target);
    if (cell === null || press.altKey || press.ctrlKey || press.metaKey) return;
    const isMenu = press.key === 'ContextMenu' || (press.key === 'F10' && press.shiftKey);
    const order = names.indexOf(cell.name);
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: order - 1,
      ArrowRight: order + 1,
      Home: 0,
      End: names.length - 1,
    };
    const next = names[places[press.key] ?? -1];
    if (press.key === 'Enter' || press.key === ' ') sortBy(cell.name);
    else if (isMenu) onMenu();
    else if (press.key === 'ArrowDown' || press.key === 'Escape') onLeave();
    else if (next !== undefined)
      press.currentTarget.querySelector<HTMLElement>(`[data-column=${next}]`)?.focus();
    else if (!Object.hasOwn(places, press.key)) return;
    press.preventDefault();
    press.stopPropagation();
  };
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
        onKeyDown={onKeyDown}
        {...drag}
      >
        {names.map((name, order) => {
          const { label, title, isLabelHidden, isFigure } = columns[name];
          return (
            <div
              key={name}
              role="columnheader"
              aria-colindex={order + 1}
              aria-sort={ariaSort(sort, name)}
              tabIndex={name === stop ? 0 : -1}
              onFocus={() => setFocused(name)}
              data-column={name}
              data-moving={name === moving || undefined}
              data-drop={moving !== null && name === before ? 'before' : undefined}
              title={sortColumnOf(name) === null ? title : `${title}. Click to ${sortHint(sort, name)}`}
              className={cx('trace-cell trace-head-cell', `cell-${name}`, isFigure && 'trace-figure')}
            >
              {isLabelHidden ? <span className="sr-only">{label}</span> : label}
              <SortArrow sort={sort} name={name} />
              <span aria-hidden className="trace-edge" onDoubleClick={() => resetWidth(name)} />
            </div>
          );
        })}
      </div>
    </div>
  );
});

const sortColumnOf = (name: ColumnName): SortColumn | null =>
  sortColumns.find((column) => column === name) ?? null;

/** Columns whose largest values are of interest first. */
const largestFirst: ReadonlySet<SortColumn> = new Set(['duration', 'size']);

/**
 * The order after a click on a column: one way, then the other, then that of the trace again. The numbers of the rows
 * are the order of the trace.
 */
export function sortAfter(sort: RowSort | null, column: SortColumn): RowSort | null {
  if (column === 'number') return sort === null ? { column, isDescending: true } : null;
  const first = largestFirst.has(column);
  if (sort?.column !== column) return { column, isDescending: first };
  return sort.isDescending === first ? { column, isDescending: !first } : null;
}

/** How the rows are sorted by a column; null if they are not. */
function directionIn(sort: RowSort | null, name: ColumnName): 'ascending' | 'descending' | null {
  if (sort === null) return name === 'number' ? 'ascending' : null;
  if (sort.column !== name) return null;
  return sort.isDescending ? 'descending' : 'ascending';
}

const ariaSort = (sort: RowSort | null, name: ColumnName) =>
  sortColumnOf(name) === null ? undefined : (directionIn(sort, name) ?? 'none');

function sortHint(sort: RowSort | null, name: ColumnName): string {
  const column = sortColumnOf(name);
  const next = column === null ? null : sortAfter(sort, column);
  if (next === null) return 'list the rows in the order of the trace again';
  return `sort ${next.isDescending ? 'descending' : 'ascending'}`;
}

/** How the rows are sorted by the column, or while it is hovered, how a click would sort them. */
function SortArrow({ sort, name }: { readonly sort: RowSort | null; readonly name: ColumnName }) {
  const column = sortColumnOf(name);
  if (column === null) return null;
  const direction = directionIn(sort, name);
  const isDown =
    direction === null ? (sortAfter(sort, column)?.isDescending ?? false) : direction === 'descending';
  const Arrow = isDown ? ArrowDown : ArrowUp;
  return <Arrow aria-hidden className="trace-sort" data-active={direction !== null || undefined} />;
}

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

/** Dragging in the head of the table: an edge resizes its column, a column moves. A press without a move is a click. */
function useColumnDrag({
  plans,
  preview,
  onClick,
}: Pick<Columns, 'plans' | 'preview'> & { readonly onClick: (name: ColumnName) => void }): ColumnDrag {
  const drag = useRef<Drag | null>(null);
  const latest = useRef<readonly ColumnPlan[] | null>(null);
  const [target, setTarget] = useState<{ name: ColumnName; before: ColumnName | null } | null>(null);

  const begin = (press: PointerEvent<HTMLElement>) => {
    const cell = cellAt(press.target);
    // On macOS, a click with Ctrl opens the menu.
    if (press.button !== 0 || press.ctrlKey || cell === null) return;
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
    if (now?.of === 'column' && !now.isMoving) onClick(now.name);
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
