import type { RowChoice } from '#shared/contract/trace.ts';

/** What the filter of the trace shows. */
export interface ShownRows {
  readonly filterId: string;
  readonly matches: number;
  /** Every row was looked at. */
  readonly isDone: boolean;
}

/** The rows that a choice stands for now; a filter that is gone leaves all. */
export function chosenRows(choice: RowChoice['of'], meant: RowChoice, filter: ShownRows | null): RowChoice {
  if (choice === 'rows' && meant.of === 'rows') return meant;
  if (choice === 'filter' && filter !== null) return { of: 'filter', filterId: filter.filterId };
  return { of: 'all' };
}
