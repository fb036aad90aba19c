import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { create } from 'zustand';
import { formatCount } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';

/** Titles of folded sections; the same for all servers. */
const useFolded = create<Readonly<Record<string, boolean>>>()(() => ({}));

/** A line of a section. */
export interface MessageLine {
  readonly key: string;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

/**
 * A section of the list of messages. It folds, and scrolls on its own, so that a long one never hides the other. Arrow keys move
 * from message to message; Tab leads to the last one and over the others, which may be hundreds.
 */
export function MessageSection({
  title,
  label,
  count,
  shown,
  lines,
  children,
}: {
  readonly title: string;
  /** Accessible name. */
  readonly label: string;
  /** Messages in all. */
  readonly count: number;
  /** How many a search leaves. */
  readonly shown: number;
  readonly lines: readonly MessageLine[];
  /** What is said above the messages. */
  readonly children: ReactNode;
}) {
  const [last, setLast] = useState<string | null>(null);
  const stop = lines.some(({ key }) => key === last) ? last : lines[0]?.key;
  const isFolded = useFolded((folded) => folded[title] ?? false);
  return (
    <section
      aria-label={label}
      // Sections share the height; what a short one leaves goes to the other.
      className={cx('flex min-h-7 flex-col', isFolded ? 'flex-none' : 'max-h-max flex-[1_1_0]')}
    >
      <h3 className="shrink-0">
        <button
          type="button"
          aria-expanded={!isFolded}
          onClick={() => useFolded.setState({ [title]: !isFolded })}
          className="flex h-7 w-full items-center gap-1 pr-3 pl-1 text-left outline-offset-[-2px] hover:bg-hover"
        >
          <ChevronRight aria-hidden className={cx('size-3 shrink-0 text-faint', !isFolded && 'rotate-90')} />
          <span className="caption min-w-0 flex-1">{title}</span>
          {count > 0 && (
            <span className="text-xs text-faint tabular-nums">
              {shown === count ? formatCount(count) : `${formatCount(shown)} of ${formatCount(count)}`}
            </span>
          )}
        </button>
      </h3>
      {!isFolded && (
        // The keys of a message are those of its list.
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
        <div onKeyDown={moveFocus} className="min-h-0 overflow-y-auto pb-1">
          {children}
          <ul aria-label={title}>
            {lines.map((line) => (
              <li key={line.key}>
                <button
                  type="button"
                  tabIndex={line.key === stop ? 0 : -1}
                  onFocus={() => setLast(line.key)}
                  onClick={line.onOpen}
                  className="flex h-row w-full items-center gap-2 px-3 text-left hover:bg-hover"
                >
                  {line.children}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The place that each key leads to. */
const steps: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowDown: (from, last) => Math.min(from + 1, last),
  ArrowUp: (from) => Math.max(from - 1, 0),
  Home: () => 0,
  End: (_from, last) => last,
};

function moveFocus(press: KeyboardEvent<HTMLElement>): void {
  const step = steps[press.key];
  if (step === undefined || press.ctrlKey || press.metaKey || press.altKey || press.shiftKey) return;
  const messages = [...press.currentTarget.querySelectorAll<HTMLElement>('li > button')];
  const from = messages.findIndex((one) => one === document.activeElement);
  messages[step(from, messages.length - 1)]?.focus();
  press.preventDefault();
}
