import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { call, on } from '#bridge';
import { DirectionArrow } from '#ui/direction-arrow.tsx';
import { type Clock, wallTime } from '#model/trace-clock.ts';
import { timeLeftLabel, useTimeLeft } from '#model/calls.ts';
import { selectPane, selectTraceRow } from '#model/selection.ts';
import { isOpen, type SessionStatus } from '#model/sessions.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import type { Activity as ActivityView, RunningRequest } from '#shared/contract/logs.ts';
import { formatClock, formatCount, formatUptime } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Input } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

/** Milliseconds between two reads while the trace grows. */
const REREAD_MS = 250;

/** What is under way in a session: requests of both sides with their progress, and changes of lists. */
export function Activity({
  session,
  clock,
}: {
  readonly session: SessionStatus;
  readonly clock: Clock | null;
}) {
  const { id: sessionId } = session;
  const version = useGrowth(sessionId);
  const { latest, fault } = useQuery(`${sessionId} ${version}`, () => call('logs/activity', { sessionId }));
  const [reason, setReason] = useState('');
  const section = useRef<HTMLElement>(null);
  const focusSection = useCallback(() => section.current?.focus(), []);
  if (fault !== null) return <FaultCard fault={fault} className="m-3" />;
  if (latest === null || clock === null)
    return <div role="group" aria-busy aria-label="The activity is loading" />;
  return (
    <div className="h-full overflow-y-auto px-3.5 py-2">
      <section ref={section} aria-label="Running requests" tabIndex={-1} className="outline-none">
        <div className="mb-1 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="caption flex-1">Running requests</h3>
          {latest.running.some(({ row }) => isCancellable(row)) && isOpen(session) && (
            <div className="flex items-center gap-2 text-sm text-mute">
              <span aria-hidden>Reason of a cancellation</span>
              <Input
                aria-label="Reason of a cancellation"
                value={reason}
                placeholder="optional"
                onChange={({ target }) => setReason(target.value)}
                className="h-6! w-56 text-sm"
              />
            </div>
          )}
        </div>
        <Running
          session={session}
          activity={latest}
          clock={clock}
          reason={reason}
          onFocusLost={focusSection}
        />
      </section>
      <section aria-label="List changes" className="mt-4">
        <h3 className="caption mb-1">List changes</h3>
        <ListChanges sessionId={sessionId} activity={latest} clock={clock} />
      </section>
    </div>
  );
}

/** A number that changes when the trace has grown, at intervals. */
function useGrowth(sessionId: string): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = on('trace/grew', (change) => {
      if (change.sessionId !== sessionId) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        setVersion((last) => last + 1);
      }, REREAD_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [sessionId]);
  return version;
}

/** Only requests that we sent can be cancelled, and `initialize` must not be (MCP 2025-06-18 cancellation). */
const isCancellable = ({ direction, method }: TraceRow): boolean =>
  direction === 'out' && method !== 'initialize';

function Running({
  session,
  activity: { running, runningCount },
  clock,
  reason,
  onFocusLost,
}: {
  readonly session: SessionStatus;
  readonly activity: ActivityView;
  readonly clock: Clock;
  readonly reason: string;
  /** A line that had the focus is gone. Must be stable. */
  readonly onFocusLost: () => void;
}) {
  const now = useNow(1000, running.length > 0 && isOpen(session));
  if (running.length === 0) return <p className="text-mute">No request waits for a response.</p>;
  return (
    <>
      <table className="w-full table-fixed border-collapse text-left">
        <thead>
          <tr className="h-row border-b border-line text-xs text-faint">
            <th className="w-14 font-normal">row</th>
            <th className="w-6 font-normal">
              <span className="sr-only">direction</span>
            </th>
            <th className="w-[34%] font-normal">request</th>
            <th className="w-14 font-normal">age</th>
            <th className="font-normal">progress</th>
            <th className="w-24 font-normal">
              <span className="sr-only">action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {running.map((request) => (
            <RunningLine
              key={request.row.row}
              session={session}
              request={request}
              age={now - wallTime(clock, request.row.at)}
              reason={reason}
              onFocusLost={onFocusLost}
            />
          ))}
        </tbody>
      </table>
      {runningCount > running.length && (
        <p className="mt-1 text-mute">
          {formatCount(runningCount - running.length)} more wait: filter the trace by{' '}
          <code className="mono">status:pending</code>.
        </p>
      )}
    </>
  );
}

function RunningLine({
  session,
  request: { row, progress },
  age,
  reason,
  onFocusLost,
}: {
  readonly session: SessionStatus;
  readonly request: RunningRequest;
  /** Milliseconds. */
  readonly age: number;
  readonly reason: string;
  readonly onFocusLost: () => void;
}) {
  const { id: sessionId } = session;
  const line = useRef<HTMLTableRowElement>(null);
  // The cleanup of a layout effect runs while the line is still in the document.
  useLayoutEffect(() => {
    const element = line.current;
    return () => {
      if (element?.contains(document.activeElement)) queueMicrotask(onFocusLost);
    };
  }, [onFocusLost]);
  const name = visibleLine(`${row.method ?? ''} ${row.summary}`.trim());
  const timeLeft = useTimeLeft(sessionId, row.direction === 'out' && isOpen(session) ? row.row : null);
  const { run, isRunning, fault } = useAction(async () => {
    await call('calls/cancel-request', { sessionId, row: row.row, ...(reason !== '' && { reason }) });
  });
  return (
    <tr ref={line} className="border-b border-line align-baseline leading-6 hover:bg-hover">
      <td>
        <RowLink row={row.row} onOpen={() => selectTraceRow(sessionId, row.row)} />
      </td>
      <td>{row.direction && <DirectionArrow direction={row.direction} />}</td>
      <td className="mono truncate pr-2" title={name}>
        {name}
      </td>
      <td className="mono tabular-nums">{formatUptime(Math.max(0, age))}</td>
      <td className="min-w-0 pr-2">
        {progress === null ? (
          <span className="text-faint">none reported</span>
        ) : (
          <span className="mono">{visibleLine(progress.summary)}</span>
        )}
        {timeLeft !== null && <span className="ml-2 text-xs text-faint">{timeLeftLabel(timeLeft)}</span>}
        {fault !== null && (
          <span role="alert" className="ml-2 text-err">
            <VisibleText text={fault.what} />
          </span>
        )}
      </td>
      <td className="text-right">
        {!isOpen(session) ? null : isCancellable(row) ? (
          <Button
            size="small"
            // Not disabled, which would take its focus away.
            aria-disabled={isRunning}
            aria-label={isRunning ? `Cancelling ${name}` : `Cancel ${name}`}
            onClick={() => void (isRunning || run())}
          >
            {isRunning ? 'Cancelling…' : 'Cancel'}
          </Button>
        ) : row.direction === 'in' ? (
          <Button size="small" variant="quiet" onClick={() => selectPane('inbox')}>
            Inbox
          </Button>
        ) : null}
      </td>
    </tr>
  );
}

function ListChanges({
  sessionId,
  activity: { listChanges, listChangeCount },
  clock,
}: {
  readonly sessionId: string;
  readonly activity: ActivityView;
  readonly clock: Clock;
}) {
  if (listChanges.length === 0) return <p className="text-mute">No list has changed.</p>;
  return (
    <>
      <ul>
        {listChanges.map((row) => (
          <li key={row.row} className="flex h-row items-center gap-3 border-b border-line hover:bg-hover">
            <span className="w-12">
              <RowLink row={row.row} onOpen={() => selectTraceRow(sessionId, row.row)} />
            </span>
            <span className="mono text-faint tabular-nums">{formatClock(wallTime(clock, row.at))}</span>
            {row.direction && <DirectionArrow direction={row.direction} />}
            <span className="mono min-w-0 truncate">{visibleLine(row.method ?? '')}</span>
          </li>
        ))}
      </ul>
      {listChangeCount > listChanges.length && (
        <p className="mt-1 text-mute">{formatCount(listChangeCount - listChanges.length)} earlier ones.</p>
      )}
    </>
  );
}
