import { createContext, type ReactNode, type Ref, useContext } from 'react';
import type { SessionStatus } from '#model/sessions.ts';
import { hasEnded, taskKey } from '#model/tasks.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { OptionList } from '#ui/option-list.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ageOf, statusTone, taskName, timeLeftOf, useSessionTime } from './task-labels.ts';

/** All tasks of a session. Up and Down move the selection. */
export function TaskList({
  session,
  tasks,
  selected,
  onSelect,
  ref,
}: {
  readonly session: SessionStatus;
  readonly tasks: readonly Task[];
  readonly selected: Task | null;
  /** Must be stable. */
  readonly onSelect: (task: Task) => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  const running = tasks.filter((task) => !hasEnded(task)).length;
  return (
    <>
      <Clock session={session} isRunning={running > 0}>
        <OptionList
          ref={ref}
          label="Tasks"
          options={tasks}
          idOf={idOf}
          nameOf={nameOf}
          selected={selected}
          onSelect={onSelect}
        >
          {drawTask}
        </OptionList>
      </Clock>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {formatQuantity(tasks.length, 'task')} · {running === 0 ? 'none running' : `${running} running`}
      </p>
    </>
  );
}

const idOf = (task: Task): string => encodeURIComponent(taskKey(task));

const nameOf = (task: Task): string =>
  `${taskName(task)}, ${visibleLine(task.status)}${task.owner === 'client' ? ', run by this client' : ''}`;

const drawTask = (task: Task) => {
  const { dot, text } = statusTone(task.status);
  return (
    <>
      <div className="flex items-center gap-2">
        <StatusDot tone={dot} />
        <span className={cx('min-w-0 flex-1 truncate', hasEnded(task) ? 'text-mute' : 'font-medium')}>
          {taskName(task)}
        </span>
        <span className={cx('max-w-[45%] truncate text-xs', text)}>{visibleLine(task.status)}</span>
      </div>
      <div className="flex items-baseline gap-2">
        <span className="mono min-w-0 flex-1 truncate text-faint">
          {task.owner === 'client' ? 'run by this client' : formatQuantity(task.polls, 'poll')}
        </span>
        <span className="mono shrink-0 text-xs text-faint tabular-nums">
          <Times task={task} />
        </span>
      </div>
    </>
  );
};

const Now = createContext(0);

/** Provides the current time, so that only the times are rendered every second. */
function Clock({
  session,
  isRunning,
  children,
}: {
  readonly session: SessionStatus;
  readonly isRunning: boolean;
  readonly children: ReactNode;
}) {
  return <Now value={useSessionTime(session, isRunning)}>{children}</Now>;
}

/** What is left of its time to live, else its age. */
function Times({ task }: { readonly task: Task }) {
  const now = useContext(Now);
  return timeLeftOf(task, now) ?? ageOf(task, now);
}
