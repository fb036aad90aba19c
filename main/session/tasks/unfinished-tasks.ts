import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Task, type UnfinishedTask, unfinishedTaskSchema } from '#shared/contract/tasks.ts';
import { hasEnded, type TaskKind } from './known-tasks.ts';
import { GONE } from './task-faults.ts';

const fileSchema = z.object({ version: z.literal(1), tasks: z.array(unfinishedTaskSchema) });

/** Limits of the tasks kept for one server, and of their age in milliseconds. */
const MAX_KEPT = 50;
const MAX_AGE = 30 * 24 * 3_600_000;

interface UnfinishedTasksOptions {
  readonly folder: string;
  /** Writes a file as a whole, readable by its owner only. */
  readonly replaceFile: (path: string, text: string) => Promise<void>;
}

/** The unfinished tasks of one server in the data folder. */
export interface UnfinishedOfServer {
  /** The tasks that may still exist, the newest first. */
  read(): Promise<readonly UnfinishedTask[]>;
  /** Adds or replaces a task. */
  keep(task: UnfinishedTask): void;
  remove(taskId: string): void;
}

/**
 * The tasks of servers that had not ended when the app saw them last, one file for each server, without secrets. A task
 * may outlive its session and the app (MCP 2025-11-25 tasks), so the next session suggests to resume it.
 */
export class UnfinishedTasks {
  readonly #options: UnfinishedTasksOptions;
  /** The last operation on a file; each starts after the one before. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: UnfinishedTasksOptions) {
    this.#options = options;
  }

  /** @param key a file name for the server */
  ofServer(key: string): UnfinishedOfServer {
    const path = this.#pathOf(key);
    return {
      read: () => this.#inTurn(() => this.#read(path)),
      keep: (task) =>
        this.#change(path, (tasks) => [task, ...tasks.filter(({ id }) => id !== task.id)].slice(0, MAX_KEPT)),
      remove: (taskId) => this.#change(path, (tasks) => tasks.filter(({ id }) => id !== taskId)),
    };
  }

  /** Forgets a removed server. */
  async forget(key: string): Promise<void> {
    await this.#inTurn(() => rm(this.#pathOf(key), { force: true }));
  }

  /** Waits until everything is written. */
  async close(): Promise<void> {
    await this.#turn;
  }

  #pathOf(key: string): string {
    return join(this.#options.folder, `${encodeURIComponent(key).slice(0, 200)}.json`);
  }

  /** Changes the file. Reads it first, because another window may have changed it. */
  #change(path: string, change: (tasks: UnfinishedTask[]) => UnfinishedTask[]): void {
    void this.#inTurn(async () => {
      const tasks = await this.#read(path);
      const changed = change(tasks);
      if (tasks.length === 0 && changed.length === 0) return;
      try {
        await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
        await this.#options.replaceFile(path, JSON.stringify({ version: 1, tasks: changed }));
      } catch {
        // Without the file, only the suggestion to resume is missing: the id is in the trace.
      }
    });
  }

  /** Reads the tasks; empty if the file is missing, damaged or of another version. */
  async #read(path: string): Promise<UnfinishedTask[]> {
    try {
      const { tasks } = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
      return tasks.filter((task) => mayExist(task, Date.now()));
    } catch {
      return [];
    }
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** Whether the server may still know a task: it may drop it after its ttl. */
const mayExist = ({ startedAt, seenAt, ttl }: UnfinishedTask, now: number): boolean =>
  now - seenAt < MAX_AGE && (ttl === null || now - (startedAt ?? seenAt) < ttl);

/** The tasks of earlier sessions that a session can resume. Saves the tasks of this session for the next one. */
export class Resumable {
  readonly #kept: UnfinishedOfServer | null;
  readonly #onChange: (tasks: readonly UnfinishedTask[]) => void;
  /** The status with which each task of this session was saved last, by id. */
  readonly #statuses = new Map<string, string>();
  #tasks: readonly UnfinishedTask[] = [];
  #hasRead = false;

  /** @param kept null if no task outlives its session */
  constructor(kept: UnfinishedOfServer | null, onChange: (tasks: readonly UnfinishedTask[]) => void) {
    this.#kept = kept;
    this.#onChange = onChange;
  }

  get tasks(): readonly UnfinishedTask[] {
    return this.#tasks;
  }

  /** Reads the tasks of earlier sessions, once. @param kind of the tasks in this session */
  async read(kind: TaskKind): Promise<void> {
    if (this.#kept === null || this.#hasRead) return;
    this.#hasRead = true;
    const tasks = await this.#kept.read();
    this.#set(tasks.filter((task) => task.kind === kind && !this.#statuses.has(task.id)));
  }

  /** Keeps a task of this session until it ends. A task that was only listed may be of another client. */
  note(task: Task): void {
    if (this.#kept === null || task.owner !== 'server') return;
    const { id, status, isFollowed, fault } = task;
    if (hasEnded(status) || fault?.code === GONE) return this.forget(id);
    const wasFollowed = isFollowed || fault !== null;
    if (!wasFollowed) return;
    this.#set(this.#tasks.filter((one) => one.id !== id));
    if (this.#statuses.get(id) === status) return;
    this.#statuses.set(id, status);
    const { kind, method, tool, startedAt, ttl, history } = task;
    const seenAt = history.at(-1)?.at ?? Date.now();
    this.#kept.keep({ id, kind, method, tool, startedAt, ttl, status, seenAt });
  }

  /** Stops suggesting to resume a task, in this session and the next. */
  forget(taskId: string): void {
    const isKept = this.#statuses.delete(taskId) || this.#tasks.some(({ id }) => id === taskId);
    if (!isKept) return;
    this.#kept?.remove(taskId);
    this.#set(this.#tasks.filter(({ id }) => id !== taskId));
  }

  #set(tasks: readonly UnfinishedTask[]): void {
    const hasChanged = tasks.length !== this.#tasks.length;
    this.#tasks = tasks;
    if (hasChanged) this.#onChange(tasks);
  }
}
