import { useOlderCalls } from '#model/calls.ts';
import { openInBackground } from '#model/traces.ts';
import { useAction } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatClock, formatMinute } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { callKey } from '../drafts.ts';
import { useBeginOf } from '../tool-calls.ts';
import { callLabels, callMeasures, numberOf } from './call-outcome.tsx';

interface CallHistoryProps {
  /** The current session. */
  readonly current: string | null;
  /** Newest first. */
  readonly calls: readonly Call[];
  /** A recording of the server whose calls are not listed yet; null if there is none. */
  readonly earlier: TraceFileView | null;
  readonly shown: Call;
  readonly onShow: (call: Call) => void;
  /** Compares a call with the one shown. */
  readonly onCompare: (call: Call) => void;
}

/** The calls of a tool, by session: each can be shown, or compared with the one shown. */
export function CallHistory(props: CallHistoryProps) {
  const { calls, earlier } = props;
  const sessionIds = [...new Set(calls.map(({ sessionId }) => sessionId))];
  return (
    <>
      {sessionIds.map((sessionId) => (
        <SessionCalls key={sessionId} {...props} sessionId={sessionId} hasHeading={sessionIds.length > 1} />
      ))}
      {earlier !== null && (
        <div className="p-1">
          <ShowEarlierCalls earlier={earlier} />
        </div>
      )}
    </>
  );
}

/** The calls of one session. Those that are not held in memory are read from its trace, a page at a time. */
function SessionCalls({
  sessionId,
  hasHeading,
  current,
  calls,
  shown,
  onShow,
  onCompare,
}: CallHistoryProps & { readonly sessionId: string; readonly hasHeading: boolean }) {
  const isCurrent = sessionId === current;
  const readOlder = useOlderCalls(sessionId, shown.tool);
  return (
    <section aria-label={isCurrent ? 'This session' : 'Earlier session'}>
      {(hasHeading || !isCurrent) && <SessionHeading sessionId={sessionId} isCurrent={isCurrent} />}
      <ul>
        {calls
          .filter((call) => call.sessionId === sessionId)
          .map((call) => (
            <HistoryRow
              key={callKey(call)}
              call={call}
              isShown={call === shown}
              onShow={() => onShow(call)}
              onCompare={() => onCompare(call)}
            />
          ))}
      </ul>
      {readOlder !== null && (
        <Button size="small" variant="quiet" className="mx-1" onClick={() => void readOlder()}>
          Show older calls
        </Button>
      )}
    </section>
  );
}

/** Opens a recording of the server, whose calls are listed from then on. */
export function ShowEarlierCalls({ earlier }: { readonly earlier: TraceFileView }) {
  const { run, isRunning, fault } = useAction(async () => {
    await openInBackground(earlier.path);
  });
  return (
    <>
      <Button size="small" disabled={isRunning} onClick={() => void run()}>
        {isRunning ? 'Reading the recording…' : `Show the calls of ${formatMinute(earlier.createdAt)}`}
      </Button>
      {fault !== null && <FaultCard fault={fault} className="mt-1" />}
    </>
  );
}

function SessionHeading({
  sessionId,
  isCurrent,
}: {
  readonly sessionId: string;
  readonly isCurrent: boolean;
}) {
  const begun = useBeginOf(sessionId);
  const name = isCurrent ? 'This session' : begun?.isRecording === true ? 'Recording' : 'Earlier session';
  const at =
    begun === null
      ? ''
      : begun.isRecording
        ? ` of ${formatMinute(begun.at)}`
        : `, connected at ${formatClock(begun.at).slice(0, 8)}`;
  return <h3 className="caption px-2 pt-1">{`${name}${at}`}</h3>;
}

function HistoryRow({
  call,
  isShown,
  onShow,
  onCompare,
}: {
  readonly call: Call;
  readonly isShown: boolean;
  readonly onShow: () => void;
  readonly onCompare: () => void;
}) {
  const { requestId, startedAt, state } = call;
  const { label, colour, dot } = callLabels[state];
  return (
    <li className="flex h-row items-center gap-1 [contain-intrinsic-size:auto_24px] [content-visibility:auto]">
      <button
        type="button"
        aria-current={isShown}
        onClick={onShow}
        className={cx(
          'mono flex h-full min-w-0 flex-1 items-center gap-2 rounded-ui px-2 text-left hover:bg-hover',
          isShown && 'bg-hover',
        )}
      >
        <StatusDot tone={dot} />
        <span className="w-12 shrink-0">{numberOf(call)}</span>
        <span className="shrink-0 text-mute">{formatClock(startedAt).slice(0, 8)}</span>
        <span className={cx('shrink-0', colour)}>{label}</span>
        <span className="truncate text-mute">{callMeasures(call)}</span>
      </button>
      {!isShown && (
        <Button
          size="small"
          variant="quiet"
          aria-label={`Compare call ${requestId ?? 'that was not sent'} with the one shown`}
          onClick={onCompare}
        >
          Compare
        </Button>
      )}
    </li>
  );
}
