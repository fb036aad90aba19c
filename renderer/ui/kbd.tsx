import { cx } from './cx.ts';
import { type Shortcut, shortcutLabel } from './shortcut.ts';

/** A key combination, such as `Mod+K`, as it is written on keys. */
export function Kbd({ keys, className }: { readonly keys: Shortcut; readonly className?: string }) {
  return (
    <kbd
      className={cx(
        'rounded-sm border border-line px-1 font-mono text-xs leading-4 whitespace-nowrap text-faint',
        className,
      )}
    >
      {shortcutLabel(keys)}
    </kbd>
  );
}
