import {
  type CSSProperties,
  type MouseEvent,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useState,
} from 'react';
import { useSettings } from '#model/settings.ts';
import { carriedIn, exchangeBefore } from './carried.ts';
import { useSignal } from '../frame-signal.ts';
import './message-table.css';
import { isCarried } from './row-words.ts';
import { RowSlots } from './row-slots.ts';
import { maxTop, topToCentre, trackHeight } from './scroll-map.ts';
import { TableHead } from './table-head.tsx';
import { relationTo, TableRow } from './table-row.tsx';
import type { TraceView } from '../trace-view.ts';
import { useColumns } from './use-columns.ts';
import { useRowScroll } from './use-row-scroll.ts';
import { type TableActions, useTableKeys } from './use-table-keys.ts';
import { isWaiting, useWaiting } from './use-waiting.ts';
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
  const columns = useColumns(
    useCallback(() => scrollerRef.current, [scrollerRef]),
    foldsAnswers,
  );
  const { names } = columns;
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
  const style: CSSProperties & { '--trace-columns': string } = { '--trace-columns': columns.template };

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
      data-hours={columns.showsHours ? undefined : 'hidden'}
      style={style}
      className="trace-table min-h-0 min-w-0 flex-1"
    >
      <TableHead columns={columns} onMenu={actions.onColumns} />
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
