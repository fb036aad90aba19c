import { FaultError } from '#shared/contract/fault.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { Connection } from './connection.ts';
import type { Peer } from './rpc/peer.ts';
import { outcomeFault } from './rpc/request.ts';
import { nothingToResume } from './session-faults.ts';
import type { SessionState } from './session-state.ts';

/** What the user sends apart from the features of the server: pings, raw bytes, streams dropped and resumed. */
export class Manual {
  readonly #state: SessionState;
  readonly #connection: Connection;
  readonly #peer: Peer;

  constructor(state: SessionState, connection: Connection, peer: Peer) {
    this.#state = state;
    this.#connection = connection;
    this.#peer = peer;
  }

  /**
   * Microseconds until the server answered `ping`, or `server/discover` in the modern era, which has no ping.
   *
   * @throws FaultError if there is no result
   */
  async ping(): Promise<number> {
    this.#state.mustBeReady();
    const method = this.#state.isModern ? 'server/discover' : 'ping';
    const outcome = await this.#peer.request(method, null, this.#state.requestOptions('user')).outcome;
    if (outcome.type !== 'result') throw new FaultError(this.#state.redacted(outcomeFault(method, outcome)));
    return outcome.recorded.duration ?? 0;
  }

  /**
   * Sends exactly these bytes as one unit, in any phase that has a connection.
   *
   * @param headers the lines of the HTTP request; null for those of an ordinary message
   * @returns the row at which the unit begins
   * @throws FaultError if there is no connection
   */
  sendRaw(bytes: Buffer, headers: HeaderLines | null): number {
    this.#state.mustBeConnected();
    const { row, recorded } = this.#connection.sendRaw(bytes, headers);
    for (const { envelope } of recorded) {
      if ('message' in envelope && envelope.message.type === 'request') {
        this.#peer.noteId(envelope.message.id);
      }
    }
    return row;
  }

  /** Drops an event stream without notice to the server. */
  dropStream(exchange: number): void {
    this.#connection.http?.drop(exchange);
  }

  /**
   * Requests the events of a stream after this one. Returns the row of that exchange.
   *
   * @throws FaultError if the session has no streams to resume
   */
  resumeStream(lastEventId: string): number {
    this.#state.mustBeReady();
    const row = this.#state.trace.index.columns.count;
    if (!this.#connection.http?.resumeFrom(lastEventId)) throw new FaultError(nothingToResume);
    return row;
  }
}
