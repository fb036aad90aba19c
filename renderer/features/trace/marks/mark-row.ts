import { call } from '#bridge';
import { reportFailure } from '#ui/toaster.tsx';
import type { TraceView } from '../trace-view.ts';

/** Puts a mark on a row; null takes it away. */
export const markRow = (sessionId: string, row: number, note: string | null): Promise<unknown> =>
  call('trace/mark', { sessionId, row, note });

/** Puts a bookmark on the selected row or takes it away. A note is not thrown away by one key: it is opened. */
export function toggleMark({ sessionId, selection }: TraceView, openNote: () => void): void {
  const { facts } = selection;
  if (facts === null) return;
  if (facts.mark === null) reportFailure(markRow(sessionId, facts.row, ''));
  else if (facts.mark === '') reportFailure(markRow(sessionId, facts.row, null));
  else openNote();
}

/** Puts a bookmark on rows; marks that are there stay. */
export async function bookmarkRows(sessionId: string, rows: readonly number[]): Promise<void> {
  const marked = new Set((await call('trace/marks', { sessionId })).map(({ row }) => row));
  for (const row of rows) if (!marked.has(row)) await markRow(sessionId, row, '');
}
