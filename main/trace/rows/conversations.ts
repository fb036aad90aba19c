import { createHash } from 'node:crypto';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Conversations that still wait for their next round, at most; of more the oldest are forgotten. */
const MOST_WAITING = 1000;
/** A longer state is known by its hash. */
const LONGEST_STATE = 100;

/**
 * Rounds of one call (MCP 2026-07-28 multi-round-trip requests): an answer that requires input, and the request that
 * is made again with it. They are joined by the state that the server gave, else by what is asked.
 */
export class Conversations {
  /** First request of each conversation that waits for its next round. */
  readonly #waiting = new Map<string, number>();

  /** Takes the answer to a request, which may require input. */
  answer(result: unknown, asked: Asked): void {
    if (!isObject(result) || result.resultType !== 'input_required') return;
    for (const key of keysOf(result.requestState, asked)) {
      this.#waiting.delete(key);
      this.#waiting.set(key, asked.root);
    }
    for (const key of this.#waiting.keys()) {
      if (this.#waiting.size <= MOST_WAITING) break;
      this.#waiting.delete(key);
    }
  }

  /** The first request of the conversation that this request goes on with; null when it begins one. */
  rootOf(params: unknown, asked: Omit<Asked, 'root'>): number | null {
    if (!isObject(params)) return null;
    const { requestState, inputResponses } = params;
    if (requestState === undefined && inputResponses === undefined) return null;
    const keys = keysOf(requestState, asked);
    const root = keys.map((key) => this.#waiting.get(key)).find((row) => row !== undefined) ?? null;
    if (root !== null) for (const key of keys) this.#waiting.delete(key);
    return root;
  }
}

/** What a request asks for. */
interface Asked {
  readonly method: string;
  readonly subject: string | null;
  /** The first request of its conversation. */
  readonly root: number;
}

/** The surest first. */
function keysOf(state: unknown, { method, subject }: Omit<Asked, 'root'>): string[] {
  const asked = `asked ${JSON.stringify([method, subject])}`;
  if (typeof state !== 'string') return [asked];
  const short = state.length <= LONGEST_STATE ? state : createHash('sha256').update(state).digest('base64');
  return [`state ${state.length} ${short}`];
}
