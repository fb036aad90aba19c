import { call } from '#bridge';
import { FaultError } from '#shared/contract/fault.ts';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes } from '#shared/format.ts';
import { bytesOfBase64 } from '../detail/hex-view.tsx';

/** More than a clipboard is good for; bytes. */
const LONGEST = 16 * 1024 * 1024;

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

/** The text of a row from its first to its last character. @throws FaultError when it is too long */
export function wholeText(sessionId: string, { row, text, truncated }: RowDetail): Promise<string> {
  if (!truncated) return Promise.resolve(text ?? '');
  // The bytes hold the other messages of a batch too.
  if (row.batch > 1) throw new FaultError(tooLong(row.size, LONGEST));
  return unitText(sessionId, row.row);
}

const tooLong = (size: number, longest: number) => ({
  code: 'too-long-to-copy',
  what: `It is too long to be copied: ${formatBytes(size)}, of at most ${formatBytes(longest)}.`,
  next: 'Export the row instead, or copy a part of it.',
});
