import { X } from 'lucide-react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { mermaidOf } from './mermaid.ts';
import { StepLine } from './step-line.tsx';
import { stepsOf } from './steps.ts';
import { useAnswer } from '../use-answer.ts';

/** Chosen rows as a sequence diagram: who said what to whom, in which order. */
export function SequenceView({
  sessionId,
  server,
  rows,
  onClose,
  onOpenRow,
}: {
  readonly sessionId: string;
  /** What the server is called. */
  readonly server: string;
  readonly rows: readonly number[];
  readonly onClose: () => void;
  readonly onOpenRow: (row: number) => void;
}) {
  const drawn = rows.toSorted((a, b) => a - b).slice(0, MAX_ROWS_PER_PAGE);
  const { answer: picked, failure } = useAnswer(JSON.stringify([sessionId, drawn]), () =>
    call('trace/pick', { sessionId, rows: drawn }),
  );
  const steps = stepsOf(picked ?? []);
  const begin = steps[0]?.at ?? 0;
  return (
    <section aria-label="Sequence diagram" aria-busy={picked === null} className="flex h-full flex-col">
      <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line px-3">
        <h3 className="caption">Sequence</h3>
        <p className="min-w-0 flex-1 truncate text-mute">
          {formatQuantity(rows.length, 'row')}
          {rows.length > MAX_ROWS_PER_PAGE && `, the first ${formatCount(MAX_ROWS_PER_PAGE)} of them drawn`}
        </p>
        <CopyButton withWord label="Copy as Mermaid" text={() => mermaidOf(steps, server)} />
        <IconButton size="small" label="Close the diagram" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {failure !== null && <FaultCard fault={faultOf(failure)} className="m-3" />}
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
