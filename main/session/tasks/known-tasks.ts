import type { Outcome } from '#session/rpc/request.ts';
import { truncate } from '#shared/format.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { MAX_STEPS, type Task, type TaskStep } from '#shared/contract/tasks.ts';
import { isObject, type RpcError } from '#shared/protocol/jsonrpc.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { Throttle } from '#transports/async.ts';

/** How many tasks are kept; a server may create and list any number. */
export const MAX_KNOWN = 1000;

/** Milliseconds between two notifications of changes. */
const NOTIFY_INTERVAL = 50;

interface KnownTasksOptions {
  readonly state: {
    /** The id of the session. */
    readonly id: string;
    readonly trace: ReadableTrace;
    redacted<T>(value: T): Redacted<T>;
  };
  readonly onChange: (task: Redacted<Task>) => void;
}

/** The row of the message with the result of a task, and the path of the result in it; the path is null for an error. */
export interface ResultLocation {
  readonly row: number;
  readonly path: readonly string[] | null;
  readonly error: Task['error'];
}

/** Where a task came from. */
export type TaskOrigin = Pick<Task, 'method' | 'tool' | 'requestRow' | 'callId' | 'startedAt'>;

/** A task that was created in another session, or by another client. */
export const unknownOrigin: TaskOrigin = {
  method: null,
  tool: null,
  requestRow: null,
  callId: null,
  startedAt: null,
};

/** A task without its history, which `KnownTasks` adds. */
type NewTask = Omit<Task, 'history'>;

interface KnownTask {
  view: Task;
  result: ResultLocation | null;
}

/** The tasks of one session as the screen knows them, in the order they became known. */
export class KnownTasks {
  readonly #options: KnownTasksOptions;
  readonly #tasks = new Map<string, KnownTask>();
  readonly #changed = new Set<string>();
  readonly #throttle = new Throttle(NOTIFY_INTERVAL, () => this.#notify());

  constructor(options: KnownTasksOptions) {
    this.#options = options;
  }

  list(): Redacted<Task>[] {
    return [...this.#tasks.values()].map(({ view }) => this.#options.state.redacted(view));
  }

  get(owner: Task['owner'], id: string): Task | undefined {
    return this.#tasks.get(keyOf(owner, id))?.view;
  }

  resultOf(owner: Task['owner'], id: string): ResultLocation | null {
    return this.#tasks.get(keyOf(owner, id))?.result ?? null;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** The origin of the task that a response created for its request. @param callId null for a recorded session */
  originOf({ row, pair }: RecordedMessage, callId: string | null): TaskOrigin {
    const { columns } = this.#options.state.trace.index;
    const method = pair === null ? null : columns.method(pair);
    return {
      method,
      tool: pair !== null && method === 'tools/call' ? columns.subject(pair) : null,
      requestRow: pair,
      callId,
      startedAt: this.wallAt(row),
    };
  }

  /** Stores the status that the server reports for a task of its own, unless it is older than the known one. */
  report(kind: TaskKind, reported: ReportedTask, origin: TaskOrigin): void {
    const { id } = reported;
    const facts = factsOf(kind, reported);
    const known = this.get('server', id);
    if (known !== undefined) {
      if (!isStale(reported, known)) this.change('server', id, facts);
      return;
    }
    this.put({
      id,
      sessionId: this.#options.state.id,
      kind,
      owner: 'server',
      ...origin,
      polls: 0,
      isFollowed: false,
      resultRow: null,
      error: null,
      fault: null,
      ...facts,
      startedAt: origin.startedAt ?? timeOf(facts.createdAt),
    });
  }

  /** The time of day of a row, in milliseconds since the Unix epoch. */
  wallAt(row: number): number {
    const { header, index } = this.#options.state.trace;
    return header.clock.wall + (index.columns.at(row) - header.clock.at) / 1000;
  }

  /** Adds or replaces a task. */
  put(task: NewTask): void {
    const key = keyOf(task.owner, task.id);
    const known = this.#tasks.get(key);
    const history = this.#withStep(known?.view.history ?? [], task);
    this.#tasks.set(key, { view: { ...task, history }, result: known?.result ?? null });
    if (this.#tasks.size > MAX_KNOWN) this.#forgetOne(key);
    this.#note(key);
  }

  /** Changes a task; ignores unknown ones. */
  change(owner: Task['owner'], id: string, change: Partial<NewTask>): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    const view = { ...known.view, ...change };
    known.view = { ...view, history: this.#withStep(view.history, view) };
    this.#note(keyOf(owner, id));
  }

  setResult(owner: Task['owner'], id: string, location: ResultLocation): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    known.result = location;
    this.change(owner, id, { resultRow: location.row, error: location.error });
  }

  /** Reports pending changes now. */
  flush(): void {
    this.#throttle.flush();
  }

  /** Adds a step if the status or its message has changed. */
  #withStep(history: readonly TaskStep[], { status, statusMessage, row }: NewTask): TaskStep[] {
    const last = history.at(-1);
    const message = statusMessage === null ? null : truncate(statusMessage, MAX_STEP_LENGTH);
    if (last?.status === status && last.statusMessage === message) return [...history];
    const steps = [...history, { status, statusMessage: message, row, at: this.wallAt(row) }];
    return steps.length > MAX_STEPS ? [...steps.slice(0, 1), ...steps.slice(2)] : steps;
  }

  /** Removes the oldest task that has ended, else the oldest that is not followed, else the oldest. @param keep never removed */
  #forgetOne(keep: string): void {
    const others = [...this.#tasks].filter(([key]) => key !== keep);
    const [key] =
      others.find(([, { view }]) => hasEnded(view.status) && !view.isFollowed) ??
      others.find(([, { view }]) => !view.isFollowed) ??
      others[0] ??
      [];
    if (key !== undefined) this.#tasks.delete(key);
  }

  #note(key: string): void {
    this.#changed.add(key);
    this.#throttle.request();
  }

  #notify(): void {
    const keys = [...this.#changed];
    this.#changed.clear();
    for (const key of keys) {
      const known = this.#tasks.get(key);
      if (known !== undefined) this.#options.onChange(this.#options.state.redacted(known.view));
    }
  }
}

/** Limit of characters of a message in the history. */
const MAX_STEP_LENGTH = 300;

/** Milliseconds since the Unix epoch; null if the text is not a date. */
function timeOf(date: string | null): number | null {
  const time = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : time;
}

/** The owner of a task chooses its id, so both sides may use the same one. */
const keyOf = (owner: Task['owner'], id: string): string => `${owner} ${id}`;

export type TaskKind = Task['kind'];

/** A task as a message reports it. Only its id and status were validated: both are strings. */
export interface ReportedTask {
  readonly id: string;
  readonly status: string;
  /** The task object as received. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly recorded: RecordedMessage;
  /** The path to the task in its message. */
  readonly path: readonly string[];
}

/** Reads the task at a path of a message; null if there is no task. */
export function readTask(
  value: unknown,
  recorded: RecordedMessage,
  path: readonly string[],
): ReportedTask | null {
  if (!isObject(value)) return null;
  const { taskId, status } = value;
  if (typeof taskId !== 'string' || typeof status !== 'string') return null;
  return { id: taskId, status, members: value, recorded, path };
}

/** The task created by a request, in place of its result; null if the result is not a task. */
export function createdTask(
  kind: TaskKind,
  method: string,
  result: unknown,
  recorded: RecordedMessage,
): ReportedTask | null {
  if (!isObject(result)) return null;
  if (kind === 'core') return readTask(result.task, recorded, ['result', 'task']);
  // For any other method such a result is invalid (tasks extension 2026-07-28, capability negotiation).
  const mayBeTask = method === 'tools/call' && result.resultType === 'task';
  return mayBeTask ? readTask(result, recorded, ['result']) : null;
}

/** Statuses that are final (MCP 2025-11-25 tasks, status lifecycle; the same in the extension). */
const finalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Whether a task with this status has ended. A task with an unknown status still runs. */
export const hasEnded = (status: string): boolean => finalStatuses.has(status);

/** Member names in the core protocol and in the extension. */
const names = {
  core: { ttl: 'ttl', pollInterval: 'pollInterval' },
  extension: { ttl: 'ttlMs', pollInterval: 'pollIntervalMs' },
} as const satisfies Record<TaskKind, object>;

/** Texts are cut to this many characters; the trace has the whole text. */
const MAX_LENGTH = 2000;

export type TaskFacts = Pick<
  Task,
  'status' | 'statusMessage' | 'ttl' | 'pollInterval' | 'createdAt' | 'lastUpdatedAt' | 'row'
>;

/** The status of a task for the page. */
export function factsOf(
  kind: TaskKind,
  { status, members, recorded }: Omit<ReportedTask, 'path' | 'id'>,
): TaskFacts {
  return {
    status: truncate(status, MAX_LENGTH),
    statusMessage: textIn(members.statusMessage),
    ttl: durationIn(members[names[kind].ttl]),
    pollInterval: durationIn(members[names[kind].pollInterval]),
    createdAt: textIn(members.createdAt),
    lastUpdatedAt: textIn(members.lastUpdatedAt),
    row: recorded.row,
  };
}

/**
 * Whether a report is older than the known status although it arrived later: responses and notifications overtake each
 * other on different streams. The response to a request sent after the last report cannot be stale.
 */
export function isStale(
  reported: ReportedTask,
  last: Pick<Task, 'row' | 'status' | 'lastUpdatedAt'>,
): boolean {
  const { recorded, status, members } = reported;
  if (recorded.pair !== null && recorded.pair > last.row) return false;
  if (recorded.row < last.row) return true;
  const ahead = Date.parse(String(members.lastUpdatedAt)) - Date.parse(String(last.lastUpdatedAt));
  // The status of a task that has ended does not change any more.
  return ahead < 0 || (!(ahead > 0) && hasEnded(last.status) && !hasEnded(status));
}

/** An error for the page. */
export const errorOf = ({ code, message }: RpcError): Task['error'] => ({
  code,
  message: truncate(message, MAX_LENGTH),
});

/** Where the outcome of a task is; null if it has neither result nor error. */
export function locationOf(outcome: Outcome): ResultLocation | null {
  if (outcome.type === 'result') {
    return { row: outcome.recorded.row, path: outcome.path ?? ['result'], error: null };
  }
  if (outcome.type !== 'error') return null;
  return { row: outcome.recorded.row, path: null, error: errorOf(outcome.error) };
}

const durationIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const textIn = (value: unknown): string | null =>
  typeof value === 'string' ? truncate(value, MAX_LENGTH) : null;
