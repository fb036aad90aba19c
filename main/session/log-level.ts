import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/inspector.ts';
import type { Peer } from './rpc/peer.ts';
import { outcomeFault } from './rpc/request.ts';
import { levelStays } from './session-faults.ts';
import type { SessionState } from './session-state.ts';

const SET_LEVEL = 'logging/setLevel';

/**
 * The least severe log messages that the server is asked for: in the legacy era it keeps the level for its session
 * (MCP 2025-06-18 logging), in the modern era each request carries it.
 */
export class LogLevel {
  readonly #state: SessionState;
  readonly #peer: Peer;
  /** Levels that the server was asked for and that it has not accepted yet, by the row of the request. */
  readonly #requested = new Map<number, string>();

  constructor(state: SessionState, peer: Peer) {
    this.#state = state;
    this.#peer = peer;
  }

  /** @param level null for none @throws FaultError if the session is not ready, or the server refuses */
  async set(level: string | null): Promise<void> {
    this.#state.mustBeReady();
    if (this.#state.isModern) return this.#accept(level);
    if (level === null) throw new FaultError(levelStays);
    const fault = await this.#request(level, 'user');
    if (fault !== null) throw new FaultError(this.#state.redacted(fault));
  }

  /** Reads a message of either direction: the level holds once the server accepts it. */
  observe({ row, direction, envelope, pair }: RecordedMessage): void {
    if ('fault' in envelope) return;
    const { message } = envelope;
    if (direction === 'out') {
      if (message.type !== 'request' || message.method !== SET_LEVEL || !isObject(message.params)) return;
      const { level } = message.params;
      if (typeof level === 'string') this.#requested.set(row, level);
      return;
    }
    const level = pair === null ? undefined : this.#requested.get(pair);
    if (pair === null || level === undefined) return;
    this.#requested.delete(pair);
    if (message.type === 'result') this.#accept(level);
  }

  /** Sets the level again in a new session of the server. Returns the fault if that fails. */
  async restore(): Promise<Fault | null> {
    const { logLevel, isModern } = this.#state;
    return logLevel === null || isModern ? null : this.#request(logLevel, 'automatic');
  }

  async #request(level: string, origin: Origin): Promise<Fault | null> {
    const params = JSON.stringify({ level });
    const outcome = await this.#peer.request(SET_LEVEL, params, this.#state.requestOptions(origin)).outcome;
    return outcome.type === 'result' ? null : outcomeFault(SET_LEVEL, outcome);
  }

  #accept(level: string | null): void {
    this.#state.logLevel = level;
    this.#state.changed();
  }
}
