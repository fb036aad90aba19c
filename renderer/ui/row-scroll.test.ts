import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clampTop,
  isCompressed,
  MAX_TRACK,
  maxScroll,
  maxTop,
  scrollOfTop,
  type Track,
  topOfScroll,
  topToCentre,
  topToShow,
  trackHeight,
  visibleRows,
  RowSlots,
} from './row-scroll.ts';

const tracks = (most: number) =>
  fc.record({
    count: fc.integer({ min: 1, max: most }),
    rowHeight: fc.integer({ min: 12, max: 40 }),
    viewport: fc.integer({ min: 60, max: 2000 }),
  });

const anyTrack = tracks(50_000_000);
const withRow = anyTrack.chain((track) =>
  fc.record({
    track: fc.constant(track),
    row: fc.integer({ min: 0, max: track.count - 1 }),
    top: fc.integer({ min: 0, max: maxTop(track) }),
  }),
);

const isWholeRowSeen = (track: Track, top: number, row: number): boolean =>
  row * track.rowHeight >= top && (row + 1) * track.rowHeight <= top + track.viewport;

test('every row can be brought into view, whatever is shown now', () => {
  fc.assert(
    fc.property(withRow, ({ track, row, top }) => {
      expect(isWholeRowSeen(track, topToShow(track, top, row), row)).toBe(true);
      expect(isWholeRowSeen(track, topToCentre(track, top, row), row)).toBe(true);
    }),
  );
});

test('every row of a million can be reached with the scroll bar alone, which stops at whole pixels', () => {
  const millions = fc.record({
    count: fc.integer({ min: 1, max: 2_000_000 }),
    rowHeight: fc.constant(24),
    viewport: fc.integer({ min: 72, max: 2000 }),
  });
  fc.assert(
    fc.property(
      millions.chain((track) =>
        fc.record({ track: fc.constant(track), row: fc.integer({ min: 0, max: track.count - 1 }) }),
      ),
      ({ track, row }) => {
        const scroll = Math.round(scrollOfTop(track, topToCentre(track, 0, row)));
        const { first, end } = visibleRows(track, topOfScroll(track, scroll));
        expect(first).toBeLessThanOrEqual(row);
        expect(end).toBeGreaterThan(row);
      },
    ),
  );
});

test('the track never outgrows what browsers can place', () => {
  fc.assert(
    fc.property(anyTrack, (track) => {
      expect(trackHeight(track)).toBeLessThanOrEqual(MAX_TRACK);
      expect(scrollOfTop(track, maxTop(track))).toBeLessThanOrEqual(MAX_TRACK);
    }),
  );
});

test('the ends of the bar are the ends of the content', () => {
  fc.assert(
    fc.property(anyTrack, (track) => {
      expect(topOfScroll(track, maxScroll(track))).toBe(maxTop(track));
      expect(topOfScroll(track, 0)).toBe(maxScroll(track) <= 1 ? maxTop(track) : 0);
      expect(visibleRows(track, maxTop(track)).end).toBe(track.count);
    }),
  );
});

test('the bar never moves against the content', () => {
  fc.assert(
    fc.property(anyTrack, fc.nat(), fc.nat(), (track, one, other) => {
      const [low, high] = [one, other].map((top) => clampTop(track, top)).sort((a, b) => a - b);
      if (low === undefined || high === undefined) return;
      expect(scrollOfTop(track, low)).toBeLessThanOrEqual(scrollOfTop(track, high));
    }),
  );
});

test('without compression the bar and the content are the same', () => {
  fc.assert(
    fc.property(tracks(100_000), fc.nat(), (track, top) => {
      fc.pre(!isCompressed(track));
      expect(scrollOfTop(track, top)).toBe(clampTop(track, top));
    }),
  );
});

test('the visible rows fit the viewport', () => {
  fc.assert(
    fc.property(withRow, ({ track, top }) => {
      const { first, end } = visibleRows(track, top);
      expect(end - first).toBeLessThanOrEqual(Math.ceil(track.viewport / track.rowHeight) + 1);
      expect(end).toBeLessThanOrEqual(track.count);
    }),
  );
});

test('a visible row does not move', () => {
  const track = { count: 1000, rowHeight: 24, viewport: 240 };
  expect(topToShow(track, 100, 6)).toBe(100);
  expect(topToCentre(track, 100, 6)).toBe(100);
  expect(topToShow(track, 100, 4)).toBe(96);
  expect(topToShow(track, 100, 14)).toBe(120);
});

function slotsOf(slots: RowSlots, first: number, end: number, count: number): number[] {
  const slotOf = slots.of({ first, end }, count);
  return Array.from({ length: end - first }, (_, order) => slotOf(first + order));
}

test('rows that stay on screen keep their slots, and new ones take those of the rows that went', () => {
  const slots = new RowSlots();
  expect(slotsOf(slots, 100, 104, 5)).toEqual([0, 1, 2, 3]);
  expect(slotsOf(slots, 102, 106, 5)).toEqual([2, 3, 4, 0]);
  expect(slotsOf(slots, 99, 103, 5)).toEqual([4, 0, 1, 2]);
});

test('after a jump the slots are in order, whichever way it went', () => {
  const slots = new RowSlots();
  slotsOf(slots, 102, 106, 5);
  slotsOf(slots, 104, 108, 5);
  expect(slotsOf(slots, 5003, 5008, 5)).toEqual([0, 1, 2, 3, 4]);
  expect(slotsOf(slots, 7, 11, 5)).toEqual([0, 1, 2, 3]);
});

test('the same range has the same slots, however often it is drawn', () => {
  const slots = new RowSlots();
  slotsOf(slots, 10, 14, 5);
  const once = slotsOf(slots, 12, 16, 5);
  expect(slotsOf(slots, 12, 16, 5)).toEqual(once);
});
