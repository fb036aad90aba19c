import { outcomeFault, type Outcome } from '#session/rpc/request.ts';
import type { CallValidator } from '#session/calls/calls.ts';
import type { Call } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** The requests that panes show with their results. */
const callMethods = ['tools/call', 'resources/read', 'prompts/get'] as const;

/** Limit of calls, the newest; the trace has all of them. */
const MAX_CALLS = 300;

/** Limit of characters in one response of `calls/result`. */
const MAX_RESULT_LENGTH = 16 * 1024 * 1024;

interface RecordedCallsOptions {
  readonly sessionId: string;
  readonly requests: RecordedRequests;
  /** How a task of the server ended; null if there is no such task. */
  readonly taskOutcome: (taskId: string) => Promise<Outcome | null>;
  /** The wall-clock time of a row, in milliseconds since the Unix epoch. */
  readonly wallAt: (row: number) => number;
  readonly validator: () => Promise<CallValidator>;
}

/** The requests of the user in a recorded session, as `calls/list` returns them. */
export class RecordedCalls {
  readonly #options: RecordedCallsOptions;
  /** Calls that have ended, by the row of their request. */
  readonly #ended = new Map<number, Call>();

  constructor(options: RecordedCallsOptions) {
    this.#options = options;
  }

  async list(): Promise<Call[]> {
    const { requests } = this.#options;
    const { columns } = requests.trace.index;
    const rows = callMethods
      .flatMap((method) => requests.rows(method))
      .filter((row) => !columns.isAutomatic(row) && !columns.isPartOfProbe(row))
      .sort((a, b) => a - b)
      .slice(-MAX_CALLS);
    const calls: Call[] = [];
    for (const row of rows) calls.push(await this.#read(row));
    return calls;
  }

  /** The `result` of a call as written, from a character offset on. @throws FaultError if there is no such call */
  async result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }> {
    const row = Number(callId.replace(ID, ''));
    const { columns } = this.#options.requests.trace.index;
    if (!callId.startsWith(ID) || !Number.isInteger(row) || columns.kind(row) !== 'request') {
      throw new FaultError({ code: 'no-such-call', what: `There is no call ${callId}.` });
    }
    const outcome = await this.#outcome(row);
    const text =
      outcome.type === 'result'
        ? memberText(messageTextOf(outcome.recorded), outcome.path ?? ['result'])
        : null;
    if (text === null) return { text, truncated: false };
    const end = from + MAX_RESULT_LENGTH;
    return { text: text.slice(from, end), truncated: text.length > end };
  }

  async #read(row: number): Promise<Call> {
    const known = this.#ended.get(row);
    if (known !== undefined) return known;
    const call = await this.#callOf(row);
    if (call.responseRow !== null) this.#ended.set(row, call);
    return call;
  }

  async #callOf(row: number): Promise<Call> {
    const { sessionId, requests, wallAt } = this.#options;
    const { columns } = requests.trace.index;
    const method = columns.method(row) ?? '';
    const { params, text } = await requests.params(row);
    const tool = method === 'tools/call' && isObject(params) ? String(params.name) : null;
    const written = memberText(text, tool === null ? ['params'] : ['params', 'arguments']);
    // The `_meta` of the params is the session's, not the user's.
    const args = written === null || tool !== null ? written : withoutMember(written, '_meta');
    const first = await requests.outcome(row);
    const taskId = first.type === 'result' ? taskIdOf(first.result) : null;
    const outcome = taskId === null ? first : ((await this.#options.taskOutcome(taskId)) ?? first);
    const recorded = 'recorded' in outcome ? outcome.recorded : null;
    const id = columns.id(row);
    const requestId = typeof id === 'number' ? id : 0;
    const validator = tool === null ? null : await this.#options.validator();
    return {
      id: recordedCallId(row),
      sessionId,
      method,
      tool,
      arguments: args ?? '{}',
      state: stateOf(outcome),
      startedAt: wallAt(row),
      duration: recorded === null ? null : columns.at(recorded.row) - columns.at(row),
      size: recorded?.size ?? null,
      progress: null,
      requestId,
      requestRow: row,
      responseRow: recorded?.row ?? null,
      rounds: [{ requestId, requestRow: row, responseRow: columns.pair(row) }],
      inboxEntryIds: [],
      taskId,
      argumentsValidation: tool === null ? null : (validator?.ofArguments(tool, args ?? '{}') ?? null),
      outputValidation:
        tool !== null && outcome.type === 'result'
          ? (validator?.ofOutput(tool, outcome.result) ?? null)
          : null,
      error:
        outcome.type === 'error'
          ? { code: outcome.error.code, message: outcome.error.message, data: outcome.error.data ?? null }
          : null,
      result: null,
      fault: outcome.type === 'invalid' || outcome.type === 'closed' ? outcomeFault(method, outcome) : null,
    };
  }

  /** How a request ended, or the task that the server created for it. */
  async #outcome(row: number): Promise<Outcome> {
    const outcome = await this.#options.requests.outcome(row);
    const taskId = outcome.type === 'result' ? taskIdOf(outcome.result) : null;
    return taskId === null ? outcome : ((await this.#options.taskOutcome(taskId)) ?? outcome);
  }
}

const ID = 'row-';

/** The id of the call that a request row began. */
export const recordedCallId = (row: number): string => `${ID}${row}`;

/** The task that a response created for a call (MCP 2025-11-25 tasks, and the extension of 2026-07-28). */
function taskIdOf(result: unknown): string | null {
  if (!isObject(result)) return null;
  const task = result.resultType === 'task' ? result : isObject(result.task) ? result.task : null;
  return typeof task?.taskId === 'string' ? task.taskId : null;
}

function stateOf(outcome: Outcome): Call['state'] {
  switch (outcome.type) {
    case 'result':
      return isObject(outcome.result) && outcome.result.isError === true ? 'tool-error' : 'ok';
    case 'error':
    case 'invalid':
      return 'protocol-error';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'lost';
  }
}
