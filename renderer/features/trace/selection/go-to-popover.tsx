import { type FormEvent, useState } from 'react';
import { messageOf } from '#shared/contract/fault.ts';
import { Button } from '#ui/button.tsx';
import { Field, Input } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import type { RowNavigation } from './row-navigation.ts';

/** Asks for a row number or a time, and goes there. */
export function GoToPopover({
  navigation,
  isOpen,
  onOpenChange,
}: {
  readonly navigation: RowNavigation;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  return (
    <Popover
      label="Go to a row or a time"
      open={isOpen}
      onOpenChange={onOpenChange}
      className="w-[320px]"
      anchor={<span aria-hidden className="absolute top-5 left-2.5 size-0" />}
    >
      <GoToForm navigation={navigation} onArrive={() => onOpenChange(false)} />
    </Popover>
  );
}

function GoToForm({
  navigation,
  onArrive,
}: {
  readonly navigation: RowNavigation;
  readonly onArrive: () => void;
}) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const go = async () => {
    const message = await navigation.goTo(text).catch(messageOf);
    if (message === null) onArrive();
    else setError(message);
  };
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    void go();
  };
  return (
    <form onSubmit={onSubmit}>
      <Field
        label="Row or time"
        note="1204, 10:42:03, +1.5s from the first row, -5m from the last"
        error={error}
      >
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              className="mono"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setError(undefined);
              }}
            />
            <Button type="submit">Go</Button>
          </span>
        )}
      </Field>
    </form>
  );
}
