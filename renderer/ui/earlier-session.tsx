import { formatClock, formatMinute } from '#shared/format.ts';
import { Chip } from './chip.tsx';
import { Tooltip } from './tooltip.tsx';

/** Marks what came of an earlier session of the server, or of a recording of one. Renders nothing if it is not known. */
export function EarlierSession({
  begun,
}: {
  /** When that session began, in milliseconds since the Unix epoch. */
  readonly begun: { readonly at: number; readonly isRecording: boolean } | null;
}) {
  return (
    begun !== null && (
      <Tooltip
        text={
          begun.isRecording
            ? `Recorded ${formatMinute(begun.at)}`
            : `Connected at ${formatClock(begun.at).slice(0, 8)}`
        }
      >
        <button type="button" className="cursor-default rounded-full">
          <Chip>{begun.isRecording ? 'recording' : 'earlier session'}</Chip>
        </button>
      </Tooltip>
    )
  );
}
