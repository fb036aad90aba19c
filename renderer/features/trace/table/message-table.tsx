import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useState,
  memo,
} from 'react';
import { useSettings } from '#model/settings.ts';
import type { RowSort } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { useSignal } from '#ui/frame-signal.ts';
import { ContextMenu } from '#ui/menu.tsx';
import { visibleText } from '#ui/visible.ts';
import type { TraceView } from '../trace-view.ts';
import { type ColumnName, type TableFrame, useColumns } from './column-plan.ts';
import { type CellContext, columns, cellSpans, hasName, methodLengthOf } from './columns.tsx';
import './message-table.css';
import { RowSlots, maxTop, topToCentre, trackHeight, useRowScroll } from '#ui/row-scroll.ts';
import { isCarried } from './row-labels.ts';
import { rowMenu } from './row-menu.ts';
import { TableHead } from './table-head.tsx';
import { type TableActions, useTableKeys } from './table-keys.ts';
import { isWaiting, useWaiting, barOf, pauseBackground, pauseBefore, scaleOf } from './row-times.ts';

const ROW_HEIGHT = 24;
/** Rows read ahead beyond both edges. */
const READ_AHEAD = 40;
/** Where a menu opened by key begins, from the left edge of its row; pixels. */
const MENU_INSET = 180;

/**
 * The rows of a trace, of which only the visible ones are rendered. One tab stop; the arrow keys move the selection,
 * which assistive technology follows by `aria-activedescendant`.
 */
export function MessageTable({
  view,
  isOpen,
  ref,
  frame,
  actions,
}: {
  readonly view: TraceView;
  /** Whether rows may still arrive. */
  readonly isOpen: boolean;
  readonly ref: Ref<HTMLDivElement>;
  /** Is set to what the columns are laid out in. */
  readonly frame: RefObject<TableFrame>;
  readonly actions: TableActions;
}) {
  useSignal(view.signal);
  const baseId = useId();
  const times = useSettings(({ traceTimes }) => traceTimes);
  const { window, position, clock, selection, viewName, lookup, isSorted } = view;
  const { isLive, reveal } = position;
  const { cursor, selectedRow, picks } = selection;
  const count = window.total;
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    headHeight: ROW_HEIGHT,
    startTop: position.top,
    pinnedEnd: isLive ? (rowsThatFit) => window.heldEnd(rowsThatFit) || count : null,
    onUserScroll: (isAtEnd, visible) => {
      position.setLive(isAtEnd);
      // Asks for the rows before React renders, so that both run at once; each takes about as long.
      if (!isAtEnd) position.show(visible.first, visible.end, READ_AHEAD);
    },
  });
  const foldsResponses = viewName === 'calls';
  const places = Array.from({ length: end - first }, (_, order) => first + order);
  const rows = places.map((place) => window.at(place));
  const isIndented = !foldsResponses && !isSorted;
  let methodLength = 0;
  let namedMethodLength = 0;
  // With a screen of rows before and after, so that the column is seldom resized while one scrolls.
  for (let place = Math.max(0, 2 * first - end); place < 2 * end - first; place++) {
    const row = window.at(place);
    if (row === undefined) continue;
    const length = methodLengthOf(row) + (isIndented && isCarried(row) ? INDENTATION : 0);
    methodLength = Math.max(methodLength, length);
    if (hasName(row)) namedMethodLength = Math.max(namedMethodLength, length);
  }
  const layout = useColumns(
    useCallback(() => scrollerRef.current, [scrollerRef]),
    { foldsResponses, methodLength, namedMethodLength },
  );
  const { names } = layout;
  const showsCarriers = names.includes('transport');

  useEffect(() => {
    frame.current = layout.frame;
    // While rows arrive faster than they are drawn, nothing above is read ahead: it would be out of view at once.
    if (isLive) position.follow(end - first, end < count ? 0 : READ_AHEAD, first);
    else position.lookAt(first - READ_AHEAD, end + READ_AHEAD, first);
    position.top = top;
    const referenced = rows.flatMap((row) => [
      ...(foldsResponses && row?.pair != null ? [row.pair] : []),
      ...(showsCarriers && row !== undefined && isCarried(row) ? [row.exchange] : []),
    ]);
    lookup.want([...new Set(referenced)]);
  });

  useEffect(() => {
    if (reveal === null || track.viewport === 0 || reveal.place >= count) return;
    position.endReveal();
    const next = topToCentre(track, top, reveal.place);
    if (next === top) return;
    position.setLive(next >= maxTop(track));
    moveTo(next);
  });

  const onMenu = () => {
    const table = scrollerRef.current;
    const row = document.getElementById(table?.getAttribute('aria-activedescendant') ?? '');
    if (table === null || row === null) return;
    const { left, bottom } = row.getBoundingClientRect();
    const place = {
      clientX: left + MENU_INSET,
      clientY: Math.min(bottom, table.getBoundingClientRect().bottom),
    };
    row.dispatchEvent(
      new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2, ...place }),
    );
  };
  const onKeyDown = useTableKeys({
    view,
    actions: { ...actions, onMenu },
    scroll: { track, top, first, end, moveTo },
  });

  const onMouseDown = (press: MouseEvent) => {
    // On press, not on click: in a moving list another row may be under the pointer at release.
    const line = press.target instanceof Element ? press.target.closest('[data-place]') : null;
    if (press.button === 1 || !(line instanceof HTMLElement)) return;
    const { place, row } = line.dataset;
    const isFold =
      press.button === 0 && press.target instanceof Element && press.target.closest('[data-fold]') !== null;
    const folded = isFold ? window.at(Number(place)) : undefined;
    if (folded !== undefined) view.toggleFold(folded);
    // The menu is about all selected rows if it opens on one of them.
    if (press.button === 2 && row !== undefined && selection.isSelected(Number(row))) return;
    const mode = press.shiftKey ? 'range' : press.ctrlKey || press.metaKey ? 'toggle' : 'single';
    // Selecting rows must not select text.
    if (mode !== 'single') globalThis.getSelection()?.removeAllRanges();
    if (press.shiftKey) {
      press.preventDefault();
      scrollerRef.current?.focus({ preventScroll: true });
    }
    view.select(Number(place), row === undefined ? undefined : Number(row), mode);
  };

  const setSort = useCallback((sort: RowSort | null) => view.setSort(sort), [view]);
  const focusRows = useCallback(() => scrollerRef.current?.focus(), [scrollerRef]);
  const now = useWaiting(rows, clock, isOpen);
  // Pauses and gaps are between neighbours in time.
  const scale = scaleOf(rows, now, !isSorted);
  // In the view of calls, or sorted, rows are not grouped below their exchanges.
  const carried =
    foldsResponses || isSorted
      ? []
      : carriedIn(
          rows,
          exchangeBefore(first, (place) => window.at(place)),
        );
  const { wrapped } = view;
  const { wrappedRef, extra } = useExtraHeight();
  const wrappedPlace = places[rows.findIndex((row) => row !== undefined && row.row === wrapped?.row)];
  // At its end the list cannot be scrolled any further, so its rows move up; a wrapped one up to the head.
  const below = top < maxTop(track) ? 0 : Math.max(0, count * ROW_HEIGHT + extra - top - track.viewport);
  const hidden =
    wrappedPlace === undefined ? 0 : Math.min(below, Math.max(0, wrappedPlace * ROW_HEIGHT - top));
  const isCursorDrawn = cursor !== null && cursor >= first && cursor < end;
  const [slots] = useState(() => new RowSlots());
  const slotOf = slots.of({ first, end }, Math.ceil(track.viewport / ROW_HEIGHT) + 1);
  const idOf = (place: number) => `${baseId}-${place}`;
  const style: CSSProperties & Record<`--trace-${string}`, string> = {
    '--trace-columns': layout.template,
    '--trace-wrapped': `${wrappedHeight(track.viewport)}px`,
    '--trace-pauses': pauseBackground(scale) || 'none',
  };

  return (
    <ContextMenu entries={rowMenu(view, actions)}>
      <div
        ref={(element) => {
          scrollerRef.current = element;
          if (typeof ref === 'function') ref(element);
          else if (ref) ref.current = element;
        }}
        role="treegrid"
        aria-label="Messages"
        aria-multiselectable
        aria-rowcount={count + 1}
        aria-colcount={names.length}
        aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseDown={onMouseDown}
        data-milliseconds={layout.showsMilliseconds ? undefined : 'hidden'}
        data-sizes={layout.showsBothSizes ? undefined : 'received'}
        style={style}
        className="trace-table min-h-0 min-w-0 flex-1"
      >
        <TableHead
          columns={layout}
          sort={view.sort}
          onSort={setSort}
          onMenu={actions.onColumns}
          onLeave={focusRows}
        />
        <div role="rowgroup" style={{ height: trackHeight(track) }}>
          <div
            role="presentation"
            className="trace-window"
            style={{ height: Math.min(track.viewport, count * ROW_HEIGHT + extra) }}
          >
            <div
              role="presentation"
              style={{ transform: `translateY(${first * ROW_HEIGHT - top - hidden}px)` }}
            >
              {places.map((place, order) => {
                const row = rows[order];
                // At the end of a live list the row arrives with the next frame.
                if (row === undefined && isLive) return null;
                const bar = row ? barOf(row, scale) : { left: 0, width: 0 };
                const before = order > 0 ? rows[order - 1] : window.at(place - 1);
                const isSelected = row !== undefined && selection.isSelected(row.row);
                return (
                  <TableRow
                    key={slotOf(place)}
                    id={idOf(place)}
                    place={place}
                    row={row}
                    names={names}
                    isSelected={isSelected}
                    ref={place === wrappedPlace ? wrappedRef : undefined}
                    wrapped={place === wrappedPlace && wrapped !== null ? wrapped.text : null}
                    isCut={place === wrappedPlace && extra + ROW_HEIGHT >= wrappedHeight(track.viewport)}
                    onLeave={focusRows}
                    isCursor={place === cursor && (!isSelected || picks.count > 0)}
                    relation={relationTo(selectedRow, row)}
                    carried={carried[order] ?? null}
                    clock={clock}
                    times={times}
                    gap={row && before && !isSorted ? Math.max(0, row.at - before.at) : null}
                    response={foldsResponses && row?.pair != null ? lookup.at(row.pair) : undefined}
                    waited={now !== null && row && isWaiting(row) ? Math.max(0, now - row.at) : null}
                    carrier={showsCarriers && row?.exchange != null ? lookup.at(row.exchange) : undefined}
                    barLeft={bar.left}
                    barWidth={bar.width}
                    pause={row ? pauseBefore(row.at, scale) : null}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </div>
    </ContextMenu>
  );
}

/** Room for the line that carried rows hang from; characters. */
const INDENTATION = 2;

/** How high a wrapped row may be, beyond which its text scrolls; pixels. */
const wrappedHeight = (viewport: number): number => Math.max(2 * ROW_HEIGHT, viewport - ROW_HEIGHT);

/** How much higher than a row the wrapped one is; pixels. */
function useExtraHeight() {
  const [extra, setExtra] = useState(0);
  const wrappedRef = useCallback((element: HTMLDivElement) => {
    const observer = new ResizeObserver(() => setExtra(Math.max(0, element.offsetHeight - ROW_HEIGHT)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      setExtra(0);
    };
  }, []);
  return { wrappedRef, extra };
}

/** How a row relates to the selected one. */
type Relation = 'pair' | 'child' | 'exchange' | null;

interface TableRowProps extends Omit<CellContext, 'bar'> {
  readonly id: string;
  /** Its index in the list, from 0. */
  readonly place: number;
  /** Undefined until the row has been read. */
  readonly row: TraceRow | undefined;
  readonly names: readonly ColumnName[];
  readonly isSelected: boolean;
  readonly ref: Ref<HTMLDivElement> | undefined;
  /** Its text, over as many lines as it takes; null to show the row on one line. */
  readonly wrapped: string | null;
  /** Whether that text is higher than the row may be, and scrolls. */
  readonly isCut: boolean;
  /** The keys go from that text back to the rows. */
  readonly onLeave: () => void;
  /** Whether to mark the row as the one the keys act on. A single selected row needs no such mark. */
  readonly isCursor: boolean;
  readonly relation: Relation;
  readonly carried: Carried;
  readonly barLeft: number;
  readonly barWidth: number;
}

/** One row of the table. Takes plain values, so that unchanged rows are not rendered again. */
const TableRow = memo(function TableRow({
  id,
  place,
  row,
  names,
  isSelected,
  ref,
  wrapped,
  isCut,
  onLeave,
  isCursor,
  relation,
  carried,
  barLeft,
  barWidth,
  ...context
}: TableRowProps) {
  const spans = row === undefined ? null : cellSpans(row, names, context.waited);
  return (
    <div
      ref={ref}
      role="row"
      id={id}
      // The header is the first row.
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      aria-expanded={row?.fold?.isOpen}
      data-place={place}
      data-row={row?.row}
      data-cursor={isCursor || undefined}
      data-relation={relation}
      data-carried={carried}
      data-folded={row?.isInFold}
      data-wrapped={wrapped !== null || undefined}
      data-pause={context.pause !== null || undefined}
      className="trace-row"
    >
      {names.map((name, order) => {
        const { className, isFigure, cell } = columns[name];
        const span = spans?.[order] ?? 1;
        if (span === 0) return null;
        const isSpanning = span > 1;
        return (
          <div
            key={name}
            role="gridcell"
            aria-colindex={order + 1}
            aria-colspan={isSpanning ? span : undefined}
            style={isSpanning ? { gridColumn: `span ${span}` } : undefined}
            className={cx('trace-cell', `cell-${name}`, isFigure && 'trace-figure', className)}
            {...(isCut && name === 'name' && scrolledText(onLeave))}
          >
            {wrapped !== null && name === 'name'
              ? visibleText(wrapped)
              : row && cell(row, { ...context, bar: { left: barLeft, width: barWidth } })}
          </div>
        );
      })}
    </div>
  );
});

/** Lets the keys scroll a text, until Escape. A click leaves the focus with the rows. */
const scrolledText = (onLeave: () => void) => ({
  tabIndex: 0,
  onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.matches(':focus-visible')) onLeave();
  },
  onKeyDown: ({ key }: KeyboardEvent) => {
    if (key === 'Escape') onLeave();
  },
});

/** The other half of the selected call, a row that belongs to that call, or its exchange. */
function relationTo(selected: TraceRow | null, row: TraceRow | undefined): Relation {
  if (selected === null || row === undefined || row.row === selected.row) return null;
  if (row.row === selected.pair) return 'pair';
  const request = selected.kind === 'request' ? selected.row : selected.pair;
  if (row.parent !== null && (row.parent === request || row.parent === selected.row)) return 'child';
  if (row.row === selected.parent) return 'pair';
  return row.row === selected.exchange || row.exchange === selected.row ? 'exchange' : null;
}

/** How a row was carried: by the last exchange above it (`here`), by another exchange (`apart`), or without one (null). */
type Carried = 'here' | 'apart' | null;

/** Rows that are searched for an exchange above the first visible row: about as many as are held. */
const LOOK_BACK = 40;

/** The row of the last exchange above a place; null if no exchange is held nearby. */
function exchangeBefore(place: number, at: (place: number) => TraceRow | undefined): number | null {
  for (let before = place - 1; before >= Math.max(0, place - LOOK_BACK); before--) {
    const row = at(before);
    if (row?.kind === 'http') return row.row;
  }
  return null;
}

/**
 * How each of some consecutive rows was carried.
 *
 * @param before the row of the last exchange above the first of them
 */
function carriedIn(rows: readonly (TraceRow | undefined)[], before: number | null): Carried[] {
  let last = before;
  return rows.map((row) => {
    if (row?.kind === 'http') last = row.row;
    if (row === undefined || !isCarried(row)) return null;
    // Without another exchange nearby, nothing can be confused.
    return last === null || last === row.exchange ? 'here' : 'apart';
  });
}
