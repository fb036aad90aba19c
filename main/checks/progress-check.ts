import { type Id, isId, isObject, type Message, progressTokenOf } from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { Found } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { broken } from './rules.ts';

const PROGRESS = 'notifications/progress';
const CANCELLED = 'notifications/cancelled';

/** Tokens of answered requests that are remembered, and of all others. */
const MOST_ANSWERED = 1000;
const MOST_OPEN = 10_000;

/** A request that asked for progress. */
interface Asked {
  readonly row: number;
  readonly key: string;
  /** `task`: its result is a task, whose progress goes on under the same token. */
  state: 'open' | 'cancelled' | 'task' | 'answered';
  /** The HTTP exchange that brought the answer. */
  exchange: number | null;
}

/**
 * Follows progress tokens. Progress must name the token of a request that is in progress, and stop when it is answered
 * (MCP 2024-11-05 to 2026-07-28, progress).
 */
export class ProgressCheck {
  readonly #columns: RowColumns;
  /** By who asked and the token; the last request when a token was used twice. The oldest first. */
  readonly #open = new Map<string, Asked>();
  readonly #answered = new Map<string, Asked>();
  readonly #byRow = new Map<number, Asked>();
  /** Sides of whose tokens some are not known, so that none can be called unknown. */
  readonly #unsure = new Set<Direction>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes the next message. */
  look(message: Message, recorded: RecordedMessage): Found | null {
    switch (message.type) {
      case 'request':
        this.#request(message.params, recorded);
        return null;
      case 'result':
        this.#answer(recorded, isTask(message.result));
        return null;
      case 'error':
        this.#answer(recorded, false);
        return null;
      case 'notification':
        if (message.method === CANCELLED) this.#cancel(recorded);
        return message.method === PROGRESS ? this.#progress(message.params, recorded) : null;
    }
  }

  /** A request that is no valid message may hold a token all the same. */
  lookAtFault({ envelope, direction }: RecordedMessage): void {
    if ('fault' in envelope && envelope.salvage.asks) this.#unsure.add(direction);
  }

  #request(params: unknown, { direction, row, isTruncated }: RecordedMessage): void {
    const token = progressTokenOf(params);
    if (token === null) {
      if (isTruncated) this.#unsure.add(direction);
      return;
    }
    const key = keyOf(direction, token);
    const asked: Asked = { row, key, state: 'open', exchange: null };
    this.#forget(this.#open.get(key) ?? this.#answered.get(key));
    this.#open.set(key, asked);
    this.#byRow.set(row, asked);
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest] = this.#open.values();
    this.#forget(oldest);
    this.#unsure.add(direction);
  }

  #answer({ pair, exchange }: RecordedMessage, isTaskMade: boolean): void {
    const asked = pair === null ? undefined : this.#byRow.get(pair);
    if (asked === undefined) return;
    if (isTaskMade) {
      // The token stays valid as long as the task lives (MCP 2025-11-25 tasks, task progress notifications).
      asked.state = 'task';
      return;
    }
    this.#forget(asked);
    this.#answered.set(asked.key, { ...asked, state: 'answered', exchange });
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MOST_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** The trace has related it to the request that it is about. */
  #cancel({ row }: RecordedMessage): void {
    const request = this.#columns.parent(row);
    const asked = request === null ? undefined : this.#byRow.get(request);
    if (asked?.state === 'open') asked.state = 'cancelled';
  }

  #progress(params: unknown, recorded: RecordedMessage): Found | null {
    // Without a token it is for the schema to say.
    if (!isObject(params) || !isId(params.progressToken)) return null;
    const asker = recorded.direction === 'in' ? 'out' : 'in';
    const key = keyOf(asker, params.progressToken);
    const asked = this.#open.get(key) ?? this.#answered.get(key);
    const pointer = '/params/progressToken';
    if (asked === undefined) {
      if (this.#unsure.has(asker)) return null;
      const text = 'Progress for a token that no open request gave';
      return broken('progress/unknown-token', recorded, text, { pointer });
    }
    const particulars = { pointer, other: asked.row };
    if (asked.state === 'cancelled') {
      const text =
        'Progress on a request that was cancelled: its work goes on, or it was sent before the cancellation arrived';
      return broken('progress/after-cancel', recorded, text, particulars);
    }
    // Two streams have no order between them: what comes by another one may have been sent before the answer.
    if (asked.state !== 'answered' || asked.exchange !== recorded.exchange) return null;
    const text = 'Progress on a request that was answered before: it must stop with the answer';
    return broken('progress/after-completion', recorded, text, particulars);
  }

  #forget(asked: Asked | undefined): void {
    if (asked === undefined) return;
    this.#open.delete(asked.key);
    this.#answered.delete(asked.key);
    this.#byRow.delete(asked.row);
  }
}

/** The result that stands for work which goes on (MCP 2025-11-25 tasks; the tasks extension of 2026-07-28). */
const isTask = (result: unknown): boolean =>
  isObject(result) && (isObject(result.task) || result.resultType === 'task');

const keyOf = (asker: Direction, token: Id): string => `${asker} ${typeof token} ${token}`;
