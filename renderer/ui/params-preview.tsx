import { cx } from './cx.ts';
import { visibleLine } from './visible.ts';

/** What a request was made with, in a quiet line that is cut where it has no room; whole in the tooltip. */
export function ParamsPreview({
  text,
  className,
}: {
  /** One line, such as `argumentsInLine` makes; nothing is shown of an empty one. */
  readonly text: string;
  readonly className?: string;
}) {
  const shown = visibleLine(text);
  if (shown === '') return null;
  return (
    <span title={shown} className={cx('mono min-w-0 truncate text-xs text-faint', className)}>
      {shown}
    </span>
  );
}
