import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, type Ref, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';
import type { DraftErrors } from '../draft/draft-part.ts';

/** Props of every part of the form: the part of the draft it edits, and the errors. */
export interface FieldProps<D> {
  readonly draft: D;
  readonly errors: DraftErrors;
  readonly change: (part: Partial<D>) => void;
  /** Validates a field on blur. */
  readonly validate: (field: string) => void;
}

export interface Option<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly does: string;
  readonly disabled?: boolean;
}

/** A labelled choice, with a line that explains the chosen option. */
export function Choice<Id extends string>({
  label,
  isPart = false,
  value,
  options,
  note,
  onChange,
}: {
  readonly label: string;
  /** Set if the section is part of a group with its own heading, so that its label is subdued. */
  readonly isPart?: boolean;
  readonly value: Id;
  readonly options: readonly Option<Id>[];
  /** Shown instead of what the chosen option does. */
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

/** Controls under one label, with a hint at its right. */
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

/** A section of the form that few servers need: a heading and a summary until it is expanded. */
export function Collapsible({
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
  /** Whether the section has errors; it stays open then, so that they are visible. */
  readonly hasErrors: boolean;
  readonly headingRef?: Ref<HTMLButtonElement>;
  /** The class name of the expanded part. */
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

/** A note under a field with a button that fixes it. */
export function QuickFix({
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
