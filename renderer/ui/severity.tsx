import { CircleX, Info, TriangleAlert } from 'lucide-react';
import type { FindingSeverity } from '#shared/trace/row.ts';
import { cx } from './cx.ts';

/** Each severity has its own shape, because colour alone must not carry meaning. */
export const severityMarks = {
  error: { Icon: CircleX, tone: 'text-err', label: 'error found' },
  warning: { Icon: TriangleAlert, tone: 'text-warn', label: 'warning found' },
  info: { Icon: Info, tone: 'text-mute', label: 'note found' },
} as const satisfies Readonly<Record<FindingSeverity, unknown>>;

export const severityLabels: Readonly<Record<FindingSeverity, string>> = {
  error: 'Error',
  warning: 'Warning',
  info: 'Note',
};

/** The icon of a severity. Decorative: the text beside it says the same. */
export function SeverityIcon({
  severity,
  className,
}: {
  readonly severity: FindingSeverity;
  readonly className?: string;
}) {
  const { Icon, tone } = severityMarks[severity];
  return <Icon aria-hidden className={cx('shrink-0', tone, className)} />;
}
