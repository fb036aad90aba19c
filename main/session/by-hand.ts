import { FaultError } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { Trace } from '#trace/trace.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import type { Connection } from './connection.ts';
import { outcomeFault } from './rpc/request.ts';
import type { Peer, RequestOptions } from './rpc/peer.ts';
import type { SessionFacts } from './session-facts.ts';
import { levelStays, nothingToResume, notReady } from './session-faults.ts';

export interface ByHandOptions {
  readonly peer: Peer;
  readonly connection: Connection;
  readonly behavior: ClientBehavior;
  readonly facts: SessionFacts;
  readonly trace: Trace;
  /** Milliseconds for an answer. */
  readonly timeout: number;
  readonly onChange: () => void;
}

/** What the user does with a session directly, apart from using the features of the server. */
export class ByHand {
  readonly #options: ByHandOptions;

  constructor(options: ByHandOptions) {
    this.#options = options;
  }

  /**
   * Asks for logs of this level and above: of the server once and for all, in the modern era with each request.
   * Null for none.
   *
   * @throws FaultError when the server refuses
   */
  async setLogLevel(level: string | null): Promise<void> {
    const { behavior, facts, onChange } = this.#options;
    this.mustBeReady();
    if (!behavior.isModern) {
      if (level === null) throw new FaultError(levelStays);
      await this.#ask('logging/setLevel', JSON.stringify({ level }));
    }
    facts.logLevel = level;
    onChange();
  }

  /** The user has set other roots: a server that was promised so is told (MCP roots). */
  noteRootsChanged(): void {
    const { peer, behavior, facts } = this.#options;
    const roots = facts.agreement?.clientCapabilities.roots;
    const isPromised = isObject(roots) && roots.listChanged === true;
    if (!isPromised || behavior.isModern || facts.phase !== 'ready') return;
    void peer.notify('notifications/roots/list_changed', undefined, 'automatic');
  }

  /**
   * Microseconds until the server answered `ping`, or `server/discover` where there is no ping (MCP 2026-07-28).
   *
   * @throws FaultError when there is no answer
   */
  async ping(): Promise<number> {
    this.mustBeReady();
    const { duration } = await this.#ask(this.#options.behavior.isModern ? 'server/discover' : 'ping', null);
    return duration ?? 0;
  }

  /**
   * Sends exactly these bytes as one unit, in whatever phase.
   *
   * @param headers the lines of the HTTP request; null for those of an ordinary message
   * @returns the row that the unit begins
   * @throws FaultError when there is no connection
   */
  sendRaw(bytes: Buffer, headers: HeaderLines | null): number {
    const { peer, connection, facts } = this.#options;
    if (!facts.isOpen || facts.phase === 'closing' || facts.phase === 'connecting') {
      throw new FaultError(notReady(facts.phase));
    }
    const { row, recorded } = connection.sendRaw(bytes, headers);
    for (const { envelope } of recorded) {
      if ('message' in envelope && envelope.message.type === 'request') peer.noteId(envelope.message.id);
    }
    return row;
  }

  /** Breaks an event stream off without a word. */
  dropStream(exchange: number): void {
    this.#options.connection.http?.drop(exchange);
  }

  /**
   * Asks for what a stream carried after this event; gives the row of that exchange.
   *
   * @throws FaultError when the session has no streams to resume
   */
  resumeStream(lastEventId: string): number {
    const { connection, trace } = this.#options;
    this.mustBeReady();
    const row = trace.index.columns.count;
    if (!connection.http?.resumeFrom(lastEventId)) throw new FaultError(nothingToResume);
    return row;
  }

  /** Before that, nothing but the handshake may be sent (MCP lifecycle, initialization). */
  mustBeReady(): void {
    const { phase } = this.#options.facts;
    if (phase !== 'ready') throw new FaultError(notReady(phase));
  }

  async #ask(method: string, params: string | null): Promise<{ readonly duration: number | null }> {
    const { peer, trace, timeout } = this.#options;
    const options: RequestOptions = { origin: 'user', timeout, maxTimeout: timeout };
    const outcome = await peer.request(method, params, options).outcome;
    if (outcome.type !== 'result') throw new FaultError(trace.redacted(outcomeFault(method, outcome)));
    return outcome.recorded;
  }
}
