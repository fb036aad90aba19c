import type { SessionStatus } from '#model/sessions.ts';
import { hasEnded } from '#model/tasks.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { formatUptime } from '#shared/format.ts';
import type { DotTone } from '#ui/status-dot.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

/** Colours of the statuses of a task; the text is always beside them. */
const statusTones: Readonly<Record<string, { readonly dot: DotTone; readonly text: string }>> = {
  working: { dot: 'busy', text: 'text-info' },
  input_required: { dot: 'busy', text: 'text-warn' },
  completed: { dot: 'ok', text: 'text-in' },
  failed: { dot: 'error', text: 'text-err' },
  cancelled: { dot: 'off', text: 'text-mute' },
};

export const statusTone = (status: string): { readonly dot: DotTone; readonly text: string } =>
  statusTones[status] ?? { dot: 'busy', text: 'text-warn' };

/** What a task runs: its tool or its method, else its id. */
export const taskName = ({ tool, method, id }: Pick<Task, 'tool' | 'method' | 'id'>): string =>
  visibleLine(tool ?? method ?? id);

/** Such as `0:42 left of 1:00`; null if the task has no limit or has ended. */
export function timeLeftOf(task: Task, now: number): string | null {
  const { ttl, startedAt } = task;
  if (ttl === null || startedAt === null || hasEnded(task)) return null;
  const left = startedAt + ttl - now;
  return left > 0 ? `${formatUptime(left)} left of ${formatUptime(ttl)}` : 'time to live is over';
}

/** The time of day while a session is open, then when it ended: its tasks are shown as they were. */
export function useSessionTime({ closedAt }: SessionStatus, isRunning: boolean): number {
  const now = useNow(1000, isRunning && closedAt === null);
  return closedAt ?? now;
}

/** How long a task has run, or ran; null if its start is unknown. */
export function ageOf(task: Task, now: number): string | null {
  const { startedAt, history } = task;
  if (startedAt === null) return null;
  const until = hasEnded(task) ? (history.at(-1)?.at ?? now) : now;
  return formatUptime(Math.max(0, until - startedAt));
}
