import type { SessionState } from '#session/session-state.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/inspector.ts';
import { Throttle } from '#transports/async.ts';

/** So many tasks are remembered; a server may make, list and tell of any number. */
export const MAX_KNOWN = 1000;

/** Milliseconds between two notices of how the tasks stand. */
const NOTICE_EVERY = 50;

interface KnownTasksOptions {
  readonly state: SessionState;
  readonly onChange: (task: Redacted<Task>) => void;
}

/** Where the result of a task stands; the path is null for an error. */
export interface ResultPlace {
  readonly row: number;
  readonly path: readonly string[] | null;
}

interface KnownTask {
  view: Task;
  result: ResultPlace | null;
}

/** The tasks of one session as the screen knows them, in the order they became known. */
export class KnownTasks {
  readonly #options: KnownTasksOptions;
  readonly #tasks = new Map<string, KnownTask>();
  readonly #changed = new Set<string>();
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#tell());

  constructor(options: KnownTasksOptions) {
    this.#options = options;
  }

  list(): Redacted<Task>[] {
    return [...this.#tasks.values()].map(({ view }) => this.#options.state.redacted(view));
  }

  get(owner: Task['owner'], id: string): Task | undefined {
    return this.#tasks.get(keyOf(owner, id))?.view;
  }

  resultOf(owner: Task['owner'], id: string): ResultPlace | null {
    return this.#tasks.get(keyOf(owner, id))?.result ?? null;
  }

  /** Adds a task, or replaces what is known of it. */
  put(view: Task): void {
    const key = keyOf(view.owner, view.id);
    this.#tasks.set(key, { view, result: this.#tasks.get(key)?.result ?? null });
    if (this.#tasks.size > MAX_KNOWN) this.#forgetOne(key);
    this.#note(key);
  }

  /** What is known of a task has changed; nothing happens when it was forgotten. */
  change(owner: Task['owner'], id: string, change: Partial<Task>): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    known.view = { ...known.view, ...change };
    this.#note(keyOf(owner, id));
  }

  noteResult(owner: Task['owner'], id: string, place: ResultPlace): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    known.result = place;
    this.change(owner, id, { resultRow: place.row });
  }

  /** Tells what has changed now instead of soon. */
  flush(): void {
    this.#notice.flush();
  }

  /** The oldest that has ended, else the oldest that is not followed, else the oldest. */
  #forgetOne(but: string): void {
    const others = [...this.#tasks].filter(([key]) => key !== but);
    const [key] =
      others.find(([, { view }]) => hasEnded(view.status) && !view.isFollowed) ??
      others.find(([, { view }]) => !view.isFollowed) ??
      others[0] ??
      [];
    if (key !== undefined) this.#tasks.delete(key);
  }

  #note(key: string): void {
    this.#changed.add(key);
    this.#notice.request();
  }

  #tell(): void {
    const keys = [...this.#changed];
    this.#changed.clear();
    for (const key of keys) {
      const known = this.#tasks.get(key);
      if (known !== undefined) this.#options.onChange(this.#options.state.redacted(known.view));
    }
  }
}

/** Ids are given by their owners, so both sides may use the same one. */
const keyOf = (owner: Task['owner'], id: string): string => `${owner} ${id}`;

export type TaskKind = Task['kind'];

/** What a message says of a task. Nothing of it was checked but that its id and status are texts. */
export interface SaidTask {
  readonly id: string;
  readonly status: string;
  /** The task as it came, with all that its status brings along. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly recorded: RecordedMessage;
  /** Where it stands in its message. */
  readonly path: readonly string[];
}

/** The task that stands at this place of a message; null when there is none. */
export function readTask(
  value: unknown,
  recorded: RecordedMessage,
  path: readonly string[],
): SaidTask | null {
  if (!isObject(value)) return null;
  const { taskId, status } = value;
  if (typeof taskId !== 'string' || typeof status !== 'string') return null;
  return { id: taskId, status, members: value, recorded, path };
}

/** The task that a result is instead of what was asked for; null when it is none. */
export function createdTask(
  kind: TaskKind,
  method: string,
  result: unknown,
  recorded: RecordedMessage,
): SaidTask | null {
  if (!isObject(result)) return null;
  if (kind === 'core') return readTask(result.task, recorded, ['result', 'task']);
  // For any other method such an answer is invalid (tasks extension 2026-07-28, capability negotiation).
  const mayBeTask = method === 'tools/call' && result.resultType === 'task';
  return mayBeTask ? readTask(result, recorded, ['result']) : null;
}

/** Statuses after which there is no other (MCP 2025-11-25 tasks, status lifecycle; the same in the extension). */
const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Unknown statuses are taken for work that goes on. */
export const hasEnded = (status: string): boolean => ends.has(status);

/** What the two generations call the same thing. */
const names = {
  core: { ttl: 'ttl', pollInterval: 'pollInterval' },
  extension: { ttl: 'ttlMs', pollInterval: 'pollIntervalMs' },
} as const satisfies Record<TaskKind, object>;

/** Characters of one text that are shown; the trace has the whole. */
const MAX_LENGTH = 2000;

/** What is shown of what a message says. */
export type TaskFacts = Pick<
  Task,
  'status' | 'statusMessage' | 'ttl' | 'pollInterval' | 'createdAt' | 'lastUpdatedAt' | 'row'
>;

/** What is shown of a task. */
export function factsOf(
  kind: TaskKind,
  { status, members, recorded }: Omit<SaidTask, 'path' | 'id'>,
): TaskFacts {
  return {
    status: cut(status),
    statusMessage: textIn(members.statusMessage),
    ttl: durationIn(members[names[kind].ttl]),
    pollInterval: durationIn(members[names[kind].pollInterval]),
    createdAt: textIn(members.createdAt),
    lastUpdatedAt: textIn(members.lastUpdatedAt),
    row: recorded.row,
  };
}

/**
 * Whether this was said before what is known, though it came after it: answers and notices overtake each other on
 * different streams. What was asked for after the last news cannot be stale.
 */
export function isStale(said: SaidTask, last: Pick<Task, 'row' | 'status' | 'lastUpdatedAt'>): boolean {
  const { recorded, status, members } = said;
  if (recorded.pair !== null && recorded.pair > last.row) return false;
  if (recorded.row < last.row) return true;
  const ahead = Date.parse(String(members.lastUpdatedAt)) - Date.parse(String(last.lastUpdatedAt));
  // A task that has ended has no other status after that.
  return ahead < 0 || (!(ahead > 0) && hasEnded(last.status) && !hasEnded(status));
}

const durationIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const textIn = (value: unknown): string | null => (typeof value === 'string' ? cut(value) : null);

const cut = (text: string): string => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`);
