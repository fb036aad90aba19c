import { Bookmark, ChevronRight, NotebookPen } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes, formatClock, formatDuration, formatUptime } from '#shared/format.ts';
import type { Channel } from '#shared/trace/record.ts';
import { type Fold, type ResponseMode, rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import { cx } from '#ui/cx.ts';
import { DirectionArrow } from '#ui/direction-arrow.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { ColumnName } from './column-plan.ts';
import { FindingMark } from './severity.tsx';
import {
  askLabel,
  foldLabel,
  responseModeLabels,
  toneClasses,
  barTone,
  isResponse,
  isCarried,
  isInvalid,
  methodLabel,
  statusLabel,
  type Tone,
  type Label,
  statusTone,
} from './row-labels.ts';
import { type Clock, instantInFull, sinceStart, timeOfDay, wallTime } from '#model/trace-clock.ts';
import { FINE_SECONDS, PAUSE_WIDTH, type Bar } from './row-times.ts';

export interface CellContext {
  /** Null until the engine has sent it. */
  readonly clock: Clock | null;
  readonly times: 'wall' | 'relative';
  /** Microseconds since the row above; null when unknown. */
  readonly gap: number | null;
  /** The response folded into the row of a call. */
  readonly response: TraceRow | undefined;
  /** The exchange that carried the row, once it is known. */
  readonly carrier: TraceRow | undefined;
  /** Microseconds that the row has waited for its response so far; null when it is not waiting. */
  readonly waited: number | null;
  readonly bar: Bar;
  /** Microseconds of the pause before the row that the waterfall omits; null for none. */
  readonly pause: number | null;
}

interface Column {
  /** The label in the head of the table. */
  readonly label: string;
  /** The label in the menu, which has more room. */
  readonly title: string;
  /** Set if the label is for screen readers only. */
  readonly isLabelHidden?: true;
  /** Set for numbers, which are right-aligned. */
  readonly isFigure?: true;
  readonly className?: string;
  readonly cell: (row: TraceRow, context: CellContext) => ReactNode;
}

/** The label and the cell of each column. */
export const columns: Readonly<Record<ColumnName, Column>> = {
  number: {
    label: '#',
    title: 'Number',
    className: 'text-faint',
    cell: (row) => <RowNumber row={row} />,
  },
  time: {
    label: 'time',
    title: 'Time',
    className: 'text-mute',
    cell: ({ at }, { clock, times }) => clock && <Time clock={clock} at={at} times={times} />,
  },
  gap: {
    label: 'gap',
    title: 'Gap to the row above',
    isFigure: true,
    className: 'text-mute',
    cell: (_, { gap }) => gap !== null && `+${formatDuration(gap)}`,
  },
  direction: {
    label: 'direction',
    title: 'Direction',
    isLabelHidden: true,
    cell: (row) => row.direction && <DirectionArrow direction={row.direction} isInvalid={isInvalid(row)} />,
  },
  method: { label: 'method', title: 'Method', cell: (row) => <Method row={row} /> },
  name: { label: 'name', title: 'Name', className: 'text-mute', cell: (row) => <Summary row={row} /> },
  id: {
    label: 'id',
    title: 'Id',
    className: 'text-faint',
    cell: ({ id }) => id !== null && <span title={idHint(id)}>id {visibleLine(id)}</span>,
  },
  status: { label: 'status', title: 'Status', cell: (row) => <LabelText label={statusLabel(row)} /> },
  duration: {
    label: 'duration',
    title: 'Duration',
    isFigure: true,
    cell: ({ duration }, { waited }) => {
      if (duration !== null) return formatDuration(duration);
      if (waited === null) return null;
      return (
        <span className="text-warn" title="So far: still waiting for the response">
          {formatWaited(waited)}
        </span>
      );
    },
  },
  size: {
    label: 'size',
    title: 'Size',
    isFigure: true,
    className: 'text-mute',
    cell: (row, { response }) => <Size row={row} response={response} />,
  },
  transport: {
    label: 'transport',
    title: 'Transport',
    className: 'text-mute',
    cell: (row, { carrier }) => <Transport row={row} carrier={carrier} />,
  },
  finding: {
    label: 'problem',
    title: 'Findings',
    isLabelHidden: true,
    cell: (row) => <FindingMark row={row} />,
  },
  mark: {
    label: 'mark',
    title: 'Mark',
    isLabelHidden: true,
    cell: ({ mark }) => mark !== null && <NoteMark note={mark} />,
  },
  waterfall: {
    label: 'waterfall',
    title: 'Waterfall',
    cell: (row, context) => <WaterfallBar row={row} context={context} />,
  },
};

/**
 * How many columns each cell of a row takes, so that a text is not cut beside empty cells; 0 for those that another takes.
 *
 * @param names the columns of the table
 */
export function cellSpans(row: TraceRow, names: readonly ColumnName[], waited: number | null): number[] {
  const spans = names.map(() => 1);
  for (const [order, name] of names.entries()) {
    if (spans[order] === 0 || !extending.has(name)) continue;
    const next = names.findIndex((other, place) => place > order && !isEmpty[other]?.(row, waited));
    const end = next === -1 ? names.length : next;
    spans[order] = end - order;
    spans.fill(0, order + 1, end);
  }
  return spans;
}

const extending: ReadonlySet<ColumnName> = new Set(['method', 'name', 'status']);

/** Columns that others may take if they are empty. */
const isEmpty: Partial<Record<ColumnName, (row: TraceRow, waited: number | null) => boolean>> = {
  name: (row) => !hasName(row),
  id: ({ id }) => id === null,
  // How a process or a phase failed is its name.
  status: (row) => statusLabel(row).text === '' || row.kind === 'process' || row.kind === 'phase',
  duration: ({ duration }, waited) => duration === null && waited === null,
};

/** Whether the column of the name says anything about a row. */
export const hasName = (row: TraceRow): boolean =>
  summaryText(row) !== '' ||
  (row.paramsPreview ?? '') !== '' ||
  row.serverEnd !== undefined ||
  row.fold !== undefined ||
  row.responseMode !== null ||
  row.batch > 1 ||
  row.replayed;

/** Characters of a method. */
export const methodLengthOf = (row: TraceRow): number => methodLabel(row).text.length;

/** A response without a summary shows the method it answers. */
const summaryText = (row: TraceRow): string =>
  row.summary || (isResponse(row) ? (row.method ?? '') : askLabel(row));

/** Tenths of a second, as often as waiting rows are updated: finer digits would only flicker. */
const formatWaited = (waited: number): string => {
  const seconds = waited / 1_000_000;
  return seconds < 60 ? `${seconds.toFixed(seconds < FINE_SECONDS ? 1 : 0)} s` : formatUptime(waited / 1000);
};

/** The number of a row, with a sign that it can be opened if something is folded into it. */
function RowNumber({ row: { row, fold } }: { readonly row: TraceRow }) {
  return (
    <>
      {fold !== undefined && (
        <span aria-hidden data-fold={row} className="trace-fold">
          <ChevronRight className={cx('size-2.5', fold.isOpen && 'rotate-90')} />
        </span>
      )}
      {rowNumber(row)}
    </>
  );
}

function LabelText({ label: { text, tone, hint } }: { readonly label: Label }) {
  return (
    <span className={toneClasses[tone]} title={hint ?? text}>
      {visibleLine(text)}
    </span>
  );
}

/** The method; its tooltip names the HTTP exchange that carried the row. */
function Method({ row }: { readonly row: TraceRow }) {
  const label = methodLabel(row);
  if (!isCarried(row)) return <LabelText label={label} />;
  const hint = `${label.hint ?? label.text}, in HTTP exchange ${rowNumber(row.exchange)} (E)`;
  return <LabelText label={{ ...label, hint }} />;
}

function Time({
  clock,
  at,
  times,
}: {
  readonly clock: Clock;
  readonly at: number;
  readonly times: CellContext['times'];
}) {
  const { toSecond, milliseconds } = timeOfDay(clock, at);
  return (
    <span title={instantInFull(clock, at)}>
      {times === 'relative' ? (
        sinceStart(clock, at)
      ) : (
        <>
          {toSecond}
          <span className="trace-milliseconds">{milliseconds}</span>
        </>
      )}
    </span>
  );
}

function Summary({ row }: { readonly row: TraceRow }) {
  const summary = visibleLine(summaryText(row));
  const ended = visibleLine(row.serverEnd ?? '');
  const folded = row.fold === undefined ? '' : ` ${foldLabel(row, row.fold)} (F)`;
  const params = visibleLine(row.paramsPreview ?? '');
  const hint = [`${summary}${folded}`.trim(), params, ended].filter(Boolean).join('\n');
  return (
    <span title={hint}>
      {row.batch > 1 && row.kind !== 'held-back' && (
        <span className="text-faint">
          {row.position + 1}/{row.batch}{' '}
        </span>
      )}
      {row.replayed && (
        <span className="text-warn" title={REPLAYED}>
          replayed{' '}
        </span>
      )}
      {row.fold !== undefined && !isNamedFirst(row) && (
        <FoldLabel row={row} fold={row.fold} className="mr-1.5" />
      )}
      {summary}
      {row.serverEnd !== undefined && (
        <>
          <span className="text-faint"> · </span>
          <span className="text-warn">{visibleLine(row.serverEnd)}</span>
        </>
      )}
      {row.responseMode !== null && <ModeBadge mode={row.responseMode} />}
      {row.fold !== undefined && row.kind === 'phase' && <span className="text-faint"> ·</span>}
      {row.fold !== undefined && isNamedFirst(row) && (
        <FoldLabel row={row} fold={row.fold} className="ml-1.5" />
      )}
      {params !== '' && <Params text={params} isFirst={summary === ''} />}
    </span>
  );
}

/** What a message was made with: cut before its name is. */
function Params({ text, isFirst }: { readonly text: string; readonly isFirst: boolean }) {
  if (isFirst) return <span className="text-faint">{text}</span>;
  return <span className="ml-1 text-faint"> {text}</span>;
}

/** Whether what is folded into a row says less than its summary: the tool of a call, a phase. Of a stream it says more. */
const isNamedFirst = ({ kind }: TraceRow): boolean => kind === 'request' || kind === 'phase';

/** What is folded into a row. */
function FoldLabel({
  row,
  fold,
  className,
}: {
  readonly row: TraceRow;
  readonly fold: Fold;
  readonly className: string;
}) {
  return (
    <span data-fold={row.row} className={cx('trace-fold-label', className)}>
      {foldLabel(row, fold)}
    </span>
  );
}

const REPLAYED = 'Came on a stream that was resumed after an event (Last-Event-ID)';

/** Whether a response came as JSON or on an event stream. */
function ModeBadge({ mode }: { readonly mode: ResponseMode }) {
  const { text, hint } = responseModeLabels[mode];
  return (
    <span title={hint} className="ml-1.5 rounded-sm border border-line px-1 text-xs text-mute">
      {text}
    </span>
  );
}

/** The id with its JSON type: quotes are easily overlooked. */
const idHint = (id: string): string =>
  `${visibleLine(id)}, a JSON ${id.startsWith('"') ? 'string' : 'number'}`;

function Size({ row, response }: { readonly row: TraceRow; readonly response: TraceRow | undefined }) {
  if (row.size === 0) return null;
  if (response === undefined) return formatBytes(row.size);
  const [sent, received] = [formatBytes(row.size), formatBytes(response.size)];
  return (
    <span title={`${sent} sent, ${received} received`}>
      <span className="trace-sent">
        {sent} <span className="text-faint">→</span>{' '}
      </span>
      {received}
    </span>
  );
}

const barClasses: Readonly<Record<Tone, string>> = {
  plain: 'bg-text',
  mute: 'bg-mute',
  faint: 'bg-faint',
  in: 'bg-in',
  out: 'bg-out',
  warn: 'bg-warn',
  err: 'bg-err',
};

/** The bar of a row. Its tooltip has the real times, because the column omits pauses. */
function WaterfallBar({
  row,
  context: { bar, pause, clock },
}: {
  readonly row: TraceRow;
  readonly context: CellContext;
}) {
  const { left, width } = bar;
  const hint = [
    clock !== null && formatClock(wallTime(clock, row.at)),
    row.duration !== null && `took ${formatDuration(row.duration)}`,
    pause !== null && `after ${formatDuration(pause)} without traffic`,
  ];
  return (
    <span aria-hidden className="trace-waterfall" title={hint.filter(Boolean).join(', ')}>
      {pause !== null && left > 25 && (
        // Before the hatched pause, which the bar follows.
        <span className="trace-pause" style={{ right: `calc(${100 - left + PAUSE_WIDTH}% + 2px)` }}>
          {formatPause(pause)}
        </span>
      )}
      <span
        className={cx('trace-bar', barClasses[barTone(row)])}
        style={{ left: `min(${left}%, 100% - 2px)`, width: `${width}%` }}
      />
    </span>
  );
}

/** Without fractions: a label of a pause says how long, not when. */
const formatPause = (pause: number): string =>
  pause < 60_000_000 ? `${Math.round(pause / 1_000_000)} s` : formatUptime(pause / 1000);

/** The mark of a row: a bookmark, or a note with its text as the tooltip. */
function NoteMark({ note }: { readonly note: string }) {
  if (note === '') {
    return <Bookmark role="img" aria-label="bookmark" className="size-3 fill-current text-accent" />;
  }
  const text = visibleLine(note);
  return (
    <span title={text}>
      <NotebookPen role="img" aria-label={`note: ${text}`} className="size-3 text-accent" />
    </span>
  );
}

const channelHints: Readonly<Record<Channel, string>> = {
  stdin: 'Standard input of the server',
  stdout: 'Standard output of the server',
  http: 'Body of an HTTP request or response',
  sse: 'Event of a stream',
};

/** The channel of a row, and the HTTP exchange that carried it: `sse #12 200`. */
function Transport({
  row,
  carrier,
}: {
  readonly row: TraceRow;
  /** The exchange that carried it, once it is known. */
  readonly carrier: TraceRow | undefined;
}) {
  const { channel } = row;
  const exchange = isCarried(row) ? row.exchange : null;
  if (channel === null && exchange === null) return null;
  const code = carrier?.code ?? null;
  const hints = [
    channel !== null && channelHints[channel],
    exchange !== null && `HTTP exchange ${rowNumber(exchange)}`,
    code !== null && `${code} ${statusName(code)}`,
  ].filter(Boolean);
  return (
    <span title={hints.join(', ')}>
      {channel}
      {exchange !== null && <span className="text-faint"> {rowNumber(exchange)}</span>}
      {code !== null && <span className={toneClasses[statusTone(code)]}> {code}</span>}
    </span>
  );
}
