import { cx } from './cx.ts';
import { type Shortcut, shortcutLabel } from './shortcut.ts';

/** A shortcut such as `Mod+K`, as labelled on keys. */
export function Kbd({
  keys,
  tone = 'faint',
  className,
}: {
  readonly keys: Shortcut;
  /** `inherit` on a coloured surface. */
  readonly tone?: 'faint' | 'inherit';
  readonly className?: string;
}) {
  return (
    <kbd
      className={cx(
        'rounded-sm border px-1 font-mono text-xs leading-4 font-normal whitespace-nowrap',
        tone === 'faint' ? 'border-line text-faint' : 'border-current/50 text-current',
        className,
      )}
    >
      {shortcutLabel(keys)}
    </kbd>
  );
}
