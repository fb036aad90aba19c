import { X } from 'lucide-react';
import { call } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity, formatDuration, truncate } from '#shared/format.ts';
import { rowNumber, type TraceRow, channelKinds } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses, isResponse, methodLabel, statusLabel, type Tone } from '../table/row-labels.ts';

/** The selected rows as a sequence diagram. */
export function SequenceView({
  sessionId,
  server,
  rows,
  onClose,
  onOpenRow,
}: {
  readonly sessionId: string;
  /** Name of the server. */
  readonly server: string;
  readonly rows: readonly number[];
  readonly onClose: () => void;
  readonly onOpenRow: (row: number) => void;
}) {
  const drawn = rows.toSorted((a, b) => a - b).slice(0, MAX_ROWS_PER_PAGE);
  const { result: picked, fault } = useQuery(JSON.stringify([sessionId, drawn]), () =>
    call('trace/rows-by-number', { sessionId, rows: drawn }),
  );
  const steps = stepsOf(picked ?? []);
  const begin = steps[0]?.at ?? 0;
  return (
    <section aria-label="Sequence diagram" aria-busy={picked === null} className="flex h-full flex-col">
      <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line px-3">
        <h3 className="caption">Sequence</h3>
        <p className="min-w-0 flex-1 truncate text-mute">
          {formatQuantity(rows.length, 'row')}
          {rows.length > MAX_ROWS_PER_PAGE && `, first ${formatCount(MAX_ROWS_PER_PAGE)} drawn`}
        </p>
        <CopyButton withWord label="Copy as Mermaid" text={() => mermaidOf(steps, server)} />
        <IconButton size="small" label="Close the diagram" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {fault && <FaultCard fault={fault} className="m-3" />}
      <div className="min-h-0 flex-1 overflow-auto px-3 pb-3 [&>*]:max-w-[1000px]">
        <div className="sticky top-0 z-10 grid grid-cols-[64px_minmax(0,1fr)] bg-panel text-sm">
          <span />
          <div className="flex justify-between py-1.5 font-medium">
            <span className="w-28 truncate rounded-ui border border-line bg-raise px-2 py-0.5 text-center">
              Sightglass
            </span>
            <span className="w-28 truncate rounded-ui border border-line bg-raise px-2 py-0.5 text-center">
              {server}
            </span>
          </div>
        </div>
        <ol>
          {steps.map((step) => (
            <StepLine key={step.row} step={step} begin={begin} onOpenRow={onOpenRow} />
          ))}
        </ol>
      </div>
    </section>
  );
}

/** A message as an arrow between the life lines, or an event as a note between them. */
export function StepLine({
  step,
  begin,
  onOpenRow,
}: {
  readonly step: Step;
  /** Time of the first step; microseconds. */
  readonly begin: number;
  readonly onOpenRow: (row: number) => void;
}) {
  const { direction, label, tone, at } = step;
  return (
    <li className="grid grid-cols-[64px_minmax(0,1fr)] text-sm">
      <span className="mono self-center truncate text-xs text-faint">+{formatDuration(at - begin)}</span>
      <button
        type="button"
        onClick={() => onOpenRow(step.row)}
        aria-label={`Row ${rowNumber(step.row)}: ${spoken(step)}`}
        className="relative mx-14 h-9 min-w-0 hover:bg-hover"
      >
        <LifeLine side="left" isBusy={step.isClientBusy} />
        <LifeLine side="right" isBusy={step.isServerBusy} />
        <span className={cx('absolute inset-x-3 top-0.5 truncate', toneClasses[tone])}>
          {visibleLine(label)}
        </span>
        {direction !== null && <Arrow direction={direction} isDashed={step.isResponse} />}
      </button>
    </li>
  );
}

const spoken = ({ direction, label }: Step): string =>
  direction === null ? label : `${label}, ${direction === 'out' ? 'to the server' : 'from the server'}`;

function LifeLine({ side, isBusy }: { readonly side: 'left' | 'right'; readonly isBusy: boolean }) {
  return (
    <span
      aria-hidden
      className={cx(
        'absolute inset-y-0',
        side === 'left' ? 'left-0 -translate-x-1/2' : 'right-0 translate-x-1/2',
        isBusy ? 'w-[7px] border-x border-accent bg-accent-soft' : 'w-px bg-line-strong',
      )}
    />
  );
}

const arrowTones = { in: 'text-in', out: 'text-out' } as const;

function Arrow({ direction, isDashed }: { readonly direction: 'in' | 'out'; readonly isDashed: boolean }) {
  const isRight = direction === 'out';
  return (
    <span aria-hidden className={cx('absolute inset-x-1 bottom-2', arrowTones[direction])}>
      <span className={cx('block border-t border-current', isDashed && 'border-dashed')} />
      <span
        className={cx(
          'absolute -top-[3px] size-[7px] border-t border-current',
          isRight ? 'right-px rotate-45 border-r' : 'left-px -rotate-45 border-l',
        )}
      />
    </span>
  );
}

/** One line of a sequence diagram. */
export interface Step {
  readonly row: number;
  readonly at: number;
  /** Null for an event on one side only. */
  readonly direction: TraceRow['direction'];
  readonly isResponse: boolean;
  readonly label: string;
  readonly tone: Tone;
  /** Whether each side is handling a request at this step. */
  readonly isClientBusy: boolean;
  readonly isServerBusy: boolean;
}

/** Rows as steps, in the order of the trace. */
export function stepsOf(rows: readonly TraceRow[]): Step[] {
  const ordered = rows.toSorted((a, b) => a.row - b.row);
  const busy = { client: 0, server: 0 };
  const steps: Step[] = [];
  const known = new Set(ordered.map(({ row }) => row));
  for (const row of ordered) {
    const worker = row.direction === 'in' ? 'client' : 'server';
    // Ignore requests without their response among the rows: they would stay busy to the end.
    if (row.kind === 'request' && row.pair !== null && known.has(row.pair)) busy[worker]++;
    steps.push({
      row: row.row,
      at: row.at,
      direction: isMessage(row) ? row.direction : null,
      isResponse: isResponse(row),
      ...labelOf(row),
      isClientBusy: busy.client > 0,
      isServerBusy: busy.server > 0,
    });
    if (isResponse(row) && row.pair !== null && known.has(row.pair))
      busy[row.direction === 'in' ? 'server' : 'client']--;
  }
  return steps;
}

const isMessage = ({ kind }: TraceRow): boolean => channelKinds.has(kind);

function labelOf(row: TraceRow): Pick<Step, 'label' | 'tone'> {
  const { text, tone } = methodLabel(row);
  const status = statusLabel(row).text;
  if (isResponse(row)) {
    const of = [row.method, row.summary].filter(Boolean).join(' ');
    return { label: [status, of].filter(Boolean).join(' · '), tone };
  }
  return { label: [text, row.summary].filter(Boolean).join(' '), tone };
}

/** Longer labels are truncated. */
const LONGEST = 80;

/** The steps as a Mermaid `sequenceDiagram`, which wikis and issue trackers render. */
export function mermaidOf(steps: readonly Step[], server: string): string {
  const lines = [
    'sequenceDiagram',
    '  participant C as Sightglass',
    `  participant S as ${escaped(server)}`,
    ...steps.map((step) => `  ${lineOf(step)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function lineOf({ direction, isResponse: isDashed, label }: Step): string {
  const text = escaped(label);
  if (direction === null) return `Note over C,S: ${text}`;
  const [from, to] = direction === 'out' ? ['C', 'S'] : ['S', 'C'];
  return `${from}${isDashed ? '-->>' : '->>'}${to}: ${text}`;
}

/** Escapes characters with a meaning in Mermaid as their character codes. */
function escaped(text: string): string {
  const short = truncate(text, LONGEST);
  const plain = short.replaceAll(/\s+/g, ' ').trim() || '(nothing)';
  return plain.replaceAll(/[#;:<>&"\\%{}\p{Cc}]/gu, (character) => `#${character.codePointAt(0)};`);
}
