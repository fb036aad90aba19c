import { type KeyboardEvent, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { TextArea, TextField } from '#ui/field.tsx';

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/**
 * What a switch puts in place: written here, in force only once it is applied, so that what is sent meanwhile
 * holds nothing half-typed.
 */
export function ValueField<T>({
  label,
  hint,
  inForce,
  read,
  onApply,
  multiline = false,
}: {
  readonly label: string;
  readonly hint: string;
  /** The value in force as it is written. */
  readonly inForce: string;
  readonly read: (text: string) => Reading<T>;
  readonly onApply: (value: T) => void;
  readonly multiline?: boolean;
}) {
  const [text, setText] = useState(inForce);
  const reading = read(text);
  const isApplied = text === inForce;
  const apply = () => {
    if (reading.ok && !isApplied) onApply(reading.value);
  };
  const applyByKey = (press: KeyboardEvent) => {
    const isWanted = multiline ? press.ctrlKey || press.metaKey : true;
    if (press.key !== 'Enter' || !isWanted) return;
    press.preventDefault();
    press.stopPropagation();
    apply();
  };
  const field = {
    label: <span className="font-normal text-mute">{label}</span>,
    hint,
    mono: true,
    value: text,
    error: reading.ok ? undefined : reading.why,
    onChange: setText,
    onKeyDown: applyByKey,
  };
  return (
    <div className="flex flex-col gap-1.5">
      {multiline ? <TextArea {...field} rows={4} /> : <TextField {...field} />}
      {!isApplied && (
        <div className="flex items-center gap-2">
          <Button size="small" disabled={!reading.ok} onClick={apply}>
            Apply
          </Button>
          <Button size="small" variant="quiet" onClick={() => setText(inForce)}>
            Discard
          </Button>
          <span className="text-xs text-warn">not in force yet</span>
        </div>
      )}
    </div>
  );
}
