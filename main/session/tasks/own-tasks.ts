import { randomUUID } from 'node:crypto';
import { MAX_TIMER } from '#transports/async.ts';
import type { SessionState } from '#session/session-state.ts';
import type { Inbox, InboxQuestion } from '#session/inbox/inbox.ts';
import { type Answer, cancelledId, type IncomingRequest } from '#session/rpc/incoming-request.ts';
import type { Peer } from '#session/rpc/peer.ts';
import type { InboxMethod } from '#shared/contract/inbox.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { errorCodes, idText, isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import { memberText } from '#shared/json/members.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import { errorOf, type KnownTasks, MAX_KNOWN, type ResultLocation } from './known-tasks.ts';
import { withRelatedTask } from './related-task.ts';

interface OwnTasksContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
}

/** Requests that may run as tasks, with the capability and the member of `tasks.requests` that declare it. */
const mayBeTasks: ReadonlyMap<string, readonly [InboxMethod, capability: string, request: string]> = new Map([
  ['sampling/createMessage', ['sampling/createMessage', 'sampling', 'createMessage']],
  ['elicitation/create', ['elicitation/create', 'elicitation', 'create']],
]);

/** Requests of the server that we answer as tasks, so that it need not wait (MCP 2025-11-25 tasks). */
export class OwnTasks {
  readonly #context: OwnTasksContext;
  readonly #known: KnownTasks;
  readonly #tasks = new Map<string, OwnTask>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(context: OwnTasksContext, known: KnownTasks) {
    this.#context = context;
    this.#known = known;
  }

  /** Handles requests that create a task or are about one, if we declared that; returns false if not handled. */
  handleRequest(incoming: IncomingRequest): boolean {
    const { tasks } = this.#context.state.clientCapabilities;
    if (!isObject(tasks)) return false;
    switch (incoming.method) {
      case 'tasks/get':
        this.#answer(incoming, (task) => {
          task.polls++;
          return incoming.answer({ result: JSON.stringify(task.wire) }, 'automatic');
        });
        return true;
      case 'tasks/result':
        this.#answer(incoming, (task) => task.answerResult(incoming));
        return true;
      case 'tasks/cancel':
        if (!isObject(tasks.cancel)) return false;
        this.#answer(incoming, (task) => this.#answerCancel(task, incoming));
        return true;
      case 'tasks/list': {
        if (!isObject(tasks.list)) return false;
        const list = [...this.#tasks.values()].map(({ wire }) => wire);
        incoming.answer({ result: JSON.stringify({ tasks: list }) }, 'automatic');
        return true;
      }
      default:
        return this.#begin(incoming, tasks.requests);
    }
  }

  get(id: string): OwnTask | undefined {
    return this.#tasks.get(id);
  }

  /** Cancels the task for the user and notifies the server. */
  cancel(task: OwnTask): void {
    task.cancel('Cancelled by the user');
    this.#notify(task);
  }

  /** Drops a request that the server has cancelled: it must not get a response (MCP cancellation). */
  forgetRequest(params: unknown, recorded: RecordedMessage): void {
    const id = cancelledId(params, recorded);
    for (const task of this.#tasks.values()) task.forgetRequest((incoming) => idText(incoming.id) === id);
  }

  end(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#tasks.clear();
  }

  #begin(incoming: IncomingRequest, requests: unknown): boolean {
    const entry = mayBeTasks.get(incoming.method);
    const requested = isObject(incoming.params) ? incoming.params.task : undefined;
    if (entry === undefined || !isObject(requested)) return false;
    const [method, capability, request] = entry;
    const declared = isObject(requests) ? requests[capability] : undefined;
    const isDeclared = isObject(this.#context.state.clientCapabilities[capability]);
    if (!isDeclared || !isObject(declared) || !isObject(declared[request])) return false;
    const { ttl } = requested;
    const task = new OwnTask(method, typeof ttl === 'number' && ttl > 0 ? ttl : null);
    this.#makeRoom();
    this.#tasks.set(task.id, task);
    const row = incoming.answer({ result: JSON.stringify({ task: task.wire }) }, 'automatic');
    this.#known.put(this.#view(task, incoming.recorded.row, row ?? incoming.recorded.row));
    if (task.ttl !== null) {
      const expire = () => this.#expire(task);
      this.#timers.set(task.id, setTimeout(expire, Math.min(task.ttl, MAX_TIMER)));
    }
    this.#ask(task, method, incoming);
    return true;
  }

  #ask(task: OwnTask, method: InboxMethod, incoming: IncomingRequest): void {
    task.question = this.#context.inbox.add({
      method,
      params: memberText(messageTextOf(incoming.recorded), ['params']) ?? '{}',
      by: 'request',
      key: null,
      row: incoming.recorded.row,
      callId: null,
      // The request already got the task as its response; only the ttl of the task limits the wait.
      pauses: [],
      deliver: (answer, origin) => {
        const row = task.complete(answer, origin);
        this.#notify(task);
        if (row !== null) this.#known.setResult('client', task.id, resultIn(row, task));
        return row;
      },
    });
  }

  /** Answers a request about a task, and stores the row of the response. */
  #answer(incoming: IncomingRequest, answer: (task: OwnTask) => number | null): void {
    const { params } = incoming;
    const id = isObject(params) ? params.taskId : undefined;
    const task = typeof id === 'string' ? this.#tasks.get(id) : undefined;
    if (task === undefined) {
      const message = 'Task not found; it may have expired';
      incoming.answer({ error: { code: errorCodes.invalidParams, message } }, 'automatic');
      return;
    }
    const row = answer(task);
    if (row !== null && incoming.method === 'tasks/result') {
      this.#known.setResult('client', task.id, resultIn(row, task));
    }
    this.#known.change('client', task.id, { polls: task.polls, ...(row !== null && { row }) });
  }

  #answerCancel(task: OwnTask, incoming: IncomingRequest): number | null {
    if (task.isOver) {
      const message = `The task is already ${task.status}`;
      return incoming.answer({ error: { code: errorCodes.invalidParams, message } }, 'automatic');
    }
    task.cancel('Cancelled by the server');
    const row = incoming.answer({ result: JSON.stringify(task.wire) }, 'automatic');
    this.#notify(task);
    return row;
  }

  /** Drops a task with its result after its ttl (MCP 2025-11-25 tasks, TTL). */
  #expire(task: OwnTask): void {
    this.#timers.delete(task.id);
    if (!task.isOver) {
      task.cancel('The time of the task is over');
      this.#notify(task);
    }
    this.#tasks.delete(task.id);
  }

  /** Drops the oldest task if there are too many: a server may create any number. */
  #makeRoom(): void {
    if (this.#tasks.size < MAX_KNOWN) return;
    const [oldest] = this.#tasks.values();
    if (oldest === undefined) return;
    clearTimeout(this.#timers.get(oldest.id));
    this.#expire(oldest);
  }

  /** Reports a changed status to the server and the page. */
  #notify(task: OwnTask): void {
    const sent = this.#context.peer.notify('notifications/tasks/status', task.wire, 'automatic');
    const { status, statusMessage, lastUpdatedAt } = task;
    const change = { status, statusMessage, lastUpdatedAt, ...(sent !== null && { row: sent.row }) };
    this.#known.change('client', task.id, change);
  }

  #view(task: OwnTask, requestRow: number, row: number): Omit<Task, 'history'> {
    const { id, method, status, statusMessage, ttl, createdAt, lastUpdatedAt, polls } = task;
    return {
      id,
      sessionId: this.#context.state.id,
      kind: 'core',
      owner: 'client',
      method,
      tool: null,
      requestRow,
      callId: null,
      status,
      statusMessage,
      ttl,
      pollInterval: POLL_INTERVAL,
      createdAt,
      lastUpdatedAt,
      startedAt: this.#known.wallAt(row),
      polls,
      isFollowed: false,
      row,
      resultRow: null,
      error: null,
      fault: null,
    };
  }
}

const resultIn = (row: number, { result, error }: OwnTask): ResultLocation => ({
  row,
  path: result === null ? null : ['result'],
  error,
});

/** Milliseconds between two polls that we ask the server to keep. */
const POLL_INTERVAL = 500;

type Status = 'working' | 'completed' | 'failed' | 'cancelled';

/**
 * One request of the server that we answer as a task. It is `working` while the user decides: `input_required` would
 * mean that we need input from the server (MCP 2025-11-25 tasks, task status).
 */
class OwnTask {
  readonly id = randomUUID();
  readonly method: string;
  /** The requested milliseconds; null for no limit. */
  readonly ttl: number | null;
  readonly createdAt = new Date().toISOString();
  status: Status = 'working';
  statusMessage = 'Waits for an answer in the inbox';
  lastUpdatedAt = this.createdAt;
  /** How often the server polled it. */
  polls = 0;
  /** The question in the inbox, once it was added. */
  question: InboxQuestion | null = null;
  #answer: Answer | null = null;
  /** Requests for the result that arrived before the answer. */
  readonly #waiting = new Set<IncomingRequest>();

  constructor(method: string, ttl: number | null) {
    this.method = method;
    this.ttl = ttl;
  }

  get isOver(): boolean {
    return this.status !== 'working';
  }

  /** The JSON text of its result; null if it has none. */
  get result(): string | null {
    return this.#answer !== null && 'result' in this.#answer ? this.#answer.result : null;
  }

  /** The error it was answered with; null if it has none. */
  get error(): Task['error'] {
    return this.#answer !== null && 'error' in this.#answer ? errorOf(this.#answer.error) : null;
  }

  /** The task as sent to the server. */
  get wire(): object {
    const { id, status, statusMessage, createdAt, lastUpdatedAt, ttl } = this;
    const pollInterval = POLL_INTERVAL;
    return { taskId: id, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval };
  }

  /** Sets the answer; returns the row in which it was sent, null if the server has not requested the result yet. */
  complete(answer: Answer, origin: Origin): number | null {
    if ('result' in answer) return this.#end('completed', 'Answered', answer, origin);
    return this.#end('failed', answer.error.message, answer, origin);
  }

  /** Ends the task without an answer. */
  cancel(why: string): void {
    if (this.isOver) return;
    this.question?.withdraw();
    const error = { code: errorCodes.invalidParams, message: `${why}, so there is no result` };
    this.#end('cancelled', why, { error }, 'automatic');
  }

  /** Answers a request for the result, now or once there is one; returns the row of the response. */
  answerResult(incoming: IncomingRequest): number | null {
    if (this.#answer === null) {
      this.#waiting.add(incoming);
      return null;
    }
    const row = incoming.answer(withRelatedTask(this.#answer, this.id), 'automatic');
    if (row !== null && this.status !== 'cancelled') this.question?.noteResponseRow(row);
    return row;
  }

  /** Drops requests for the result that the server no longer waits for. */
  forgetRequest(isIt: (incoming: IncomingRequest) => boolean): void {
    for (const incoming of this.#waiting) if (isIt(incoming)) this.#waiting.delete(incoming);
  }

  #end(status: Status, statusMessage: string, answer: Answer, origin: Origin): number | null {
    this.status = status;
    this.statusMessage = statusMessage;
    this.lastUpdatedAt = new Date().toISOString();
    this.#answer = answer;
    const rows = [...this.#waiting].map((incoming) =>
      incoming.answer(withRelatedTask(answer, this.id), origin),
    );
    this.#waiting.clear();
    return rows[0] ?? null;
  }
}
