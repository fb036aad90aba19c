import { useState } from 'react';
import { filterTrace, selectTraceRow } from '#model/selection.ts';
import { latencyStepLabels } from '#shared/contract/comparison.ts';
import type { LoadReport, StepLatency } from '#shared/contract/load.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { printValue } from '#shared/trace/filter/index.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox } from '#ui/field.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The report of a load: its errors by kind, and how long each step took, with a histogram of one of them. */
export function LoadResults({
  sessionId,
  tool,
  report,
}: {
  readonly sessionId: string;
  /** The tool that was called; null for saved calls. */
  readonly tool: string | null;
  readonly report: LoadReport;
}) {
  const { errors, steps, skipped, mostAtOnce, waits, calls, rows, slowest, fault } = report;
  const showBetween =
    rows === null
      ? null
      : (from: number, below: number) =>
          filterTrace(
            sessionId,
            [
              `row:${rows.first + 1}..${rows.last + 1} kind:request dir:out`,
              ...(tool === null ? [] : [printValue('tool', tool)]),
              `dur:>=${from}us dur:<${below}us`,
            ].join(' '),
          );
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
      {steps.length > 0 && (
        <Steps
          steps={steps}
          slowest={slowest}
          onSlowest={(row) => selectTraceRow(sessionId, row)}
          onShow={showBetween}
        />
      )}
    </>
  );
}

const figures = ['p50', 'p90', 'p95', 'p99', 'max'] as const;
const figureLabels = { p50: 'median', p90: 'p90', p95: 'p95', p99: 'p99', max: 'max' } as const;

function Steps({
  steps,
  slowest,
  onSlowest,
  onShow,
}: {
  readonly steps: readonly StepLatency[];
  readonly slowest: number | null;
  readonly onSlowest: (row: number) => void;
  /** Shows the calls in the trace that took from so many microseconds to less than so many; null if none was sent. */
  readonly onShow: ((from: number, below: number) => void) | null;
}) {
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
                  {figure === 'max' && latency.step === 'end' && slowest !== null && (
                    <>
                      {' '}
                      <RowLink row={slowest} hint="The slowest call" onOpen={onSlowest} />
                    </>
                  )}
                </td>
              ))}
              <td className="pl-5">{formatCount(latency.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown !== undefined && (
        <div className="min-w-64 flex-1">
          {steps.length > 1 && (
            <SelectBox
              aria-label="Step of the histogram"
              size="small"
              className="mb-1 w-32"
              value={shown.step}
              options={steps.map(({ step }) => ({ value: step, label: latencyStepLabels[step] }))}
              onChange={setChosen}
            />
          )}
          <Histogram latency={shown} onShow={shown.step === 'end' ? onShow : null} />
        </div>
      )}
    </section>
  );
}

/** How many calls took up to each time, which doubles from bar to bar. A bar leads to its calls in the trace. */
function Histogram({
  latency: { step, buckets, count: all },
  onShow,
}: {
  readonly latency: StepLatency;
  /** Null for a step that the trace cannot be filtered by. */
  readonly onShow: ((from: number, below: number) => void) | null;
}) {
  const most = Math.max(...buckets.map(({ count }) => count));
  return (
    <ul aria-label={`Histogram of ${latencyStepLabels[step]}`} className="max-w-[520px] text-sm">
      {buckets.map(({ below, count }) => {
        const content = (
          <>
            <span className="w-20 shrink-0 text-right text-mute">&lt; {formatDuration(below)}</span>
            <span aria-hidden className="h-3 min-w-0 flex-1">
              <span
                className="block h-full rounded-xs bg-in"
                style={{ width: `${(count / Math.max(1, most)) * 100}%` }}
              />
            </span>
            <span className="w-16 shrink-0 text-right">{formatCount(count)}</span>
            <span className="w-12 shrink-0 text-right text-faint">{shareLabel(count, all)}</span>
          </>
        );
        const layout = 'flex h-5 w-full items-center gap-2 tabular-nums';
        // The engine counts a bucket from the end of the one before, which is at half of it.
        const from = (below - 1) / 2;
        return (
          <li key={below}>
            {onShow === null || count === 0 ? (
              <span className={layout}>{content}</span>
            ) : (
              <Tooltip text="Show these calls in the trace">
                <button
                  type="button"
                  aria-label={`${formatQuantity(count, 'call')} took from ${formatDuration(from)} to ${formatDuration(below)}`}
                  className={`${layout} rounded-xs hover:bg-hover`}
                  onClick={() => onShow(from, below)}
                >
                  {content}
                </button>
              </Tooltip>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function shareLabel(count: number, all: number): string {
  const share = (count / Math.max(1, all)) * 100;
  if (count > 0 && share < 1) return '< 1 %';
  return count < all && share > 99 ? '> 99 %' : `${Math.round(share)} %`;
}
