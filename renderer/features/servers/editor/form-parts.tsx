import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, type Ref, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';
import type { DraftErrors } from '../draft/draft-part.ts';

/** What every part of the form takes: the part of the draft it edits. */
export interface FieldProps<D> {
  readonly draft: D;
  readonly errors: DraftErrors;
  readonly change: (part: Partial<D>) => void;
  /** Looks at a field when it is left. */
  readonly validate: (place: string) => void;
}

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

/** Controls that belong together under one label, with a few words at its right. */
export function FieldGroup({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint: string;
  readonly children: ReactNode;
}) {
  const labelId = useId();
  return (
    <div role="group" aria-labelledby={labelId}>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <span id={labelId} className="font-medium">
          {label}
        </span>
        <span className="text-xs text-faint">{hint}</span>
      </div>
      {children}
    </div>
  );
}

/** A part of the form that most servers need none of: its heading, and what it amounts to, until it is unfolded. */
export function Folded({
  title,
  summary,
  startsOpen = false,
  hasErrors,
  headingRef,
  className,
  children,
}: {
  readonly title: string;
  readonly summary: string;
  readonly startsOpen?: boolean;
  /** What is wrong inside must be in view. */
  readonly hasErrors: boolean;
  readonly headingRef?: Ref<HTMLButtonElement>;
  /** Of the part that unfolds. */
  readonly className: string;
  readonly children: ReactNode;
}) {
  const bodyId = useId();
  const [isUnfolded, setUnfolded] = useState(startsOpen);
  const isOpen = isUnfolded || hasErrors;
  return (
    <section aria-label={title}>
      <div className="flex items-center justify-between gap-3">
        <button
          ref={headingRef}
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? bodyId : undefined}
          onClick={() => setUnfolded(!isOpen)}
          className="-ml-1 flex h-6 shrink-0 items-center gap-0.5 rounded-ui pr-1.5 font-medium outline-offset-1 hover:bg-hover"
        >
          <ChevronRight aria-hidden className={cx('size-3.5 text-faint', isOpen && 'rotate-90')} />
          {title}
        </button>
        <span className="min-w-0 truncate text-xs text-faint">{summary}</span>
      </div>
      {isOpen && (
        <div id={bodyId} className={cx('mt-1 border-l border-line pl-3', className)}>
          {children}
        </div>
      )}
    </section>
  );
}

/** What is unusual about a field, under it, and a click that puts it right. */
export function Offer({
  children,
  action,
  onAccept,
}: {
  readonly children: ReactNode;
  readonly action: string;
  readonly onAccept: () => void;
}) {
  return (
    <div className="mt-1.5 flex items-center gap-2 text-xs text-warn">
      <span className="min-w-0 break-words">{children}</span>
      <Button size="small" onClick={onAccept}>
        {action}
      </Button>
    </div>
  );
}
