import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { create } from 'zustand';
import { cx } from '#ui/cx.ts';

/** Titles of folded sections; kept from row to row. */
const useFolded = create<Readonly<Record<string, boolean>>>()(() => ({}));

/** A part of the exchange under a heading that folds it. */
export function Section({
  title,
  says,
  trailing,
  children,
}: {
  readonly title: string;
  /** A word or two beside the title, to be seen when it is folded. */
  readonly says?: ReactNode;
  /** At the right end of the heading. */
  readonly trailing?: ReactNode;
  readonly children: ReactNode;
}) {
  const isFolded = useFolded((folded) => folded[title] ?? false);
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line last:border-b-0">
      <div className="sticky top-0 z-1 flex h-7 items-center gap-1 bg-panel pr-1.5 pl-1.5">
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={() => useFolded.setState({ [title]: !isFolded })}
            className="flex h-6 w-full min-w-0 items-center gap-1 text-left hover:text-text"
          >
            <ChevronRight
              aria-hidden
              className={cx('size-3 shrink-0 text-faint', !isFolded && 'rotate-90')}
            />
            <span id={id} className="caption shrink-0">
              {title}
            </span>
            {says !== undefined && <span className="min-w-0 truncate pl-1 text-xs text-mute">{says}</span>}
          </button>
        </h3>
        {trailing}
      </div>
      {!isFolded && <div className="pb-1.5">{children}</div>}
    </section>
  );
}
