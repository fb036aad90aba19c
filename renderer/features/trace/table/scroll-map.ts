/**
 * Maps a scroll bar to rows of one height. Browsers misplace what stands beyond some ten million pixels, so the
 * track is never taller than `MAX_TRACK`: with more rows than fit, one pixel of the bar stands for several of the
 * content. `top` is always in pixels of the content, `scroll` in pixels of the track.
 */
export const MAX_TRACK = 8_000_000;

/** Pixels, but for the count of rows. */
export interface Track {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of what can be seen of the rows. */
  readonly viewport: number;
}

export const trackHeight = ({ count, rowHeight }: Track): number => Math.min(count * rowHeight, MAX_TRACK);

/** Whether a pixel of the bar stands for more than one pixel of the content. */
export const isCompressed = ({ count, rowHeight }: Track): boolean => count * rowHeight > MAX_TRACK;

/** The `top` that shows the last row at the lower edge. */
export const maxTop = ({ count, rowHeight, viewport }: Track): number =>
  Math.max(0, count * rowHeight - viewport);

export const maxScroll = (track: Track): number => Math.max(0, trackHeight(track) - track.viewport);

export const clampTop = (track: Track, top: number): number => Math.min(Math.max(0, top), maxTop(track));

/** What the bar's position shows. Bars stop at fractions of a pixel, so the last pixel counts as the end. */
export function topOfScroll(track: Track, scroll: number): number {
  const end = maxScroll(track);
  if (scroll >= end - 1) return maxTop(track);
  if (!isCompressed(track)) return clampTop(track, scroll);
  return clampTop(track, Math.round((scroll / end) * maxTop(track)));
}

/** Where the bar stands for a `top`. */
export function scrollOfTop(track: Track, top: number): number {
  if (!isCompressed(track)) return clampTop(track, top);
  return (clampTop(track, top) / maxTop(track)) * maxScroll(track);
}

/** The rows that can be seen at least in part: `first` up to, not including, `end`. */
export function visibleRows(track: Track, top: number): { first: number; end: number } {
  const first = Math.floor(top / track.rowHeight);
  const end = Math.min(track.count, Math.ceil((top + track.viewport) / track.rowHeight));
  return { first: Math.min(first, end), end };
}

/** How many whole rows fit; at least one. */
export const rowsPerPage = ({ rowHeight, viewport }: Track): number =>
  Math.max(1, Math.floor(viewport / rowHeight));

/** The `top` nearest to the present one that shows the whole row. */
export function topToShow(track: Track, top: number, row: number): number {
  const upper = row * track.rowHeight;
  const lower = upper + track.rowHeight - track.viewport;
  if (top > upper) return clampTop(track, upper);
  return top < lower ? clampTop(track, lower) : top;
}

/** The `top` that shows the row in the middle, or the present one when the row can be seen already. */
export function topToCentre(track: Track, top: number, row: number): number {
  if (topToShow(track, top, row) === top) return top;
  return clampTop(track, row * track.rowHeight - Math.round((track.viewport - track.rowHeight) / 2));
}
