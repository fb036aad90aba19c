import { type FormEvent, useState } from 'react';
import { messageOf } from '#shared/contract/fault.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import type { RowTravel } from './row-travel.ts';

/** Asks for the number of a row or for a time, and goes there. */
export function GoToPopover({
  travel,
  isOpen,
  onOpenChange,
}: {
  readonly travel: RowTravel;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  return (
    <Popover
      label="Go to a row or a time"
      open={isOpen}
      onOpenChange={onOpenChange}
      className="w-[300px]"
      anchor={<span aria-hidden className="absolute top-5 left-2.5 size-0" />}
    >
      <GoToForm travel={travel} onArrive={() => onOpenChange(false)} />
    </Popover>
  );
}

function GoToForm({ travel, onArrive }: { readonly travel: RowTravel; readonly onArrive: () => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const go = async () => {
    const wrong = await travel.goTo(text).catch(messageOf);
    if (wrong === null) onArrive();
    else setProblem(wrong);
  };
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    void go();
  };
  return (
    <form onSubmit={onSubmit} className="flex items-end gap-2">
      <TextField
        label="Row or time"
        mono
        value={text}
        onChange={(next) => {
          setText(next);
          setProblem(undefined);
        }}
        error={problem}
        note="1204, 10:42:03, +1.5s after the first row, -5m before the last"
        className="min-w-0 flex-1"
      />
      <Button type="submit" className="mb-[19px] self-end">
        Go
      </Button>
    </form>
  );
}
