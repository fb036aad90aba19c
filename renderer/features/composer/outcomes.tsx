import { CircleCheck, CircleX, Clock, Send, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '#bridge';
import { clearSent, recallSent, type SentGroup, useSentGroups } from '#model/sent-messages.ts';
import { faultOf } from '#model/faults.ts';
import { selectTraceRow } from '#model/selection.ts';
import { isOpen, useSessions } from '#model/sessions.ts';
import { useQuery } from '#model/use-query.ts';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes, formatClock, formatDuration } from '#shared/format.ts';
import { rawTextOf } from '#shared/raw-text.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type Outcome, sentLabel, useOutcome, type OutcomeStatus, statusOf } from './outcome.ts';

/** Groups shown; the trace has them all. */
const MAX_GROUPS = 100;

/** What was sent from the composer in this session, the newest first, and what came back. */
export function Outcomes({
  sessionId,
  messageId,
}: {
  readonly sessionId: string;
  /** The message in the editor. */
  readonly messageId: number;
}) {
  const groups = useSentGroups(sessionId);
  const [shown, show] = useState<'all' | 'message'>('all');
  const [chosen, choose] = useState<number | null>(null);
  useEffect(() => {
    // A trace that cannot be read says so in its own place.
    recallSent(sessionId).catch(() => undefined);
  }, [sessionId]);
  const listed = groups
    .filter(
      ({ sent, fault }) =>
        shown === 'all' || fault !== null || sent.some((one) => one.messageId === messageId),
    )
    .slice(-MAX_GROUPS)
    .toReversed();
  const rows = listed.flatMap(({ sent }) => sent.map(({ row }) => row));
  const newest = listed[0]?.sent.at(-1)?.row ?? null;
  const [lastNewest, setLastNewest] = useState(newest);
  if (newest !== lastNewest) {
    // What was just sent is of interest now.
    setLastNewest(newest);
    choose(null);
  }
  const selected = chosen !== null && rows.includes(chosen) ? chosen : newest;
  const head = (
    <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-3">
      <h2 className="font-semibold">Outcomes</h2>
      <span className="text-xs text-faint">{rows.length}</span>
      <Segmented
        label="Which outcomes"
        value={shown}
        onChange={show}
        className="ml-auto"
        options={[
          { id: 'all', label: 'All' },
          { id: 'message', label: 'This message' },
        ]}
      />
      <Button size="small" disabled={groups.length === 0} onClick={() => clearSent(sessionId)}>
        Clear
      </Button>
    </div>
  );
  if (listed.length === 0) {
    return (
      <section aria-label="Outcomes" className="flex h-full min-h-0 flex-col">
        {head}
        <EmptyState icon={<Send />} title="Nothing sent yet">
          The response to each message appears here, with a link to its row in the trace.
        </EmptyState>
      </section>
    );
  }
  return (
    <section aria-label="Outcomes" className="flex h-full min-h-0 flex-col">
      {head}
      <Split id="composer-outcomes" direction="column" className="flex-1">
        <SplitPanel id="outcome-list" min={48}>
          <ol aria-label="Sent messages" className="min-h-0 flex-1 overflow-y-auto">
            {listed.map((group) => (
              <Group
                key={group.id}
                sessionId={sessionId}
                group={group}
                selected={selected}
                onSelect={choose}
              />
            ))}
          </ol>
        </SplitPanel>
        <SplitHandle label="Height of the response" />
        <SplitPanel id="outcome" size="50%" min={64}>
          {selected !== null && <Selected key={selected} sessionId={sessionId} row={selected} />}
        </SplitPanel>
      </Split>
    </section>
  );
}

function Group({
  sessionId,
  group: { at, label, sent, fault },
  selected,
  onSelect,
}: {
  readonly sessionId: string;
  readonly group: SentGroup;
  readonly selected: number | null;
  readonly onSelect: (row: number) => void;
}) {
  return (
    <li>
      <div className="flex items-center gap-2 border-b border-line bg-panel px-3 py-0.5 text-xs text-mute">
        <span className="mono">{formatClock(at).slice(0, 8)}</span>
        {label}
      </div>
      {fault !== null && <FaultCard fault={fault} className="m-2" />}
      <ul>
        {sent.map(({ row }) => (
          <OutcomeLine
            key={row}
            sessionId={sessionId}
            row={row}
            isSelected={row === selected}
            onSelect={() => onSelect(row)}
          />
        ))}
      </ul>
    </li>
  );
}

const marks = {
  ok: { Icon: CircleCheck, tone: 'text-in' },
  warn: { Icon: TriangleAlert, tone: 'text-warn' },
  error: { Icon: CircleX, tone: 'text-err' },
  waiting: { Icon: Clock, tone: 'text-mute' },
} as const satisfies Readonly<Record<OutcomeStatus['tone'], unknown>>;

function OutcomeLine({
  sessionId,
  row,
  isSelected,
  onSelect,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const outcome = useOutcome(sessionId, row);
  const line = useRef<HTMLButtonElement>(null);
  if (outcome === null) return <li aria-busy className="h-10" />;
  const status = statusOf(outcome);
  const { Icon, tone } = marks[status.tone];
  const [head] = outcome.messages;
  const made = head?.batch === 1 ? (head.paramsPreview ?? '') : '';
  const duration = durationOf(outcome);
  const pending = cancellable(outcome);
  return (
    <li
      className={cx(
        'relative flex items-start gap-2 border-b border-line px-3 py-1',
        isSelected ? 'bg-sel' : 'hover:bg-hover',
      )}
    >
      <Icon aria-hidden className={cx('mt-0.5 size-3.5 shrink-0', tone)} />
      <button
        ref={line}
        type="button"
        aria-pressed={isSelected}
        onClick={onSelect}
        className="min-w-0 flex-1 text-left outline-offset-1"
      >
        <span className="mono flex items-baseline gap-2">
          <span className="min-w-0 flex-1 truncate">
            {visibleLine(sentLabel(outcome))}
            {head?.id != null && head.batch === 1 && (
              <span className="text-mute"> id {visibleLine(head.id)}</span>
            )}
          </span>
          <span className={cx('shrink-0', tone)}>{status.text}</span>
          {/* A request that waits has a button there. */}
          {pending.length === 0 && (
            <span className="w-16 shrink-0 text-right text-mute">
              {duration === null ? '' : formatDuration(duration)}
            </span>
          )}
        </span>
        <span className="mono flex items-baseline gap-1.5 text-xs">
          <span className={cx('shrink-0 truncate text-mute', made === '' ? 'max-w-full' : 'max-w-3/5')}>
            {beneath(outcome)}
          </span>
          <ParamsPreview text={made} />
        </span>
      </button>
      {pending.length > 0 && (
        <Button
          size="small"
          aria-label={`Cancel ${visibleLine(sentLabel(outcome))}`}
          onClick={() => {
            // The button goes away with the request.
            line.current?.focus();
            reportFault(cancelAll(sessionId, pending));
          }}
        >
          Cancel
        </Button>
      )}
      <span className="flex shrink-0 flex-col items-end gap-0.5">
        <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
        {head?.composed === 'anyway' && <Chip tone="warn">anyway</Chip>}
      </span>
    </li>
  );
}

/** Rows of the requests that wait for their responses; `initialize` must not be cancelled (MCP 2025-06-18 cancellation). */
const cancellable = ({ messages }: Outcome): number[] =>
  messages
    .filter(
      ({ kind, status, method }) => kind === 'request' && status === 'pending' && method !== 'initialize',
    )
    .map(({ row }) => row);

/** Cancels requests in the way of the era: by a notification, or in the modern era over HTTP by closing the stream. */
async function cancelAll(sessionId: string, rows: readonly number[]): Promise<void> {
  for (const row of rows) {
    await call('calls/cancel-request', { sessionId, row }).catch((error: unknown) => {
      // The response may come first, and one closed stream cancels a whole batch.
      if (faultOf(error).code !== 'request-ended') throw error;
    });
  }
}

/** Microseconds to the last response, or to the end of the exchange. */
function durationOf({ messages, exchange }: Outcome): number | null {
  const own = messages.flatMap(({ duration }) => duration ?? []);
  return own.length > 0 ? Math.max(...own) : (exchange?.duration ?? null);
}

function beneath({ messages, responses, exchange }: Outcome): string {
  const [first] = responses;
  if (first === undefined) {
    if (exchange !== null && exchange.duration !== null) return 'no body';
    return messages[0]?.kind === 'request' ? visibleLine(messages[0].summary) : '';
  }
  return visibleLine(first.summary === '' ? formatBytes(first.size) : first.summary);
}

type View = 'response' | 'headers' | 'sent';

/** The response to one unit, and the unit as it was sent. */
function Selected({ sessionId, row }: { readonly sessionId: string; readonly row: number }) {
  const outcome = useOutcome(sessionId, row);
  const [view, setView] = useState<View>('response');
  if (outcome === null) return <div role="group" aria-busy aria-label="The outcome is loading" />;
  const views: readonly View[] =
    outcome.exchange === null ? ['response', 'sent'] : ['response', 'headers', 'sent'];
  const tab = views.includes(view) ? view : 'response';
  return (
    <Tabs
      label="Ways to look at the outcome"
      size="detail"
      tabs={views.map((id) => ({ id, label: labels[id] }))}
      value={tab}
      onChange={setView}
      className="h-full"
    >
      {views.map((id) => (
        <TabPanel key={id} id={id} className="overflow-auto px-3 py-2">
          {id === 'response' && <Responses sessionId={sessionId} outcome={outcome} />}
          {id === 'headers' && outcome.exchange !== null && (
            <Headers sessionId={sessionId} row={outcome.exchange.row} end={outcome.exchange.duration} />
          )}
          {id === 'sent' && <SentText sessionId={sessionId} row={row} />}
        </TabPanel>
      ))}
    </Tabs>
  );
}

const labels: Readonly<Record<View, string>> = { response: 'Response', headers: 'Headers', sent: 'Sent' };

function Responses({ sessionId, outcome }: { readonly sessionId: string; readonly outcome: Outcome }) {
  const { responses, messages, isSettled } = outcome;
  const hasEnded = useSessions(({ sessions }) => {
    const session = sessions[sessionId];
    return session !== undefined && !isOpen(session);
  });
  if (responses.length === 0) {
    const end = messages.find(({ serverEnd }) => serverEnd !== undefined)?.serverEnd;
    if (end !== undefined) return <PlainText text={`No response: ${end}`} />;
    if (isSettled) return <p className="text-mute">{noResponse(outcome)}</p>;
    const why = hasEnded ? 'No response: the session has ended.' : 'No response so far.';
    return <p className="text-mute">{why}</p>;
  }
  return (
    <>
      {responses.map((one) => (
        <div key={one.row} className="mb-2">
          {responses.length > 1 && (
            <p className="text-xs text-mute">
              <RowLink row={one.row} onOpen={() => selectTraceRow(sessionId, one.row)} />
            </p>
          )}
          <RowText sessionId={sessionId} row={one.row} />
        </div>
      ))}
    </>
  );
}

function noResponse({ exchange, messages }: Outcome): string {
  if (exchange !== null) return 'The response had no body.';
  return messages[0]?.kind === 'request' ? 'The request has no response.' : 'Nothing answers this message.';
}

/** What was sent, all messages of a batch. */
function SentText({ sessionId, row }: { readonly sessionId: string; readonly row: number }) {
  const { result } = useQuery(`${sessionId} ${row}`, () =>
    call('trace/bytes', { sessionId, row, from: 0, count: MAX_BYTES_PER_READ }),
  );
  if (result === null) return <div role="group" aria-busy aria-label="The text is loading" />;
  const bytes = Uint8Array.from(atob(result.base64), (char) => char.charCodeAt(0));
  return (
    <>
      <p className="mb-1 text-xs text-mute">{formatBytes(result.total)}</p>
      <JsonText raw={rawTextOf(bytes)} isCut={result.total > bytes.length} />
    </>
  );
}

/** The text of a row. */
function RowText({ sessionId, row }: { readonly sessionId: string; readonly row: number }) {
  const detail = useDetail(sessionId, row, '');
  if (detail === null) return <div role="group" aria-busy aria-label="The text is loading" />;
  const { text, truncated, encoding } = detail;
  if (text === null || encoding === 'base64') {
    return <p className="text-mute">These bytes are not UTF-8. The row of the trace shows them.</p>;
  }
  return <JsonText raw={text} isCut={truncated} />;
}

function Headers({
  sessionId,
  row,
  end,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly end: number | null;
}) {
  const detail = useDetail(sessionId, row, String(end));
  if (detail?.exchange == null) return <div role="group" aria-busy aria-label="The headers are loading" />;
  const { request, responses } = detail.exchange;
  const last = responses.at(-1);
  return (
    <>
      {last !== undefined && (
        <>
          <p className="mono mb-1">
            {last.status} {visibleLine(last.reason)}
          </p>
          <HeaderLines label="Response headers" lines={last.headers} />
        </>
      )}
      <p className="mono mt-2 mb-1">
        {request.method} {visibleLine(request.url)}
      </p>
      <HeaderLines label="Request headers" lines={request.headers} />
    </>
  );
}

function HeaderLines({
  label,
  lines,
}: {
  readonly label: string;
  readonly lines: readonly (readonly [string, string])[];
}) {
  return (
    <ul aria-label={label} className="mono">
      {lines.map(([name, value], index) => (
        <li key={`${index} ${name}`} className="wrap-anywhere">
          <PlainText inline text={name} className="text-key" />: <PlainText inline text={value} />
        </li>
      ))}
    </ul>
  );
}

/** @param version changes when the row may have changed */
const useDetail = (sessionId: string, row: number, version: string): RowDetail | null =>
  useQuery(`${sessionId} ${row} ${version}`, () => call('trace/detail', { sessionId, row })).result;
