import { useState } from 'react';
import { latencyStepLabels } from '#shared/contract/comparison.ts';
import type { LoadReport, StepLatency } from '#shared/contract/load.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The report of a load: its errors by kind, and how long each step took, with a histogram of one of them. */
export function LoadResults({ report }: { readonly report: LoadReport }) {
  const { errors, steps, skipped, mostAtOnce, waits, calls, fault } = report;
  const notes = [
    formatQuantity(calls, 'call'),
    `at most ${formatCount(mostAtOnce)} at once`,
    ...(skipped > 0 ? [`${formatCount(skipped)} skipped`] : []),
    ...(waits > 0 ? [`${formatQuantity(waits, 'run')} had to wait`] : []),
  ];
  return (
    <>
      {fault !== null && <FaultCard fault={fault} />}
      <p className="text-sm text-mute">{notes.join(' · ')}</p>
      {errors.length > 0 && (
        <section aria-label="Errors">
          <h3 className="caption mb-1">Errors</h3>
          <ul>
            {errors.map(({ kind, count }) => (
              <li key={kind} className="flex gap-3 leading-6">
                <span className="w-16 shrink-0 text-right tabular-nums">{formatCount(count)}</span>
                <span className="mono min-w-0 truncate text-err" title={visibleLine(kind)}>
                  {visibleLine(kind)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {steps.length > 0 && <Steps steps={steps} />}
    </>
  );
}

const figures = ['p50', 'p90', 'p95', 'p99', 'max'] as const;
const figureLabels = { p50: 'median', p90: 'p90', p95: 'p95', p99: 'p99', max: 'max' } as const;

function Steps({ steps }: { readonly steps: readonly StepLatency[] }) {
  const [chosen, setChosen] = useState<StepLatency['step']>('end');
  const shown = steps.find(({ step }) => step === chosen) ?? steps.at(-1);
  return (
    <section aria-label="Latency by step" className="flex flex-wrap items-start gap-x-8 gap-y-3">
      <table className="text-right text-sm leading-[22px] tabular-nums">
        <thead className="text-xs text-faint">
          <tr>
            <th scope="col" className="text-left font-normal">
              step
            </th>
            {figures.map((figure) => (
              <th key={figure} scope="col" className="pl-5 font-normal">
                {figureLabels[figure]}
              </th>
            ))}
            <th scope="col" className="pl-5 font-normal">
              calls
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((latency) => (
            <tr key={latency.step}>
              <th scope="row" className="text-left font-normal text-mute">
                {latencyStepLabels[latency.step]}
              </th>
              {figures.map((figure) => (
                <td key={figure} className="pl-5">
                  {formatDuration(latency[figure])}
                </td>
              ))}
              <td className="pl-5">{formatCount(latency.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown !== undefined && (
        <div className="min-w-64 flex-1">
          <SelectBox
            aria-label="Step of the histogram"
            size="small"
            className="mb-1 w-32"
            value={shown.step}
            options={steps.map(({ step }) => ({ value: step, label: latencyStepLabels[step] }))}
            onChange={setChosen}
          />
          <Histogram latency={shown} />
        </div>
      )}
    </section>
  );
}

/** How many calls took up to each time, which doubles from bar to bar. */
function Histogram({ latency: { step, buckets, count } }: { readonly latency: StepLatency }) {
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  return (
    <ul aria-label={`Histogram of ${latencyStepLabels[step]}`} className="max-w-[520px] text-sm">
      {buckets.map((bucket) => (
        <li key={bucket.below} className="flex h-5 items-center gap-2 tabular-nums">
          <span className="w-20 shrink-0 text-right text-mute">&lt; {formatDuration(bucket.below)}</span>
          <span aria-hidden className="h-3 min-w-0 flex-1">
            <span
              className="block h-full rounded-xs bg-in"
              style={{ width: `${(bucket.count / Math.max(1, most)) * 100}%` }}
            />
          </span>
          <span className="w-24 shrink-0">
            {formatCount(bucket.count)}{' '}
            <span className="text-faint">{Math.round((bucket.count / Math.max(1, count)) * 100)} %</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
