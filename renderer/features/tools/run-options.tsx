import { TextField } from '#ui/field.tsx';

/** What can be set for the calls of one tool. */
export function RunOptions({
  timeout,
  onTimeout,
}: {
  readonly timeout: string;
  readonly onTimeout: (timeout: string) => void;
}) {
  const isNumber = timeout === '' || /^[1-9]\d*$/.test(timeout);
  return (
    <div className="rounded-ui border border-line bg-panel p-3">
      <TextField
        label="Timeout"
        hint="milliseconds without an answer or progress"
        placeholder="the server's setting"
        inputMode="numeric"
        mono
        value={timeout}
        onChange={onTimeout}
        error={isNumber ? undefined : 'Not a whole number of milliseconds: the server’s setting holds.'}
      />
    </div>
  );
}
