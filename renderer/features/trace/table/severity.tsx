import { CircleX, Info, TriangleAlert } from 'lucide-react';
import type { FindingSeverity, TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { isInvalid } from './row-labels.ts';

/** Each severity has its own shape, because colour alone must not carry meaning. */
const marks = {
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
  const { Icon, tone } = marks[severity];
  return <Icon aria-hidden className={cx('shrink-0', tone, className)} />;
}

/** Marks a row with findings, or one that is invalid on its channel. */
export function FindingMark({ row }: { readonly row: TraceRow }) {
  const { finding } = row;
  if (finding !== null) {
    const { Icon, tone, label } = marks[finding];
    return <Icon role="img" aria-label={label} className={cx('size-3', tone)} />;
  }
  return isInvalid(row) && <TriangleAlert role="img" aria-label="not valid" className="size-3 text-warn" />;
}
