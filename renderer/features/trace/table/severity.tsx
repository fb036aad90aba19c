import { TriangleAlert } from 'lucide-react';
import type { TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { severityMarks } from '#ui/severity.tsx';
import { isInvalid } from './row-labels.ts';

/** Marks a row with findings, or one that is invalid on its channel. */
export function FindingMark({ row }: { readonly row: TraceRow }) {
  const { finding } = row;
  if (finding !== null) {
    const { Icon, tone, label } = severityMarks[finding];
    return <Icon role="img" aria-label={label} className={cx('size-3', tone)} />;
  }
  return isInvalid(row) && <TriangleAlert role="img" aria-label="not valid" className="size-3 text-warn" />;
}
