import { ToggleGroup } from 'radix-ui';
import { Fragment } from 'react';

/** A choice between a few words: `Messages · Calls`. */
export function WordSwitch<Id extends string>({
  label,
  value,
  onChange,
  options,
}: {
  readonly label: string;
  /** Null if none is selected. */
  readonly value: Id | null;
  readonly onChange: (id: Id) => void;
  readonly options: readonly { readonly id: Id; readonly label: string; readonly hint: string }[];
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value ?? ''}
      onValueChange={(chosen) => {
        const option = options.find(({ id }) => id === chosen);
        if (option) onChange(option.id);
      }}
      className="flex shrink-0 items-center gap-1 text-faint"
    >
      {options.map((option, order) => (
        <Fragment key={option.id}>
          {order > 0 && <span aria-hidden>·</span>}
          <ToggleGroup.Item
            value={option.id}
            title={option.hint}
            className="h-6 rounded-sm px-0.5 text-mute hover:text-text data-[state=on]:font-medium data-[state=on]:text-text"
          >
            {option.label}
          </ToggleGroup.Item>
        </Fragment>
      ))}
    </ToggleGroup.Root>
  );
}
