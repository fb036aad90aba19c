import type { SessionState } from '#session/session-state.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { CANCELLED } from '#shared/protocol/methods.ts';
import { isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ResumableTasks, Task } from '#shared/contract/tasks.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { readPages } from '#session/catalog/paging.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { IncomingRequest } from '#session/rpc/incoming-request.ts';
import type { Peer } from '#session/rpc/peer.ts';
import { memberText } from '#shared/json/members.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { relatedTask } from './related-task.ts';
import { pollTask, paramsOf } from './task-protocol.ts';
import { type AdoptTask, sendCancel, Follower, hasDeclared, mayCancel } from './follower.ts';
import {
  KnownTasks,
  MAX_KNOWN,
  type ResultLocation,
  createdTask,
  hasEnded,
  locationOf,
  readTask,
  type ReportedTask,
  type TaskKind,
  type TaskOrigin,
  unknownOrigin,
} from './known-tasks.ts';
import { OwnTasks } from './own-tasks.ts';
import { GONE, noSuchTask, noTaskList, notDeclared, ownTask, tooManyTasks } from './task-faults.ts';
import { Resumable, type UnfinishedOfServer } from './unfinished-tasks.ts';

export interface TasksContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly onChange: (task: Redacted<Task>) => void;
  readonly onResumable: (resumable: Redacted<ResumableTasks>) => void;
  /** Unfinished tasks of earlier sessions; null if none can outlive its session. */
  readonly unfinished: UnfinishedOfServer | null;
}

/** The status notifications of the core protocol and of the extension. */
const statusNotifications: ReadonlyMap<string, TaskKind> = new Map([
  ['notifications/tasks/status', 'core'],
  ['notifications/tasks', 'extension'],
]);

/**
 * The tasks of one session: those of the server (revision 2025-11-25 or the extension of 2026-07-28), and ours, which
 * the server waits for.
 */
export class Tasks {
  readonly #context: TasksContext;
  readonly #known: KnownTasks;
  readonly #own: OwnTasks;
  readonly #resumable: Resumable;
  readonly #followers = new Map<string, Follower>();

  constructor(context: TasksContext) {
    this.#context = context;
    const { state, unfinished, onResumable } = context;
    this.#resumable = new Resumable(unfinished, (tasks) =>
      onResumable(state.redacted({ sessionId: state.id, tasks: [...tasks] })),
    );
    this.#known = new KnownTasks({
      state,
      onChange: (task) => {
        context.onChange(task);
        this.#resumable.note(task);
      },
    });
    this.#own = new OwnTasks(context, this.#known);
  }

  /** Follows the task that a result contains; returns null if it contains none. */
  readonly adopt: AdoptTask = ({ method, result, recorded, callId }) => {
    // In earlier revisions a result may have a `task` member of any meaning.
    if (!hasTasks(this.#context.state.agreement)) return null;
    const reported = createdTask(this.#kind, method, result, recorded);
    if (reported === null) return null;
    this.#context.inbox.noteTask(reported.id, callId);
    return this.#follow(reported, this.#known.originOf(recorded, callId), false);
  };

  list(): Redacted<Task>[] {
    return this.#known.list();
  }

  /** How many tasks are known. */
  get count(): number {
    return this.#known.size;
  }

  /** The tasks of earlier sessions that this one can resume. */
  get resumable(): Redacted<ResumableTasks> {
    const { state } = this.#context;
    return state.redacted({ sessionId: state.id, tasks: [...this.#resumable.tasks] });
  }

  /** The number of resumable tasks. */
  get resumableCount(): number {
    return this.#resumable.tasks.length;
  }

  /** Reads which tasks of earlier sessions can be resumed, once the session is ready. */
  async ready(): Promise<void> {
    await this.#resumable.read(this.#kind);
  }

  /** Stops suggesting to resume a task. */
  forget(taskId: string): void {
    this.#resumable.forget(taskId);
  }

  /** The call whose task a message of the server names; null if there is none. */
  callOf(params: unknown): string | null {
    const taskId = relatedTask(params);
    return taskId === null ? null : (this.#known.get('server', taskId)?.callId ?? null);
  }

  /** Reads the list of tasks of the server. @throws FaultError if it has none, or does not return it */
  async refresh(): Promise<void> {
    const { state } = this.#context;
    if (this.#kind === 'extension') throw new FaultError(noTaskList);
    if (!hasDeclared(state.serverCapabilities, 'list')) throw new FaultError(notDeclared('list'));
    try {
      await this.#readList();
    } catch (error) {
      throw error instanceof FaultError ? new FaultError(state.redacted(error.fault)) : error;
    }
  }

  /**
   * Follows a task by its id until it has ended, also one of an earlier session. Polls at once if it is already
   * followed.
   *
   * @throws FaultError if the server does not return its status
   */
  async follow(taskId: string): Promise<Redacted<Task>> {
    if (this.#own.get(taskId) !== undefined) throw new FaultError(ownTask);
    const polled = await pollTask(this.#context.peer, taskId, this.#context.state.requestOptions('user'));
    const polls = this.#polls(taskId) + 1;
    if ('fault' in polled) {
      this.#known.change('server', taskId, { polls });
      if (polled.fault.code === GONE) this.#resumable.forget(taskId);
      throw new FaultError(this.#context.state.redacted(polled.fault));
    }
    const follower = this.#followers.get(taskId);
    if (follower === undefined) this.#follow(polled.reported, this.#originOf(taskId), true);
    else follower.update(polled.reported, true);
    this.#known.change('server', taskId, { polls });
    return this.#context.state.redacted(this.#get(taskId));
  }

  /** Cancels a task. @throws FaultError if the server does not support that, or refuses */
  async cancel(taskId: string): Promise<void> {
    const { state } = this.#context;
    const own = this.#own.get(taskId);
    if (own !== undefined) return this.#own.cancel(own);
    const { kind } = this.#get(taskId);
    const follower = this.#followers.get(taskId);
    if (follower !== undefined) {
      const fault = await follower.requestCancel();
      if (fault !== null) throw new FaultError(state.redacted(fault));
      return;
    }
    if (!mayCancel(kind, state.serverCapabilities)) throw new FaultError(notDeclared('cancel'));
    const outcome = await sendCancel(this.#context, taskId);
    if (outcome.type !== 'result')
      throw new FaultError(state.redacted(outcomeFault('tasks/cancel', outcome)));
    const reported = readTask(outcome.result, outcome.recorded, ['result']);
    if (reported?.id === taskId) this.#known.report(this.#kind, reported, unknownOrigin);
  }

  /** The result of a task that has ended, as received. @throws FaultError if the server does not return it */
  async result(taskId: string): Promise<{ text: string | null }> {
    const own = this.#own.get(taskId);
    if (own !== undefined) return { text: own.result };
    const { owner } = this.#get(taskId);
    const location = this.#known.resultOf(owner, taskId) ?? (await this.#fetchResult(taskId));
    if (location === null || location.path === null) return { text: null };
    return { text: memberText(await this.#context.state.recordedText(location.row), location.path) };
  }

  /** Handles requests that create a task of ours or are about one; returns false if not handled. */
  handleRequest(incoming: IncomingRequest): boolean {
    return !this.#context.state.isModern && this.#own.handleRequest(incoming);
  }

  /** Handles status notifications, and cancellations of requests for a result. */
  handleNotification(method: string, params: unknown, recorded: RecordedMessage): void {
    if (method === CANCELLED) this.#own.forgetRequest(params, recorded);
    if (statusNotifications.get(method) !== this.#kind) return;
    const reported = readTask(params, recorded, ['params']);
    if (reported === null) return;
    const follower = this.#followers.get(reported.id);
    if (follower === undefined) this.#known.report(this.#kind, reported, unknownOrigin);
    else follower.update(reported, false);
  }

  /** Stops all polling when the session has ended. */
  end(): void {
    for (const follower of this.#followers.values()) follower.close();
    this.#own.end();
    this.#known.flush();
  }

  get #kind(): TaskKind {
    return this.#context.state.isModern ? 'extension' : 'core';
  }

  /** @throws FaultError if the task is unknown */
  #get(taskId: string): Task {
    const task = this.#known.get('server', taskId) ?? this.#known.get('client', taskId);
    if (task === undefined) throw new FaultError(noSuchTask(taskId));
    return task;
  }

  async #readList(): Promise<void> {
    const { peer } = this.#context;
    let count = 0;
    for await (const { entries, fault, recorded } of readPages(
      peer,
      'tasks/list',
      'tasks',
      this.#context.state.requestOptions('user'),
    )) {
      for (const { value } of entries) {
        const reported = readTask(value, recorded, []);
        if (++count > MAX_KNOWN) throw new FaultError(tooManyTasks(MAX_KNOWN));
        if (reported !== null) this.#known.report(this.#kind, reported, unknownOrigin);
      }
      if (fault !== null) throw new FaultError(fault);
    }
  }

  /** The origin of a task that is known, or was in an earlier session. */
  #originOf(taskId: string): TaskOrigin {
    const known = this.#known.get('server', taskId);
    if (known !== undefined) return known;
    const { method = null, tool = null } = this.#resumable.tasks.find(({ id }) => id === taskId) ?? {};
    return { ...unknownOrigin, method, tool };
  }

  #follow(reported: ReportedTask, origin: TaskOrigin, isPolled: boolean): Follower {
    const { id: taskId } = reported;
    // The same id is assumed to mean the same task.
    this.#followers.get(taskId)?.close();
    const follower = new Follower(
      this.#context,
      { taskId, kind: this.#kind, callId: origin.callId },
      {
        onReport: (report) => this.#known.report(this.#kind, report, origin),
        onPoll: () => this.#known.change('server', taskId, { polls: this.#polls(taskId) + 1 }),
        onEnd: (outcome, fault) => {
          this.#followers.delete(taskId);
          this.#known.change('server', taskId, { isFollowed: false, fault: fault ?? whyEnded(outcome) });
          const location = locationOf(outcome);
          if (location !== null) this.#known.setResult('server', taskId, location);
        },
      },
    );
    this.#followers.set(taskId, follower);
    this.#known.report(this.#kind, reported, origin);
    // A notification may have arrived before the response that created the task.
    const { method, tool, requestRow, callId, startedAt } = origin;
    this.#known.change('server', taskId, {
      method,
      tool,
      requestRow,
      callId,
      ...(startedAt !== null && { startedAt }),
      isFollowed: true,
      fault: null,
    });
    follower.update(reported, isPolled);
    return follower;
  }

  #polls = (taskId: string): number => this.#known.get('server', taskId)?.polls ?? 0;

  /** Requests the result of a task that is not followed; null if it has not ended or has none. */
  async #fetchResult(taskId: string): Promise<ResultLocation | null> {
    const { peer, state } = this.#context;
    const { kind, status } = this.#get(taskId);
    if (!hasEnded(status) || this.#followers.has(taskId) || !state.isReady) return null;
    const method = kind === 'core' ? 'tasks/result' : 'tasks/get';
    const outcome = await peer.request(method, paramsOf(taskId), this.#context.state.requestOptions('user'))
      .outcome;
    if (outcome.type !== 'result' && outcome.type !== 'error') {
      throw new FaultError(state.redacted(outcomeFault(method, outcome)));
    }
    const location = locationOf(kind === 'core' || outcome.type === 'error' ? outcome : inlined(outcome));
    if (location !== null) this.#known.setResult('server', taskId, location);
    return location;
  }
}

/** Tasks exist since 2025-11-25; an unknown revision is assumed to have them. */
export const hasTasks = (agreement: Agreement | null): boolean =>
  agreement === null ||
  !isKnownRevision(agreement.revision) ||
  revisionAtLeast(agreement.revision, '2025-11-25');

const inlined = (outcome: Outcome & { readonly type: 'result' }): Outcome => ({
  ...outcome,
  path: ['result', 'result'],
});

/** Why a task is no longer followed; null if it has ended. */
const whyEnded = (outcome: Outcome) =>
  outcome.type === 'result' || outcome.type === 'error' || outcome.type === 'cancelled'
    ? null
    : outcomeFault('tasks/get', outcome);
