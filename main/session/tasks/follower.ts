import type { SessionState } from '#session/session-state.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { MAX_TIMER } from '#session/with-timeout.ts';
import type { Peer } from '#session/rpc/peer.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/inspector.ts';
import { withResolvers } from '#transports/async.ts';
import {
  factsOf,
  hasEnded,
  isStale,
  readTask,
  type SaidTask,
  type TaskFacts,
  type TaskKind,
} from './known-tasks.ts';
import { letGo, notAnnounced, overdue, unreachable } from './task-faults.ts';
import {
  type AskedTask,
  askTask,
  CoreTaskProtocol,
  paramsOf,
  type TaskProtocol,
  ExtensionTaskProtocol,
} from './task-protocol.ts';

/** Milliseconds between two questions when the server does not say, and the least that it can make us keep to. */
const DEFAULT_INTERVAL = 1000;
const MIN_INTERVAL = 50;

/** So many questions in a row may fail before the task is given up. */
const MAX_FAILURES = 3;

interface FollowerContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
}

/** How a task stands. */
interface FollowerWatcher {
  /** The server said something of it. */
  onSaid(said: SaidTask): void;
  /** It is asked after. */
  onAsk(): void;
  /** It is not followed any more. @param fault why, when that is not what it came to */
  onEnd(outcome: Outcome, fault: Fault | null): void;
}

interface FollowedTask {
  readonly taskId: string;
  readonly kind: TaskKind;
  readonly callId: string | null;
}

/**
 * Asks after one task until it has ended, as often as the server wants, and gives what it came to. The time limits of
 * a call are for each of the questions; the life of the task is limited by its ttl alone, if it has one.
 */
export class Follower implements Followed {
  readonly taskId: string;
  readonly outcome: Promise<Outcome>;
  readonly #context: FollowerContext;
  readonly #watcher: FollowerWatcher;
  readonly #kind: TaskKind;
  readonly #protocol: TaskProtocol;
  readonly #startedAt = performance.now();
  readonly #settle: (outcome: Outcome) => void;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | null = null;
  #interval = DEFAULT_INTERVAL;
  #failures = 0;
  /** The last news. */
  #last: TaskFacts | null = null;
  #state: 'following' | 'ending' | 'over' = 'following';
  #isCancelling = false;

  constructor(context: FollowerContext, { taskId, kind, callId }: FollowedTask, watcher: FollowerWatcher) {
    this.taskId = taskId;
    this.#context = context;
    this.#kind = kind;
    this.#watcher = watcher;
    const { promise, resolve } = withResolvers<Outcome>();
    this.outcome = promise;
    this.#settle = resolve;
    const Protocol = kind === 'core' ? CoreTaskProtocol : ExtensionTaskProtocol;
    this.#protocol = new Protocol({
      ...context,
      taskId,
      callId,
      ask: () => void this.ask(),
      finish: (outcome) => this.#finish(outcome),
      fail: (fault, row) => this.#end({ type: 'undelivered', fault, row }),
    });
  }

  /**
   * Takes what the server says of the task.
   *
   * @param isAnswer whether it is the answer to `tasks/get`, which says all
   */
  hear(said: SaidTask, isAnswer: boolean): void {
    if (this.#last !== null && isStale(said, this.#last)) return;
    const facts = factsOf(this.#kind, said);
    this.#last = facts;
    this.#watcher.onSaid(said);
    if (this.#state !== 'following') return;
    const { ttl, pollInterval } = facts;
    this.#interval = Math.min(Math.max(pollInterval ?? DEFAULT_INTERVAL, MIN_INTERVAL), MAX_TIMER);
    if (hasEnded(said.status)) return void this.#conclude(said, isAnswer);
    if (said.status === 'input_required') this.#protocol.wantsInput(said);
    else this.#protocol.goesOn();
    // A server may drop a task whose time is over, so nothing can be relied on then.
    if (isAnswer && ttl !== null && ttl > 0 && performance.now() - this.#startedAt > ttl) {
      this.#end({ type: 'undelivered', fault: overdue(ttl, said.status), row: said.recorded.row });
    }
    // A notice does not put the next question off, or a server could silence us with them.
    if (this.#timer === undefined && this.#asking === null) this.#schedule();
  }

  /** Asks how the task stands, now instead of later. */
  ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
      if (this.#state === 'following') this.#schedule();
    });
    return this.#asking;
  }

  /** Of a call: asks for the end; when that cannot be had, or was asked for before, does not wait for it. */
  cancel(): void {
    if (this.#isCancelling) return this.#letGo('It was cancelled twice.');
    this.#isCancelling = true;
    void this.askToCancel().then(async (fault) => {
      // It may have been refused because the task has ended.
      if (fault !== null && fault.code !== 'not-announced') await this.ask();
      if (fault !== null) this.#letGo(fault.what);
    });
  }

  /** Asks the server to give the task up; the status tells what came of it. Gives why it was not asked or refused. */
  async askToCancel(): Promise<Fault | null> {
    if (!mayCancel(this.#kind, this.#context.state.serverCapabilities)) return notAnnounced('cancel');
    const outcome = await askToCancel(this.#context, this.taskId);
    if (outcome.type !== 'result') return outcomeFault('tasks/cancel', outcome);
    const said = readTask(outcome.result, outcome.recorded, ['result']);
    if (said?.id === this.taskId) this.hear(said, false);
    else void this.ask();
    return null;
  }

  /** The session has ended. */
  close(): void {
    this.#end({ type: 'closed', reason: 'The session has ended; the task may go on at the server.' });
  }

  async #ask(): Promise<void> {
    if (this.#isOver) return;
    this.#watcher.onAsk();
    const { peer, state } = this.#context;
    const asked = await askTask(peer, this.taskId, state.requestOptions('automatic'));
    if (this.#isOver) return;
    if ('said' in asked) {
      this.#failures = 0;
      this.hear(asked.said, true);
    } else if (this.#state === 'following') this.#failed(asked);
  }

  #failed({ fault, outcome, isFinal }: Exclude<AskedTask, { said: SaidTask }>): void {
    this.#failures++;
    if (outcome.type === 'closed') return this.#end(outcome);
    const row = 'recorded' in outcome ? outcome.recorded.row : 'row' in outcome ? outcome.row : -1;
    if (isFinal) return this.#end({ type: 'undelivered', fault, row });
    if (this.#failures < MAX_FAILURES) return;
    this.#end({ type: 'undelivered', fault: unreachable(MAX_FAILURES, fault), row });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#state === 'following') this.#timer = setTimeout(() => void this.ask(), this.#interval);
  }

  /** The task has ended: gets what it came to. */
  async #conclude(said: SaidTask, isAnswer: boolean): Promise<void> {
    this.#state = 'ending';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const outcome = await this.#protocol.outcomeOf(said, isAnswer);
    if (this.#state !== 'ending') return;
    if (outcome !== null) return this.#end(outcome);
    this.#state = 'following';
    void this.ask();
  }

  /** It came to this before its status said so. */
  #finish(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#end(outcome);
    const { peer, state } = this.#context;
    // A last look, so that its status is told as it is.
    void askTask(peer, this.taskId, state.requestOptions('automatic')).then((asked) => {
      if ('said' in asked) this.#watcher.onSaid(asked.said);
    });
  }

  /** By itself, because it may come to be so while something is waited for. */
  get #isOver(): boolean {
    return this.#state === 'over';
  }

  #letGo(why: string): void {
    if (this.#state === 'following') this.#end({ type: 'cancelled' }, letGo(why));
  }

  #end(outcome: Outcome, fault: Fault | null = null): void {
    if (this.#isOver) return;
    this.#state = 'over';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#protocol.stop(outcome.type === 'closed');
    this.#watcher.onEnd(outcome, fault);
    this.#settle(outcome);
  }
}

/** Whether `tasks/cancel` may be sent; in the extension it always may. */
export const mayCancel = (kind: TaskKind, capabilities: Readonly<Record<string, unknown>> | null): boolean =>
  kind === 'extension' || hasAnnounced(capabilities, 'cancel');

/** Whether the server announced an operation on tasks; of one that was never asked, it is taken for granted. */
export const hasAnnounced = (
  capabilities: Readonly<Record<string, unknown>> | null,
  operation: 'list' | 'cancel',
): boolean =>
  capabilities === null || (isObject(capabilities.tasks) && isObject(capabilities.tasks[operation]));

/** Sends `tasks/cancel` for the user. */
export const askToCancel = (
  { peer, state }: Pick<FollowerContext, 'peer' | 'state'>,
  taskId: string,
): Promise<Outcome> => peer.request('tasks/cancel', paramsOf(taskId), state.requestOptions('user')).outcome;

/** A result that may be a task instead of what was asked for. */
interface MaybeTask {
  readonly method: string;
  readonly result: unknown;
  readonly recorded: RecordedMessage;
  /** The call that it is an answer to. */
  readonly callId: string;
}

/** A task that is asked after until it has ended. */
export interface Followed {
  readonly taskId: string;
  /** What the call comes to in the end, as if it had been answered with that at once. */
  readonly outcome: Promise<Outcome>;
  /** Asks the server to give the task up; the outcome tells what came of it. */
  cancel(reason: string | undefined): void;
}

/** Follows the task that a result is; null when it is none. */
export type AdoptTask = (answer: MaybeTask) => Followed | null;
