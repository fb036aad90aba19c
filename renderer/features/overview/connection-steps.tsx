import { ChevronRight, CircleCheck, CircleDashed, CircleMinus, CircleX } from 'lucide-react';
import { selectTraceRow } from '#model/selection.ts';
import { type Diagnosis, type DiagnosisStep, diagnosisLabels } from '#shared/contract/diagnosis.ts';
import { cx } from '#ui/cx.ts';
import { Facts } from '#ui/facts.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';

/** The steps of a connection that failed: what each one measured, where it broke, and what was not reached. */
export function ConnectionSteps({
  sessionId,
  diagnosis,
}: {
  readonly sessionId: string;
  readonly diagnosis: Diagnosis;
}) {
  return (
    <section aria-label="Steps of the connection" className="max-w-[760px]">
      <h3 className="caption mb-1">Steps of the connection</h3>
      <ol>
        {diagnosis.steps.map((step) => (
          <li
            key={step.name}
            className="grid grid-cols-[minmax(0,1fr)_44px] items-baseline gap-x-2 border-b border-line last:border-b-0"
          >
            {step.facts.length === 0 ? <StepLine step={step} /> : <StepWithFacts step={step} />}
            <span className="text-right">
              {step.row !== null && (
                <RowLink row={step.row} onOpen={() => selectTraceRow(sessionId, step.row)} />
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepWithFacts({ step }: { readonly step: DiagnosisStep }) {
  return (
    <details className="group min-w-0">
      <summary className="list-none rounded-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
        <StepLine step={step} hasFacts />
      </summary>
      <div className="mb-1.5 ml-[40px]">
        <Facts
          facts={step.facts.map(({ name, value }) => ({
            name,
            value: <PlainText inline text={value} className="mono" />,
          }))}
        />
      </div>
    </details>
  );
}

const icons = {
  ok: { Icon: CircleCheck, tone: 'text-in' },
  failed: { Icon: CircleX, tone: 'text-err' },
  skipped: { Icon: CircleMinus, tone: 'text-faint' },
  unknown: { Icon: CircleDashed, tone: 'text-faint' },
} as const;

function StepLine({
  step: { name, state, measured },
  hasFacts = false,
}: {
  readonly step: DiagnosisStep;
  readonly hasFacts?: boolean;
}) {
  const { Icon, tone } = icons[state];
  const isQuiet = state === 'skipped' || state === 'unknown';
  return (
    <span className="grid min-h-row grid-cols-[12px_16px_116px_minmax(0,1fr)] items-baseline gap-x-1.5 py-0.5">
      {hasFacts ? (
        <ChevronRight
          aria-hidden
          className="mt-1 size-3 self-start text-faint transition-transform group-open:rotate-90"
        />
      ) : (
        <span />
      )}
      <Icon aria-hidden className={cx('mt-[3px] size-3.5 self-start', tone)} />
      <span className={cx(isQuiet && 'text-mute', state === 'failed' && 'font-medium')}>
        {diagnosisLabels[name]}
        <span className="sr-only">: {state}</span>
      </span>
      {measured !== null && (
        <PlainText inline text={measured} className={cx('mono', state !== 'failed' && 'text-mute')} />
      )}
    </span>
  );
}
