import { type ReactNode, useState } from 'react';
import { cx } from './cx.ts';
import { IconsOf } from './media/icons.tsx';
import { PlainText, VisibleText } from './plain-text.tsx';
import { visibleLine, visibleText } from './visible.ts';

/**
 * The head of a detail in two lines: the title and the name on the wire beside the actions, which keep their room, and what else
 * identifies it below. What is too long ends in an ellipsis, with the whole text in a tooltip.
 */
export function DetailHeading({
  title,
  name = null,
  raw = null,
  actions,
  children,
}: {
  /** Untrusted text. */
  readonly title: string;
  /** The name on the wire, if it is not the title; untrusted text. */
  readonly name?: string | null;
  /** The entry of a list, which may have icons. */
  readonly raw?: string | null;
  readonly actions?: ReactNode;
  /** The second line. */
  readonly children?: ReactNode;
}) {
  return (
    <div className="shrink-0">
      <div className="flex min-h-[26px] min-w-0 items-center gap-2">
        <div className="flex min-w-0 flex-1 items-baseline gap-2">
          <h2 className="min-w-0 truncate text-lg font-semibold">
            {raw !== null && <IconsOf raw={raw} />}
            <VisibleText text={visibleLine(title)} />
          </h2>
          {name !== null && name !== title && (
            <span className="mono min-w-16 shrink-[1000] truncate text-faint">{visibleLine(name)}</span>
          )}
        </div>
        <span className="-mr-1 flex shrink-0 items-center gap-1 empty:hidden">{actions}</span>
      </div>
      {children}
    </div>
  );
}

/** Longer descriptions scroll in an area of their own. They can span pages and hide something at the end. */
const LONG = 700;

/** What a server says of an entry; in a short panel one line, until it is clicked. */
export function Description({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= LONG) {
    return (
      <button
        type="button"
        aria-expanded={isWhole}
        title={isWhole ? undefined : visibleText(text)}
        onClick={() => setWhole(!isWhole)}
        className={cx(
          'mt-1 block w-full cursor-text text-left text-mute select-text',
          !isWhole && 'one-line-when-short',
        )}
      >
        <PlainText text={text} />
      </button>
    );
  }
  return (
    // A scrollable area must be focusable by keyboard.
    <section
      aria-label="Description"
      tabIndex={0}
      className="mt-1 max-h-32 overflow-y-auto border-l border-line pl-2"
    >
      <PlainText text={text} className="text-mute" />
    </section>
  );
}
