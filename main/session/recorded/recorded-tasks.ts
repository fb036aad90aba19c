import { outcomeFault, type Outcome } from '#session/rpc/request.ts';
import { SESSION_ENDED } from '#session/tasks/follower.ts';
import {
  createdTask,
  factsOf,
  hasEnded,
  KnownTasks,
  locationOf,
  readTask,
  type ReportedTask,
  type TaskKind,
  unknownOrigin,
} from '#session/tasks/known-tasks.ts';
import { isUnknownTask, notAnswered } from '#session/tasks/task-faults.ts';
import { hasTasks } from '#session/tasks/tasks.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { memberText } from '#shared/json/members.ts';
import { isObject, isRpcError } from '#shared/protocol/jsonrpc.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { readMessageText } from '#trace/view/row-reader.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** Limits of messages about tasks that are read, and of requests that may have created one; the newest of each. */
const MAX_MESSAGES = 5000;
const MAX_REQUESTS = 300;

interface RecordedTasksOptions {
  readonly state: {
    readonly id: string;
    readonly trace: ReadableTrace;
    redacted<T>(value: T): Redacted<T>;
  };
  readonly requests: RecordedRequests;
  readonly agreement: Agreement | null;
  /** Whether another process still records the session. */
  readonly isGrowing: boolean;
}

/** A message about tasks, or the response to one. */
interface Step {
  readonly row: number;
  /** Row of its request; null for requests and notifications. */
  readonly request: number | null;
}

/** The tasks of a recorded session, as `tasks/list` returned them. */
export class RecordedTasks {
  readonly #options: RecordedTasksOptions;
  readonly #known: KnownTasks;
  readonly #kind: TaskKind;
  /** Outcomes of tasks, by id. */
  readonly #outcomes = new Map<string, Outcome>();
  /** Responses to `tasks/result` with an error, which count if the task has ended. */
  readonly #errors = new Map<string, Outcome & { type: 'error' }>();
  readonly #polls = { server: new Map<string, number>(), client: new Map<string, number>() };
  /** How the last poll of a task failed. */
  readonly #failures = new Map<string, Outcome & { type: 'error' }>();

  private constructor(options: RecordedTasksOptions) {
    this.#options = options;
    this.#kind = options.agreement?.era === 'modern' ? 'extension' : 'core';
    this.#known = new KnownTasks({ state: options.state, onChange: () => undefined });
  }

  static async read(options: RecordedTasksOptions): Promise<RecordedTasks> {
    const tasks = new RecordedTasks(options);
    if (hasTasks(options.agreement)) await tasks.#read();
    return tasks;
  }

  list(): Redacted<Task>[] {
    return this.#known.list();
  }

  /** How a task of the server ended, or that it had not; null if there is no such task. */
  outcome(taskId: string): Outcome | null {
    const outcome = this.#outcomes.get(taskId);
    if (outcome !== undefined) return outcome;
    return this.#known.get('server', taskId) === undefined ? null : { type: 'closed', reason: SESSION_ENDED };
  }

  /** The result of a task as JSON text; null if it is not recorded. */
  async result(taskId: string): Promise<string | null> {
    const location = this.#known.resultOf('server', taskId) ?? this.#known.resultOf('client', taskId);
    if (location === null || location.path === null) return null;
    return memberText(await readMessageText(this.#options.state.trace, location.row), location.path);
  }

  async #read(): Promise<void> {
    const { requests, state } = this.#options;
    const { columns } = state.trace.index;
    const rows = [
      ...requests.tasks.slice(-MAX_MESSAGES),
      ...requests.rows('tools/call').slice(-MAX_REQUESTS),
      ...requests.mayBeOwnTasks.slice(-MAX_REQUESTS),
    ];
    const steps = rows.flatMap((row): Step[] => {
      const answer = columns.kind(row) === 'request' ? columns.pair(row) : null;
      return [{ row, request: null }, ...(answer === null ? [] : [{ row: answer, request: row }])];
    });
    for (const step of steps.sort((a, b) => a.row - b.row)) await this.#take(step);
    this.#end();
  }

  async #take({ row, request }: Step): Promise<void> {
    const { requests, state } = this.#options;
    const { columns } = state.trace.index;
    const isOurs = columns.direction(request ?? row) === 'out';
    const method = columns.method(request ?? row) ?? '';
    const isCreation = !method.startsWith('tasks/') && !method.startsWith('notifications/');
    if (request === null && isCreation) return;
    const recorded = await requests.message(row, request);
    if (recorded === null || 'defect' in recorded.envelope) return;
    const { message } = recorded.envelope;
    if (message.type === 'notification') return this.#notified(message.params, recorded, isOurs);
    if (message.type === 'request') return this.#requested(method, message.params, isOurs);
    const outcome: Outcome =
      message.type === 'result'
        ? { type: 'result', result: message.result, recorded }
        : { type: 'error', error: message.error, recorded };
    const params = isCreation || request === null ? undefined : (await requests.params(request)).params;
    const id = isObject(params) && typeof params.taskId === 'string' ? params.taskId : '';
    if (isOurs) this.#serverAnswered(method, id, outcome, recorded);
    else this.#weAnswered(method, id, outcome, recorded);
  }

  #requested(method: string, params: unknown, isOurs: boolean): void {
    if (method !== 'tasks/get' || !isObject(params) || typeof params.taskId !== 'string') return;
    const polls = this.#polls[isOurs ? 'server' : 'client'];
    polls.set(params.taskId, (polls.get(params.taskId) ?? 0) + 1);
  }

  #notified(params: unknown, recorded: RecordedMessage, isOurs: boolean): void {
    const reported = readTask(params, recorded, ['params']);
    if (reported === null) return;
    if (isOurs) this.#changeOwn(reported);
    else this.#report(reported, false);
  }

  /** Handles a response to a request of ours. */
  #serverAnswered(method: string, id: string, outcome: Outcome, recorded: RecordedMessage): void {
    if (outcome.type === 'error') {
      if (method === 'tasks/get') this.#failures.set(id, outcome);
      if (method === 'tasks/result') this.#errors.set(id, outcome);
    }
    if (outcome.type !== 'result') return;
    const { result } = outcome;
    switch (method) {
      case 'tasks/get':
      case 'tasks/cancel': {
        const reported = readTask(result, recorded, ['result']);
        if (reported?.id === id) this.#report(reported, method === 'tasks/get');
        return;
      }
      case 'tasks/list': {
        const listed: readonly unknown[] =
          isObject(result) && Array.isArray(result.tasks) ? result.tasks : [];
        for (const one of listed) {
          const reported = readTask(one, recorded, []);
          if (reported !== null) this.#report(reported, false);
        }
        return;
      }
      case 'tasks/result':
        return this.#setOutcome(id, outcome);
      default: {
        const created = createdTask(this.#kind, method, result, recorded);
        if (created === null) return;
        const origin = this.#known.originOf(recorded, null);
        this.#known.report(this.#kind, created, origin);
        // A notification may have arrived before the response that created the task.
        this.#known.change('server', created.id, origin);
      }
    }
  }

  /** Handles a response of ours to a request of the server. */
  #weAnswered(method: string, id: string, outcome: Outcome, recorded: RecordedMessage): void {
    if (method === 'tasks/result') {
      const location = locationOf(outcome);
      if (location !== null) this.#known.setResult('client', id, location);
      this.#known.change('client', id, { row: recorded.row });
      return;
    }
    if (outcome.type !== 'result') return;
    const reported = readTask(outcome.result, recorded, ['result']);
    if (reported !== null) return this.#changeOwn(reported);
    const created = createdTask('core', method, outcome.result, recorded);
    if (created === null) return;
    const origin = this.#known.originOf(recorded, null);
    const facts = factsOf('core', created);
    this.#known.put({
      id: created.id,
      sessionId: this.#options.state.id,
      kind: 'core',
      owner: 'client',
      ...origin,
      ...facts,
      polls: 0,
      isFollowed: false,
      resultRow: null,
      error: null,
      fault: null,
    });
  }

  #changeOwn(reported: ReportedTask): void {
    const { status, statusMessage, lastUpdatedAt, row } = factsOf('core', reported);
    this.#known.change('client', reported.id, { status, statusMessage, lastUpdatedAt, row });
  }

  #report(reported: ReportedTask, isPolled: boolean): void {
    const { id, status, members, recorded, path } = reported;
    this.#failures.delete(id);
    this.#known.report(this.#kind, reported, unknownOrigin);
    // In the extension, the task contains its result.
    if (this.#kind === 'core' || (this.#outcomes.has(id) && !isPolled)) return;
    const { result, error } = members;
    if (status === 'completed' && isObject(result)) {
      this.#setOutcome(id, { type: 'result', result, recorded, path: [...path, 'result'] });
    } else if (status === 'failed' && isRpcError(error)) {
      this.#setOutcome(id, { type: 'error', error, recorded });
    }
  }

  #setOutcome(id: string, outcome: Outcome): void {
    this.#outcomes.set(id, outcome);
    const location = locationOf(outcome);
    if (location !== null) this.#known.setResult('server', id, location);
  }

  /** Adds what is known only at the end of the recording. */
  #end(): void {
    const { state, isGrowing } = this.#options;
    const { columns } = state.trace.index;
    for (const [id, polls] of this.#polls.client) this.#known.change('client', id, { polls });
    for (const [id, polls] of this.#polls.server) this.#known.change('server', id, { polls });
    for (const { owner, id, status, method } of this.#known.list()) {
      if (owner === 'client') continue;
      const error = this.#errors.get(id);
      const request = error?.recorded.pair ?? null;
      const isManual = request !== null && !columns.isAutomatic(request);
      if (error !== undefined && !this.#outcomes.has(id) && hasEnded(status)) {
        // The response to a request that waited for the result of a cancelled task.
        if (status !== 'cancelled' || isManual) this.#setOutcome(id, error);
      }
      if (status === 'cancelled') this.#outcomes.set(id, { type: 'cancelled' });
      const wasFollowed = method !== null || this.#polls.server.has(id);
      if (hasEnded(status) || !wasFollowed || isGrowing) continue;
      const failure = this.#failures.get(id);
      const fault =
        failure !== undefined && isUnknownTask(failure)
          ? notAnswered(id, failure)
          : outcomeFault('tasks/get', { type: 'closed', reason: SESSION_ENDED });
      this.#known.change('server', id, { fault });
    }
  }
}
