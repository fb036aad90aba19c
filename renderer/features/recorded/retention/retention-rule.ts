import type { Settings } from '#shared/contract/settings.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Files that a rule would delete: those too old, and the oldest beyond the size that all may have. */
export function deletedBy(
  { days, bytes }: Settings['retention'],
  files: readonly TraceFileView[],
  inUse: ReadonlySet<string>,
  now: number,
): TraceFileView[] {
  const newestFirst = [...files].sort((a, b) => b.createdAt - a.createdAt);
  let total = 0;
  return newestFirst.filter((file) => {
    const isTooOld = days !== null && file.createdAt < now - days * DAY;
    if (!isTooOld) total += file.size;
    const isTooMuch = bytes !== null && total > bytes;
    return (isTooOld || isTooMuch) && file.sessionId === null && !inUse.has(file.path);
  });
}
