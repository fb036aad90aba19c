import { callEnd } from '#session/calls/call-outcome.ts';
import type { CallValidator } from '#session/calls/calls.ts';
import type { Outcome } from '#session/rpc/request.ts';
import { type Call, recordedCallId, rowOfRecordedCall } from '#shared/contract/calls.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { noSuchRow } from '#trace/readable-trace.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import { readServerEnd } from '#trace/view/server-end.ts';
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
  readonly validator: () => CallValidator | Promise<CallValidator>;
  /** A copy without secrets. */
  readonly redacted: <T>(value: T) => Redacted<T>;
  /** The call that a session holds for the request in a row, which knows more than the trace; null for all others. */
  readonly held?: (row: number) => Redacted<Call> | null;
  /** Whether the response of a request may still arrive; false by default. */
  readonly isOpen?: () => boolean;
}

/** The requests of the user in a trace, of a recorded session or of one that runs. */
export class RecordedCalls {
  readonly #options: RecordedCallsOptions;
  /** Calls that have ended, by the row of their request. */
  readonly #ended = new Map<number, Redacted<Call>>();

  constructor(options: RecordedCallsOptions) {
    this.#options = options;
  }

  /** The newest calls, as `calls/list` returns them. */
  async list(): Promise<Redacted<Call>[]> {
    const { requests } = this.#options;
    requests.scan();
    const rows = callMethods
      .flatMap((method) => requests.rows(method))
      .filter((row) => this.#isOfUser(row) && this.#isFirstRound(row))
      .sort((a, b) => a - b)
      .slice(-MAX_CALLS);
    const calls: Redacted<Call>[] = [];
    for (const row of rows) calls.push(await this.#read(row));
    return calls;
  }

  /** The calls of a tool, newest first. */
  async history({
    tool,
    before,
    count,
  }: Omit<Params<'calls/history'>, 'sessionId'>): Promise<Redacted<Call>[]> {
    const { requests } = this.#options;
    requests.scan();
    const isOfTool = this.#toolTest(tool);
    const rows: number[] = [];
    for (const row of requests.rows('tools/call').toReversed()) {
      if (rows.length === count) break;
      const isBefore = before === null || row < before;
      if (isBefore && this.#isOfUser(row) && isOfTool(row) && this.#isFirstRound(row)) rows.push(row);
    }
    const calls: Redacted<Call>[] = [];
    for (const row of rows) calls.push(await this.#read(row));
    return calls;
  }

  /** The call whose request or response is in a row; null for other rows. @throws FaultError if there is no such row */
  async ofRow(row: number): Promise<Redacted<Call> | null> {
    const { requests } = this.#options;
    const { columns } = requests.trace.index;
    if (row < 0 || row >= columns.count) throw new FaultError(noSuchRow(row));
    const request = columns.kind(row) === 'request' ? row : columns.pair(row);
    if (request === null || columns.direction(request) !== 'out') return null;
    requests.scan();
    const isCall = callMethods.some((method) => method === columns.method(request));
    return isCall ? this.#read(requests.firstRound(request)) : null;
  }

  readonly #isOfUser = (row: number): boolean => {
    const { columns } = this.#options.requests.trace.index;
    return !columns.isAutomatic(row) && !columns.isPartOfProbe(row);
  };

  /** Whether this is the first request of its call. */
  #isFirstRound(row: number): boolean {
    if (this.#options.requests.firstRound(row) !== row) return false;
    const held = this.#options.held?.(row) ?? null;
    return held === null || held.requestRow === row;
  }

  /** Tests whether a request calls a tool. The page knows its name without secrets. */
  #toolTest(tool: string): (row: number) => boolean {
    const { trace } = this.#options.requests;
    const known = new Map<string | null, boolean>();
    return (row) => {
      const name = trace.index.columns.subject(row);
      const isTool = known.get(name) ?? trace.redacted(name) === tool;
      known.set(name, isTool);
      return isTool;
    };
  }

  /** The `result` of a call as written, from a character offset on. @throws FaultError if there is no such call */
  async result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }> {
    const row = rowOfRecordedCall(callId);
    const { requests } = this.#options;
    requests.scan();
    const { columns } = requests.trace.index;
    if (row === null || row >= columns.count || columns.kind(row) !== 'request') {
      throw new FaultError({ code: 'no-such-call', what: `There is no call ${callId}.` });
    }
    const outcome = await this.#outcome(requests.rounds(row).at(-1) ?? row);
    const text =
      outcome.type === 'result'
        ? memberText(messageTextOf(outcome.recorded), outcome.path ?? ['result'])
        : null;
    if (text === null) return { text, truncated: false };
    const end = from + MAX_RESULT_LENGTH;
    return { text: text.slice(from, end), truncated: text.length > end };
  }

  async #read(row: number): Promise<Redacted<Call>> {
    const { held, redacted } = this.#options;
    const known = held?.(row) ?? this.#ended.get(row);
    if (known !== undefined) return known;
    const call = redacted(await this.#callOf(row));
    const hasEnded = call.responseRow !== null && call.fault?.code !== INPUT_NOT_GIVEN;
    if (hasEnded) this.#ended.set(row, call);
    return call;
  }

  async #callOf(row: number): Promise<Call> {
    const { sessionId, requests, isOpen } = this.#options;
    const { columns } = requests.trace.index;
    const method = columns.method(row) ?? '';
    const { params, text } = await requests.params(row);
    const tool = method === 'tools/call' && isObject(params) ? String(params.name) : null;
    const written = memberText(text, tool === null ? ['params'] : ['params', 'arguments']);
    // The `_meta` of the params is the session's, not the user's.
    const args = written === null || tool !== null ? written : withoutMember(written, '_meta');
    const rounds = requests.rounds(row);
    const last = rounds.at(-1) ?? row;
    const first = await requests.outcome(last);
    const taskId = first.type === 'result' ? taskIdOf(first.result) : null;
    const outcome = taskId === null ? first : ((await this.#options.taskOutcome(taskId)) ?? first);
    const recorded = 'recorded' in outcome ? outcome.recorded : null;
    const requestIdOf = (round: number): number => {
      const id = columns.id(round);
      return typeof id === 'number' ? id : 0;
    };
    const validator = tool === null ? null : await this.#options.validator();
    const end = columns.status(last) === 'unanswered' ? await readServerEnd(requests.trace) : null;
    const isPending = outcome.type === 'closed' && columns.status(last) === 'pending' && isOpen?.() === true;
    const ended =
      columns.status(last) === 'input-required'
        ? { state: 'lost' as const, error: null, fault: inputNotGiven(method) }
        : callEnd(method, outcome, end);
    return {
      id: recordedCallId(row),
      sessionId,
      method,
      tool,
      arguments: args ?? '{}',
      startedAt: requests.wallAt(row),
      duration: recorded === null ? null : columns.at(recorded.row) - columns.at(last),
      size: recorded?.size ?? null,
      progress: null,
      requestId: requestIdOf(last),
      requestRow: row,
      responseRow: recorded?.row ?? null,
      rounds: rounds.map((round) => ({
        requestId: requestIdOf(round),
        requestRow: round,
        responseRow: columns.pair(round),
      })),
      inboxEntryIds: [],
      taskId,
      argumentsValidation: tool === null ? null : (validator?.ofArguments(tool, args ?? '{}') ?? null),
      outputValidation:
        tool !== null && outcome.type === 'result' && ended.fault === null
          ? (validator?.ofOutput(tool, outcome.result) ?? null)
          : null,
      result: null,
      ...(isPending ? { state: 'running', error: null, fault: null } : ended),
    };
  }

  /** How a request ended, or the task that the server created for it. */
  async #outcome(row: number): Promise<Outcome> {
    const outcome = await this.#options.requests.outcome(row);
    const taskId = outcome.type === 'result' ? taskIdOf(outcome.result) : null;
    return taskId === null ? outcome : ((await this.#options.taskOutcome(taskId)) ?? outcome);
  }
}

const INPUT_NOT_GIVEN = 'input-not-given';

/** A call whose last response requires input (MCP 2026-07-28 multi-round-trip requests). */
const inputNotGiven = (method: string): Fault => ({
  code: INPUT_NOT_GIVEN,
  what: `The server required input for ${method}, and no further request gave it.`,
  next: 'Look at the response in the trace for what it asked.',
});

/** The task that a response created for a call (MCP 2025-11-25 tasks, and the extension of 2026-07-28). */
function taskIdOf(result: unknown): string | null {
  if (!isObject(result)) return null;
  const task = result.resultType === 'task' ? result : isObject(result.task) ? result.task : null;
  return typeof task?.taskId === 'string' ? task.taskId : null;
}
