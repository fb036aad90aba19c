import { useCurrentServer } from '#model/selection.ts';
import { formatDuration } from '#shared/format.ts';
import { Checkbox, TextField } from '#ui/field.tsx';
import { readTimes, type RunTimes, timeProblem } from './run-times.ts';

/** What can be set for the calls of one tool. */
export function RunOptions({
  times,
  onChange,
}: {
  readonly times: RunTimes;
  readonly onChange: (change: Partial<RunTimes>) => void;
}) {
  const settings = useCurrentServer()?.timeouts;
  const { timeout, maxTimeout, resetOnProgress } = readTimes(times);
  const first = timeout ?? settings?.request;
  const most = maxTimeout ?? settings?.requestMax;
  const placeholder = (milliseconds: number | undefined) =>
    milliseconds === undefined ? 'the server’s setting' : String(milliseconds / 1000);
  return (
    <div className="flex flex-col gap-2.5 rounded-ui border border-line bg-panel p-3">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] items-start gap-3">
        <TextField
          label="Timeout"
          hint="seconds"
          note={
            resetOnProgress ? 'without an answer or progress' : 'without an answer, whatever progress comes'
          }
          placeholder={placeholder(settings?.request)}
          inputMode="decimal"
          mono
          value={times.timeout}
          onChange={(value) => onChange({ timeout: value })}
          error={timeProblem(times.timeout)}
        />
        <TextField
          label="At most"
          hint="seconds"
          note={
            first !== undefined && most !== undefined && most < first
              ? `decides: it is less than the timeout of ${formatDuration(first * 1000)}`
              : 'in all, whatever progress comes'
          }
          placeholder={placeholder(settings?.requestMax)}
          inputMode="decimal"
          mono
          value={times.maxTimeout}
          onChange={(value) => onChange({ maxTimeout: value })}
          error={timeProblem(times.maxTimeout)}
        />
      </div>
      <Checkbox
        label="Reset timeout on progress"
        checked={resetOnProgress}
        onChange={(value) => onChange({ resetOnProgress: value })}
        className="w-fit"
      />
    </div>
  );
}
