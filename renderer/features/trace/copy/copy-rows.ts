import { call } from '#bridge';
import { FaultError } from '#shared/contract/fault.ts';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { copyText } from '#ui/clipboard.ts';
import { toastNote } from '#ui/toaster.tsx';
import { compactJson } from '#shared/json/tokens.ts';
import { bytesOfBase64 } from '#ui/media/media.ts';

/** Copies the messages of rows as JSON Lines, and notifies the user. */
export async function copyRows(sessionId: string, rows: readonly number[]): Promise<void> {
  const { text, count, isTruncated } = await jsonLinesOf(sessionId, rows);
  if (count === 0) {
    toastNote(rows.length === 1 ? 'This row is not a message' : 'None of these rows is a message');
    return;
  }
  if (!(await copyText(text))) toastNote('The browser denied access to the clipboard');
  else if (isTruncated)
    toastNote(`Only the first ${formatQuantity(count, 'message')} copied. Export the rows for the rest.`);
  else toastNote(`${formatQuantity(count, 'message')} copied`);
}

/**
 * The messages of these rows, one per line, as they were sent except for whitespace between tokens. Skips other rows.
 *
 * @throws FaultError when a message is too long to copy
 */
async function jsonLinesOf(sessionId: string, rows: readonly number[]): Promise<JsonLines> {
  const lines: string[] = [];
  let chars = 0;
  for (let from = 0; from < rows.length; from += AT_A_TIME) {
    const texts = await Promise.all(
      rows.slice(from, from + AT_A_TIME).map((row) => messageOf(sessionId, row)),
    );
    for (const text of texts) {
      if (text === null) continue;
      chars += text.length;
      if (chars > MAX_CHARS) return { text: lines.join(''), count: lines.length, isTruncated: true };
      lines.push(`${text}\n`);
    }
  }
  return { text: lines.join(''), count: lines.length, isTruncated: false };
}

/** The message of a row on one line; null for other rows. */
async function messageOf(sessionId: string, row: number): Promise<string | null> {
  const detail = await call('trace/detail', { sessionId, row });
  return detail.text === null ? null : compactJson(await wholeText(sessionId, detail));
}

/** The complete text of a row. @throws FaultError when it is too long */
export function wholeText(sessionId: string, { row, text, truncated }: RowDetail): Promise<string> {
  if (!truncated) return Promise.resolve(text ?? '');
  // The bytes also hold the other messages of the batch.
  if (row.batch > 1) throw new FaultError(tooLong(row.size, LONGEST));
  return unitText(sessionId, row.row);
}

/** The bytes of a row's unit as text. @throws FaultError when there are more than `longest` */
export async function unitText(sessionId: string, row: number, longest = LONGEST): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let total = 1;
  for (let from = 0; from < total; ) {
    const answer = await call('trace/bytes', { sessionId, row, from, count: MAX_BYTES_PER_READ });
    const bytes = bytesOfBase64(answer.base64);
    total = answer.total;
    if (total > longest) throw new FaultError(tooLong(total, longest));
    if (bytes.length === 0) break;
    from += bytes.length;
    text += decoder.decode(bytes, { stream: from < total });
  }
  return text;
}

/** More than a clipboard is good for; bytes. */
const LONGEST = 16 * 1024 * 1024;

const tooLong = (size: number, longest: number) => ({
  code: 'too-long-to-copy',
  what: `It is too long to copy: ${formatBytes(size)}, more than ${formatBytes(longest)}.`,
  next: 'Export the row instead, or copy a part of it.',
});

/** The most characters put on the clipboard. */
const MAX_CHARS = 64 * 1024 * 1024;

/** Rows asked for at a time. */
const AT_A_TIME = 16;

interface JsonLines {
  readonly text: string;
  /** Messages in it. */
  readonly count: number;
  /** Whether there was more than the clipboard should hold. */
  readonly isTruncated: boolean;
}
