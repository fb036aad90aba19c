import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Task } from '#shared/contract/tasks.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import type { PatienceOptions } from '#session/patience.ts';
import type { IncomingRequest, Peer } from '#session/peer.ts';
import type { Seen } from '#trace/row-index.ts';
import type { AdoptTask } from './followed.ts';

/** What the tasks of a session need of it. */
export interface TasksContext {
  readonly sessionId: string;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly isModern: () => boolean;
  /** For each request about a task; not for the task. */
  readonly times: PatienceOptions;
  /** The client capabilities that were announced. */
  readonly announced: () => Readonly<Record<string, unknown>>;
  /** What is told of a task, with secrets replaced. */
  readonly redacted: <T>(value: T) => T;
  /** Gives the text of a row's message. */
  readonly readMessage: (row: number) => Promise<string>;
  readonly onChange: (task: Task) => void;
}

/** The tasks of one session, of both generations and both sides. */
export class Tasks {
  readonly #context: TasksContext;

  constructor(context: TasksContext) {
    this.#context = context;
  }

  /** Follows the task that a result is. */
  readonly adopt: AdoptTask = () => null;

  list(): Task[] {
    return [];
  }

  /** Asks the server which tasks it has. @throws FaultError when it has no such list */
  refresh(): Promise<void> {
    return Promise.reject(new FaultError(notYet(this.#context.sessionId)));
  }

  /** Follows a task by its id until it has ended, also one of an earlier session. */
  follow(taskId: string): Promise<Task> {
    return Promise.reject(new FaultError(notYet(taskId)));
  }

  /** Asks for the end of a task. @throws FaultError when that cannot be asked, or was refused */
  cancel(taskId: string): Promise<void> {
    return Promise.reject(new FaultError(notYet(taskId)));
  }

  /** The result of a task that has ended, as it came. */
  result(taskId: string): Promise<{ text: string | null }> {
    return Promise.reject(new FaultError(notYet(taskId)));
  }

  /** Takes a request of the server that is to be a task of ours, or is about one; false when it is neither. */
  take(_incoming: IncomingRequest): boolean {
    return false;
  }

  /** Takes note of what a notice says of a task. */
  notified(_method: string, _params: unknown, _seen: Seen): void {}

  /** The session is over: nothing is asked any more. */
  end(): void {}
}

const notYet = (what: string): Fault => ({ code: 'no-tasks', what: `There are no tasks yet (${what}).` });
