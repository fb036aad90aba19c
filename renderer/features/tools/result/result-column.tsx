import { ChevronDown, Play } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { goToEntry } from '#model/inbox.ts';
import { useShowInTraceBy } from '#model/message-panes.ts';
import { saveCall, useCanTest } from '#model/tests-pane.ts';
import { goToTask } from '#model/tasks.ts';
import { isUnderWay, type Call, type Progress } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { argumentsInLine } from '#shared/json/in-line.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { isJson } from '#shared/json/tokens.ts';
import { Button } from '#ui/button.tsx';
import { ResultViewSwitch, ValidationNote } from '#ui/content/result-body.tsx';
import { cx } from '#ui/cx.ts';
import { EarlierSession } from '#ui/earlier-session.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Measures } from '#ui/measures.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { useNow } from '#ui/use-now.ts';
import { callKey, type ParallelRun, sendable, type Shown } from '../drafts.ts';
import { setResultView, useResultView } from '#model/result-view.ts';
import { timeLeftLabel, useTimeLeft } from '#model/calls.ts';
import { showRowOfSession, useBeginOf } from '#model/traces.ts';
import { AutomaticAnswers } from './automatic-answers.tsx';
import { CallHistory, ShowEarlierCalls } from './call-history.tsx';
import { callLabels, callMeasures, CallOutcome, numberOf } from './call-outcome.tsx';
import { ParallelResult } from './parallel-result.tsx';

interface ResultColumnProps {
  /** The current session. */
  readonly sessionId: string | null;
  /** The tool's calls, newest first; those of earlier sessions of the server follow. */
  readonly calls: readonly Call[];
  /** A recording of the server whose calls are not listed yet; null if there is none. */
  readonly earlier: TraceFileView | null;
  /** What to show; null for the newest call. */
  readonly shown: Shown | null;
  /** The arguments in the form, which may be incomplete JSON; null if nothing can be sent. */
  readonly formText: string | null;
  /** The last parallel run of the tool; null if there was none. */
  readonly parallelRun: ParallelRun | null;
  readonly fault: Fault | null;
  /** Whether a comparison was closed just now: the menu that it came from gets the focus, unless something else has it. */
  readonly takesFocus: boolean;
  readonly onShow: (what: Shown) => void;
  /** Null if the tool cannot run. */
  readonly onRunAgain: ((run: { readonly text: string; readonly count: number }) => void) | null;
  readonly onCancel: (call: Call) => void;
  readonly onLoad: (call: Call) => void;
}

/** The result of a call, and a menu of earlier calls. */
export function ResultColumn(props: ResultColumnProps) {
  const { calls, earlier, shown, parallelRun, fault, onShow, onRunAgain, onCancel } = props;
  // The first result replaces the button that asked for it.
  const [awaitsEarlier, setAwaitsEarlier] = useState(false);
  if (shown?.kind === 'parallel' && parallelRun !== null) {
    return (
      <ParallelResult
        run={parallelRun}
        calls={calls}
        fault={fault}
        onShow={(one) => onShow({ kind: 'call', call: callKey(one) })}
        onRunAgain={
          onRunAgain && (() => onRunAgain({ text: parallelRun.arguments, count: parallelRun.count }))
        }
        onCancel={onCancel}
      />
    );
  }
  const wanted = shown?.kind === 'call' ? shown.call : null;
  const call = calls.find((one) => callKey(one) === wanted) ?? calls[0];
  if (call === undefined) {
    return fault !== null ? (
      <FaultCard fault={fault} className="m-4" />
    ) : (
      <EmptyState
        icon={<Play />}
        title="No call yet"
        actions={
          earlier !== null && <ShowEarlierCalls earlier={earlier} onPress={() => setAwaitsEarlier(true)} />
        }
      >
        Run the tool: its result appears here, and both messages in the trace below.
      </EmptyState>
    );
  }
  return <CallResult {...props} shown={call} takesFocus={props.takesFocus || awaitsEarlier} />;
}

/** One call with its result. */
function CallResult(props: Omit<ResultColumnProps, 'shown'> & { readonly shown: Call }) {
  const { sessionId, calls, earlier, shown, parallelRun, fault, onShow } = props;
  const { formText, takesFocus, onRunAgain, onCancel, onLoad } = props;
  const isEarlier = shown.sessionId !== sessionId;
  const begun = useBeginOf(shown.sessionId);
  const view = useResultView();
  const canTest = useCanTest();
  const { label, colour } = callLabels[shown.state];
  const measures = callMeasures(shown);
  const hasResult = shown.state === 'ok' || shown.state === 'tool-error';
  // For a call of an earlier session its trace file is opened.
  const showInTrace = (row: number) => reportFault(showRowOfSession(shown.sessionId, row));
  const { requestRow } = shown;
  useShowInTraceBy(
    requestRow === null ? null : () => showInTrace(requestRow),
    `${callKey(shown)} ${requestRow} ${sessionId}`,
  );
  return (
    <section aria-label="Result" className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 pb-3">
      {/* One line whatever the outcome, so that what is below keeps its place; two where one has no room. */}
      <div className="flex flex-wrap items-center gap-x-1.5">
        <h2 className="text-lg font-semibold">Result</h2>
        <span role="status" className={cx('shrink-0 font-medium', colour)}>
          {label}
        </span>
        <Measures
          measures={measures}
          className={cx('text-mute', measures.length === 0 ? 'min-w-0' : 'min-w-[9ch]')}
        />
        <span className="ml-auto flex max-w-full flex-wrap items-center justify-end gap-0.5">
          {hasResult && <ResultViewSwitch label="Show the result as" view={view} onChange={setResultView} />}
          {isEarlier && <EarlierSession begun={begun} />}
          {parallelRun?.calls.includes(callKey(shown)) === true && (
            <Button size="small" variant="quiet" onClick={() => onShow({ kind: 'parallel' })}>
              {`All ${parallelRun.count} calls`}
            </Button>
          )}
          <HistoryMenu
            current={sessionId}
            calls={calls}
            earlier={earlier}
            shown={shown}
            takesFocus={takesFocus}
            onShow={onShow}
          />
        </span>
      </div>
      <CalledWith text={shown.arguments} formText={formText} />
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      {shown.argumentsValidation !== null && (
        <div className="mt-1 flex items-start gap-1.5 text-sm">
          <span className="text-mute">Arguments:</span>
          <ValidationNote validation={shown.argumentsValidation} schema="input schema" />
        </div>
      )}
      <div className="mt-2 flex flex-col gap-2">
        <AutomaticAnswers call={shown} />
        {isUnderWay(shown) ? (
          <RunningCall call={shown} onCancel={() => onCancel(shown)} />
        ) : (
          <CallOutcome key={callKey(shown)} call={shown} view={view} onRow={showInTrace} />
        )}
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button
          disabled={onRunAgain === null}
          onClick={() => onRunAgain?.({ text: shown.arguments, count: 1 })}
        >
          Run again
        </Button>
        <Button variant="quiet" onClick={() => onLoad(shown)}>
          Edit arguments
        </Button>
        {canTest && (
          <Button variant="quiet" disabled={isUnderWay(shown)} onClick={() => void saveCall(shown)}>
            Save call…
          </Button>
        )}
        <span className="ml-auto flex">
          {shown.taskId !== null && !isEarlier && (
            <Button
              size="small"
              variant="quiet"
              onClick={() => goToTask(shown.sessionId, 'server', shown.taskId ?? '')}
            >
              Show its task
            </Button>
          )}
          <RowLink of="request" row={shown.requestRow} onOpen={showInTrace} />
          <RowLink of="response" row={shown.responseRow} onOpen={showInTrace} />
        </span>
      </div>
    </section>
  );
}

/** The arguments of a call in one line, and whether the form has others. */
function CalledWith({ text, formText }: { readonly text: string; readonly formText: string | null }) {
  const isInForm = useMemo(() => formText === null || isSameArguments(text, formText), [text, formText]);
  const line = argumentsInLine(text);
  return (
    <p className="flex h-row shrink-0 items-center gap-1.5 text-xs">
      {!isInForm && <span className="shrink-0 text-mute">Other arguments than in the form:</span>}
      {line === '' ? <span className="text-faint">no arguments</span> : <ParamsPreview text={line} />}
    </p>
  );
}

function isSameArguments(text: string, formText: string): boolean {
  const form = sendable(formText);
  return form.ok && (form.text === text || (isJson(text) && isSameJson(text, form.text)));
}

/** The number of the call shown; opens the list of all. */
function HistoryMenu({
  current,
  calls,
  earlier,
  shown,
  takesFocus,
  onShow,
}: {
  readonly current: string | null;
  readonly calls: readonly Call[];
  readonly earlier: TraceFileView | null;
  readonly shown: Call;
  readonly takesFocus: boolean;
  readonly onShow: (what: Shown) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus && document.activeElement === document.body) trigger.current?.focus();
  }, [takesFocus]);
  const choose = (what: Shown) => {
    setOpen(false);
    onShow(what);
  };
  return (
    <Popover
      label="Calls of this tool"
      open={isOpen}
      onOpenChange={setOpen}
      align="end"
      className="w-[620px] max-w-[90vw]"
      trigger={
        <Button
          ref={trigger}
          size="small"
          variant="quiet"
          aria-label={`${shown.requestId === null ? 'Call that was not sent' : numberOf(shown)}, show another`}
        >
          <span className="mono">{numberOf(shown)}</span>
          <ChevronDown aria-hidden className="size-3" />
        </Button>
      }
    >
      <CallHistory
        current={current}
        calls={calls}
        earlier={earlier}
        shown={shown}
        onShow={(one) => choose({ kind: 'call', call: callKey(one) })}
        onCompare={(one) => {
          const [newer, older] = calls.indexOf(one) < calls.indexOf(shown) ? [one, shown] : [shown, one];
          choose({ kind: 'compare', calls: [callKey(older), callKey(newer)], back: callKey(shown) });
        }}
      />
    </Popover>
  );
}

/** A call without an outcome: elapsed time, progress, and a button to cancel it. */
function RunningCall({ call, onCancel }: { readonly call: Call; readonly onCancel: () => void }) {
  return (
    <div className="rounded-ui border border-line bg-raise px-2.5 py-2">
      <div className="flex items-center gap-2">
        <Elapsed since={call.startedAt} />
        <span className="mono text-mute">{progressOf(call)}</span>
        <Button size="small" className="ml-auto" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {call.state === 'waiting' && (
        <p className="mt-1 text-mute">Sent as soon as the session is ready; its timeouts count from then.</p>
      )}
      <Timeout call={call} />
      <Waiting call={call} />
      <ProgressBar progress={call.progress} />
      {call.progress !== null && call.progress.message !== null && (
        <PlainText text={call.progress.message} className="mt-1.5 text-mute" />
      )}
    </div>
  );
}

/** When the call times out; nothing while none of its requests waits for a response. */
function Timeout({ call: { sessionId, rounds } }: { readonly call: Call }) {
  const left = useTimeLeft(sessionId, rounds.at(-1)?.requestRow ?? null);
  return (
    left !== null && (
      <p role="timer" className="mt-1 text-mute tabular-nums">
        {timeLeftLabel(left)}
      </p>
    )
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

const progressOf = ({ state, progress }: Call): string | null => {
  if (state === 'waiting') return null;
  return progress === null ? 'no progress reported yet' : counted(progress);
};

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
