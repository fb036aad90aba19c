import { type KeyboardEvent, memo, type Ref, useEffect } from 'react';
import { timeOfDay, type Clock } from '#model/trace-clock.ts';
import { moveOfKey, placeAfter } from '#ui/row-keys.ts';
import type { LogLevel } from '#shared/protocol/log-levels.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { useSignal } from '#ui/frame-signal.ts';
import { RowListbox } from '#ui/row-listbox.tsx';
import { maxTop, rowsPerPage, topToShow, useRowScroll } from '#ui/row-scroll.ts';
import { visibleLine } from '#ui/visible.ts';
import type { LogView } from './log-view.ts';

const ROW_HEIGHT = 24;
/** Rows read ahead beyond both edges. */
const READ_AHEAD = 40;

/**
 * Log messages in the order received, of which only the visible ones are rendered. One tab stop; the arrow keys move the
 * selection. Follows the newest message until the user scrolls up.
 */
export function LogList({
  view,
  onEnter,
  ref,
}: {
  readonly view: LogView;
  /** Focuses the detail. */
  readonly onEnter: () => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  useSignal(view.signal);
  const { window, isLive, clock, cursor, selected } = view;
  const count = window?.total ?? 0;
  const scroll = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    startTop: view.top,
    pinnedEnd: isLive ? (rowsThatFit) => window?.heldEnd(rowsThatFit) || count : null,
    onUserScroll: (isAtEnd, visible) => {
      view.setLive(isAtEnd);
      // Before rendering, which takes as long as the response.
      if (!isAtEnd) window?.show(visible.first, visible.end, READ_AHEAD);
    },
  });
  const { track, top, first, end, moveTo } = scroll;
  useEffect(() => {
    // Rows that arrive faster than they are drawn push those above them out of view.
    if (isLive) window?.follow(end - first, end < count ? 0 : READ_AHEAD);
    else window?.want(first - READ_AHEAD, end + READ_AHEAD);
    view.top = top;
  });

  const onKeyDown = (press: KeyboardEvent) => {
    const move = moveOfKey(press);
    if (move === null) return;
    press.preventDefault();
    if (move.to === 'detail') {
      if (selected !== null) onEnter();
      return;
    }
    if (move.to === 'close') return view.deselect();
    const place = placeAfter(move, { cursor, total: count, first, end, pageRows: rowsPerPage(track) });
    if (place === null) return;
    const next = topToShow(track, top, place);
    view.setLive(place === count - 1 && (isLive || next >= maxTop(track)));
    if (next !== top) moveTo(next);
    view.select(place);
  };
  return (
    <RowListbox
      ref={ref}
      label="Log messages"
      scroll={scroll}
      cursor={cursor}
      onKeyDown={onKeyDown}
      onPress={(place) => view.select(place)}
    >
      {({ place, slot, id }) => {
        const row = window?.at(place);
        // At the end of a live list the row arrives with the next frame.
        if (row === undefined && isLive) return null;
        return (
          <LogLine
            key={slot}
            id={id}
            place={place}
            count={count}
            row={row}
            clock={clock}
            isSelected={row !== undefined && row.row === selected}
          />
        );
      }}
    </RowListbox>
  );
}

/** One message. Takes plain values, so that unchanged lines are not rendered again. */
const LogLine = memo(function LogLine({
  id,
  place,
  count,
  row,
  clock,
  isSelected,
}: {
  readonly id: string;
  readonly place: number;
  readonly count: number;
  /** Undefined until it has been read. */
  readonly row: TraceRow | undefined;
  readonly clock: Clock | null;
  readonly isSelected: boolean;
}) {
  const time = row && clock ? timeOfDay(clock, row.at) : null;
  return (
    <div
      role="option"
      id={id}
      aria-selected={isSelected}
      aria-posinset={place + 1}
      aria-setsize={count}
      data-place={place}
      data-row={row?.row}
      className="grid h-row grid-cols-[92px_84px_minmax(0,120px)_minmax(0,1fr)] items-center @max-[480px]:grid-cols-[72px_76px_minmax(0,1fr)] gap-x-2 px-2.5 whitespace-nowrap [contain:strict] hover:bg-hover aria-selected:bg-sel"
    >
      {row && (
        <>
          <span className={cx('tabular-nums', isSelected ? 'text-mute' : 'text-faint')}>
            {time && (
              <>
                {time.toSecond}
                <span className="@max-[480px]:hidden">{time.milliseconds}</span>
              </>
            )}
          </span>
          <LevelWord row={row} />
          <span className="truncate text-mute @max-[480px]:hidden">
            {row.logger === null ? '' : visibleLine(row.logger)}
          </span>
          <span className="truncate">{visibleLine(logData(row))}</span>
        </>
      )}
    </div>
  );
});

const levelTones: Readonly<Record<LogLevel, string>> = {
  debug: 'text-mute',
  info: 'text-text',
  notice: 'text-info',
  warning: 'text-warn',
  error: 'text-err',
  critical: 'text-err font-semibold',
  alert: 'text-err font-semibold',
  emergency: 'text-err font-semibold',
};

/** The level as a word in its colour; `stderr` for a line of standard error. */
export function LevelWord({ row: { level, kind } }: { readonly row: TraceRow }) {
  if (kind === 'stderr') return <span className="text-mute italic">stderr</span>;
  if (level === null) return <span className="text-mute">no level</span>;
  return <span className={levelTones[level]}>{level}</span>;
}

/** The data of a log message in one line: its summary without the level and the logger, which come first in it. */
export function logData({ level, logger, summary }: TraceRow): string {
  const before = [level, logger].filter(Boolean).join(' · ');
  if (before === '') return summary;
  if (summary === before) return '';
  return summary.startsWith(`${before} · `) ? summary.slice(before.length + 3) : summary;
}
