import {
  type CSSProperties,
  type MouseEvent,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useState,
  memo,
} from 'react';
import { useSettings } from '#model/settings.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { useSignal } from '../frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { type ColumnName, useColumns } from './column-plan.ts';
import { type CellContext, columns } from './columns.tsx';
import './message-table.css';
import { RowSlots, maxTop, topToCentre, trackHeight, useRowScroll } from './row-scroll.ts';
import { isCarried } from './row-labels.ts';
import { TableHead } from './table-head.tsx';
import { type TableActions, useTableKeys } from './table-keys.ts';
import { isWaiting, useWaiting, barOf, spanOf } from './row-times.ts';

const ROW_HEIGHT = 24;
/** Rows asked for beyond both edges, so that a little scrolling finds them there. */
const ASKED_BEYOND = 40;

/**
 * The rows of a trace: as many as fit are drawn, of however many there are. One tab stop; the arrow keys move
 * the selection, which assistive technology follows by `aria-activedescendant`.
 */
export function MessageTable({
  view,
  isOpen,
  ref,
  actions,
}: {
  readonly view: TraceView;
  /** Rows may still come. */
  readonly isOpen: boolean;
  readonly ref: Ref<HTMLDivElement>;
  readonly actions: TableActions;
}) {
  useSignal(view.signal);
  const baseId = useId();
  const times = useSettings(({ traceTimes }) => traceTimes);
  const { window, isLive, reveal, clock, selection, viewName, lookup } = view;
  const { cursor, facts, picks } = selection;
  const count = window.total;
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    headHeight: ROW_HEIGHT,
    startTop: view.top,
    pinnedEnd: isLive ? (rowsThatFit) => window.heldEnd(rowsThatFit) || count : null,
    onUserScroll: (isAtEnd, seen) => {
      view.setLive(isAtEnd);
      // Asked for before anything is drawn, which takes as long as the answer.
      if (!isAtEnd) view.show(seen.first, seen.end, ASKED_BEYOND);
    },
  });
  const foldsAnswers = viewName === 'calls';
  const layout = useColumns(
    useCallback(() => scrollerRef.current, [scrollerRef]),
    foldsAnswers,
  );
  const { names } = layout;
  const showsCarriers = names.includes('transport');

  const places = Array.from({ length: end - first }, (_, order) => first + order);
  const rows = places.map((place) => window.at(place));
  useEffect(() => {
    // While rows come faster than they are drawn, those before them would never be looked at.
    if (isLive) view.follow(end - first, end < count ? 0 : ASKED_BEYOND, first);
    else view.lookAt(first - ASKED_BEYOND, end + ASKED_BEYOND, first);
    view.top = top;
    const referred = rows.flatMap((row) => [
      ...(foldsAnswers && row?.pair != null ? [row.pair] : []),
      ...(showsCarriers && row !== undefined && isCarried(row) ? [row.exchange] : []),
    ]);
    lookup.want([...new Set(referred)]);
  });

  useEffect(() => {
    if (reveal === null || track.viewport === 0 || reveal.place >= count) return;
    view.endReveal();
    const next = topToCentre(track, top, reveal.place);
    if (next === top) return;
    view.setLive(next >= maxTop(track));
    moveTo(next);
  });

  const onKeyDown = useTableKeys({ view, actions, scroll: { track, top, first, end, moveTo } });

  const onMouseDown = (press: MouseEvent) => {
    // On press, not on click: in a list that moves, the row is another one at release.
    const line = press.target instanceof Element ? press.target.closest('[data-place]') : null;
    if (press.button !== 0 || !(line instanceof HTMLElement)) return;
    const { place, row } = line.dataset;
    const how = press.shiftKey ? 'range' : press.ctrlKey || press.metaKey ? 'toggle' : 'alone';
    // A range of rows is no range of text.
    if (how !== 'alone') globalThis.getSelection()?.removeAllRanges();
    if (press.shiftKey) {
      press.preventDefault();
      scrollerRef.current?.focus({ preventScroll: true });
    }
    view.choose(Number(place), row === undefined ? undefined : Number(row), how);
  };

  const now = useWaiting(rows, clock, isOpen);
  const span = spanOf(rows, now);
  // Where calls stand for their exchanges, nothing hangs from one.
  const carried = foldsAnswers
    ? []
    : carriedIn(
        rows,
        exchangeBefore(first, (place) => window.at(place)),
      );
  const isCursorDrawn = cursor !== null && cursor >= first && cursor < end;
  const [slots] = useState(() => new RowSlots());
  const slotOf = slots.of({ first, end }, Math.ceil(track.viewport / ROW_HEIGHT) + 1);
  const idOf = (place: number) => `${baseId}-${place}`;
  const style: CSSProperties & { '--trace-columns': string } = { '--trace-columns': layout.template };

  return (
    <div
      ref={(element) => {
        scrollerRef.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      role="grid"
      aria-label="Messages"
      aria-multiselectable
      aria-rowcount={count + 1}
      aria-colcount={names.length}
      aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      data-hours={layout.showsHours ? undefined : 'hidden'}
      style={style}
      className="trace-table min-h-0 min-w-0 flex-1"
    >
      <TableHead columns={layout} onMenu={actions.onColumns} />
      <div role="rowgroup" style={{ height: trackHeight(track) }}>
        <div
          role="presentation"
          className="trace-window"
          style={{ height: Math.min(track.viewport, count * ROW_HEIGHT) }}
        >
          <div role="presentation" style={{ transform: `translateY(${first * ROW_HEIGHT - top}px)` }}>
            {places.map((place, order) => {
              const row = rows[order];
              // At the end of a live list the row is there with the next frame.
              if (row === undefined && isLive) return null;
              const bar = row ? barOf(row, span) : { left: 0, width: 0 };
              const before = order > 0 ? rows[order - 1] : window.at(place - 1);
              const isSelected = row !== undefined && selection.isChosen(row.row);
              return (
                <TableRow
                  key={slotOf(place)}
                  id={idOf(place)}
                  place={place}
                  row={row}
                  names={names}
                  isSelected={isSelected}
                  isCursor={place === cursor && (!isSelected || picks.count > 0)}
                  relation={relationTo(facts, row)}
                  carried={carried[order] ?? null}
                  clock={clock}
                  times={times}
                  gap={row && before ? Math.max(0, row.at - before.at) : null}
                  answer={foldsAnswers && row?.pair != null ? lookup.at(row.pair) : undefined}
                  waited={now !== null && row && isWaiting(row) ? Math.max(0, now - row.at) : null}
                  carrier={showsCarriers && row?.exchange != null ? lookup.at(row.exchange) : undefined}
                  barLeft={bar.left}
                  barWidth={bar.width}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** How a row stands to the selected one. */
type Relation = 'pair' | 'child' | 'exchange' | null;

interface TableRowProps extends Omit<CellContext, 'bar'> {
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
const TableRow = memo(function TableRow({
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
function relationTo(selected: TraceRow | null, row: TraceRow | undefined): Relation {
  if (selected === null || row === undefined || row.row === selected.row) return null;
  if (row.row === selected.pair) return 'pair';
  const request = selected.kind === 'request' ? selected.row : selected.pair;
  if (row.parent !== null && (row.parent === request || row.parent === selected.row)) return 'child';
  if (row.row === selected.parent) return 'pair';
  return row.row === selected.exchange || row.exchange === selected.row ? 'exchange' : null;
}

/** Whether an HTTP exchange carried a row: the one that stands last before it (`here`), or another one. */
type Carried = 'here' | 'apart' | null;

/** Rows looked back for the exchange that stands last before the first one drawn: about as many as are held there. */
const LOOK_BACK = 40;

/** The row of the exchange that stands last before a place; null when none is held near. */
function exchangeBefore(place: number, at: (place: number) => TraceRow | undefined): number | null {
  for (let before = place - 1; before >= Math.max(0, place - LOOK_BACK); before--) {
    const row = at(before);
    if (row?.kind === 'http') return row.row;
  }
  return null;
}

/** How each of the rows, which stand one below the other, was carried. */
function carriedIn(rows: readonly (TraceRow | undefined)[], before: number | null): Carried[] {
  let last = before;
  return rows.map((row) => {
    if (row?.kind === 'http') last = row.row;
    if (row === undefined || !isCarried(row)) return null;
    // Where no exchange is near, nothing can be confused.
    return last === null || last === row.exchange ? 'here' : 'apart';
  });
}
