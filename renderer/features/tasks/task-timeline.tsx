import { selectTraceRow } from '#model/selection.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { formatClock, formatRunTime } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { visibleLine } from '#ui/visible.ts';
import { statusTone } from './task-labels.ts';

/** The changes of a task's status in order, each with its message, its time and its row. */
export function TaskTimeline({ task: { sessionId, history } }: { readonly task: Task }) {
  const began = history[0]?.at ?? 0;
  return (
    <section aria-labelledby="task-timeline">
      <h3 id="task-timeline" className="caption mb-1">
        Timeline
      </h3>
      <ol aria-labelledby="task-timeline">
        {history.map(({ status, statusMessage, row, at }, index) => {
          const { dot, text } = statusTone(status);
          return (
            // Two steps may share a row, if one message reported both.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="relative flex items-start gap-2.5 pb-1.5 pl-0.5">
              {index < history.length - 1 && (
                <span aria-hidden className="absolute top-[15px] bottom-[-7px] left-[5px] w-px bg-line" />
              )}
              <span className="flex h-row shrink-0 items-center">
                <StatusDot tone={dot} />
              </span>
              <span className="min-w-0 flex-1 pt-[3px]">
                <span className={cx('font-medium', text)}>{visibleLine(status)}</span>
                {statusMessage !== null && (
                  <>
                    {' '}
                    <PlainText inline text={statusMessage} className="text-mute" />
                  </>
                )}
              </span>
              <span className="mono shrink-0 pt-[3px] text-xs leading-[19px] text-faint tabular-nums">
                {index === 0 ? formatClock(at) : `+${formatRunTime(at - began)}`}
              </span>
              <span className="w-14 shrink-0 pt-[3px] text-right">
                <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
