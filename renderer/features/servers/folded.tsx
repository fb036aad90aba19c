import { ChevronRight } from 'lucide-react';
import { type ReactNode, type Ref, useId, useState } from 'react';
import { cx } from '#ui/cx.ts';

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
