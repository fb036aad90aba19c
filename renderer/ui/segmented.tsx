import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** A choice between a few visible options. */
export function Segmented<Id extends string>({
  label,
  value,
  onChange,
  options,
  className,
}: {
  readonly label: string;
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  readonly options: readonly { readonly id: Id; readonly label: ReactNode; readonly disabled?: boolean }[];
  readonly className?: string;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(chosen) => {
        const option = options.find(({ id }) => id === chosen);
        if (option) onChange(option.id);
      }}
      className={cx('inline-flex h-6 shrink-0 rounded-ui border border-line bg-raise p-px', className)}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.id}
          value={option.id}
          disabled={option.disabled}
          className="rounded-sm px-2 text-sm text-mute enabled:hover:text-text disabled:opacity-50 data-[state=on]:bg-panel data-[state=on]:font-medium data-[state=on]:text-text data-[state=on]:shadow-[0_0_0_1px_var(--line)]"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
