import { formatQuantity } from '#shared/format.ts';
import { copyText } from '#ui/clipboard.ts';
import { toastNote } from '#ui/toaster.tsx';
import { jsonLinesOf } from './json-lines.ts';

/** Puts the messages of rows on the clipboard as JSON Lines, and says what came of it. */
export async function copyRows(sessionId: string, rows: readonly number[]): Promise<void> {
  const { text, count, isCut } = await jsonLinesOf(sessionId, rows);
  if (count === 0) {
    toastNote(rows.length === 1 ? 'This row is no message' : 'None of these rows is a message');
    return;
  }
  if (!(await copyText(text))) toastNote('The browser did not let the clipboard be written');
  else if (isCut)
    toastNote(`Only the first ${formatQuantity(count, 'message')} copied: the rest is for an export`);
  else toastNote(`${formatQuantity(count, 'message')} copied`);
}
