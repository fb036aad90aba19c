import type { Call } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import type { Timeouts } from '#shared/contract/servers.ts';
import type { Agreement, Implementation, SessionView } from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin, PhaseName } from '#shared/trace/record.ts';
import { readMessageText } from '#trace/row-reader.ts';
import type { Trace } from '#trace/trace.ts';
import type { Transport, WireEvent } from '#wire/transport.ts';
import { Calls } from './calls.ts';
import { Catalog } from './catalog.ts';
import { openLegacyEra } from './legacy-era.ts';
import { outcomeFault, Peer } from './peer.ts';

export interface SessionOptions {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
  readonly trace: Trace;
  /** Makes the transport; everything it sees goes to the sink. */
  readonly transport: (sink: (event: WireEvent) => void) => Transport;
  readonly client: Implementation;
  /** The revision to ask for; null is the newest. */
  readonly revision: string | null;
  readonly timeouts: Timeouts;
  readonly onChange: () => void;
  readonly onToolsChange: () => void;
  readonly onCall: (call: Call) => void;
}

/** What we announce. A feature is announced once it can be answered, so that no server waits in vain. */
const clientCapabilities: Record<string, unknown> = {};

/**
 * One session with one server, from connect to close. Joins a transport, its trace and the conversation; what
 * happened stays readable after it has ended.
 */
export class Session {
  readonly id: string;
  readonly serverId: string;
  readonly trace: Trace;
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly #options: SessionOptions;
  readonly #transport: Transport;
  readonly #peer: Peer;
  #phase: PhaseName = 'connecting';
  #reason: string | null = null;
  #fault: Fault | null = null;
  #agreement: Agreement | null = null;
  #process: SessionView['process'] = null;
  readonly #openedAt = Date.now();
  #closedAt: number | null = null;
  #closing: Promise<void> | undefined;
  /** Messages that one call of `send` recorded. */
  #sent: ReturnType<Trace['record']> = [];

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.serverId = options.serverId;
    this.trace = options.trace;
    this.#options = options;
    this.#transport = options.transport((event) => this.#see(event));
    this.#peer = new Peer((text, origin) => this.#send(text, origin), {
      request: (method) => (method === 'ping' ? { result: {} } : undefined),
      notification: (method) => this.#notified(method),
    });
    const { request, requestMax } = options.timeouts;
    this.catalog = new Catalog(
      this.#peer,
      { timeout: request, maxTimeout: requestMax },
      options.onToolsChange,
    );
    this.calls = new Calls(this.id, this.#peer, (row) => readMessageText(this.trace, row), options.onCall);
  }

  get isOpen(): boolean {
    return this.#phase !== 'closed' && this.#phase !== 'failed';
  }

  get tools(): ToolList {
    return this.catalog.tools;
  }

  /** Connects and shakes hands. Settles when the session is ready or has failed; never rejects. */
  async open(): Promise<void> {
    this.#enter('connecting', null);
    void this.#transport.ended.then(({ clean, reason }) => this.#finish(clean, reason, null));
    try {
      await this.#transport.open();
      if (!this.#isIn('connecting')) return;
      this.#enter('initializing', null);
      const agreement = await openLegacyEra(this.#peer, {
        revision: this.#options.revision,
        timeout: this.#options.timeouts.initialize,
        client: this.#options.client,
        clientCapabilities,
        recentStderr: () => this.trace.recentStderr,
      });
      if (!this.#isIn('initializing')) return;
      this.#agreement = agreement;
    } catch (error) {
      await this.#fail(faultOf('opened the session', error));
      return;
    }
    this.#enter('ready', null);
    if (isObject(this.#agreement.serverCapabilities.tools)) await this.catalog.readTools('automatic');
  }

  /** Disconnects in the transport's order and waits until nothing of the server is left. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Stops or lets go on the reading of the server's output. */
  holdReading(isHeld: boolean): void {
    if (isHeld) this.#transport.pause();
    else this.#transport.resume();
  }

  /** Calls a tool by the user's wish. @throws FaultError when it cannot be sent */
  callTool(tool: string, args: string, timeout: number | null): Call {
    this.#mustBeReady();
    const { request, requestMax } = this.#options.timeouts;
    // Time that is asked for this one call may exceed what is set for all.
    const times = { request: timeout ?? request, requestMax: Math.max(timeout ?? 0, requestMax) };
    return this.calls.start(tool, args, times);
  }

  /** Asks for the tools anew. @throws FaultError when it cannot be sent */
  async refreshTools(): Promise<void> {
    this.#mustBeReady();
    await this.catalog.readTools('user');
  }

  /** Sends `ping`; microseconds until the answer. @throws FaultError when there is none */
  async ping(): Promise<number> {
    this.#mustBeReady();
    const { request } = this.#options.timeouts;
    const options = { origin: 'user' as const, timeout: request, maxTimeout: request };
    const outcome = await this.#peer.request('ping', () => null, options).outcome;
    if (outcome.type !== 'result') throw new FaultError(outcomeFault('ping', outcome));
    return outcome.seen.duration ?? 0;
  }

  view(): SessionView {
    const { id, trace } = this;
    const { index } = trace;
    return {
      id,
      serverId: this.serverId,
      serverName: this.#options.serverName,
      transport: 'stdio',
      phase: this.#phase,
      reason: this.#reason,
      fault: this.#fault,
      agreement: this.#agreement,
      process: this.#process,
      openedAt: this.#openedAt,
      closedAt: this.#closedAt,
      counts: {
        rows: index.columns.count,
        messages: index.messages,
        errors: index.errors,
        invalid: index.invalid,
        traceBytes: trace.file.size,
      },
      toolCount: this.catalog.toolCount,
      medianDuration: trace.durations.median(),
      traceFile: { path: trace.file.path, fault: trace.fault },
    };
  }

  /** Before that, nothing but the handshake may be sent (MCP lifecycle, initialization). */
  #mustBeReady(): void {
    if (this.#phase !== 'ready') throw new FaultError(notReady(this.#phase));
  }

  /** The phase may have changed while something was waited for. */
  #isIn(phase: PhaseName): boolean {
    return this.#phase === phase;
  }

  /** Everything that crosses the wire: first on the record, then acted on. */
  #see(event: WireEvent): void {
    const seen = this.trace.record(event);
    if (event.kind === 'process') this.#noteProcess(event.change);
    if (event.kind !== 'message-bytes') return;
    if (event.direction === 'out') this.#sent = seen;
    else for (const message of seen) this.#peer.accept(message);
  }

  #send(text: string, origin: Origin): ReturnType<Trace['record']> {
    this.#sent = [];
    this.#transport.send(Buffer.from(text), origin);
    return this.#sent;
  }

  #noteProcess(change: (WireEvent & { kind: 'process' })['change']): void {
    if (change.what === 'spawn') this.#process = { pid: change.pid, exitCode: null, signal: null };
    if (change.what === 'exit') {
      this.#process = { pid: this.#process?.pid ?? null, exitCode: change.code, signal: change.signal };
    }
  }

  #notified(method: string): void {
    if (method === 'notifications/tools/list_changed' && this.#phase === 'ready')
      this.catalog.noteToolsChanged();
  }

  #enter(phase: PhaseName, reason: string | null): void {
    this.#phase = phase;
    this.#reason = reason;
    this.trace.phase(phase, reason);
    this.#options.onChange();
  }

  async #fail(fault: Fault): Promise<void> {
    // Whoever closes it meanwhile is the reason why it could not be opened.
    if (this.#isIn('closing')) return;
    this.#finish(false, fault.what, fault);
    await this.close();
  }

  async #close(): Promise<void> {
    if (this.isOpen) this.#enter('closing', null);
    await this.#transport.close();
    this.#finish(true, 'Disconnected.', null);
    await this.trace.close();
  }

  /** The session has ended, by whatever side; the first reason counts. */
  #finish(isClean: boolean, reason: string, fault: Fault | null): void {
    if (!this.isOpen) return;
    // Whoever opens it tells better why that failed, and finishes with that.
    if ((this.#phase === 'connecting' || this.#phase === 'initializing') && fault === null) {
      this.#peer.end(reason);
      return;
    }
    this.#fault = fault ?? (isClean ? null : this.#endedFault(reason));
    this.#closedAt = Date.now();
    this.catalog.close();
    this.#peer.end(reason);
    this.#enter(isClean ? 'closed' : 'failed', reason);
    void this.close();
  }

  #endedFault(reason: string): Fault {
    const stderr = this.trace.recentStderr.join('\n');
    return {
      code: 'server-ended',
      what: reason,
      why: 'Nobody here asked it to: it crashed, was killed, or decided to leave.',
      next: 'The whole trace is kept below. Reconnect starts the server again.',
      ...(stderr !== '' && { evidence: stderr }),
    };
  }
}

const notReady = (phase: PhaseName): Fault => ({
  code: 'not-ready',
  what: `The session is ${phase}, so nothing can be sent.`,
  next: 'Connect, or wait until the server is ready.',
});
