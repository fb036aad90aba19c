import { MAX_TRACED_RESPONSE, type TracedCall } from '#shared/contract/trace.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readMessageTexts } from './row-reader.ts';

/** Messages and bytes that are read at a time. */
const MAX_MESSAGES = 200;
const MAX_HELD = 32 * 1024 * 1024;

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

/**
 * Gives each call that the server answered with a task the result of that task. A call whose task has no result in the trace keeps its
 * response.
 */
export async function withTaskResults(
  trace: ReadableTrace,
  calls: readonly TracedCall[],
): Promise<TracedCall[]> {
  const waiting = new Map<string, TracedCall>();
  for (const call of calls) {
    const taskId = call.direction === 'out' ? createdTaskOf(call) : null;
    if (taskId !== null) waiting.set(taskId, call);
  }
  const failed = new Set<string>();
  const results = new Map<TracedCall, TracedCall>();
  const first = Math.min(...[...waiting.values()].map(({ responseRow, row }) => responseRow ?? row));
  for (let row = first; waiting.size > 0 && row < trace.index.columns.count; ) {
    const { messages, next } = nextMessages(trace.index.columns, row);
    row = next;
    const texts = await readMessageTexts(trace, messages.flatMap(rowsOf));
    for (const message of messages) {
      const { taskId, status, outcome } = reportIn(message, texts);
      const call = waiting.get(taskId);
      if (call === undefined) continue;
      if (status === 'failed') failed.add(taskId);
      if (outcome !== null)
        results.set(call, ended(call, outcome, trace.index.columns, message.response ?? message.row));
      // An error of tasks/result may only say that the task still runs, so a later result replaces it.
      const isFinal = outcome !== null && (outcome.outcome !== 'error' || failed.has(taskId));
      // A cancelled task has no result.
      if (isFinal || status === 'cancelled') waiting.delete(taskId);
    }
  }
  return calls.map((call) => results.get(call) ?? call);
}

/**
 * The id of the task in a result (JSON text), with its quotes; null if it has none. In revision 2025-11-25 it is a member of its own,
 * in the extension of 2026-07-28 the result says that it is a task.
 */
function createdTaskOf({ response }: TracedCall): string | null {
  if (response?.includes('"taskId"') !== true) return null;
  const isTask = memberText(response, ['resultType']) === '"task"';
  return memberText(response, isTask ? ['taskId'] : ['task', 'taskId']);
}

/** A request about a task with its response, or a notification about one. */
interface TaskMessage {
  readonly row: number;
  readonly response: number | null;
  readonly method: string;
}

const rowsOf = ({ row, response }: TaskMessage): number[] => (response === null ? [row] : [row, response]);

/** The next messages from a row on that may have the result of a task. */
function nextMessages(columns: RowColumns, from: number): { messages: TaskMessage[]; next: number } {
  const messages: TaskMessage[] = [];
  let held = 0;
  let row = from;
  for (; row < columns.count && messages.length < MAX_MESSAGES && held < MAX_HELD; row++) {
    const method = columns.method(row) ?? '';
    const kind = columns.kind(row);
    const response = kind === 'request' && columns.direction(row) === 'out' ? columns.pair(row) : null;
    const isPoll = (method === 'tasks/result' || method === 'tasks/get') && response !== null;
    const isNotice =
      method === 'notifications/tasks' && kind === 'notification' && columns.direction(row) === 'in';
    if (!isPoll && !isNotice) continue;
    if (columns.size(response ?? row) > MAX_TRACED_RESPONSE) continue;
    held += columns.size(row) + (response === null ? 0 : columns.size(response));
    messages.push({ row, response, method });
  }
  return { messages, next: row };
}

/** What a message says about a task. */
interface TaskReport {
  readonly taskId: string;
  /** Null if the message does not say that the task has ended. */
  readonly status: FinalStatus | null;
  /** Null without a result or an error. */
  readonly outcome: ResponseOutcome | null;
}

function reportIn({ row, response, method }: TaskMessage, texts: ReadonlyMap<number, string>): TaskReport {
  const text = texts.get(row) ?? '';
  const taskId = memberText(text, ['params', 'taskId']) ?? '';
  if (method === 'tasks/result') {
    const outcome = responseOf(texts.get(response ?? row));
    return { taskId, status: null, outcome: outcome.response === null ? null : outcome };
  }
  const task =
    (response === null ? memberText(text, ['params']) : responseOf(texts.get(response)).response) ?? '';
  const status = finalStatuses.get(memberText(task, ['status']) ?? '') ?? null;
  const result = status === 'completed' ? memberText(task, ['result']) : null;
  if (result !== null) return { taskId, status, outcome: ofResult(result) };
  const error = status === 'failed' ? memberText(task, ['error']) : null;
  return { taskId, status, outcome: error === null ? null : { outcome: 'error', response: error } };
}

type FinalStatus = 'completed' | 'failed' | 'cancelled';

/** By their JSON text. */
const finalStatuses: ReadonlyMap<string, FinalStatus> = new Map(
  (['completed', 'failed', 'cancelled'] as const).map((status) => [JSON.stringify(status), status]),
);

const ended = (call: TracedCall, outcome: ResponseOutcome, columns: RowColumns, row: number): TracedCall => ({
  ...call,
  ...outcome,
  responseRow: row,
  duration: columns.at(row) - call.at,
  task: { row: call.responseRow ?? call.row, created: call.response ?? '{}' },
});
