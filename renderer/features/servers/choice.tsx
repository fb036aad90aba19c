import type { ReactNode } from 'react';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';

export interface Option<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly does: string;
  readonly disabled?: boolean;
}

/** A choice of a few under its label, and one line on what the chosen one does. */
export function Choice<Id extends string>({
  label,
  isPart = false,
  value,
  options,
  note,
  onChange,
}: {
  readonly label: string;
  /** Of a group that has the heading; its own label is quieter. */
  readonly isPart?: boolean;
  readonly value: Id;
  readonly options: readonly Option<Id>[];
  /** Said in place of what the chosen one does. */
  readonly note?: ReactNode;
  readonly onChange: (value: Id) => void;
}) {
  return (
    <div>
      <div aria-hidden className={cx('mb-1', isPart ? 'text-mute' : 'font-medium')}>
        {label}
      </div>
      <div className="flex h-control items-center">
        <Segmented label={label} value={value} onChange={onChange} options={options} />
      </div>
      <p className="mt-1 text-xs text-faint">{note ?? options.find(({ id }) => id === value)?.does}</p>
    </div>
  );
}
