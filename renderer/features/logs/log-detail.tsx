import { X } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { instantInFull } from '#model/trace-clock.ts';
import { useCalls } from '#model/calls.ts';
import { faultOf } from '#model/faults.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { memberText } from '#shared/json/members.ts';
import { IconButton } from '#ui/button.tsx';
import { type Fact, Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { useSignal } from '#ui/frame-signal.ts';
import { JsonTree } from '#ui/json-view/json-tree.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { LevelWord } from './log-list.tsx';
import type { LogView } from './log-view.ts';

/** The selected message: its data as a tree, its row, and the call it belongs to. */
export function LogDetail({
  view,
  onClose,
  ref,
}: {
  readonly view: LogView;
  readonly onClose: () => void;
  readonly ref: Ref<HTMLElement>;
}) {
  useSignal(view.signal);
  const { detail } = view.detail;
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-label="Log message"
      onKeyDown={(press) => {
        if (press.key === 'Escape' && !press.defaultPrevented) onClose();
      }}
      className="flex h-full min-h-0 flex-col overflow-y-auto outline-none"
    >
      <div className="flex h-[34px] shrink-0 items-center gap-2 border-b border-line pr-1 pl-3">
        <h3 className="mono min-w-0 flex-1 truncate">{detail && <LevelWord row={detail.row} />}</h3>
        <IconButton size="small" label="Close the message" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {view.detail.error !== null && <FaultCard fault={faultOf(view.detail.error)} className="m-2" />}
      {detail && <Message view={view} detail={detail} />}
    </section>
  );
}

function Message({ view, detail }: { readonly view: LogView; readonly detail: RowDetail }) {
  const { clock, sessionId } = view;
  const { row } = detail;
  const link = (to: number) => <RowLink row={to} onOpen={() => selectTraceRow(sessionId, to)} />;
  const facts: (Fact | null)[] = [
    row.logger === null
      ? null
      : { name: 'Logger', value: <span className="mono">{visibleLine(row.logger)}</span> },
    clock && { name: 'Time', value: <span className="mono">{instantInFull(clock, row.at)}</span> },
    { name: 'Row', value: link(row.row) },
    row.kind === 'stderr'
      ? null
      : { name: 'Call', value: <Origin sessionId={sessionId} detail={detail} link={link} /> },
  ];
  return (
    <div className="px-3 py-2">
      <Facts facts={facts} />
      <h4 className="caption mt-3 mb-1">{row.kind === 'stderr' ? 'Text' : 'Data'}</h4>
      <Data detail={detail} />
    </div>
  );
}

/**
 * The call that a message belongs to: the one of its HTTP exchange, on stdio the only one that was waiting. Several that
 * waited are all named.
 */
function Origin({
  sessionId,
  detail: { row, parent, exchange },
  link,
}: {
  readonly sessionId: string;
  readonly detail: RowDetail;
  readonly link: (row: number) => ReactNode;
}) {
  const { calls } = useCalls(sessionId);
  if (parent !== null) {
    return (
      <>
        <span className="mono">{visibleLine(`${parent.method ?? ''} ${parent.summary}`.trim())}</span>{' '}
        {link(parent.row)}
      </>
    );
  }
  const waiting = exchange === null ? calls.filter((one) => isUnderWay(one, row.row)) : [];
  if (waiting.length > 0) {
    return (
      <>
        one of{' '}
        {waiting.map(({ id, tool, method, requestRow }) => (
          <span key={id} className="mr-2 whitespace-nowrap">
            <span className="mono">{visibleLine(tool ?? method)}</span>{' '}
            {requestRow !== null && link(requestRow)}
          </span>
        ))}
      </>
    );
  }
  if (exchange === null) return <span className="text-mute">none was under way</span>;
  return (
    <>
      <span className="text-mute">not that of a call: came by exchange</span> {link(exchange.row)}
    </>
  );
}

/** Whether a request of the call waited for its response when a row arrived. */
const isUnderWay = ({ rounds }: Call, row: number): boolean =>
  rounds.some(
    ({ requestRow, responseRow }) => requestRow < row && (responseRow === null || responseRow > row),
  );

/** The data as a tree; a text as its lines. */
function Data({ detail: { text, truncated, row } }: { readonly detail: RowDetail }) {
  if (text === null) return null;
  if (row.kind === 'stderr') return <PlainText text={text} className="mono" />;
  if (truncated) return <p className="text-mute">Too long to be shown here: open its row in the trace.</p>;
  const data = memberText(text, ['params', 'data']);
  if (data === null) return <p className="text-warn">The message has no data.</p>;
  const value = stringIn(data);
  return value === null ? <JsonTree raw={data} label="Data" /> : <PlainText text={value} className="mono" />;
}

/** The string that a JSON text is; null for any other value. */
function stringIn(json: string): string | null {
  if (!json.startsWith('"')) return null;
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : null;
}
