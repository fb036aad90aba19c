import { ChevronDown, Play } from 'lucide-react';
import { goToEntry } from '#model/inbox.ts';
import { selectTraceRow } from '#model/selection.ts';
import { saveCall, useCanTest } from '#model/testing.ts';
import type { Call, Progress } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { formatClock, formatBytes, formatDuration } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Menu } from '#ui/menu.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { StatusDot, type DotTone } from '#ui/status-dot.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { useNow } from '#ui/use-now.ts';
import { setResultView, useToolsState } from '../drafts.ts';
import { isRunning } from '#model/calls.ts';
import { CallOutcome } from './call-outcome.tsx';
import { ValidationNote } from './result-body.tsx';

interface ResultColumnProps {
  /** The tool's calls, newest first. */
  readonly calls: readonly Call[];
  readonly shown: Call | null;
  readonly fault: Fault | null;
  readonly onShow: (callId: string) => void;
  /** Null if the tool cannot run. */
  readonly onRunAgain: ((text: string) => void) | null;
  readonly onCancel: (call: Call) => void;
  readonly onLoad: (call: Call) => void;
}

/** The result of a call, and a menu of earlier calls. */
export function ResultColumn(props: ResultColumnProps) {
  const { calls, shown, fault, onShow, onRunAgain, onCancel, onLoad } = props;
  const view = useToolsState(({ resultView }) => resultView);
  const canTest = useCanTest();
  if (shown === null) {
    return fault !== null ? (
      <FaultCard fault={fault} className="m-4" />
    ) : (
      <EmptyState icon={<Play />} title="No call yet">
        Run the tool: its result appears here, and both messages in the trace below.
      </EmptyState>
    );
  }
  const { label, colour } = callLabels[shown.state];
  const hasResult = shown.state === 'ok' || shown.state === 'tool-error';
  return (
    <section aria-label="Result" className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 pb-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-lg font-semibold">Result</h2>
        <span role="status" className={cx('font-medium', colour)}>
          {label}
        </span>
        <span className="mono text-mute">{callMeasures(shown)}</span>
        <span className="ml-auto flex items-center gap-1">
          {hasResult && (
            <Segmented
              label="Show the result as"
              value={view}
              onChange={setResultView}
              options={[
                { id: 'content', label: 'Content' },
                { id: 'raw', label: 'Raw' },
              ]}
            />
          )}
          <CallMenu calls={calls} shown={shown} onShow={onShow} />
        </span>
      </div>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      {shown.argumentsValidation !== null && (
        <div className="mt-1 flex items-start gap-1.5 text-sm">
          <span className="text-mute">Arguments:</span>
          <ValidationNote validation={shown.argumentsValidation} schema="input schema" />
        </div>
      )}
      <div className="mt-2 flex flex-col gap-2">
        {isRunning(shown) ? (
          <RunningCall call={shown} onCancel={() => onCancel(shown)} />
        ) : (
          <CallOutcome key={shown.id} call={shown} view={view} />
        )}
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button disabled={onRunAgain === null} onClick={() => onRunAgain?.(shown.arguments)}>
          Run again
        </Button>
        <Button variant="quiet" onClick={() => onLoad(shown)}>
          Edit arguments
        </Button>
        {canTest && (
          <Button variant="quiet" disabled={isRunning(shown)} onClick={() => void saveCall(shown)}>
            Save call…
          </Button>
        )}
        <span className="ml-auto flex">
          <RowLink call={shown} row={shown.requestRow} message="request" />
          <RowLink call={shown} row={shown.responseRow} message="response" />
        </span>
      </div>
    </section>
  );
}

/** A link to one of the call's messages in the trace. */
function RowLink({
  call,
  row,
  message,
}: {
  readonly call: Call;
  readonly row: number | null;
  readonly message: 'request' | 'response';
}) {
  if (row === null) return null;
  const isRequest = message === 'request';
  return (
    <Tooltip text={`Show the ${message} in the trace`}>
      <Button
        size="small"
        variant="quiet"
        className="mono"
        aria-label={`Show the ${message} in the trace`}
        onClick={() => selectTraceRow(call.sessionId, row)}
      >
        <span className={isRequest ? 'text-out' : 'text-in'}>{isRequest ? '→' : '←'}</span>
        {rowNumber(row)}
      </Button>
    </Tooltip>
  );
}

function CallMenu({
  calls,
  shown,
  onShow,
}: {
  readonly calls: readonly Call[];
  readonly shown: Call;
  readonly onShow: (callId: string) => void;
}) {
  return (
    <Menu
      trigger={
        <Button size="small" variant="quiet" aria-label={`Call ${shown.requestId}, show another`}>
          <span className="mono">#{shown.requestId}</span>
          <ChevronDown aria-hidden className="size-3" />
        </Button>
      }
      entries={calls.map((one) => ({
        label: callLabel(one),
        icon: <StatusDot tone={callLabels[one.state].dot} />,
        onSelect: () => onShow(one.id),
      }))}
    />
  );
}

const callLabel = (one: Call): string =>
  [
    `#${one.requestId}`,
    formatClock(one.startedAt).slice(0, 8),
    callLabels[one.state].label,
    callMeasures(one),
  ]
    .filter((part) => part !== '')
    .join('  ');

/** A running call: elapsed time, progress, and a button to cancel it. */
function RunningCall({ call, onCancel }: { readonly call: Call; readonly onCancel: () => void }) {
  return (
    <div className="rounded-ui border border-line bg-raise px-2.5 py-2">
      <div className="flex items-center gap-2">
        <Elapsed since={call.startedAt} />
        <span className="mono text-mute">
          {call.progress === null ? 'no progress reported yet' : counted(call.progress)}
        </span>
        <Button size="small" className="ml-auto" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <Waiting call={call} />
      <ProgressBar progress={call.progress} />
      {call.progress !== null && call.progress.message !== null && (
        <PlainText text={call.progress.message} className="mt-1.5 text-mute" />
      )}
    </div>
  );
}

/** Links to the request of the server that the call waits for. */
function Waiting({ call: { sessionId, inboxEntryIds } }: { readonly call: Call }) {
  const [first] = inboxEntryIds;
  if (first === undefined) return null;
  return (
    <p className="mt-1 text-warn">
      Waiting for your answer in the{' '}
      <button
        type="button"
        onClick={() => goToEntry(sessionId, first)}
        className="text-key underline underline-offset-2"
      >
        Inbox
      </button>
    </p>
  );
}

/** `3 / 10 · 3 progress` */
function counted({ progress, total, count }: Progress): string {
  return `${total === null ? progress : `${progress} / ${total}`} · ${count} progress`;
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(100, true);
  return <span className="mono tabular-nums">{(Math.max(0, now - since) / 1000).toFixed(1)} s</span>;
}

function ProgressBar({ progress }: { readonly progress: Progress | null }) {
  const share =
    progress === null || progress.total === null || !(progress.total > 0)
      ? null
      : progress.progress / progress.total;
  const percent = share === null ? null : Math.min(100, Math.max(0, share * 100));
  return (
    <div
      role="progressbar"
      aria-label="Progress of the call"
      aria-valuenow={percent === null ? undefined : Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="mt-2 h-1 overflow-hidden rounded-full bg-line"
    >
      {percent === null ? (
        <div className="h-full w-1/4 animate-pulse rounded-full bg-accent motion-reduce:animate-none" />
      ) : (
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-150"
          style={{ width: `${percent}%` }}
        />
      )}
    </div>
  );
}

interface StateLabel {
  readonly label: string;
  /** Text colour; never the only indication. */
  readonly colour: string;
  readonly dot: DotTone;
}

/** Label and colours of each call state. */
const callLabels: Readonly<Record<Call['state'], StateLabel>> = {
  running: { label: 'running', colour: 'text-info', dot: 'busy' },
  ok: { label: 'ok', colour: 'text-in', dot: 'ok' },
  'tool-error': { label: 'tool error', colour: 'text-warn', dot: 'busy' },
  'protocol-error': { label: 'protocol error', colour: 'text-err', dot: 'error' },
  cancelled: { label: 'cancelled', colour: 'text-mute', dot: 'off' },
  'timed-out': { label: 'timed out', colour: 'text-err', dot: 'error' },
  lost: { label: 'lost', colour: 'text-err', dot: 'error' },
};

/** Such as `5.012 s · 214 B · 10 progress`; leaves out what is unknown. */
const callMeasures = ({ state, duration, size, progress }: Call): string =>
  [
    duration === null ? null : formatDuration(duration),
    size === null ? null : formatBytes(size),
    progress === null || state === 'running' ? null : `${progress.count} progress`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
