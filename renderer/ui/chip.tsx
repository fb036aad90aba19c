import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export type Tone = 'neutral' | 'ok' | 'warn' | 'error' | 'info' | 'accent';

const chipTones: Readonly<Record<Tone, string>> = {
  neutral: 'border-line text-mute',
  ok: 'border-in/40 text-in',
  warn: 'border-warn/40 text-warn',
  error: 'border-err/40 text-err',
  info: 'border-info/40 text-info',
  accent: 'border-accent/40 text-accent',
};

/** A short label. */
export function Chip({
  tone = 'neutral',
  className,
  children,
}: {
  readonly tone?: Tone;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex h-[18px] max-w-full items-center gap-1 truncate rounded-full border px-[7px] text-xs leading-none whitespace-nowrap',
        chipTones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

const badgeTones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-hover text-mute',
  ok: 'bg-in text-panel',
  warn: 'bg-warn text-warn-ink',
  error: 'bg-err text-err-ink',
  info: 'bg-info text-panel',
  accent: 'bg-accent text-accent-ink',
};

/** A number that needs attention. */
export function Badge({ tone = 'accent', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-block min-w-4 rounded-full px-[5px] text-center text-2xs leading-4 font-semibold',
        badgeTones[tone],
      )}
    >
      {children}
    </span>
  );
}
