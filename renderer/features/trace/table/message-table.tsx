import { type KeyboardEvent, type MouseEvent, type Ref, useEffect, useId } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import { carriedIn, exchangeBefore } from './carried.ts';
import { columns } from './columns.tsx';
import { useSignal } from '../frame-signal.ts';
import './message-table.css';
import { maxTop, rowsPerPage, topToCentre, topToShow, trackHeight } from './scroll-map.ts';
import { moveOfKey, placeAfter } from './table-keys.ts';
import { relationTo, TableRow } from './table-row.tsx';
import type { TraceView } from '../trace-view.ts';
import { useRowScroll } from './use-row-scroll.ts';
import { barOf, spanOf } from './waterfall.ts';

const ROW_HEIGHT = 24;
/** Rows asked for beyond both edges, so that a little scrolling finds them there. */
const ASKED_BEYOND = 40;

/**
 * The rows of a trace: as many as fit are drawn, of however many there are. One tab stop; the arrow keys move
 * the selection, which assistive technology follows by `aria-activedescendant`.
 */
export function MessageTable({
  view,
  ref,
  onOpenDetail,
}: {
  readonly view: TraceView;
  readonly ref: Ref<HTMLDivElement>;
  /** The user asked for the detail of the selected row. */
  readonly onOpenDetail: () => void;
}) {
  useSignal(view.signal);
  const baseId = useId();
  const { window, isLive, cursor, reveal, clock, selected, selectedFacts } = view;
  const count = window.total;
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    headHeight: ROW_HEIGHT,
    startTop: view.top,
    pinnedEnd: isLive ? (rowsThatFit) => window.heldEnd(rowsThatFit) || count : null,
    onUserScroll: (isAtEnd) => view.setLive(isAtEnd),
  });

  useEffect(() => {
    const [from, to] = isLive ? [count - (end - first), count] : [first, end];
    view.lookAt(from - ASKED_BEYOND, to + ASKED_BEYOND, first);
    view.top = top;
  });

  useEffect(() => {
    if (reveal === null || track.viewport === 0 || reveal.place >= count) return;
    view.endReveal();
    const next = topToCentre(track, top, reveal.place);
    if (next === top) return;
    view.setLive(next >= maxTop(track));
    moveTo(next);
  });

  /** Goes to a place by key. Walking among the rows lets go of the end, arriving there takes hold of it. */
  const goTo = (place: number) => {
    const next = topToShow(track, top, place);
    if (place < count - 1) view.setLive(false);
    else if (next !== top) view.setLive(true);
    if (next !== top) moveTo(next);
    view.choose(place);
  };

  const onKeyDown = (press: KeyboardEvent) => {
    const move = moveOfKey(press);
    if (move === null) return;
    press.preventDefault();
    switch (move.to) {
      case 'detail':
        if (selected !== null) onOpenDetail();
        return;
      case 'close':
        selectTraceRow(view.sessionId, null);
        return;
      case 'pair':
        if (selectedFacts !== null && selectedFacts.pair !== null) {
          selectTraceRow(view.sessionId, selectedFacts.pair);
        }
        return;
      case 'exchange':
        view.goToExchange();
        return;
      case 'last':
        view.setLive(true);
        break;
      default:
        break;
    }
    const place = placeAfter(move, { cursor, total: count, first, end, rowsPerPage: rowsPerPage(track) });
    if (place !== null) goTo(place);
  };

  const onMouseDown = (press: MouseEvent) => {
    // On press, not on click: in a list that moves, the row is another one at release.
    const line = press.target instanceof Element ? press.target.closest('[data-place]') : null;
    if (press.button !== 0 || !(line instanceof HTMLElement)) return;
    const { place, row } = line.dataset;
    view.choose(Number(place), row === undefined ? undefined : Number(row));
  };

  const places = Array.from({ length: end - first }, (_, order) => first + order);
  const rows = places.map((place) => window.at(place));
  const span = spanOf(rows);
  const carried = carriedIn(
    rows,
    exchangeBefore(first, (place) => window.at(place)),
  );
  const isCursorDrawn = cursor !== null && cursor >= first && cursor < end;
  const idOf = (place: number) => `${baseId}-${place}`;

  return (
    <div
      ref={(element) => {
        scrollerRef.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      role="grid"
      aria-label="Messages"
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      className="trace-table h-full min-w-0"
    >
      <div role="rowgroup" className="trace-head-group">
        <div role="row" aria-rowindex={1} className="trace-head">
          {columns.map(({ name, label, isLabelHidden }, order) => (
            <div
              key={name}
              role="columnheader"
              aria-colindex={order + 1}
              className={`trace-cell cell-${name}`}
            >
              {isLabelHidden ? <span className="sr-only">{label}</span> : label}
            </div>
          ))}
        </div>
      </div>
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
              return (
                <TableRow
                  key={place}
                  id={idOf(place)}
                  place={place}
                  row={row}
                  isSelected={row !== undefined && row.row === selected}
                  relation={relationTo(selectedFacts, row)}
                  carried={carried[order] ?? null}
                  clock={clock}
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
