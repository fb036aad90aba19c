import { createHash } from 'node:crypto';
import { MAX_TRACED_RESPONSE, type TracedCall } from '#shared/contract/trace.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readMessageTexts } from './row-reader.ts';

/** Messages and bytes that are read at a time. */
const MAX_MESSAGES = 200;
const MAX_HELD = 32 * 1024 * 1024;
/** Tasks whose ends are remembered; beyond it the oldest are forgotten, and their messages read again when they are wanted. */
const MAX_TASKS = 20_000;
/** Longer ids of tasks are compared by hash. */
const MAX_ID = 100;

/** What a response or an error is to its request, and the text of it. */
export type ResponseOutcome = Pick<TracedCall, 'outcome' | 'response'>;

/** @param message JSON text; undefined without a response */
export function responseOf(message: string | undefined): ResponseOutcome {
  const members = memberTexts(message ?? '');
  const error = members.get('error');
  if (error !== undefined) return { outcome: 'error', response: error };
  const result = members.get('result');
  return result === undefined ? { outcome: 'none', response: null } : ofResult(result);
}

const ofResult = (result: string): ResponseOutcome => ({
  outcome: memberText(result, ['isError']) === 'true' ? 'tool-error' : 'ok',
  response: result,
});

/** What the messages about a task say, as far as they were read. */
interface TaskEnd {
  /** The row of the message with its result or error; null if there is none so far. */
  row: number | null;
  hasFailed: boolean;
  /** The row of the message after which nothing changes the result; null if there may be more. */
  endRow: number | null;
  /** The last of its messages. */
  lastRow: number;
}

/** The results of the tasks in a trace. Reads each message about tasks once, and only when a task is wanted that has not ended before. */
export class TaskResults {
  readonly #trace: ReadableTrace;
  /** By the keys of their ids: what the messages say about the tasks that were created from the row `#from` on. */
  readonly #ends = new Map<string, TaskEnd>();
  #from = 0;
  /** The messages before this row were read. */
  #to = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  /** For each call that the server answered with a task: the row of the result of that task. Calls whose task has none are left out. */
  rowsOf(calls: readonly TracedCall[]): Promise<Map<TracedCall, number>> {
    const rows = this.#turn.then(() => this.#rowsOf(calls));
    // The caller gets the error; the queue continues.
    this.#turn = rows.catch(() => undefined);
    return rows;
  }

  /** A call with the result of its task, from the message in a row. */
  withResult(call: TracedCall, row: number, texts: ReadonlyMap<number, string>): TracedCall {
    const { columns } = this.#trace.index;
    const { outcome } = contentOf(columns, row, texts.get(row) ?? '');
    return {
      ...call,
      ...outcome,
      responseRow: row,
      duration: columns.at(row) - call.at,
      task: { row: call.responseRow ?? call.row, created: call.response ?? '{}' },
    };
  }

  async #rowsOf(calls: readonly TracedCall[]): Promise<Map<TracedCall, number>> {
    const created = new Map<string, TracedCall>();
    for (const call of calls) {
      const taskId = call.direction === 'out' ? createdTaskOf(call) : null;
      if (taskId !== null) created.set(keyOf(taskId), call);
    }
    const rows = new Map<TracedCall, number>();
    if (created.size === 0) return rows;
    this.#startBefore(created);
    const wanted = new Map<string, TaskEnd>();
    for (const [key, { row }] of created) wanted.set(key, this.#ends.get(key) ?? this.#begin(key, row));
    await this.#readOn(wanted);
    for (const [key, call] of created) {
      const row = wanted.get(key)?.row ?? null;
      if (row !== null && row > call.row) rows.set(call, row);
    }
    return rows;
  }

  /** Reads again from these calls on if what is known begins later, or is about an earlier task with the same id. */
  #startBefore(created: ReadonlyMap<string, TracedCall>): void {
    const first = Math.min(...[...created.values()].map(({ row }) => row));
    const isReused = [...created].some(([key, { row }]) => (this.#ends.get(key)?.endRow ?? row) < row);
    if (first >= this.#from && !isReused) return;
    this.#ends.clear();
    this.#from = first;
    this.#to = first;
  }

  #begin(key: string, row: number): TaskEnd {
    const end: TaskEnd = { row: null, hasFailed: false, endRow: null, lastRow: row };
    this.#ends.set(key, end);
    for (const [oldest, { lastRow }] of this.#ends) {
      if (this.#ends.size <= MAX_TASKS) break;
      this.#ends.delete(oldest);
      this.#from = Math.max(this.#from, lastRow + 1);
    }
    return end;
  }

  /** Reads messages until all these tasks have ended, or the trace does. */
  async #readOn(wanted: ReadonlyMap<string, TaskEnd>): Promise<void> {
    const { columns } = this.#trace.index;
    let isComplete = true;
    const haveEnded = () => [...wanted.values()].every(({ endRow }) => endRow !== null);
    for (let row = this.#to; row < columns.count && !haveEnded(); ) {
      const { messages, next, growing } = nextMessages(columns, row);
      row = next;
      // A message that is still arriving is read again later.
      if (isComplete) this.#to = growing ?? next;
      isComplete &&= growing === null;
      const texts = await readMessageTexts(this.#trace, messages.flatMap(rowsOf));
      for (const message of messages) this.#take(message, texts, wanted);
    }
  }

  #take(
    { row, request }: TaskMessage,
    texts: ReadonlyMap<number, string>,
    wanted: ReadonlyMap<string, TaskEnd>,
  ): void {
    const { columns } = this.#trace.index;
    const { status, outcome } = contentOf(columns, row, texts.get(row) ?? '');
    const taskId = memberText(texts.get(request ?? row) ?? '', ['params', 'taskId']);
    if (taskId === null || (status === null && outcome === null)) return;
    const key = keyOf(taskId);
    const end = wanted.get(key) ?? this.#ends.get(key) ?? this.#begin(key, row);
    end.lastRow = Math.max(end.lastRow, row);
    if (end.endRow !== null) return;
    if (status === 'failed') end.hasFailed = true;
    if (outcome !== null) end.row = row;
    // An error of tasks/result may only say that the task still runs, so a later result replaces it.
    const isFinal = outcome !== null && (outcome.outcome !== 'error' || end.hasFailed);
    // A cancelled task has no result.
    if (isFinal || status === 'cancelled') end.endRow = row;
  }
}

/** Copied, because a part of a text would keep all of it in memory. */
const keyOf = (taskId: string): string =>
  taskId.length > MAX_ID
    ? createHash('sha256').update(taskId).digest('base64')
    : Buffer.from(taskId).toString();

/**
 * The id of the task in a result (JSON text), with its quotes; null if it has none. In revision 2025-11-25 it is a member of its own,
 * in the extension of 2026-07-28 the result says that it is a task.
 */
function createdTaskOf({ response }: TracedCall): string | null {
  if (response?.includes('"taskId"') !== true) return null;
  const isTask = memberText(response, ['resultType']) === '"task"';
  return memberText(response, isTask ? ['taskId'] : ['task', 'taskId']);
}

/** A response to a request about a task, or a notification about one. */
interface TaskMessage {
  readonly row: number;
  /** Null for a notification. */
  readonly request: number | null;
}

const rowsOf = ({ row, request }: TaskMessage): number[] => (request === null ? [row] : [row, request]);

const polls: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);
const notices: ReadonlySet<string> = new Set(['notifications/tasks', 'notifications/tasks/status']);

/**
 * The next messages from a row on that may say how a task ended.
 *
 * `growing`: the first row among them whose message is still arriving; null if there is none.
 */
function nextMessages(
  columns: RowColumns,
  from: number,
): { messages: TaskMessage[]; next: number; growing: number | null } {
  const messages: TaskMessage[] = [];
  let held = 0;
  let growing: number | null = null;
  let row = from;
  for (; row < columns.count && messages.length < MAX_MESSAGES && held < MAX_HELD; row++) {
    if (columns.direction(row) !== 'in') continue;
    const kind = columns.kind(row);
    if (kind === 'noise' && columns.status(row) === 'receiving') growing ??= row;
    const method = columns.method(row) ?? '';
    const request = columns.pair(row);
    const isResponse = (kind === 'result' || kind === 'error') && request !== null && polls.has(method);
    if (!isResponse && !(kind === 'notification' && notices.has(method))) continue;
    if (columns.size(row) > MAX_TRACED_RESPONSE) continue;
    held += columns.size(row) + (request === null ? 0 : columns.size(request));
    messages.push({ row, request });
  }
  return { messages, next: row, growing };
}

type FinalStatus = 'completed' | 'failed' | 'cancelled';

/** By their JSON text. */
const finalStatuses: ReadonlyMap<string, FinalStatus> = new Map(
  (['completed', 'failed', 'cancelled'] as const).map((status) => [JSON.stringify(status), status]),
);

/** What a message says about its task. `status` is null if it does not say that it has ended, `outcome` without a result or an error. */
function contentOf(
  columns: RowColumns,
  row: number,
  text: string,
): { readonly status: FinalStatus | null; readonly outcome: ResponseOutcome | null } {
  if (columns.method(row) === 'tasks/result') {
    const outcome = responseOf(text);
    return { status: null, outcome: outcome.response === null ? null : outcome };
  }
  const isNotice = columns.kind(row) === 'notification';
  const task = (isNotice ? memberText(text, ['params']) : memberText(text, ['result'])) ?? '';
  const status = finalStatuses.get(memberText(task, ['status']) ?? '') ?? null;
  const result = status === 'completed' ? memberText(task, ['result']) : null;
  if (result !== null) return { status, outcome: ofResult(result) };
  const error = status === 'failed' ? memberText(task, ['error']) : null;
  return { status, outcome: error === null ? null : { outcome: 'error', response: error } };
}
