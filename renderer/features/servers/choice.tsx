import type { ReactNode } from 'react';
import { Segmented } from '#ui/segmented.tsx';

export interface Option<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly does: string;
}

/** A choice of a few under its label, and one line on what the chosen one does. */
export function Choice<Id extends string>({
  label,
  value,
  options,
  note,
  onChange,
}: {
  readonly label: string;
  readonly value: Id;
  readonly options: readonly Option<Id>[];
  /** Said in place of what the chosen one does. */
  readonly note?: ReactNode;
  readonly onChange: (value: Id) => void;
}) {
  return (
    <div>
      <div aria-hidden className="mb-1 font-medium">
        {label}
      </div>
      <div className="flex h-control items-center">
        <Segmented label={label} value={value} onChange={onChange} options={options} />
      </div>
      <p className="mt-1 text-xs text-faint">{note ?? options.find(({ id }) => id === value)?.does}</p>
    </div>
  );
}
