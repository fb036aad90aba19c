import { Fragment, type ReactNode } from 'react';
import { timeLeftLabel, useTimeLeft } from '#model/calls.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { type ResponseMode, rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { formatBytes, formatCount, formatDuration } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { Measures } from '#ui/measures.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { shortcutLabel } from '#ui/shortcut.ts';
import { visibleLine } from '#ui/visible.ts';
import { EXCHANGE_KEYS } from '../trace-commands.tsx';
import {
  isResponse,
  isCarried,
  methodLabel,
  responseModeLabels,
  responseModeOf,
  statusLabel,
} from '../table/row-labels.ts';
import { type Clock, instantParts } from '#model/trace-clock.ts';
import { BookmarkButton } from '../selection/marks.tsx';

/** What the row is and how it relates to others: `#12391 ← answers #12377 · id 18`, and how long it took, its size and its time. */
export function RowFacts({
  sessionId,
  detail,
  clock,
  halfSwitch,
}: {
  readonly sessionId: string;
  readonly detail: RowDetail;
  readonly clock: Clock | null;
  /** Null for rows without another half. */
  readonly halfSwitch: ReactNode;
}) {
  const { row } = detail;
  const mode = responseModeOf(row);
  const timeLeft = useTimeLeft(sessionId, isPending(row) ? row.row : null);
  const link = (target: number) => <LinkTo sessionId={sessionId} row={target} />;
  const facts: ReactNode[] = [
    <>
      <span className="text-text">{rowNumber(row.row)}</span> {arrowOf(row)} {relation(detail, link)}
    </>,
    timeLeft !== null && (
      <span key="time-left" role="timer">
        {timeLeftLabel(timeLeft)}
      </span>
    ),
    row.id !== null && `id ${visibleLine(row.id)}`,
    row.batch > 1 && batchFact(row),
    row.automatic && !row.probe && 'sent automatically',
    row.probe && 'sent to detect the era',
    mode !== null && <ModeFact key="mode" mode={mode} />,
    row.replayed && 'replayed: its stream was resumed with Last-Event-ID',
    row.composed === 'sent' && 'composed',
    row.composed === 'anyway' && 'composed, sent anyway',
    isCarried(row) && <ExchangeLink key="exchange" sessionId={sessionId} exchange={row.exchange} />,
    ...eventFacts(detail),
  ].filter(Boolean);
  const measures = [
    row.duration === null ? '' : formatDuration(row.duration),
    row.size > 0 ? formatBytes(row.size) : '',
    ...(clock === null ? [] : instantParts(clock, row.at)),
  ].filter((measure) => measure !== '');
  return (
    <div className="mono flex flex-col gap-0.5 border-b border-line px-3 py-1.5 text-mute">
      <p className="[overflow-wrap:anywhere] leading-[1.6]">
        {facts.map((fact, index) => (
          <Fragment key={index}>
            {index > 0 && ' '}
            <span>
              {fact}
              {index < facts.length - 1 && <span className="text-faint"> ·</span>}
            </span>
          </Fragment>
        ))}
      </p>
      <div className="flex items-center gap-2">
        <Measures measures={measures} className="min-w-0 text-faint" />
        <div className="-mr-1.5 ml-auto flex shrink-0 items-center gap-1">
          {halfSwitch}
          <BookmarkButton sessionId={sessionId} row={row} />
        </div>
      </div>
    </div>
  );
}

const ModeFact = ({ mode }: { readonly mode: ResponseMode }) => (
  <span title={responseModeLabels[mode].hint}>
    <Chip>{responseModeLabels[mode].text}</Chip>
  </span>
);

/** A request of ours without a response; whether its session still waits for it is for the engine to say. */
const isPending = ({ kind, direction, status }: TraceRow): boolean =>
  kind === 'request' && direction === 'out' && status === 'pending';

/** The fields of a stream event, as the server wrote them. */
function eventFacts({ sse }: RowDetail): ReactNode[] {
  if (sse === null) return [];
  const { name, id, retry, unframed } = sse;
  return [
    name !== undefined && `event ${visibleLine(name)}`,
    id !== undefined && (id === '' ? 'empty event id' : `event id ${visibleLine(id)}`),
    retry !== undefined && `retry ${retry} ms`,
    unframed !== undefined && 'the raw event is too long to show',
  ];
}

/** The number of a row; a click selects it. */
const LinkTo = ({
  sessionId,
  row,
  hint,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly hint?: string;
}) => (
  <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} {...(hint !== undefined && { hint })} />
);

const ExchangeLink = ({ sessionId, exchange }: { readonly sessionId: string; readonly exchange: number }) => (
  <>
    HTTP{' '}
    <LinkTo
      sessionId={sessionId}
      row={exchange}
      hint={`Go to its HTTP exchange (${shortcutLabel(EXCHANGE_KEYS)}, or E in the table)`}
    />
  </>
);

const arrowOf = ({ direction }: TraceRow): string =>
  direction === null ? '' : direction === 'out' ? '→' : '←';

function relation({ row, pair, parent }: RowDetail, link: (row: number) => ReactNode): ReactNode {
  if (isResponse(row)) {
    return pair === null ? 'matches no open request' : <>answers {link(pair.row)}</>;
  }
  const what = visibleLine(methodLabel(row).text);
  if (row.kind === 'request') {
    const answer = pair === null ? statusLabel(row).text : <>answered by {link(pair.row)}</>;
    return (
      <>
        {what} <span className="text-faint">·</span> {answer}
      </>
    );
  }
  if (row.kind === 'http') {
    return (
      <>
        {what} <span className="text-faint">·</span> {statusLabel(row).text}
        {parent && <> · redirected from {link(parent.row)}</>}
      </>
    );
  }
  if (parent === null) return what;
  const word = row.method === 'notifications/cancelled' ? 'cancels' : 'belongs to';
  return (
    <>
      {what} <span className="text-faint">·</span> {word} {link(parent.row)}
    </>
  );
}

const batchFact = ({ kind, position, batch }: TraceRow): string =>
  kind === 'held-back'
    ? `${formatCount(position + 1)} to ${formatCount(batch)} in a batch`
    : `${position + 1} of ${batch} in a batch`;
