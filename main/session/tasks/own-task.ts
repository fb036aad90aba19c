import { randomUUID } from 'node:crypto';
import { errorCodes } from '#shared/protocol/error-codes.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { Asked } from '#session/inbox/inbox.ts';
import type { Answer, IncomingRequest } from '#session/rpc/peer.ts';
import { withRelatedTask } from './related-task.ts';

/** Milliseconds between two questions that we ask the server to keep to. */
const POLL_INTERVAL = 500;

type Status = 'working' | 'completed' | 'failed' | 'cancelled';

/**
 * One request of the server that we work on as a task. It is `working` while the user thinks: `input_required` would
 * mean that we want something of the server (MCP 2025-11-25 tasks, task status).
 */
export class OwnTask {
  readonly id = randomUUID();
  readonly method: string;
  /** As it was asked for; null for ever. */
  readonly ttl: number | null;
  readonly createdAt = new Date().toISOString();
  status: Status = 'working';
  statusMessage = 'Waits for an answer in the inbox';
  lastUpdatedAt = this.createdAt;
  /** How many times the server asked after it. */
  polls = 0;
  /** The question in the inbox. */
  asked: Asked | null = null;
  #answer: Answer | null = null;
  /** Requests for the result that wait for it. */
  readonly #waiting = new Set<IncomingRequest>();

  constructor(method: string, ttl: number | null) {
    this.method = method;
    this.ttl = ttl;
  }

  get isOver(): boolean {
    return this.status !== 'working';
  }

  /** The JSON text of its result; null when it has none. */
  get result(): string | null {
    return this.#answer !== null && 'result' in this.#answer ? this.#answer.result : null;
  }

  /** As it is told to the server. */
  get wire(): object {
    const { id, status, statusMessage, createdAt, lastUpdatedAt, ttl } = this;
    const pollInterval = POLL_INTERVAL;
    return { taskId: id, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval };
  }

  /** The answer is there; gives the row in which it went out, null when the server has not asked for it. */
  complete(answer: Answer, origin: Origin): number | null {
    if ('result' in answer) return this.#end('completed', 'Answered', answer, origin);
    return this.#end('failed', answer.error.message, answer, origin);
  }

  /** There will be no answer. */
  cancel(why: string): void {
    if (this.isOver) return;
    this.asked?.withdraw();
    const error = { code: errorCodes.invalidParams, message: `${why}, so there is no result` };
    this.#end('cancelled', why, { error }, 'automatic');
  }

  /** Answers a request for the result now, or when there is one; gives the row of the answer. */
  answerResult(incoming: IncomingRequest): number | null {
    if (this.#answer === null) {
      this.#waiting.add(incoming);
      return null;
    }
    const row = incoming.answer(withRelatedTask(this.#answer, this.id), 'automatic');
    if (row !== null && this.status !== 'cancelled') this.asked?.noteAnswerRow(row);
    return row;
  }

  /** The server does not wait for the answer to this request any more. */
  forget(isIt: (incoming: IncomingRequest) => boolean): void {
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
