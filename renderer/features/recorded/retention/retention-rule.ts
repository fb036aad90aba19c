import type { Settings } from '#shared/contract/settings.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Files that a rule would delete: those too old, and the oldest beyond the size that all may have. Nearly: the engine
 * goes by when a file was changed last.
 */
export function deletedBy(
  { days, bytes }: Settings['retention'],
  files: readonly TraceFileView[],
  inUse: ReadonlySet<string>,
  now: number,
): TraceFileView[] {
  let total = files.reduce((sum, { size }) => sum + size, 0);
  const oldestFirst = [...files].sort((a, b) => a.createdAt - b.createdAt);
  return oldestFirst.filter(({ path, createdAt, size, sessionId }) => {
    const isTooOld = days !== null && createdAt < now - days * DAY;
    const isTooMuch = bytes !== null && total > bytes;
    const isDeleted = (isTooOld || isTooMuch) && sessionId === null && !inUse.has(path);
    if (isDeleted) total -= size;
    return isDeleted;
  });
}
