import { useMemo, useState } from 'react';
import { formatCount } from '#shared/format.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { VisibleText } from './plain-text.tsx';

/** Lines rendered at first; each click on "Show more" quadruples them. */
const FIRST_LINES = 2_000;
/** Characters rendered of a line. */
const LINE_CHARS = 10_000;

/** Untrusted text with line numbers. */
export function TextLines({
  text,
  changed,
  wraps,
}: {
  readonly text: string;
  /** Indexes of the lines to mark; null for none. */
  readonly changed: ReadonlySet<number> | null;
  readonly wraps: boolean;
}) {
  const [limit, setLimit] = useState(FIRST_LINES);
  const lines = useMemo(() => text.split(/\r\n|\r|\n/), [text]);
  return (
    <div className={cx('mono leading-[1.55]', !wraps && 'w-max min-w-full')}>
      {lines.slice(0, limit).map((line, index) => (
        // Lines have no ids, and the text never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="flex">
          <span
            aria-hidden
            className={cx(
              'mr-2.5 w-10 shrink-0 border-r-2 pr-1.5 text-right text-faint select-none',
              changed?.has(index) ? 'border-in' : 'border-transparent',
            )}
          >
            {index + 1}
          </span>
          <span
            className={cx(
              'min-w-0 flex-1',
              wraps ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre',
            )}
          >
            <VisibleText text={line.slice(0, LINE_CHARS)} />
            {line.length > LINE_CHARS && (
              <span className="text-faint"> … {formatCount(line.length - LINE_CHARS)} more characters</span>
            )}
          </span>
        </div>
      ))}
      {lines.length > limit && (
        <Button size="small" className="m-2" onClick={() => setLimit(limit * 4)}>
          Show more ({formatCount(lines.length - limit)} lines hidden)
        </Button>
      )}
    </div>
  );
}
