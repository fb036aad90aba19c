import type { TraceRow } from '#shared/trace/row.ts';
import { isCarried } from './row-words.ts';

/** Whether an HTTP exchange carried a row: the one that stands last before it (`here`), or another one. */
export type Carried = 'here' | 'apart' | null;

/** Rows looked back for the exchange that stands last before the first one drawn: about as many as are held there. */
const LOOK_BACK = 40;

/** The row of the exchange that stands last before a place; null when none is held near. */
export function exchangeBefore(place: number, at: (place: number) => TraceRow | undefined): number | null {
  for (let before = place - 1; before >= Math.max(0, place - LOOK_BACK); before--) {
    const row = at(before);
    if (row?.kind === 'http') return row.row;
  }
  return null;
}

/** How each of the rows, which stand one below the other, was carried. */
export function carriedIn(rows: readonly (TraceRow | undefined)[], before: number | null): Carried[] {
  let last = before;
  return rows.map((row) => {
    if (row?.kind === 'http') last = row.row;
    if (row === undefined || !isCarried(row)) return null;
    // Where no exchange is near, nothing can be confused.
    return last === null || last === row.exchange ? 'here' : 'apart';
  });
}
