import { FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { CANCELLED } from '#shared/protocol/methods.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { idText } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Sending } from '#transports/transport.ts';
import type { Connection, RawOptions } from './connection.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import { neverCancelled, type Peer } from './rpc/peer.ts';
import { outcomeFault } from './rpc/request.ts';
import { hasEnded, notCancellable, nothingToResume } from './session-faults.ts';
import type { SessionState } from './session-state.ts';

interface SendOptions extends RawOptions {
  /** Milliseconds after which requests without a response are cancelled; null for never. */
  readonly timeout?: number | null | undefined;
}

/** What the user does apart from the features of the server: pings, raw bytes, closing and resuming streams. */
export class Manual {
  readonly #state: SessionState;
  readonly #connection: Connection;
  readonly #peer: Peer;
  readonly #behavior: ClientBehavior;
  /** The HTTP requests in progress that carry JSON-RPC requests sent as raw bytes, by the row of the JSON-RPC request. */
  readonly #carrying = new Map<number, Sending>();

  constructor(state: SessionState, connection: Connection, peer: Peer, behavior: ClientBehavior) {
    this.#state = state;
    this.#connection = connection;
    this.#peer = peer;
    this.#behavior = behavior;
  }

  /**
   * Microseconds until the server answered `ping`, or `server/discover` in the modern era, which has no ping. A ping may
   * be sent before the session is ready (MCP 2025-06-18 lifecycle, initialization).
   *
   * @throws FaultError if there is no result
   */
  async ping(): Promise<number> {
    this.#state.mustBeConnected();
    const method = this.#state.isModern ? 'server/discover' : 'ping';
    const outcome = await this.#peer.request(method, null, this.#state.requestOptions('user')).outcome;
    if (outcome.type !== 'result') throw new FaultError(this.#state.redacted(outcomeFault(method, outcome)));
    return outcome.recorded.duration ?? 0;
  }

  /**
   * Sends exactly these bytes as one unit, in any phase that has a connection.
   *
   * @returns the row at which the unit begins
   * @throws FaultError if there is no connection
   */
  sendRaw(bytes: Buffer, { timeout = null, ...options }: SendOptions): number {
    this.#state.mustBeConnected();
    const { row, recorded, sending } = this.#connection.sendRaw(bytes, options);
    for (const message of recorded) {
      const { envelope } = message;
      if (!('message' in envelope) || envelope.message.type !== 'request') continue;
      this.#peer.noteId(envelope.message.id);
      this.#noteCarrier(message.row, sending);
      if (timeout !== null) setTimeout(() => this.#timeOut(message, sending, timeout), timeout).unref();
    }
    return row;
  }

  /**
   * Cancels any request of ours, even one that was sent as raw bytes: sends the notification, or in the modern era over
   * HTTP closes the stream of its response.
   *
   * @throws FaultError unless the request waits for its response and may be cancelled
   */
  cancelRequest(row: number, reason: string | undefined): void {
    this.#state.mustBeConnected();
    const { columns } = this.#state.trace.index;
    const isOurs = columns.kind(row) === 'request' && columns.direction(row) === 'out';
    if (!isOurs || columns.method(row) === neverCancelled) throw new FaultError(notCancellable);
    const pending = this.#peer.pendingAt(row);
    if (pending !== undefined) return pending.cancel(reason);
    const id = columns.id(row);
    if (columns.status(row) !== 'pending' || id === null) throw new FaultError(hasEnded);
    if (this.#behavior.cancelsByDropping) return this.#carrying.get(row)?.drop();
    // Written as text, because an id beyond 2^53 would lose digits as a number.
    const params = `{"requestId":${idText(id)}${reason ? `,"reason":${JSON.stringify(reason)}` : ''}}`;
    this.sendRaw(Buffer.from(`{"jsonrpc":"2.0","method":"${CANCELLED}","params":${params}}`), {
      headers: null,
    });
  }

  #noteCarrier(row: number, sending: Sending): void {
    if (sending.finished === null) return;
    this.#carrying.set(row, sending);
    void sending.finished.finally(() => this.#carrying.delete(row));
  }

  /** Cancels a request that the user sent as bytes, if it still has no response. `initialize` is never cancelled. */
  #timeOut({ row, envelope }: RecordedMessage, sending: Sending, timeout: number): void {
    if (!this.#state.isOpen || this.#state.trace.index.columns.status(row) !== 'pending') return;
    if (!('message' in envelope) || envelope.message.type !== 'request') return;
    const { id, method } = envelope.message;
    if (method === 'initialize') return;
    if (this.#behavior.cancelsByDropping) return sending.drop();
    // An id beyond 2^53 has no exact number here; the server ignores a cancellation of an unknown id.
    const requestId = typeof id === 'bigint' ? Number(id) : id;
    this.#peer.notify(CANCELLED, { requestId, reason: `timed out after ${timeout} ms` }, 'automatic');
  }

  /** An id that no other request gets, and the members that the era adds to `_meta` as JSON text. */
  messageContext(): Redacted<{ nextId: number; meta: string | null }> {
    const meta = this.#behavior.metaFor('');
    return this.#state.redacted({
      nextId: this.#peer.reserveId(),
      meta: meta === null ? null : JSON.stringify(meta),
    });
  }

  /** The header lines of the HTTP request with which the client would send this unit, secrets replaced; null on stdio. */
  headersOf(unit: string): Redacted<HeaderLines | null> {
    return this.#state.redacted(this.#connection.headersFor(unit));
  }

  /** Closes an event stream without sending a cancellation. */
  dropStream(exchange: number): void {
    this.#connection.http?.drop(exchange);
  }

  /**
   * Requests the events of a stream after the one with this id. Returns the row of the new exchange.
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
