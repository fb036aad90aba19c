import { expect, test } from 'vitest';
import { RowSlots } from './row-slots.ts';

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
