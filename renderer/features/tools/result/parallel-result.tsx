import { byNewest } from '#model/calls.ts';
import { showRowOfSession } from '#model/traces.ts';
import { isUnderWay, type Call, callStates } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { formatBytes, formatDuration, formatQuantity } from '#shared/format.ts';
import { argumentsInLine } from '#shared/json/in-line.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { callKey, type ParallelRun } from '../drafts.ts';
import { callLabels, numberOf } from './call-outcome.tsx';

/** The calls of a parallel run in a table, with the spread of their durations. */
export function ParallelResult({
  run,
  calls: all,
  fault,
  onShow,
  onRunAgain,
  onCancel,
}: {
  readonly run: ParallelRun;
  /** The tool's calls. */
  readonly calls: readonly Call[];
  readonly fault: Fault | null;
  readonly onShow: (call: Call) => void;
  /** Null if the tool cannot run. */
  readonly onRunAgain: (() => void) | null;
  readonly onCancel: (call: Call) => void;
}) {
  const calls = all.filter((call) => run.calls.includes(callKey(call))).sort((a, b) => byNewest(b, a));
  const running = calls.filter(isUnderWay);
  return (
    <section
      aria-label="Parallel calls"
      className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 pb-3"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-lg font-semibold">{formatQuantity(run.count, 'call')} at once</h2>
        <span role="status" className="text-mute">
          {stateCounts(calls)}
        </span>
      </div>
      <p className="flex shrink-0">
        <ParamsPreview text={argumentsInLine(run.arguments)} />
      </p>
      <p className="mono min-h-row shrink-0 text-mute">{durationSpread(calls)}</p>
      {fault !== null && <FaultCard fault={fault} className="mb-2" />}
      <div className="mb-2 flex flex-wrap gap-2">
        <Button disabled={onRunAgain === null} onClick={() => onRunAgain?.()}>
          Run {run.count} again
        </Button>
        <Button disabled={running.length === 0} onClick={() => running.forEach(onCancel)}>
          Cancel all
        </Button>
      </div>
      <table aria-label="Parallel calls" className="w-full table-fixed">
        <thead className="text-left text-xs text-faint">
          <tr className="h-row">
            <th scope="col" className="w-14 font-medium">
              Call
            </th>
            <th scope="col" className="font-medium">
              Status
            </th>
            <th scope="col" className="w-24 text-right font-medium">
              Duration
            </th>
            <th scope="col" className="w-20 text-right font-medium">
              Size
            </th>
            <th scope="col" className="w-16 text-right font-medium">
              Row
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.id} call={call} onShow={() => onShow(call)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CallRow({ call, onShow }: { readonly call: Call; readonly onShow: () => void }) {
  const { requestId, requestRow, state, duration, size } = call;
  const { label, colour } = callLabels[state];
  return (
    <tr className="mono h-row border-t border-line">
      <td>
        <button
          type="button"
          aria-label={`Show call ${requestId ?? 'that was not sent'}`}
          onClick={onShow}
          className="text-key underline-offset-2 hover:underline"
        >
          {numberOf(call)}
        </button>
      </td>
      <td className={cx('truncate', colour)}>{label}</td>
      <td className="truncate text-right">{duration !== null && formatDuration(duration)}</td>
      <td className="truncate text-right text-mute">{size !== null && formatBytes(size)}</td>
      <td className="text-right">
        <RowLink row={requestRow} onOpen={(row) => reportFault(showRowOfSession(call.sessionId, row))} />
      </td>
    </tr>
  );
}

/** Such as `2 running, 7 ok, 1 tool error`. */
const stateCounts = (calls: readonly Call[]): string =>
  callStates
    .map((state) => ({ state, count: calls.filter((call) => call.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${callLabels[state].label}`)
    .join(', ');

/** Such as `min 1.2 ms · median 3.4 ms · max 12 ms` of the calls with a response; empty if there is none. */
export function durationSpread(calls: readonly Pick<Call, 'duration'>[]): string {
  const sorted = calls.flatMap(({ duration }) => (duration === null ? [] : [duration])).sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (min === undefined || max === undefined || lower === undefined || upper === undefined) return '';
  const median = (lower + upper) / 2;
  return `min ${formatDuration(min)} · median ${formatDuration(median)} · max ${formatDuration(max)}`;
}
