import type { Outcome } from '#session/rpc/outcome.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** A result that may be a task instead of what was asked for. */
export interface MaybeTask {
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
