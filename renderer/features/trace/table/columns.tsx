import type { ReactNode } from 'react';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { formatBytes, formatDuration } from '#shared/format.ts';
import { visibleLine } from '#ui/visible.ts';
import { RowMark } from './finding-mark.tsx';
import {
  barTone,
  isAnswer,
  isCarried,
  isInvalid,
  methodWords,
  statusOf,
  type Tone,
  type Words,
} from './row-words.ts';
import { type Clock, instantInFull, timeOfDay } from './trace-clock.ts';
import type { Bar } from './waterfall.ts';

export interface CellContext {
  /** Null until the engine has told it. */
  readonly clock: Clock | null;
  readonly bar: Bar;
}

export interface Column {
  /** Its class in the style sheet is `cell-` and this; there stands its width and when it gives way. */
  readonly name: string;
  readonly label: string;
  /** The label is for screen readers alone. */
  readonly isLabelHidden?: true;
  readonly className?: string;
  readonly cell: (row: TraceRow, context: CellContext) => ReactNode;
}

/** The columns of the table, from left to right. */
export const columns: readonly Column[] = [
  { name: 'number', label: '#', className: 'text-faint', cell: ({ row }) => rowNumber(row).slice(1) },
  {
    name: 'time',
    label: 'time',
    className: 'text-mute',
    cell: ({ at }, { clock }) => clock && <Time clock={clock} at={at} />,
  },
  { name: 'direction', label: 'direction', isLabelHidden: true, cell: (row) => <Direction row={row} /> },
  { name: 'method', label: 'method', cell: (row) => <Method row={row} /> },
  { name: 'name', label: 'name', className: 'text-mute', cell: (row) => <Summary row={row} /> },
  { name: 'id', label: 'id', className: 'text-faint', cell: ({ id }) => id !== null && visibleLine(id) },
  { name: 'status', label: 'status', cell: (row) => <Say words={statusOf(row)} /> },
  {
    name: 'duration',
    label: 'duration',
    cell: ({ duration }) => duration !== null && formatDuration(duration),
  },
  { name: 'size', label: 'size', className: 'text-mute', cell: ({ size }) => size > 0 && formatBytes(size) },
  {
    name: 'mark',
    label: 'problem',
    isLabelHidden: true,
    cell: (row) => <RowMark row={row} />,
  },
  { name: 'waterfall', label: 'waterfall', cell: (row, { bar }) => <WaterfallBar row={row} bar={bar} /> },
];

export const toneClasses: Readonly<Record<Tone, string>> = {
  plain: 'text-text',
  mute: 'text-mute',
  faint: 'text-faint',
  in: 'text-in',
  out: 'text-out',
  warn: 'text-warn',
  err: 'text-err',
};

function Say({ words: { text, tone, hint } }: { readonly words: Words }) {
  return (
    <span className={toneClasses[tone]} title={hint ?? text}>
      {visibleLine(text)}
    </span>
  );
}

/** The method; its tooltip names the HTTP exchange that carried the row. */
function Method({ row }: { readonly row: TraceRow }) {
  const words = methodWords(row);
  if (!isCarried(row)) return <Say words={words} />;
  const hint = `${words.hint ?? words.text}, in HTTP exchange ${rowNumber(row.exchange)} (E)`;
  return <Say words={{ ...words, hint }} />;
}

function Time({ clock, at }: { readonly clock: Clock; readonly at: number }) {
  const { hour, rest } = timeOfDay(clock, at);
  return (
    <span title={instantInFull(clock, at)}>
      <span className="trace-hour">{hour}</span>
      {rest}
    </span>
  );
}

const directions = {
  out: { arrow: '→', label: 'to the server', tone: 'text-out' },
  in: { arrow: '←', label: 'from the server', tone: 'text-in' },
} as const;

function Direction({ row }: { readonly row: TraceRow }) {
  if (row.direction === null) return null;
  const { arrow, label, tone } = directions[row.direction];
  return (
    <span role="img" aria-label={label} className={isInvalid(row) ? 'text-warn' : tone}>
      {arrow}
    </span>
  );
}

function Summary({ row }: { readonly row: TraceRow }) {
  // An answer to what has no name is known by the method it answers.
  const summary = visibleLine(row.summary || (isAnswer(row) ? (row.method ?? '') : ''));
  return (
    <span title={summary}>
      {row.batch > 1 && (
        <span className="text-faint">
          {row.position + 1}/{row.batch}{' '}
        </span>
      )}
      {summary}
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

function WaterfallBar({ row, bar: { left, width } }: { readonly row: TraceRow; readonly bar: Bar }) {
  return (
    <span aria-hidden className="trace-waterfall">
      <span
        className={cx('trace-bar', barClasses[barTone(row)])}
        style={{ left: `min(${left}%, 100% - 2px)`, width: `${width}%` }}
      />
    </span>
  );
}
