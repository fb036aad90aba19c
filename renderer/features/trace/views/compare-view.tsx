import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { formatQuantity, formatBytes, formatDuration } from '#shared/format.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox } from '#ui/field.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { visibleLine } from '#ui/visible.ts';
import { useSignalled } from '#ui/frame-signal.ts';
import { toneClasses, methodLabel, statusLabel, type Label } from '../table/row-labels.ts';
import type { TraceView } from '../trace-view.ts';
import { useIsWide } from '#ui/use-is-wide.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { type DiffLine, diffLines, DiffTable } from '#ui/diff-table.tsx';

/** Minimum width to show the texts side by side; pixels. */
const WIDE_ENOUGH = 560;

/** Compares two rows: their figures, and their messages line by line. */
export function CompareView({
  view,
  onClose,
}: {
  /** Exactly two of its rows are selected. */
  readonly view: TraceView;
  readonly onClose: () => void;
}) {
  const { sessionId, selection } = view;
  const left = useSignalled(view.signal, () => selection.picks.rows[0] ?? 0);
  const right = useSignalled(view.signal, () => selection.picks.rows[1] ?? 0);
  const [sortsKeys, setSortsKeys] = useState(false);
  const [bodyRef, isWide] = useIsWide(WIDE_ENOUGH);
  const {
    latest: comparison,
    fault,
    isLoading,
  } = useQuery(JSON.stringify([sessionId, left, right, sortsKeys]), () =>
    compareRows(sessionId, [left, right], sortsKeys),
  );
  return (
    <section
      aria-label={`Rows ${rowNumber(left)} and ${rowNumber(right)} compared`}
      aria-busy={isLoading}
      tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <div className="flex h-[34px] shrink-0 items-center gap-3 border-b border-line pr-1 pl-3">
        <h3 className="shrink-0 font-medium">Compare</h3>
        <p role="status" className="min-w-0 flex-1 truncate text-mute">
          {comparison && !isLoading && summaryOf(comparison)}
        </p>
        <Checkbox
          label="Sort keys"
          checked={sortsKeys}
          onChange={setSortsKeys}
          className="shrink-0 text-mute"
        />
        <IconButton label="Close the comparison" shortcut="Escape" size="small" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div
        ref={bodyRef}
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Differences"
      >
        {fault && <FaultCard fault={fault} className="m-3" />}
        {comparison && <Compared comparison={comparison} isSplit={isWide} />}
      </div>
    </section>
  );
}

function Compared({
  comparison: { details, texts, lines },
  isSplit,
}: {
  readonly comparison: Comparison;
  readonly isSplit: boolean;
}) {
  const [left, right] = details;
  return (
    <>
      <ComparedFacts left={left.row} right={right.row} />
      {(left.truncated || right.truncated) && (
        <p role="note" className="border-b border-line bg-raise px-3 py-1.5 text-mute">
          Only the beginning of {left.truncated && right.truncated ? 'both messages' : 'the longer message'}{' '}
          is compared.
        </p>
      )}
      {lines === null ? (
        <EmptyState title="Too different to line up">
          The two messages have almost nothing in common.
        </EmptyState>
      ) : (
        <DiffTable key={`${left.row.row} ${right.row.row}`} texts={texts} lines={lines} isSplit={isSplit} />
      )}
    </>
  );
}

function summaryOf({ lines }: Comparison): string {
  if (lines === null) return '';
  const count = lines.filter(({ kind }) => kind !== 'same').length;
  return count === 0 ? 'No line differs' : formatQuantity(count, 'line differs', 'lines differ');
}

/** The figures of two rows and their differences. */
export function ComparedFacts({ left, right }: { readonly left: TraceRow; readonly right: TraceRow }) {
  const all: readonly (readonly [string, ReactNode, ReactNode, string])[] = [
    ['status', labelText(statusLabel(left)), labelText(statusLabel(right)), ''],
    [
      'duration',
      figure(left.duration, formatDuration),
      figure(right.duration, formatDuration),
      difference(left.duration, right.duration, formatDuration),
    ],
    ['size', formatBytes(left.size), formatBytes(right.size), difference(left.size, right.size, formatBytes)],
    ['time', '', '', apart(left, right)],
  ];
  const lines = all.filter(([, ...facts]) => facts.some((fact) => fact !== ''));
  return (
    <table className="mono w-full table-fixed border-b border-line text-mute">
      <thead>
        <tr>
          <th scope="col" className="w-20">
            <span className="sr-only">fact</span>
          </th>
          {[left, right].map((row) => (
            <th key={row.row} scope="col" className="truncate py-1.5 pr-2 text-left font-normal">
              <span className="text-text">{rowNumber(row.row)}</span> {visibleLine(methodLabel(row).text)}{' '}
              <span className="text-faint">{visibleLine(row.summary)}</span>
            </th>
          ))}
          <th scope="col" className="w-40 pr-3 text-right font-sans text-xs font-normal text-faint">
            difference
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([name, one, other, between]) => (
          <tr key={name}>
            <th scope="row" className="pl-3 text-left font-sans text-xs font-normal text-faint">
              {name}
            </th>
            <td className="truncate pr-2 text-text">{one}</td>
            <td className="truncate pr-2 text-text">{other}</td>
            <td className="truncate pr-3 text-right">{between}</td>
          </tr>
        ))}
        <tr aria-hidden className="h-1.5" />
      </tbody>
    </table>
  );
}

const labelText = ({ text, tone }: Label): ReactNode =>
  text === '' ? '' : <span className={toneClasses[tone]}>{text}</span>;

const figure = (value: number | null, format: (value: number) => string): string =>
  value === null ? '' : format(value);

/** `+126 B · +68 %` */
function difference(left: number | null, right: number | null, format: (value: number) => string): string {
  if (left === null || right === null) return '';
  if (left === right) return 'same';
  const sign = right > left ? '+' : '−';
  const share = left === 0 ? '' : ` · ${sign}${Math.round((100 * Math.abs(right - left)) / left)} %`;
  return `${sign}${format(Math.abs(right - left))}${share}`;
}

const apart = (left: TraceRow, right: TraceRow): string =>
  `${formatDuration(Math.abs(right.at - left.at))} apart`;

export type Pair = readonly [left: number, right: number];

export interface Comparison {
  readonly details: readonly [RowDetail, RowDetail];
  readonly texts: readonly [readonly string[], readonly string[]];
  /** Null when the texts have too little in common. */
  readonly lines: readonly DiffLine[] | null;
}

async function compareRows(sessionId: string, rows: Pair, sortsKeys: boolean): Promise<Comparison> {
  const read = (row: number) => call('trace/detail', { sessionId, row });
  const details = await Promise.all([read(rows[0]), read(rows[1])]);
  const texts = [linesOf(details[0], sortsKeys), linesOf(details[1], sortsKeys)] as const;
  return { details, texts, lines: await diffLines(texts[0], texts[1]) };
}

/** The lines of the pretty-printed message, or of the raw text when it is not JSON; of the summary without a text. */
function linesOf({ text, truncated, row }: RowDetail, sortsKeys: boolean): readonly string[] {
  if (text === null) return [row.summary];
  const raw = (sortsKeys && !truncated ? compactJson(text, { sortsKeys }) : null) ?? text;
  const pretty = prettyJson(raw, truncated);
  return (pretty?.map((piece) => piece.text).join('') ?? text).split(/\r?\n/);
}
