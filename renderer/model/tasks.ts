import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { ResumableTasks, Task, UnfinishedTask } from '#shared/contract/tasks.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList, followValue } from './follow.ts';
import { selectPane } from './selection.ts';

/** Tasks by session, then by `taskKey`. */
const useTaskStore = create<Readonly<Record<string, Readonly<Record<string, Task>>>>>()(() => ({}));

/** Identifies a task within its session: both sides may use the same id. */
export const taskKey = ({ owner, id }: Pick<Task, 'owner' | 'id'>): string => `${owner} ${id}`;

/** The tasks of a session as they change, the newest first. */
export function useTasks(sessionId: string): {
  /** Null until the list is loaded. */
  readonly tasks: readonly Task[] | null;
  readonly fault: Fault | null;
} {
  useEffect(() => {
    const { loaded, stop } = followList<Task>({
      list: () => call('tasks/list', { sessionId }),
      listen: (changed) =>
        on('tasks/changed', (task) => {
          if (task.sessionId === sessionId) changed(task);
        }),
      idOf: taskKey,
      put: (tasks) => putTasks(sessionId, tasks),
    });
    loaded.then(
      () => setFault(faultKey(sessionId), null),
      (error: unknown) => setFault(faultKey(sessionId), faultOf(error)),
    );
    return stop;
  }, [sessionId]);
  const known = useTaskStore((bySession) => bySession[sessionId]);
  const fault = useFault(faultKey(sessionId));
  const tasks = useMemo(() => (known === undefined ? null : Object.values(known).toReversed()), [known]);
  return { tasks, fault };
}

const faultKey = (sessionId: string): string => `tasks of ${sessionId}`;

const putTasks = (sessionId: string, tasks: readonly Task[]) =>
  useTaskStore.setState(({ [sessionId]: known }) => ({
    [sessionId]: { ...known, ...Object.fromEntries(tasks.map((task) => [taskKey(task), task])) },
  }));

/** Tasks of earlier sessions that a session can resume, by session. */
const useResumableStore = create<Readonly<Record<string, readonly UnfinishedTask[]>>>()(() => ({}));

const none: readonly UnfinishedTask[] = [];

/** The tasks of earlier sessions that a session can resume. */
export function useResumable(sessionId: string): readonly UnfinishedTask[] {
  useEffect(() => {
    const { loaded, stop } = followValue<ResumableTasks>({
      read: () => call('tasks/resumable', { sessionId }),
      listen: (changed) =>
        on('tasks/resumable-changed', (now) => {
          if (now.sessionId === sessionId) changed(now);
        }),
      set: ({ tasks }) => useResumableStore.setState({ [sessionId]: tasks }),
    });
    loaded.catch((error: unknown) => setFault(faultKey(sessionId), faultOf(error)));
    return stop;
  }, [sessionId]);
  return useResumableStore((bySession) => bySession[sessionId]) ?? none;
}

/** The task on screen, by session. */
const useShownTasks = create<Readonly<Record<string, string>>>()(() => ({}));

/** The key of the task the user looks at; undefined when there is none yet. */
export const useShownTask = (sessionId: string): string | undefined =>
  useShownTasks((shown) => shown[sessionId]);

export const showTask = (sessionId: string, key: string): void =>
  useShownTasks.setState({ [sessionId]: key });

/** Opens the pane of the tasks at one of them. */
export function goToTask(sessionId: string, owner: Task['owner'], id: string): void {
  showTask(sessionId, taskKey({ owner, id }));
  selectPane('tasks');
}

/**
 * Polls a task until it has ended, also one of an earlier session, and shows it. Rejects if the server does not return
 * its status.
 */
export async function followTask(sessionId: string, taskId: string): Promise<void> {
  const task = await call('tasks/follow', { sessionId, taskId });
  putTasks(sessionId, [task]);
  showTask(sessionId, taskKey(task));
}

/** Statuses after which there is no other (MCP 2025-11-25 tasks, status lifecycle). */
const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean => ends.has(status);
