import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '#bridge';
import { followTask } from '#model/tasks.ts';
import { useAction } from '#model/use-query.ts';
import type { UnfinishedTask } from '#shared/contract/tasks.ts';
import { formatClock, formatQuantity } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';
import { taskName } from './task-labels.ts';

/** A form to follow a task by its id. */
export function ResumeForm({
  sessionId,
  onDone,
  onClose,
}: {
  readonly sessionId: string;
  /** Called when the server has returned the status of the task. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [id, setId] = useState('');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const resume = useAction(async () => {
    await followTask(sessionId, id.trim());
    onDone();
  });
  return (
    <form
      ref={form}
      aria-label="Resume a task by id"
      className="mx-2 mb-2 rounded-ui border border-line bg-panel p-2.5 text-left"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (id.trim() !== '' && !resume.isRunning) void resume.run();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <TextField
        label="Task id"
        mono
        value={id}
        onChange={setId}
        note="The server is asked for its status (tasks/get) until it ends."
      />
      {resume.fault !== null && <FaultCard fault={resume.fault} className="mt-2" />}
      <div className="mt-2 flex gap-2">
        <Button type="submit" size="small" variant="primary" disabled={id.trim() === '' || resume.isRunning}>
          Resume
        </Button>
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      </div>
    </form>
  );
}

/** Resumes a task of an earlier session, or dismisses it. The fault outlives the list: the server may not know the task. */
export function useResumption(sessionId: string, onResumed: () => void) {
  const resume = useAction(async (taskId: string) => {
    await followTask(sessionId, taskId);
    onResumed();
  });
  const dismiss = useAction(async (taskId: string) => {
    await call('tasks/forget', { sessionId, taskId });
  });
  return { resume, dismiss, fault: resume.fault ?? dismiss.fault };
}

/** The tasks of earlier sessions with the server that had not ended, each with a button to resume it. */
export function ResumableList({
  tasks,
  resumption: { resume, dismiss, fault },
}: {
  readonly tasks: readonly UnfinishedTask[];
  readonly resumption: ReturnType<typeof useResumption>;
}) {
  if (tasks.length === 0) return fault && <FaultCard fault={fault} className="mx-2 mb-2 text-left" />;
  return (
    <section
      aria-label="Tasks of an earlier session"
      className="mx-2 mb-2 max-h-[45%] shrink-0 overflow-y-auto rounded-ui border border-line border-l-2 border-l-warn bg-panel px-2.5 py-2 text-left"
    >
      <p className="text-sm">{formatQuantity(tasks.length, 'task')} of an earlier session had not ended.</p>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      <ul className="mt-1">
        {tasks.map((task) => (
          <li key={task.id} className="flex items-center gap-2 py-0.5">
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{taskName(task)}</span>
              <span className="mono block truncate text-xs text-faint">
                {visibleLine(task.status)} at {formatClock(task.seenAt).slice(0, 8)} · {visibleLine(task.id)}
              </span>
            </span>
            <Button
              size="small"
              aria-label={`Resume ${taskName(task)} ${visibleLine(task.id)}`}
              disabled={resume.isRunning}
              onClick={() => void resume.run(task.id)}
            >
              Resume
            </Button>
            <IconButton
              size="small"
              label={`Dismiss ${taskName(task)} ${visibleLine(task.id)}`}
              onClick={() => void dismiss.run(task.id)}
            >
              <X aria-hidden className="size-3.5" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
