import { type RefObject, useEffect, useRef } from 'react';
import { useOlderCalls } from '#model/calls.ts';
import { openInBackground } from '#model/traces.ts';
import { useAction } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatClock, formatMinute } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { argumentsInLine } from '#shared/json/in-line.ts';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { callKey } from '../drafts.ts';
import { useBeginOf } from '#model/traces.ts';
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
  const lists = useRef<HTMLDivElement>(null);
  const keepFocus = useFocusOnNewRow(lists, earlier !== null);
  return (
    <div ref={lists}>
      {sessionIds.map((sessionId) => (
        <SessionCalls key={sessionId} {...props} sessionId={sessionId} hasHeading={sessionIds.length > 1} />
      ))}
      {earlier !== null && (
        <div className="p-1">
          <ShowEarlierCalls earlier={earlier} onPress={keepFocus} />
        </div>
      )}
    </div>
  );
}

/**
 * Moves the focus when a button that adds rows goes away with the last of them: to the first row that it has added, or to the
 * last one.
 *
 * @returns what the button calls first
 */
function useFocusOnNewRow(list: RefObject<HTMLElement | null>, hasButton: boolean): () => void {
  const rowsBefore = useRef<number | null>(null);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[aria-current]') ?? [])];
  useEffect(() => {
    if (hasButton || rowsBefore.current === null) return;
    // The user may have moved it elsewhere.
    if (document.activeElement === document.body) {
      const now = rows();
      (now[rowsBefore.current] ?? now.at(-1))?.focus();
    }
    rowsBefore.current = null;
  });
  return () => {
    rowsBefore.current = rows().length;
  };
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
  const list = useRef<HTMLUListElement>(null);
  const keepFocus = useFocusOnNewRow(list, readOlder !== null);
  return (
    <section aria-label={isCurrent ? 'This session' : 'Earlier session'}>
      {(hasHeading || !isCurrent) && <SessionHeading sessionId={sessionId} isCurrent={isCurrent} />}
      <ul ref={list}>
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
        <Button
          size="small"
          variant="quiet"
          className="mx-1"
          onClick={() => {
            keepFocus();
            void readOlder();
          }}
        >
          Show older calls
        </Button>
      )}
    </section>
  );
}

/** Opens a recording of the server, whose calls are listed from then on. */
export function ShowEarlierCalls({
  earlier,
  onPress,
}: {
  readonly earlier: TraceFileView;
  readonly onPress: () => void;
}) {
  const { run, isRunning, fault } = useAction(async () => {
    await openInBackground(earlier.path);
  });
  return (
    <>
      <Button
        size="small"
        // A disabled button would lose the focus.
        aria-disabled={isRunning}
        className="aria-disabled:opacity-50"
        onClick={() => {
          if (isRunning) return;
          onPress();
          void run();
        }}
      >
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
  const { requestId, startedAt, state, arguments: args } = call;
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
        <span className="min-w-28 shrink-0 text-mute">{callMeasures(call).join(' · ')}</span>
        <ParamsPreview text={argumentsInLine(args)} className="flex-1" />
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
