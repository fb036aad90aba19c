import { ChevronDown, Play } from 'lucide-react';
import { selectTraceRow } from '#model/selection.ts';
import type { Call } from '#shared/contract/calls.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { formatClock } from '#shared/format.ts';
import { Menu } from '#ui/menu.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { showResultAs, useToolsState } from '../drafts.ts';
import { isRunning } from '../tool-calls.ts';
import { CallOutcome } from './call-outcome.tsx';
import { callMeasures, callWords } from './call-words.ts';
import { RunningCall } from './running-call.tsx';
import { ValidityNote } from './validity-note.tsx';

export interface ResultColumnProps {
  /** The tool's calls, the newest first. */
  readonly calls: readonly Call[];
  readonly shown: Call | null;
  /** Why the last call could not be made. */
  readonly fault: Fault | null;
  readonly onShow: (callId: string) => void;
  /** Null when nothing can run. */
  readonly onRunAgain: ((text: string) => void) | null;
  readonly onCancel: (call: Call) => void;
  readonly onLoad: (call: Call) => void;
}

/** What came of a call, and the calls before it. */
export function ResultColumn(props: ResultColumnProps) {
  const { calls, shown, fault, onShow, onRunAgain, onCancel, onLoad } = props;
  const view = useToolsState(({ resultView }) => resultView);
  if (shown === null) {
    return fault !== null ? (
      <FaultCard fault={fault} className="m-4" />
    ) : (
      <EmptyState icon={<Play />} title="No call yet">
        Run the tool: what it answers appears here, and both messages in the trace below.
      </EmptyState>
    );
  }
  const { word, colour } = callWords[shown.state];
  const hasResult = shown.state === 'ok' || shown.state === 'tool-error';
  return (
    <section aria-label="Result" className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 pb-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-lg font-semibold">Result</h2>
        <span role="status" className={cx('font-medium', colour)}>
          {word}
        </span>
        <span className="mono text-mute">{callMeasures(shown)}</span>
        <span className="ml-auto flex items-center gap-1">
          {hasResult && (
            <Segmented
              label="Show the result as"
              value={view}
              onChange={showResultAs}
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
      {shown.argumentsValidity !== null && (
        <div className="mt-1 flex items-start gap-1.5 text-sm">
          <span className="text-mute">Arguments:</span>
          <ValidityNote validity={shown.argumentsValidity} schema="input schema" />
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
          Edit its arguments
        </Button>
        <span className="ml-auto flex">
          <RowLink call={shown} row={shown.requestRow} message="request" />
          <RowLink call={shown} row={shown.responseRow} message="response" />
        </span>
      </div>
    </section>
  );
}

/** Shows one of a call's messages in the trace. */
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
        icon: <StatusDot tone={callWords[one.state].dot} />,
        onSelect: () => onShow(one.id),
      }))}
    />
  );
}

const callLabel = (one: Call): string =>
  [`#${one.requestId}`, formatClock(one.startedAt).slice(0, 8), callWords[one.state].word, callMeasures(one)]
    .filter((part) => part !== '')
    .join('  ');
