import { ShieldAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '#ui/cx.ts';

/** Something to look out for before answering. */
export function Warning({
  tone,
  children,
}: {
  readonly tone: 'warn' | 'danger';
  readonly children: ReactNode;
}) {
  const Icon = tone === 'danger' ? ShieldAlert : TriangleAlert;
  return (
    <div
      role="note"
      className={cx(
        'mt-2 flex items-start gap-1.5 rounded-ui border border-l-2 bg-panel px-2.5 py-1.5 text-sm',
        tone === 'danger' ? 'border-err text-err' : 'border-line border-l-warn',
      )}
    >
      <Icon aria-hidden className={cx('mt-[3px] size-3 shrink-0', tone === 'warn' && 'text-warn')} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
