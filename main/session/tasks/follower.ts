import type { SessionState } from '#session/session-state.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import type { Peer } from '#session/rpc/peer.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { withResolvers, MAX_TIMER } from '#transports/async.ts';
import {
  factsOf,
  hasEnded,
  isStale,
  readTask,
  type ReportedTask,
  type TaskFacts,
  type TaskKind,
} from './known-tasks.ts';
import { abandoned, notDeclared, overdue, unreachable } from './task-faults.ts';
import {
  type PollResult,
  pollTask,
  CoreTaskProtocol,
  paramsOf,
  type TaskProtocol,
  ExtensionTaskProtocol,
} from './task-protocol.ts';

/** Milliseconds between two polls if the server sets none, and the shortest interval it can set. */
const DEFAULT_INTERVAL = 1000;
const MIN_INTERVAL = 50;

/** After this many failed polls in a row the task is no longer followed. */
const MAX_FAILURES = 3;

interface FollowerContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
}

interface FollowerWatcher {
  /** The server reported the status of the task. */
  onReport(reported: ReportedTask): void;
  /** A poll is sent. */
  onPoll(): void;
  /** The task is no longer followed. @param fault why, if the outcome does not say it; else null */
  onEnd(outcome: Outcome, fault: Fault | null): void;
}

interface FollowedTask {
  readonly taskId: string;
  readonly kind: TaskKind;
  readonly callId: string | null;
}

/**
 * Polls one task at the interval the server sets until the task has ended, and provides its outcome. The timeouts of a
 * call apply to each poll; the task itself is limited only by its ttl, if it has one.
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
  #polling: Promise<void> | null = null;
  #interval = DEFAULT_INTERVAL;
  #failures = 0;
  /** The last reported status. */
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
      poll: () => void this.poll(),
      finish: (outcome) => this.#finish(outcome),
      fail: (fault, row) => this.#end({ type: 'failed', fault, row }),
    });
  }

  /**
   * Handles a status report of the server.
   *
   * @param isPolled whether it is the response to `tasks/get`, which is complete
   */
  update(reported: ReportedTask, isPolled: boolean): void {
    if (this.#last !== null && isStale(reported, this.#last)) return;
    const facts = factsOf(this.#kind, reported);
    this.#last = facts;
    this.#watcher.onReport(reported);
    if (this.#state !== 'following') return;
    const { ttl, pollInterval } = facts;
    this.#interval = Math.min(Math.max(pollInterval ?? DEFAULT_INTERVAL, MIN_INTERVAL), MAX_TIMER);
    if (hasEnded(reported.status)) return void this.#conclude(reported, isPolled);
    if (reported.status === 'input_required') this.#protocol.onInputRequired(reported);
    else this.#protocol.onWorking();
    // A server may drop a task after its ttl.
    if (isPolled && ttl !== null && ttl > 0 && performance.now() - this.#startedAt > ttl) {
      this.#end({ type: 'failed', fault: overdue(ttl, reported.status), row: reported.recorded.row });
    }
    // A notification does not delay the next poll, or a server could stop the polling with notifications.
    if (this.#timer === undefined && this.#polling === null) this.#schedule();
  }

  /** Polls now instead of later. */
  poll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = null;
      if (this.#state === 'following') this.#schedule();
    });
    return this.#polling;
  }

  /** Cancels the task for its call. Stops following it if the server refuses, or if this is called again. */
  cancel(): void {
    if (this.#isCancelling) return this.#abandon('It was cancelled twice.');
    this.#isCancelling = true;
    void this.requestCancel().then(async (fault) => {
      // The server may have refused because the task has ended.
      if (fault !== null && fault.code !== 'not-announced') await this.poll();
      if (fault !== null) this.#abandon(fault.what);
    });
  }

  /** Sends `tasks/cancel`; a later status shows its effect. Resolves to the fault if it was not sent or was rejected. */
  async requestCancel(): Promise<Fault | null> {
    if (!mayCancel(this.#kind, this.#context.state.serverCapabilities)) return notDeclared('cancel');
    const outcome = await sendCancel(this.#context, this.taskId);
    if (outcome.type !== 'result') return outcomeFault('tasks/cancel', outcome);
    const reported = readTask(outcome.result, outcome.recorded, ['result']);
    if (reported?.id === this.taskId) this.update(reported, false);
    else void this.poll();
    return null;
  }

  /** Stops following the task, because the session has ended. */
  close(): void {
    this.#end({ type: 'closed', reason: SESSION_ENDED });
  }

  async #poll(): Promise<void> {
    if (this.#isOver) return;
    this.#watcher.onPoll();
    const { peer, state } = this.#context;
    const polled = await pollTask(peer, this.taskId, state.requestOptions('automatic'));
    if ('reported' in polled) {
      this.#failures = 0;
      // Also once the task is over: a notification and its result may overtake this response.
      this.update(polled.reported, true);
    } else if (this.#state === 'following') this.#failed(polled);
  }

  #failed({ fault, outcome, isFinal }: Exclude<PollResult, { reported: ReportedTask }>): void {
    this.#failures++;
    if (outcome.type === 'closed') return this.#end(outcome);
    const row = 'recorded' in outcome ? outcome.recorded.row : 'row' in outcome ? outcome.row : -1;
    if (isFinal) return this.#end({ type: 'failed', fault, row });
    if (this.#failures < MAX_FAILURES) return;
    this.#end({ type: 'failed', fault: unreachable(MAX_FAILURES, fault), row });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#state === 'following') this.#timer = setTimeout(() => void this.poll(), this.#interval);
  }

  /** Gets the outcome of the task, which has ended. */
  async #conclude(reported: ReportedTask, isPolled: boolean): Promise<void> {
    this.#state = 'ending';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const outcome = await this.#protocol.outcomeOf(reported, isPolled);
    if (this.#state !== 'ending') return;
    if (outcome !== null) return this.#end(outcome);
    this.#state = 'following';
    void this.poll();
  }

  /** Ends the task with an outcome that arrived before its status did. */
  #finish(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#end(outcome);
    const { peer, state } = this.#context;
    // A last poll reports its final status.
    this.#watcher.onPoll();
    void pollTask(peer, this.taskId, state.requestOptions('automatic')).then((polled) => {
      if ('reported' in polled) this.#watcher.onReport(polled.reported);
    });
  }

  /** A getter, because TypeScript would otherwise keep the narrowed state across an `await`. */
  get #isOver(): boolean {
    return this.#state === 'over';
  }

  #abandon(why: string): void {
    if (this.#state === 'following') this.#end({ type: 'cancelled' }, abandoned(why));
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

/** Why a task is no longer followed when its session has ended. */
export const SESSION_ENDED = 'The session has ended; the task may go on at the server.';

/** Whether `tasks/cancel` may be sent; in the extension it always may. */
export const mayCancel = (kind: TaskKind, capabilities: Readonly<Record<string, unknown>> | null): boolean =>
  kind === 'extension' || hasDeclared(capabilities, 'cancel');

/** Whether the server declared an operation on tasks, rightly or wrongly; assumed if its capabilities are unknown. */
export const hasDeclared = (
  capabilities: Readonly<Record<string, unknown>> | null,
  operation: 'list' | 'cancel',
): boolean => capabilities === null || mayHaveCapability(capabilities, `tasks.${operation}`);

/** Sends `tasks/cancel` for the user. */
export const sendCancel = (
  { peer, state }: Pick<FollowerContext, 'peer' | 'state'>,
  taskId: string,
): Promise<Outcome> => peer.request('tasks/cancel', paramsOf(taskId), state.requestOptions('user')).outcome;

/** A result that may be a task instead of the requested result. */
interface MaybeTask {
  readonly method: string;
  readonly result: unknown;
  readonly recorded: RecordedMessage;
  /** The call whose response it is. */
  readonly callId: string;
}

/** A task that is polled until it has ended. */
export interface Followed {
  readonly taskId: string;
  /** The outcome of the call, as if the server had responded with it directly. */
  readonly outcome: Promise<Outcome>;
  /** Asks the server to cancel the task; `outcome` shows whether it did. */
  cancel(reason: string | undefined): void;
}

/** Follows the task in a result; null if the result is not a task. */
export type AdoptTask = (result: MaybeTask) => Followed | null;
