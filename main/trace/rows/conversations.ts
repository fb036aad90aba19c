import { createHash } from 'node:crypto';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Limit of conversations that wait for their next round; beyond it the oldest are forgotten. */
const MAX_WAITING = 1000;
/** Longer states are compared by hash. */
const MAX_STATE = 100;

/**
 * Rounds of one call (MCP 2026-07-28 multi-round-trip requests): a response that requires input, and the
 * repeated request. They are joined by the `requestState` of the server, or without one by method and subject.
 */
export class Conversations {
  /** The first request of each conversation that waits for its next round. */
  readonly #waiting = new Map<string, number>();

  /** Adds the result of a request, which may require input. */
  addResult(result: unknown, request: Round): void {
    if (!isObject(result) || result.resultType !== 'input_required') return;
    for (const key of keysOf(result.requestState, request)) {
      // Deleted first, so that the map stays in the order of the last use.
      this.#waiting.delete(key);
      this.#waiting.set(key, request.root);
    }
    for (const key of this.#waiting.keys()) {
      if (this.#waiting.size <= MAX_WAITING) break;
      this.#waiting.delete(key);
    }
  }

  /** The first request of the conversation that this request continues; null if it starts one. */
  rootOf(params: unknown, request: Omit<Round, 'root'>): number | null {
    if (!isObject(params)) return null;
    const { requestState, inputResponses } = params;
    if (requestState === undefined && inputResponses === undefined) return null;
    const keys = keysOf(requestState, request);
    const root = keys.map((key) => this.#waiting.get(key)).find((row) => row !== undefined) ?? null;
    if (root !== null) for (const key of keys) this.#waiting.delete(key);
    return root;
  }
}

/** A request that may be one round of a conversation. */
interface Round {
  readonly method: string;
  readonly subject: string | null;
  /** The first request of its conversation. */
  readonly root: number;
}

/** The keys by which the next round of a conversation is found. */
function keysOf(state: unknown, { method, subject }: Omit<Round, 'root'>): string[] {
  if (typeof state !== 'string') return [`request ${JSON.stringify([method, subject])}`];
  const short = state.length <= MAX_STATE ? state : createHash('sha256').update(state).digest('base64');
  return [`state ${state.length} ${short}`];
}
