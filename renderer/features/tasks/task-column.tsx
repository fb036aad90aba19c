import { Ban, Download, RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '#bridge';
import { type Command, useCommands } from '#model/commands.ts';
import { useShowInTrace } from '#model/message-panes.ts';
import { selectPane, selectTraceRow } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { followTask, hasEnded } from '#model/tasks.ts';
import { useAction } from '#model/use-query.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { formatCount, formatRunTime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ageOf, statusTone, taskName, timeLeftOf, useSessionTime } from './task-labels.ts';
import { TaskResult } from './task-result.tsx';
import { TaskTimeline } from './task-timeline.tsx';

/** One task: what it runs, its state with all changes, its result, and what can be done with it. */
export function TaskColumn({ session, task }: { readonly session: SessionStatus; readonly task: Task }) {
  const { text } = statusTone(task.status);
  return (
    <section aria-label="Task" className="h-full min-h-0 overflow-y-auto px-4 pt-3 pb-3">
      <div className="flex items-baseline gap-x-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">{taskName(task)}</h2>
        <span role="status" className={cx('shrink-0 font-medium', text)}>
          {visibleLine(task.status)}
        </span>
        {task.statusMessage !== null && (
          <span className="min-w-16 shrink-[1000] truncate text-mute">{visibleLine(task.statusMessage)}</span>
        )}
      </div>
      <TaskActions session={session} task={task} />
      {task.fault !== null && <FaultCard fault={task.fault} className="mt-2" />}
      <div className="mt-3 grid items-start gap-x-8 gap-y-4 min-[1200px]:grid-cols-[minmax(240px,5fr)_minmax(300px,8fr)]">
        <TaskFacts session={session} task={task} />
        <div className="flex min-w-0 flex-col gap-4">
          <TaskTimeline task={task} />
          {hasResult(task) && <TaskResult task={task} />}
        </div>
      </div>
    </section>
  );
}

const hasResult = (task: Task): task is Task & { resultRow: number } => task.resultRow !== null;

/** Polls, cancels, gets the result. Nothing can be sent for a session that is not open. */
function TaskActions({ session, task }: { readonly session: SessionStatus; readonly task: Task }) {
  const { sessionId, id: taskId, owner, isFollowed, status, resultRow } = task;
  const poll = useAction(() => followTask(sessionId, taskId));
  const cancel = useAction(async () => {
    await call('tasks/cancel', { sessionId, taskId });
  });
  const getResult = useAction(async () => {
    await call('tasks/result', { sessionId, taskId });
  });
  const isOver = hasEnded(task);
  const isServers = owner === 'server';
  const canPoll = isServers && !isOver;
  const canGetResult = isServers && isOver && status !== 'cancelled' && resultRow === null;
  const pollLabel = isFollowed ? 'Poll now' : 'Follow';
  const pollCommand = isFollowed ? 'Poll the task now' : 'Follow the task';
  const isOpen = session.phase === 'ready';
  useCommands(
    useMemo(() => {
      const group = 'Tasks';
      const all: readonly (Command | false)[] = [
        canPoll && { id: 'tasks.poll', title: pollCommand, group, run: () => void poll.run() },
        !isOver && { id: 'tasks.cancel', title: 'Cancel the task', group, run: () => void cancel.run() },
        canGetResult && {
          id: 'tasks.result',
          title: 'Get the result of the task',
          group,
          run: () => void getResult.run(),
        },
      ];
      return isOpen ? all.filter((one) => one !== false) : [];
      // oxlint-disable-next-line react/exhaustive-deps -- the actions are the same for one task
    }, [taskId, canPoll, canGetResult, isOver, isOpen, pollCommand]),
  );
  if (!isOpen || (isOver && !canGetResult)) return null;
  const fault = poll.fault ?? cancel.fault ?? getResult.fault;
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {canPoll && (
          <Button
            icon={<RefreshCw aria-hidden className="size-3.5" />}
            disabled={poll.isRunning}
            onClick={() => void poll.run()}
          >
            {pollLabel}
          </Button>
        )}
        {canGetResult && (
          <Button
            icon={<Download aria-hidden className="size-3.5" />}
            disabled={getResult.isRunning}
            onClick={() => void getResult.run()}
          >
            Get result
          </Button>
        )}
        {!isServers && !isOver && <Button onClick={() => selectPane('inbox')}>Answer in the Inbox</Button>}
        {!isOver && (
          <Button
            icon={<Ban aria-hidden className="size-3.5" />}
            disabled={cancel.isRunning}
            onClick={() => void cancel.run()}
          >
            Cancel
          </Button>
        )}
      </div>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
    </>
  );
}

function TaskFacts({ session, task }: { readonly session: SessionStatus; readonly task: Task }) {
  const { sessionId, id, kind, owner, method, requestRow, row, ttl, pollInterval, polls } = task;
  const isOver = hasEnded(task);
  const now = useSessionTime(session, !isOver);
  const age = ageOf(task, now);
  useShowInTrace(sessionId, requestRow ?? row);
  const link = (to: number) => <RowLink row={to} onOpen={() => selectTraceRow(sessionId, to)} />;
  const facts: readonly (Fact | null)[] = [
    {
      name: 'Id',
      value: (
        <>
          <PlainText inline text={id} className="mono" />
          <CopyButton text={id} label="Copy the task id" className="-my-1 ml-1 align-middle" />
        </>
      ),
    },
    { name: 'Run by', value: owner === 'server' ? 'the server' : 'this client, for the server' },
    {
      name: 'Request',
      value:
        requestRow === null ? (
          <span className="text-mute">not in this session</span>
        ) : (
          <>
            <PlainText inline text={method ?? ''} className="mono" /> {link(requestRow)}
          </>
        ),
    },
    { name: 'Protocol', value: kind === 'core' ? 'tasks of 2025-11-25' : 'tasks extension of 2026-07-28' },
    age === null ? null : { name: isOver ? 'Ran' : 'Age', value: <Figure>{age}</Figure> },
    {
      name: 'TTL',
      value:
        ttl === null ? (
          <span className="text-mute">unlimited, or not stated</span>
        ) : (
          <Figure>{timeLeftOf(task, now) ?? formatRunTime(ttl)}</Figure>
        ),
    },
    {
      name: 'Polls',
      value: (
        <>
          <Figure>{formatCount(polls)}</Figure>
          {pollInterval !== null && (
            <span className="text-mute"> every {formatRunTime(pollInterval)} as stated</span>
          )}
          {owner === 'server' && !isOver && (
            <span className="text-mute">{task.isFollowed ? ', until it ends' : ', no longer polled'}</span>
          )}
        </>
      ),
    },
    { name: 'Last report', value: link(row) },
  ];
  return (
    <section aria-label="About the task">
      <Facts facts={facts} />
    </section>
  );
}

const Figure = ({ children }: { readonly children: string }) => (
  <span className="mono tabular-nums">{children}</span>
);
