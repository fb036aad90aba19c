import { cx } from './cx.ts';

export type DotTone = 'ok' | 'busy' | 'error' | 'off';

const dots: Readonly<Record<DotTone, string>> = {
  ok: 'border-in bg-in',
  busy: 'border-warn bg-[linear-gradient(90deg,var(--warn)_50%,transparent_50%)]',
  error: 'border-err bg-err',
  off: 'border-faint',
};

/** A status dot. Always put the status in words beside it. */
export function StatusDot({ tone }: { readonly tone: DotTone }) {
  return <span aria-hidden className={cx('size-2 shrink-0 rounded-full border-[1.5px]', dots[tone])} />;
}
