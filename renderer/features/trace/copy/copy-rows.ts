import { call } from '#bridge';
import { FaultError } from '#shared/contract/fault.ts';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { copyText } from '#ui/clipboard.ts';
import { toastNote } from '#ui/toaster.tsx';
import { compactJson } from './compact-json.ts';
import { bytesOfBase64 } from '../detail/hex-view.tsx';

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

/**
 * The messages of these rows, a line each and as they were sent but for space between tokens. Others are left out.
 *
 * @throws FaultError when one of them is too long for a clipboard
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
      if (chars > MOST_CHARS) return { text: lines.join(''), count: lines.length, isCut: true };
      lines.push(`${text}\n`);
    }
  }
  return { text: lines.join(''), count: lines.length, isCut: false };
}

/** A row's message on one line; null when it carries none. */
async function messageOf(sessionId: string, row: number): Promise<string | null> {
  const detail = await call('trace/detail', { sessionId, row });
  return detail.text === null ? null : compactJson(await wholeText(sessionId, detail));
}

/** The text of a row from its first to its last character. @throws FaultError when it is too long */
export function wholeText(sessionId: string, { row, text, truncated }: RowDetail): Promise<string> {
  if (!truncated) return Promise.resolve(text ?? '');
  // The bytes hold the other messages of a batch too.
  if (row.batch > 1) throw new FaultError(tooLong(row.size, LONGEST));
  return unitText(sessionId, row.row);
}

/** The bytes of a row's unit as text. @throws FaultError when they are too many */
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
  what: `It is too long to be copied: ${formatBytes(size)}, of at most ${formatBytes(longest)}.`,
  next: 'Export the row instead, or copy a part of it.',
});

/** The most characters put on the clipboard. */
const MOST_CHARS = 64 * 1024 * 1024;

/** Rows asked for at a time. */
const AT_A_TIME = 16;

interface JsonLines {
  readonly text: string;
  /** Rows that are in it. */
  readonly count: number;
  /** There was more than a clipboard should take. */
  readonly isCut: boolean;
}
