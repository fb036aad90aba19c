import type { RowDetail } from '#shared/contract/trace.ts';
import { formatCount } from '#shared/format.ts';
import { SeverityIcon } from '../table/finding-mark.tsx';
import type { FindingsOfRow } from './use-findings.ts';

/** What stands on the tab: the worst of the findings and, once they have come, how many there are. */
export function FindingsLabel({
  detail,
  found,
}: {
  readonly detail: RowDetail;
  readonly found: FindingsOfRow;
}) {
  const { finding } = detail.row;
  const count = found.findings.length;
  return (
    <>
      {finding !== null && <SeverityIcon severity={finding} className="size-3.5" />}
      {count === 0 ? (
        <span className="sr-only">Findings</span>
      ) : (
        <>
          {formatCount(count)} <span className="sr-only">{count === 1 ? 'finding' : 'findings'}</span>
        </>
      )}
    </>
  );
}
