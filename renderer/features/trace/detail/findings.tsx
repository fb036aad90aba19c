import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { Finding } from '#shared/contract/checks.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { formatCount } from '#shared/format.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { SeverityIcon, severityLabels } from '#ui/severity.tsx';

interface FindingsOfRow {
  /** Empty until they have arrived. */
  readonly findings: readonly Finding[];
  /** Why they could not be read. */
  readonly error: unknown;
}

/** The findings of a row; read again with its detail, because a later message may add one. */
export function useFindings(sessionId: string, detail: RowDetail): FindingsOfRow {
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (detail.row.finding === null) return;
    let isCurrent = true;
    const take = (answer: FindingsOfRow) => {
      if (isCurrent) setFound(answer);
    };
    call('checks/of-row', { sessionId, row: detail.row.row }).then(
      (findings) => take({ findings, error: null }),
      (error: unknown) => take({ findings: [], error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [sessionId, detail]);
  return found;
}

/** The label of the tab: the worst severity and, once they have arrived, the number of findings. */
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

/** The findings of a row, in the order of the checks. */
export function FindingsList({
  sessionId,
  row,
  found: { findings, error },
  onShow,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly found: FindingsOfRow;
  /** Goes to the value in the message; null without a message. */
  readonly onShow: ((pointer: string) => void) | null;
}) {
  if (error !== null) return <FaultCard fault={faultOf(error)} className="m-2" />;
  return (
    <ul aria-label="Findings" className="divide-y divide-line">
      {findings.map((finding) => (
        <li key={finding.id} className="flex gap-2 px-3 py-2">
          <SeverityIcon severity={finding.severity} className="mt-0.5 size-3.5" />
          <FindingText sessionId={sessionId} row={row} finding={finding} onShow={onShow} />
        </li>
      ))}
    </ul>
  );
}

function FindingText({
  sessionId,
  row,
  finding: { rule, severity, text, pointer, revision, rows },
  onShow,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly finding: Finding;
  readonly onShow: ((pointer: string) => void) | null;
}) {
  // The pointer is into the first of the rows.
  const isHere = onShow !== null && rows[0] === row;
  const others = rows.filter((other) => other !== row);
  return (
    <div className="min-w-0 flex-1">
      <PlainText text={text} />
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-mute">
        <span>{severityLabels[severity]}</span>
        <span className="mono text-sm">{rule}</span>
        {revision !== null && <span>revision {revision}</span>}
        {others.map((other) => (
          <span key={other}>
            also concerns <RowLink row={other} onOpen={() => selectTraceRow(sessionId, other)} />
          </span>
        ))}
      </p>
      {pointer !== null && (
        <div className="flex items-center gap-1 text-sm">
          <span className="text-faint">at</span>
          {isHere ? (
            <button
              type="button"
              title="Go there in the message"
              onClick={() => onShow(pointer)}
              className="mono min-w-0 text-left text-sm text-key underline-offset-2 hover:underline"
            >
              <PlainText text={pointer === '' ? 'the whole message' : pointer} inline />
            </button>
          ) : (
            <PlainText text={pointer} inline className="mono min-w-0 text-sm" />
          )}
          <CopyButton text={pointer} label="Copy the JSON pointer" />
        </div>
      )}
    </div>
  );
}

const none: FindingsOfRow = { findings: [], error: null };
