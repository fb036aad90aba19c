import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface RowScrollOptions {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of the header that covers the top of the scroller; pixels. */
  readonly headHeight?: number;
  readonly startTop?: number;
  /**
   * When given, the list sticks to its end: returns the end to show, in rows, for the number of rows that fit. The
   * scroll bar stays at the bottom.
   */
  readonly pinnedEnd?: ((rowsThatFit: number) => number) | null;
  /** The user scrolled, to the end or elsewhere; `visible` are the rows to draw now. */
  readonly onUserScroll?: (
    isAtEnd: boolean,
    visible: { readonly first: number; readonly end: number },
  ) => void;
}

export interface RowScroll {
  readonly scrollerRef: RefObject<HTMLDivElement | null>;
  readonly track: Track;
  /** Pixels of content above the viewport. */
  readonly top: number;
  /** The rows to draw. */
  readonly first: number;
  readonly end: number;
  /** Scrolls to a `top`. */
  readonly moveTo: (top: number) => void;
}

/**
 * Virtual scrolling over any number of rows of the same height. The scroller holds a spacer of `trackHeight` and a
 * sticky box that shows the rows from `first` on, so that fast scrolling never shows blank space.
 */
export function useRowScroll(options: RowScrollOptions): RowScroll {
  const {
    count,
    rowHeight,
    headHeight = 0,
    startTop = 0,
    pinnedEnd = null,
    onUserScroll = doNothing,
  } = options;
  const scrollerRef = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState(0);
  const [chosenTop, setTop] = useState(startTop);

  const track = { count, rowHeight, viewport };
  const pinned = pinnedEnd === null ? null : pinnedEnd(Math.ceil(viewport / rowHeight) + 1);
  const top = pinned === null ? clampTop(track, chosenTop) : Math.max(0, pinned * rowHeight - viewport);
  // An unpinned list stays where it was.
  if (viewport > 0 && pinned !== null && top !== chosenTop) setTop(top);

  /** State as of the last commit, for the listeners. `ownScroll`: the last known position of the scroll bar. */
  const latest = useRef({ track, top: startTop, ownScroll: 0, onUserScroll });
  const moveBar = useCallback((scroll: number) => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    // Reading `scrollTop` here would force a layout of the rows just rendered.
    if (Math.abs(latest.current.ownScroll - scroll) <= 1) return;
    scroller.scrollTop = scroll;
    latest.current.ownScroll = scroll;
  }, []);

  useLayoutEffect(() => {
    const now = { count, rowHeight, viewport };
    // Unpinned, only moves set the top: a pending render may still hold an older one.
    const newest = pinned === null ? clampTop(now, latest.current.top) : top;
    const { ownScroll } = latest.current;
    latest.current = { track: now, top: viewport > 0 ? newest : latest.current.top, ownScroll, onUserScroll };
  });
  useLayoutEffect(() => {
    const now = { count, rowHeight, viewport };
    if (viewport > 0) moveBar(pinned === null ? scrollOfTop(now, latest.current.top) : maxScroll(now));
  }, [count, rowHeight, viewport, pinned, moveBar]);

  const moveTo = useCallback(
    (wanted: number) => {
      const next = clampTop(latest.current.track, wanted);
      latest.current.top = next;
      moveBar(scrollOfTop(latest.current.track, next));
      setTop(next);
    },
    [moveBar],
  );

  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    const measure = () => setViewport(Math.max(0, scroller.clientHeight - headHeight));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [headHeight]);

  useEffect(() => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    const notifyUserScroll = (next: number) =>
      latest.current.onUserScroll(
        next >= maxTop(latest.current.track),
        visibleRows(latest.current.track, next),
      );
    const onScroll = () => {
      // Our own moves fire scroll events too.
      if (Math.abs(scroller.scrollTop - latest.current.ownScroll) < 1) return;
      latest.current.ownScroll = scroller.scrollTop;
      // The browser moves a growing scroller before the observer reports its new height.
      if (scroller.clientHeight - headHeight !== latest.current.track.viewport) return;
      latest.current.top = topOfScroll(latest.current.track, scroller.scrollTop);
      setTop(latest.current.top);
      notifyUserScroll(latest.current.top);
    };
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.deltaY === 0 || maxTop(latest.current.track) === 0) return;
      // Unpin at once: a growing list would swallow the first pixels of the move.
      if (event.deltaY < 0) {
        latest.current.onUserScroll(false, visibleRows(latest.current.track, latest.current.top));
      }
      if (!isCompressed(latest.current.track)) return;
      event.preventDefault();
      moveTo(latest.current.top + event.deltaY * pixelsPerDelta(event, latest.current.track));
      notifyUserScroll(latest.current.top);
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    scroller.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('wheel', onWheel);
    };
  }, [headHeight, moveTo]);

  return { scrollerRef, track, top, ...visibleRows(track, top), moveTo };
}

const doNothing = (): void => undefined;

function pixelsPerDelta({ deltaMode }: WheelEvent, { rowHeight, viewport }: Track): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return rowHeight;
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? viewport : 1;
}

/** Rows from `first` to `end`, exclusive. */
interface RowRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Assigns each visible row to one of a fixed number of elements. A list that scrolls reuses the elements of rows that
 * left, because creating new ones costs more. A list that jumps refills all elements in place, because moving them in
 * the document costs a layout.
 */
export class RowSlots {
  #drawn: RowRange = { first: 0, end: 0 };
  #start = 0;

  /** The slot of each row of a range, from 0 to `count` - 1. @param count at least the number of rows */
  of(range: RowRange, count: number): (row: number) => number {
    const isJump = range.first >= this.#drawn.end || range.end <= this.#drawn.first;
    if (isJump) this.#start = range.first;
    this.#drawn = range;
    const start = this.#start;
    return (row) => (((row - start) % count) + count) % count;
  }
}

/**
 * Maps a scroll bar to rows of the same height. Browsers misplace content beyond some ten million pixels, so the track
 * is never taller than `MAX_TRACK`: with more rows, one pixel of the bar represents several of the content. `top` is
 * always in pixels of the content, `scroll` in pixels of the track.
 */
export const MAX_TRACK = 8_000_000;

/** The measures of a list, in pixels except for the count of rows. */
export interface Track {
  readonly count: number;
  readonly rowHeight: number;
  /** Visible height of the rows. */
  readonly viewport: number;
}

export const trackHeight = ({ count, rowHeight }: Track): number => Math.min(count * rowHeight, MAX_TRACK);

/** Whether a pixel of the bar represents more than one pixel of the content. */
export const isCompressed = ({ count, rowHeight }: Track): boolean => count * rowHeight > MAX_TRACK;

/** The `top` that shows the last row at the bottom. */
export const maxTop = ({ count, rowHeight, viewport }: Track): number =>
  Math.max(0, count * rowHeight - viewport);

export const maxScroll = (track: Track): number => Math.max(0, trackHeight(track) - track.viewport);

export const clampTop = (track: Track, top: number): number => Math.min(Math.max(0, top), maxTop(track));

/** The `top` for a bar position. Bars stop at fractions of a pixel, so the last pixel counts as the end. */
export function topOfScroll(track: Track, scroll: number): number {
  const end = maxScroll(track);
  if (scroll >= end - 1) return maxTop(track);
  if (!isCompressed(track)) return clampTop(track, scroll);
  return clampTop(track, Math.round((scroll / end) * maxTop(track)));
}

/** The bar position for a `top`. */
export function scrollOfTop(track: Track, top: number): number {
  if (!isCompressed(track)) return clampTop(track, top);
  return (clampTop(track, top) / maxTop(track)) * maxScroll(track);
}

/** The rows that are at least partly visible, from `first` to `end`, exclusive. */
export function visibleRows(track: Track, top: number): { first: number; end: number } {
  const first = Math.floor(top / track.rowHeight);
  const end = Math.min(track.count, Math.ceil((top + track.viewport) / track.rowHeight));
  return { first: Math.min(first, end), end };
}

/** How many rows fit completely; at least one. */
export const rowsPerPage = ({ rowHeight, viewport }: Track): number =>
  Math.max(1, Math.floor(viewport / rowHeight));

/** The nearest `top` that shows the whole row. */
export function topToShow(track: Track, top: number, row: number): number {
  const upper = row * track.rowHeight;
  const lower = upper + track.rowHeight - track.viewport;
  if (top > upper) return clampTop(track, upper);
  return top < lower ? clampTop(track, lower) : top;
}

/** The `top` that centres the row; unchanged when the row is visible already. */
export function topToCentre(track: Track, top: number, row: number): number {
  if (topToShow(track, top, row) === top) return top;
  return clampTop(track, row * track.rowHeight - Math.round((track.viewport - track.rowHeight) / 2));
}
