import type { SessionState } from '#session/session-state.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Task } from '#shared/contract/tasks.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { readPages } from '#session/catalog/paging.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { IncomingRequest, Peer } from '#session/rpc/peer.ts';
import { memberText } from '#trace/units/raw-json.ts';
import type { RecordedMessage } from '#trace/inspector.ts';
import { askTask, paramsOf, relatedTask } from './task-protocol.ts';
import { type AdoptTask, askToCancel, Follower, hasAnnounced, mayCancel } from './follower.ts';
import {
  KnownTasks,
  MAX_KNOWN,
  type ResultPlace,
  createdTask,
  factsOf,
  hasEnded,
  isStale,
  readTask,
  type SaidTask,
  type TaskKind,
} from './known-tasks.ts';
import { OwnTasks } from './own-tasks.ts';
import { noSuchTask, noTaskList, notAnnounced, ownTask, tooManyTasks } from './task-faults.ts';

/** What the tasks of a session need of it. */
export interface TasksContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly onChange: (task: Redacted<Task>) => void;
}

/** Where a task came from. */
type TaskOrigin = Pick<Task, 'method' | 'callId'>;

const unknownOrigin: TaskOrigin = { method: null, callId: null };

/** The notices of both generations that tell how a task stands. */
const statusNotices: ReadonlyMap<string, TaskKind> = new Map([
  ['notifications/tasks/status', 'core'],
  ['notifications/tasks', 'extension'],
]);

/**
 * The tasks of one session: those of the server, of the revision 2025-11-25 or of the extension of 2026-07-28, and
 * ours on which the server waits.
 */
export class Tasks {
  readonly #context: TasksContext;
  readonly #known: KnownTasks;
  readonly #own: OwnTasks;
  readonly #followers = new Map<string, Follower>();

  constructor(context: TasksContext) {
    this.#context = context;
    this.#known = new KnownTasks(context);
    this.#own = new OwnTasks(context, this.#known);
  }

  /** Follows the task that a result is. */
  readonly adopt: AdoptTask = ({ method, result, recorded, callId }) => {
    // In earlier revisions a result may have a `task` member of any meaning.
    if (!hasTasks(this.#context.state.agreement)) return null;
    const said = createdTask(this.#kind, method, result, recorded);
    return said && this.#follow(said, { method, callId }, false);
  };

  list(): Redacted<Task>[] {
    return this.#known.list();
  }

  /** The call that a message of the server is about by the task it names; null when there is none. */
  callOf(params: unknown): string | null {
    const taskId = relatedTask(params);
    return taskId === null ? null : (this.#known.get('server', taskId)?.callId ?? null);
  }

  /** Asks the server which tasks it has. @throws FaultError when it has no such list, or does not give it */
  async refresh(): Promise<void> {
    const { state } = this.#context;
    if (this.#kind === 'extension') throw new FaultError(noTaskList);
    if (!hasAnnounced(state.serverCapabilities, 'list')) throw new FaultError(notAnnounced('list'));
    try {
      await this.#readList();
    } catch (error) {
      throw error instanceof FaultError ? new FaultError(state.redacted(error.fault)) : error;
    }
  }

  /**
   * Follows a task by its id until it has ended, also one of an earlier session; asks at once when it is followed.
   *
   * @throws FaultError when the server does not tell how it stands
   */
  async follow(taskId: string): Promise<Redacted<Task>> {
    if (this.#own.get(taskId) !== undefined) throw new FaultError(ownTask);
    const asked = await askTask(this.#context.peer, taskId, this.#context.state.requestOptions('user'));
    this.#known.change('server', taskId, { polls: (this.#known.get('server', taskId)?.polls ?? 0) + 1 });
    if ('fault' in asked) throw new FaultError(this.#context.state.redacted(asked.fault));
    const follower = this.#followers.get(taskId);
    if (follower === undefined) this.#follow(asked.said, this.#known.get('server', taskId), true);
    else follower.hear(asked.said, true);
    return this.#context.state.redacted(this.#get(taskId));
  }

  /** Asks for the end of a task. @throws FaultError when that cannot be asked, or was refused */
  async cancel(taskId: string): Promise<void> {
    const { state } = this.#context;
    const own = this.#own.get(taskId);
    if (own !== undefined) return this.#own.cancel(own);
    const { kind } = this.#get(taskId);
    const follower = this.#followers.get(taskId);
    if (follower !== undefined) {
      const fault = await follower.askToCancel();
      if (fault !== null) throw new FaultError(state.redacted(fault));
      return;
    }
    if (!mayCancel(kind, state.serverCapabilities)) throw new FaultError(notAnnounced('cancel'));
    const outcome = await askToCancel(this.#context, taskId);
    if (outcome.type !== 'result')
      throw new FaultError(state.redacted(outcomeFault('tasks/cancel', outcome)));
    const said = readTask(outcome.result, outcome.recorded, ['result']);
    if (said?.id === taskId) this.#note(said, unknownOrigin);
  }

  /** The result of a task that has ended, as it came. @throws FaultError when the server does not give it */
  async result(taskId: string): Promise<{ text: string | null }> {
    const own = this.#own.get(taskId);
    if (own !== undefined) return { text: own.result };
    const { owner } = this.#get(taskId);
    const place = this.#known.resultOf(owner, taskId) ?? (await this.#fetchResult(taskId));
    if (place === null || place.path === null) return { text: null };
    return { text: memberText(await this.#context.state.messageText(place.row), place.path) };
  }

  /** Takes a request of the server that is to be a task of ours, or is about one; false when it is neither. */
  take(incoming: IncomingRequest): boolean {
    return !this.#context.state.isModern && this.#own.take(incoming);
  }

  /** Takes note of what a notice says of a task, or that nobody waits for its result any more. */
  notified(method: string, params: unknown, recorded: RecordedMessage): void {
    if (method === 'notifications/cancelled') this.#own.forget(params);
    if (statusNotices.get(method) !== this.#kind) return;
    const said = readTask(params, recorded, ['params']);
    if (said === null) return;
    const follower = this.#followers.get(said.id);
    if (follower === undefined) this.#note(said, unknownOrigin);
    else follower.hear(said, false);
  }

  /** The session is over: nothing is asked any more. */
  end(): void {
    for (const follower of this.#followers.values()) follower.close();
    this.#own.end();
    this.#known.flush();
  }

  get #kind(): TaskKind {
    return this.#context.state.isModern ? 'extension' : 'core';
  }

  /** @throws FaultError when it is not known */
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
        const said = readTask(value, recorded, []);
        if (++count > MAX_KNOWN) throw new FaultError(tooManyTasks(MAX_KNOWN));
        if (said !== null) this.#note(said, unknownOrigin);
      }
      if (fault !== null) throw new FaultError(fault);
    }
  }

  #follow(said: SaidTask, origin: TaskOrigin = unknownOrigin, isAnswer: boolean): Follower {
    const { id: taskId } = said;
    // A server that gives the same id twice means the same task, as far as can be told.
    this.#followers.get(taskId)?.close();
    const follower = new Follower(
      this.#context,
      { taskId, kind: this.#kind, callId: origin.callId },
      {
        onSaid: (news) => this.#note(news, origin),
        onAsk: () => this.#known.change('server', taskId, { polls: this.#polls(taskId) + 1 }),
        onEnd: (outcome, fault) => {
          this.#followers.delete(taskId);
          this.#known.change('server', taskId, { isFollowed: false, fault: fault ?? whyEnded(outcome) });
          const place = placeOf(outcome);
          if (place !== null) this.#known.noteResult('server', taskId, place);
        },
      },
    );
    this.#followers.set(taskId, follower);
    this.#note(said, origin);
    // A notice may have told of it before the answer that made it came.
    const { method, callId } = origin;
    this.#known.change('server', taskId, { method, callId, isFollowed: true, fault: null });
    follower.hear(said, isAnswer);
    return follower;
  }

  #polls = (taskId: string): number => this.#known.get('server', taskId)?.polls ?? 0;

  /** Takes note of what the server says of a task of its. */
  #note(said: SaidTask, { method, callId }: TaskOrigin): void {
    const { id, recorded } = said;
    const kind = this.#kind;
    const facts = factsOf(kind, said);
    const known = this.#known.get('server', id);
    if (known !== undefined) {
      if (!isStale(said, known)) this.#known.change('server', id, facts);
      return;
    }
    this.#known.put({
      id,
      sessionId: this.#context.state.id,
      kind,
      owner: 'server',
      method,
      callId,
      polls: 0,
      isFollowed: false,
      resultRow: null,
      fault: null,
      ...facts,
      row: recorded.row,
    });
  }

  /** Asks for the result of a task that is not followed; null when it has not ended or has none. */
  async #fetchResult(taskId: string): Promise<ResultPlace | null> {
    const { peer, state } = this.#context;
    const { kind, status } = this.#get(taskId);
    if (!hasEnded(status) || this.#followers.has(taskId)) return null;
    const method = kind === 'core' ? 'tasks/result' : 'tasks/get';
    const outcome = await peer.request(method, paramsOf(taskId), this.#context.state.requestOptions('user'))
      .outcome;
    if (outcome.type !== 'result' && outcome.type !== 'error') {
      throw new FaultError(state.redacted(outcomeFault(method, outcome)));
    }
    const place = placeOf(kind === 'core' || outcome.type === 'error' ? outcome : inlined(outcome));
    if (place !== null) this.#known.noteResult('server', taskId, place);
    return place;
  }
}

/** Tasks came with 2025-11-25; of a revision that is not known here, they are taken for granted. */
const hasTasks = (agreement: Agreement | null): boolean =>
  agreement === null ||
  !isKnownRevision(agreement.revision) ||
  revisionAtLeast(agreement.revision, '2025-11-25');

const inlined = (outcome: Outcome & { readonly type: 'result' }): Outcome => ({
  ...outcome,
  path: ['result', 'result'],
});

function placeOf(outcome: Outcome): ResultPlace | null {
  if (outcome.type === 'result') return { row: outcome.recorded.row, path: outcome.path ?? ['result'] };
  return outcome.type === 'error' ? { row: outcome.recorded.row, path: null } : null;
}

/** Why a task is not followed any longer; null when it came to its end. */
const whyEnded = (outcome: Outcome) =>
  outcome.type === 'result' || outcome.type === 'error' || outcome.type === 'cancelled'
    ? null
    : outcomeFault('tasks/get', outcome);
