import { faultOf } from '#model/connection.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { Finding } from '#shared/contract/checks.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { SeverityIcon, severityWords } from '../table/finding-mark.tsx';
import type { FindingsOfRow } from './use-findings.ts';

/** What the checks found wrong with a row, the first found first. */
export function FindingsList({
  sessionId,
  row,
  found: { findings, failure },
  onShow,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly found: FindingsOfRow;
  /** Goes to the value in the message; null where there is no message to go to. */
  readonly onShow: ((pointer: string) => void) | null;
}) {
  if (failure !== null) return <FaultCard fault={faultOf(failure)} className="m-2" />;
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
  // Its pointer is into the first of its rows.
  const isHere = onShow !== null && rows[0] === row;
  const others = rows.filter((other) => other !== row);
  return (
    <div className="min-w-0 flex-1">
      <PlainText text={text} />
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-mute">
        <span>{severityWords[severity]}</span>
        <span className="mono text-sm">{rule}</span>
        {revision !== null && <span>revision {revision}</span>}
        {others.map((other) => (
          <span key={other}>
            rests on <RowLink row={other} onOpen={() => selectTraceRow(sessionId, other)} /> too
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
