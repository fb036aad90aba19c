import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';
import { Kbd } from './kbd.tsx';
import { ariaShortcut, type Shortcut, shortcutLabel } from './shortcut.ts';
import { Tooltip } from './tooltip.tsx';

const variants = {
  plain: 'border-line bg-raise text-text enabled:hover:border-line-strong enabled:hover:bg-hover',
  primary: 'border-accent bg-accent font-semibold text-accent-ink enabled:hover:brightness-110',
  danger: 'border-err bg-err font-semibold text-err-ink enabled:hover:brightness-110',
  quiet: 'border-transparent bg-transparent text-mute enabled:hover:bg-hover enabled:hover:text-text',
} as const;

const isFilled: Readonly<Record<keyof typeof variants, boolean>> = {
  plain: false,
  primary: true,
  danger: true,
  quiet: false,
};

const frame =
  'inline-flex shrink-0 items-center justify-center border whitespace-nowrap outline-offset-1 focus-visible:rounded-ui disabled:opacity-50 rounded-ui';

type ButtonProps = ComponentProps<'button'> & {
  readonly variant?: keyof typeof variants;
  /** `small` is 24 px high, for bars. */
  readonly size?: 'normal' | 'small';
  /** Shown on the button. The owner of the commands binds the key. */
  readonly shortcut?: Shortcut | undefined;
  readonly icon?: ReactNode;
};

export function Button({
  variant = 'plain',
  size = 'normal',
  shortcut,
  icon,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-keyshortcuts={shortcut && ariaShortcut(shortcut)}
      {...rest}
      className={cx(
        frame,
        variants[variant],
        size === 'normal' ? 'h-control gap-2 px-3' : 'h-6 gap-1.5 px-2 text-sm',
        className,
      )}
    >
      {icon}
      {children}
      {shortcut && <Kbd keys={shortcut} tone={isFilled[variant] ? 'inherit' : 'faint'} />}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'title'> & {
  /** What it does: its accessible name and its tooltip. */
  readonly label: string;
  readonly size?: 'normal' | 'small';
  readonly shortcut?: Shortcut | undefined;
  /** Set for a toggle: whether it is on. */
  readonly pressed?: boolean;
};

/** A button that is only an icon. */
export function IconButton({
  label,
  size = 'normal',
  shortcut,
  pressed,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={shortcut ? `${label} (${shortcutLabel(shortcut)})` : label}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        aria-keyshortcuts={shortcut && ariaShortcut(shortcut)}
        {...rest}
        className={cx(
          frame,
          variants.quiet,
          pressed === true && 'bg-hover text-text',
          size === 'normal' ? 'size-7' : 'size-6',
          className,
        )}
      />
    </Tooltip>
  );
}
