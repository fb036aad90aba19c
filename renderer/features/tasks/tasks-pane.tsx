import { ListChecks, RefreshCw, RotateCw, Unplug } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { selectPane, useShownSession, useSelection } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { showTask, taskKey, useResumable, useShownTask, useTasks } from '#model/tasks.ts';
import { useAction } from '#model/use-query.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { ResumableList, ResumeForm, useResumption } from './resume-tasks.tsx';
import { TaskColumn } from './task-column.tsx';
import { TaskList } from './task-list.tsx';

/** The tasks of the session on screen, of the server and of this client: follow, cancel and resume them. */
export function TasksPane() {
  const session = useShownSession();
  if (session === null) {
    return (
      <EmptyState icon={<Unplug />} title="Not connected">
        Connect to the server: the tasks that it runs appear here.
      </EmptyState>
    );
  }
  return <TasksOf key={session.id} session={session} />;
}

function TasksOf({ session }: { readonly session: SessionStatus }) {
  const { tasks, fault } = useTasks(session.id);
  const resumable = useResumable(session.id);
  const [isFormOpen, setFormOpen] = useState(false);
  const shownKey = useShownTask(session.id);
  const list = useRef<HTMLDivElement>(null);
  // The focus in the form would be lost with it. The list may be rendered only then.
  const wasFormOpen = useRef(false);
  useEffect(() => {
    if (wasFormOpen.current && !isFormOpen) list.current?.focus();
    wasFormOpen.current = isFormOpen;
  }, [isFormOpen]);
  const resumption = useResumption(session.id, () => list.current?.focus());
  const isConnected = session.phase === 'ready';
  const openForm = useCallback(() => setFormOpen(true), []);
  const select = useCallback((task: Task) => showTask(session.id, taskKey(task)), [session.id]);
  useCommands(
    useMemo(
      () =>
        isConnected
          ? [{ id: 'tasks.resume', title: 'Resume a task by id…', group: 'Tasks', run: openForm }]
          : [],
      [isConnected, openForm],
    ),
  );
  if (tasks === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div role="group" aria-busy aria-label="Tasks are loading" />;
  }
  const closeForm = () => setFormOpen(false);
  const form = isFormOpen && isConnected && (
    <ResumeForm sessionId={session.id} onDone={closeForm} onClose={closeForm} />
  );
  if (tasks.length === 0 && resumable.length === 0) {
    return (
      <NoTasks session={session} onResume={isFormOpen ? null : openForm}>
        {form}
        {isConnected && <ResumableList tasks={resumable} resumption={resumption} />}
      </NoTasks>
    );
  }
  const selected = tasks.find((task) => taskKey(task) === shownKey) ?? tasks[0] ?? null;
  return (
    <Split id="tasks" direction="row" className="h-full">
      <SplitPanel id="task-list" size={300} min={200} max={560} keepsPixels>
        <div className="flex h-full min-h-0 flex-col">
          <ListBar session={session} onResume={isConnected ? openForm : null} />
          {form}
          {isConnected && <ResumableList tasks={resumable} resumption={resumption} />}
          <TaskList ref={list} session={session} tasks={tasks} selected={selected} onSelect={select} />
        </div>
      </SplitPanel>
      <SplitHandle label="Width of the task list" />
      <SplitPanel id="task" min={340}>
        {selected === null ? (
          <EmptyState icon={<RotateCw />} title="No task in this session yet">
            A task outlives its session: resume one of the earlier session, or run a tool as a task.
          </EmptyState>
        ) : (
          <TaskColumn key={taskKey(selected)} session={session} task={selected} />
        )}
      </SplitPanel>
    </Split>
  );
}

/** Reads the list of the server, and opens the form. */
function ListBar({
  session,
  onResume,
}: {
  readonly session: SessionStatus;
  /** Null without a connection. */
  readonly onResume: (() => void) | null;
}) {
  const refresh = useAction(async () => {
    await call('tasks/refresh', { sessionId: session.id });
  });
  const support = supportOf(session.agreement);
  return (
    <>
      <div className="flex h-10 shrink-0 items-center gap-1 px-2">
        <Button size="small" disabled={onResume === null} onClick={() => onResume?.()}>
          Resume by id…
        </Button>
        {support.hasList && (
          <span className="ml-auto">
            <IconButton
              size="small"
              label="Read the server's list of tasks"
              disabled={onResume === null || refresh.isRunning}
              onClick={() => void refresh.run()}
            >
              <RefreshCw aria-hidden className="size-3.5" />
            </IconButton>
          </span>
        )}
      </div>
      {refresh.fault !== null && <FaultCard fault={refresh.fault} className="mx-2 mb-2" />}
    </>
  );
}

/** Explains when a server has tasks, while there are none. */
function NoTasks({
  session,
  onResume,
  children,
}: {
  readonly session: SessionStatus;
  /** Null while the form is open. */
  readonly onResume: (() => void) | null;
  /** The form, and why a task could not be resumed. */
  readonly children: ReactNode;
}) {
  const isRecorded = useSelection(({ openedId }) => openedId !== null);
  const { agreement } = session;
  const { isDeclared, hasList } = supportOf(agreement);
  const isConnected = session.phase === 'ready';
  const refresh = useAction(async () => {
    await call('tasks/refresh', { sessionId: session.id });
  });
  return (
    <EmptyState
      icon={<ListChecks />}
      title={isRecorded ? 'No tasks in this recording' : 'No tasks yet'}
      actions={
        isConnected && (
          <>
            {isDeclared && <Button onClick={() => selectPane('tools')}>Show its tools</Button>}
            {hasList && (
              <Button disabled={refresh.isRunning} onClick={() => void refresh.run()}>
                Read the server's list
              </Button>
            )}
            {onResume !== null && <Button onClick={onResume}>Resume a task by id…</Button>}
          </>
        )
      }
    >
      A task is a request that the server works on after its response: its status is polled, and its result
      fetched when it has ended.{' '}
      {isDeclared
        ? agreement?.era === 'modern'
          ? 'This server decides which tool calls become tasks: run one, and it appears here.'
          : 'Run a tool with “Request a task” in its options, and it appears here. A question of the server that we answer as a task appears, too.'
        : `This server declares none: that takes the capability tasks in 2025-11-25, or the extension ${TASKS_EXTENSION} in 2026-07-28.`}
      {children && <div className="mt-3">{children}</div>}
      {refresh.fault !== null && <FaultCard fault={refresh.fault} className="mt-3 text-left" />}
    </EmptyState>
  );
}

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What the server declares about tasks (MCP 2025-11-25 tasks, capabilities; the extension of 2026-07-28). */
function supportOf(agreement: Agreement | null): { readonly isDeclared: boolean; readonly hasList: boolean } {
  const capabilities = agreement?.serverCapabilities ?? {};
  const { extensions } = capabilities;
  if (agreement?.era === 'modern') {
    return { isDeclared: isObject(extensions) && isObject(extensions[TASKS_EXTENSION]), hasList: false };
  }
  return {
    isDeclared: mayHaveCapability(capabilities, 'tasks'),
    hasList: mayHaveCapability(capabilities, 'tasks.list'),
  };
}
