import type { TraceRow } from '#shared/trace/row.ts';
import { Segmented } from '#ui/segmented.tsx';

export type Half = 'request' | 'response';

/** Which half of a call a row is; null for what is none. */
export function halfOf({ kind }: TraceRow): Half | null {
  if (kind === 'request') return 'request';
  return kind === 'result' || kind === 'error' ? 'response' : null;
}

/** Shows the one half of a call or the other, without leaving the row that is selected. */
export function HalfSwitch({
  half,
  onChange,
}: {
  readonly half: Half;
  readonly onChange: (half: Half) => void;
}) {
  return (
    <Segmented
      label="Half of the call (P)"
      value={half}
      onChange={onChange}
      options={[
        { id: 'request', label: 'Request' },
        { id: 'response', label: 'Response' },
      ]}
      className="h-[22px] font-sans"
    />
  );
}
