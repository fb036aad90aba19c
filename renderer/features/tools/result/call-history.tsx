import { useSessions } from '#model/sessions.ts';
import type { Call } from '#shared/contract/calls.ts';
import { formatClock } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { StatusDot } from '#ui/status-dot.tsx';
import { callKey } from '../drafts.ts';
import { callLabels, callMeasures, numberOf } from './call-outcome.tsx';

/** The calls of a tool, by session: each can be shown, or compared with the one shown. */
export function CallHistory({
  current,
  calls,
  shown,
  onShow,
  onCompare,
}: {
  /** The current session. */
  readonly current: string | null;
  /** Newest first. */
  readonly calls: readonly Call[];
  readonly shown: Call;
  readonly onShow: (call: Call) => void;
  /** Compares a call with the one shown. */
  readonly onCompare: (call: Call) => void;
}) {
  const sessionIds = [...new Set(calls.map(({ sessionId }) => sessionId))];
  return sessionIds.map((sessionId) => (
    <section key={sessionId} aria-label={sessionId === current ? 'This session' : 'Earlier session'}>
      {(sessionIds.length > 1 || sessionId !== current) && (
        <SessionHeading sessionId={sessionId} isCurrent={sessionId === current} />
      )}
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
    </section>
  ));
}

function SessionHeading({
  sessionId,
  isCurrent,
}: {
  readonly sessionId: string;
  readonly isCurrent: boolean;
}) {
  const openedAt = useSessions(({ sessions }) => sessions[sessionId]?.openedAt);
  const at = openedAt === undefined ? '' : `, connected at ${formatClock(openedAt).slice(0, 8)}`;
  return <h3 className="caption px-2 pt-1">{`${isCurrent ? 'This session' : 'Earlier session'}${at}`}</h3>;
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
