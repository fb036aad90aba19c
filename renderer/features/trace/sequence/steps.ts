import type { TraceRow } from '#shared/trace/row.ts';
import { isAnswer, methodWords, statusOf, type Tone } from '../table/row-labels.ts';

/** One line of a sequence diagram. */
export interface Step {
  readonly row: number;
  readonly at: number;
  /** What goes from one side to the other; null for what happened on one side alone. */
  readonly direction: TraceRow['direction'];
  /** It answers a request. */
  readonly isAnswer: boolean;
  readonly label: string;
  readonly tone: Tone;
  /** Which sides are at work on a request while this happens. */
  readonly isClientBusy: boolean;
  readonly isServerBusy: boolean;
}

/** Rows as a sequence of messages between the two sides, in the order of the trace. */
export function stepsOf(rows: readonly TraceRow[]): Step[] {
  const ordered = rows.toSorted((a, b) => a.row - b.row);
  const busy = { client: 0, server: 0 };
  const steps: Step[] = [];
  const known = new Set(ordered.map(({ row }) => row));
  for (const row of ordered) {
    const worker = row.direction === 'in' ? 'client' : 'server';
    // A request whose answer is not among the rows keeps nobody busy: its end would never be seen.
    if (row.kind === 'request' && row.pair !== null && known.has(row.pair)) busy[worker]++;
    steps.push({
      row: row.row,
      at: row.at,
      direction: isMessage(row) ? row.direction : null,
      isAnswer: isAnswer(row),
      ...labelOf(row),
      isClientBusy: busy.client > 0,
      isServerBusy: busy.server > 0,
    });
    if (isAnswer(row) && row.pair !== null && known.has(row.pair))
      busy[row.direction === 'in' ? 'server' : 'client']--;
  }
  return steps;
}

const messageKinds: ReadonlySet<TraceRow['kind']> = new Set([
  'request',
  'notification',
  'result',
  'error',
  'invalid',
  'noise',
]);
const isMessage = ({ kind }: TraceRow): boolean => messageKinds.has(kind);

function labelOf(row: TraceRow): Pick<Step, 'label' | 'tone'> {
  const { text, tone } = methodWords(row);
  const status = statusOf(row).text;
  if (isAnswer(row)) {
    const of = [row.method, row.summary].filter(Boolean).join(' ');
    return { label: [status, of].filter(Boolean).join(' · '), tone };
  }
  return { label: [text, row.summary].filter(Boolean).join(' '), tone };
}
