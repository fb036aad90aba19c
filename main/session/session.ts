import type { Call } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import type { EraChoice, Timeouts } from '#shared/contract/servers.ts';
import type {
  Agreement,
  Evidence,
  Implementation,
  SessionView,
  Switches,
} from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { HeaderLines, PhaseName } from '#shared/trace/record.ts';
import type { Seen } from '#trace/row-index.ts';
import { readMessageText } from '#trace/row-reader.ts';
import type { Trace } from '#trace/trace.ts';
import type { WireEvent } from '#wire/transport.ts';
import { Calls, type CallTimes } from './calls.ts';
import { Catalog } from './catalog.ts';
import { type Connect, Line } from './line.ts';
import { agree } from './era-detection.ts';
import { inPart } from './in-part.ts';
import { KeptWishes } from './kept-wishes.ts';
import type { HandshakeSettings } from './legacy-era.ts';
import { modernRevision, requestMeta, serverInfoOf } from './modern-era.ts';
import { OpenFault } from './open-fault.ts';
import { paramHeadersOf } from './param-headers.ts';
import { outcomeFault, Peer, type RequestOptions } from './peer.ts';
import { renewSession } from './renewal.ts';
import { switchWords } from './switches.ts';
import { waysOutOf } from './ways-out.ts';
import { within } from './within.ts';

export interface SessionOptions {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
  readonly trace: Trace;
  readonly connect: Connect;
  readonly client: Implementation;
  readonly era: EraChoice;
  /** The revision to ask for; null is the newest of the era. */
  readonly revision: string | null;
  /** Go on with whatever revision the server answers with. */
  readonly anyRevision: boolean;
  readonly timeouts: Timeouts;
  /** The client switches as they are now. */
  readonly switches: () => Switches;
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
  readonly #settings: HandshakeSettings;
  readonly #line: Line;
  readonly #peer: Peer;
  readonly #wishes = new KeptWishes();
  readonly #evidence: Evidence[] = [];
  #phase: PhaseName = 'connecting';
  #reason: string | null = null;
  #fault: Fault | null = null;
  #waysOut: SessionView['waysOut'] = [];
  #agreement: Agreement | null = null;
  #process: SessionView['process'] = null;
  readonly #openedAt = Date.now();
  #closedAt: number | null = null;
  #closing: Promise<void> | undefined;
  #renewed = 0;
  /** The server forgot its session while it was still being opened. */
  #hasExpired = false;
  #endedWhileOpening: string | null = null;
  #delayedInitialized: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    const { trace, timeouts } = options;
    this.id = options.id;
    this.serverId = options.serverId;
    this.trace = trace;
    this.#options = options;
    this.#settings = {
      revision: options.revision,
      anyRevision: options.anyRevision,
      timeout: timeouts.initialize,
      client: options.client,
      clientCapabilities,
      recentStderr: () => trace.recentStderr,
    };
    this.#line = new Line({
      trace,
      connect: options.connect,
      userAgent: `${options.client.name}/${options.client.version}`,
      switches: options.switches,
      agreement: () => this.#agreement,
      probeRevision: modernRevision(this.#settings),
      paramHeadersOf: (tool) => this.#paramHeadersOf(tool),
      onSeen: (event, seen) => this.#see(event, seen),
      onExpired: () => this.#expired(),
      onStreams: options.onChange,
    });
    this.#peer = new Peer(
      {
        send: ({ text, origin, isAwaited }) =>
          this.#line.send({ bytes: Buffer.from(text), origin, isAwaited }, text),
        metaFor: (method) => this.#metaFor(method),
        cancelsByDropping: () => this.#line.http !== null && this.#agreement?.era === 'modern',
      },
      {
        request: (method) => this.#answerTo(method),
        notification: (method) => this.#notified(method),
      },
    );
    const { request, requestMax } = timeouts;
    this.catalog = new Catalog(this.#peer, {
      times: { timeout: request, maxTimeout: requestMax },
      onChange: options.onToolsChange,
      whyUnusable: (inputSchema) => this.#whyUnusable(inputSchema),
    });
    this.calls = new Calls(this.id, this.#peer, {
      readMessage: (row) => readMessageText(trace, row),
      redacted: (answer) => trace.redacted(answer),
      onChange: options.onCall,
    });
  }

  get isOpen(): boolean {
    return this.#phase !== 'closed' && this.#phase !== 'failed';
  }

  get tools(): ToolList {
    const { tools } = this.catalog;
    return { ...tools, fault: tools.fault && inPart(this.trace.redacted(tools.fault)) };
  }

  /** Connects and agrees on an era. Settles when the session is ready or has failed; never rejects. */
  async open(): Promise<void> {
    const { transport } = this.#line;
    this.#enter('connecting', null);
    this.noteSwitches();
    void transport.ended.then(({ clean, reason }) => this.#finish(clean, reason, null));
    try {
      await transport.open();
      if (!this.#isIn('connecting')) return;
      const agreement = await this.#agree();
      if (!this.isOpen || this.#isIn('closing')) return;
      await this.#begin(agreement);
      if (!this.isOpen || this.#isIn('closing')) return;
    } catch (error) {
      await this.#fail(error);
      return;
    }
    this.#becomeReady(null);
    if (this.#isIn('ready')) await this.#readCatalog();
  }

  /** Disconnects in the transport's order and waits until nothing of the server is left. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Stops or lets go on the reading of what the server sends. */
  holdReading(isHeld: boolean): void {
    if (isHeld) this.#line.transport.pause();
    else this.#line.transport.resume();
  }

  /** Calls a tool by the user's wish. Null times are the server's. @throws FaultError when it cannot be sent */
  callTool(
    tool: string,
    args: string,
    times: { timeout: number | null; maxTimeout: number | null; resetOnProgress: boolean },
  ): Call {
    this.#mustBeReady();
    const { request, requestMax } = this.#options.timeouts;
    const { timeout, maxTimeout, resetOnProgress } = times;
    const chosen: CallTimes = {
      timeout: timeout ?? request,
      // Time that is asked for this one call may exceed what is set for all.
      maxTimeout: maxTimeout ?? Math.max(timeout ?? 0, requestMax),
      resetOnProgress,
    };
    return this.calls.start(tool, args, chosen);
  }

  /** Asks for the tools anew. @throws FaultError when it cannot be sent */
  async refreshTools(): Promise<void> {
    this.#mustBeReady();
    await this.catalog.readTools('user');
  }

  /**
   * Microseconds until the server answered `ping`, or `server/discover` where there is no ping (MCP 2026-07-28).
   *
   * @throws FaultError when there is no answer
   */
  async ping(): Promise<number> {
    this.#mustBeReady();
    const method = this.#agreement?.era === 'modern' ? 'server/discover' : 'ping';
    const outcome = await this.#peer.request(method, null, this.#requestOptions('user')).outcome;
    if (outcome.type !== 'result') throw new FaultError(this.trace.redacted(outcomeFault(method, outcome)));
    return outcome.seen.duration ?? 0;
  }

  /**
   * Sends exactly these bytes as one unit, in whatever phase.
   *
   * @param headers the lines of the HTTP request; null for those of an ordinary message
   * @returns the row that the unit begins
   * @throws FaultError when there is no connection
   */
  sendRaw(bytes: Buffer, headers: HeaderLines | null): number {
    if (!this.isOpen || this.#isIn('closing') || this.#isIn('connecting')) {
      throw new FaultError(notReady(this.#phase));
    }
    const { row, seen } = this.#line.sendRaw(bytes, headers);
    for (const { envelope } of seen) {
      if ('message' in envelope && envelope.message.type === 'request')
        this.#peer.noteId(envelope.message.id);
    }
    return row;
  }

  /** Breaks an event stream off without a word. */
  dropStream(exchange: number): void {
    this.#line.http?.drop(exchange);
  }

  /** The client switches were turned, or hold from the start. */
  noteSwitches(): void {
    const words = switchWords(this.#options.switches());
    if (!this.isOpen || (words.length === 0 && this.#phase === 'connecting')) return;
    this.trace.switches(words);
    const { noStandingStream } = this.#options.switches();
    if (noStandingStream) this.#line.http?.closeStanding();
    this.#options.onChange();
  }

  view(): SessionView {
    const { id, trace } = this;
    const { index } = trace;
    // A server may repeat what it was sent wherever it likes.
    return trace.redacted({
      id,
      serverId: this.serverId,
      serverName: this.#options.serverName,
      transport: this.#line.transportName(this.#agreement !== null),
      phase: this.#phase,
      reason: this.#reason,
      fault: this.#fault,
      waysOut: this.#waysOut,
      agreement: this.#agreement,
      evidence: [...this.#evidence],
      switchesOn: switchWords(this.#options.switches()),
      http: this.#line.httpView(this.#renewed),
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
    });
  }

  #agree(): Promise<Agreement> {
    return agree({
      peer: this.#peer,
      http: this.#line.http,
      httpTransport: this.#line.httpChoice,
      era: this.#options.era,
      settings: this.#settings,
      statusAt: (row) => this.#line.statusAt(row),
      nextRow: () => this.trace.index.columns.count,
      enter: (phase, reason) => this.#enter(phase, reason),
      note: (text, row) => {
        this.#evidence.push({ text, row });
        this.#options.onChange();
      },
    });
  }

  /** Both sides have agreed: says so, and opens what belongs to the era. @throws FaultError when it ends meanwhile */
  async #begin(agreement: Agreement): Promise<void> {
    this.#agreement = agreement;
    if (agreement.era === 'modern') return;
    const taken = this.#sayInitialized();
    if (!this.#options.switches().noStandingStream) this.#line.http?.openStanding();
    // Requests go by connections of their own over HTTP, and would overtake it.
    if (taken !== null) await within(TAKING_TIME, taken);
    if (this.#endedWhileOpening !== null) throw new FaultError(this.#endedFault(this.#endedWhileOpening));
  }

  /** Gives what settles once the server has taken it; null when that is not to be waited for. */
  #sayInitialized(): Promise<unknown> | null {
    const { initialized } = this.#options.switches();
    const say = () => this.#peer.notify('notifications/initialized', undefined, 'automatic');
    clearTimeout(this.#delayedInitialized);
    if (initialized.how === 'send') return say();
    if (initialized.how === 'delay') {
      this.#delayedInitialized = setTimeout(() => void say(), initialized.milliseconds);
    }
    return null;
  }

  #becomeReady(reason: string | null): void {
    this.#enter('ready', reason);
    if (this.#hasExpired) this.#expired();
  }

  #answerTo(method: string): { result: unknown } | undefined | null {
    // The modern era knows no requests of servers, and clients must not answer any.
    if (this.#agreement?.era === 'modern') return null;
    return method === 'ping' ? { result: {} } : undefined;
  }

  async #readCatalog(): Promise<void> {
    const capabilities = this.#agreement?.serverCapabilities ?? null;
    // Whose capabilities were never asked may have tools.
    if (capabilities === null || isObject(capabilities.tools)) await this.catalog.readTools('automatic');
  }

  /** The server has forgotten our session, and wants to be initialized anew (MCP 2025-06-18 transports). */
  #expired(): void {
    if (this.#options.switches().keepExpired) return;
    const isInVain = this.#renewed > 0 && (this.#hasExpired || !this.#line.isServerSessionHonoured);
    this.#hasExpired = isOpening(this.#phase);
    if (this.#isIn('ready')) void (isInVain ? this.#fail(new FaultError(forgottenAgain)) : this.#renew());
  }

  async #renew(): Promise<void> {
    this.#line.http?.closeStanding();
    this.#line.forgetServerSession();
    this.#peer.fail(sessionExpired);
    try {
      const agreement = await renewSession(this.#peer, this.#settings, this.#agreement, (reason) =>
        this.#enter('initializing', reason),
      );
      if (!this.#isIn('initializing')) return;
      this.#renewed++;
      await this.#begin(agreement);
      for (const fault of await this.#wishes.restore(this.#peer, this.#requestOptions('automatic'))) {
        this.#evidence.push({ text: `after the session expired: ${fault.what}`, row: null });
      }
    } catch (error) {
      await this.#fail(error);
      return;
    }
    if (this.#isIn('initializing')) this.#becomeReady('the session was opened anew');
  }

  #requestOptions(origin: RequestOptions['origin']): RequestOptions {
    const { request } = this.#options.timeouts;
    return { origin, timeout: request, maxTimeout: request };
  }

  /** Before that, nothing but the handshake may be sent (MCP lifecycle, initialization). */
  #mustBeReady(): void {
    if (this.#phase !== 'ready') throw new FaultError(notReady(this.#phase));
  }

  /** The phase may have changed while something was waited for. */
  #isIn(phase: PhaseName): boolean {
    return this.#phase === phase;
  }

  /** Everything that crosses the wire, after it is on the record. */
  #see(event: WireEvent, seen: readonly Seen[]): void {
    if (event.kind === 'process') this.#noteProcess(event.change);
    for (const message of seen) {
      this.#wishes.see(message);
      if (message.direction === 'out') continue;
      this.#learnServer(message);
      this.#peer.accept(message);
    }
  }

  /** A server of the modern era says who it is in the results it gives. */
  #learnServer({ envelope }: Seen): void {
    if (this.#agreement?.era !== 'modern' || this.#agreement.server !== null) return;
    if ('fault' in envelope || envelope.message.type !== 'result') return;
    const server = serverInfoOf(envelope.message.result);
    if (server === null) return;
    this.#agreement = { ...this.#agreement, server };
    this.#options.onChange();
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

  #metaFor(method: string): Record<string, unknown> | null {
    const { meta } = this.#options.switches();
    // `server/discover` is of the modern era, whatever is found out by it.
    const isModern = this.#agreement?.era === 'modern' || method === 'server/discover';
    if (!isModern || meta.how === 'omit') return null;
    const own = requestMeta(this.#settings);
    if (meta.how === 'send') return own;
    return Object.fromEntries(
      Object.entries({ ...own, ...meta.members }).filter(([, value]) => value !== null),
    );
  }

  /** Over HTTP a tool whose mirrored parameters are not valid must not be used (MCP 2026-07-28 Streamable HTTP). */
  #whyUnusable(inputSchema: Readonly<Record<string, unknown>>): string | null {
    const isMirrored = this.#line.http !== null && this.#agreement?.era === 'modern';
    return isMirrored ? paramHeadersOf(inputSchema).problem : null;
  }

  #paramHeadersOf(tool: string) {
    const entry = this.catalog.tools.entries.find((one) => one.usable && one.tool.name === tool);
    return entry?.usable ? (paramHeadersOf(entry.tool.inputSchema).headers ?? []) : [];
  }

  #enter(phase: PhaseName, reason: string | null): void {
    this.#phase = phase;
    this.#reason = reason;
    this.trace.phase(phase, reason);
    this.#options.onChange();
  }

  async #fail(error: unknown): Promise<void> {
    // Whoever closes it meanwhile is the reason why it could not be opened.
    if (!this.isOpen || this.#isIn('closing')) return;
    // Redacted as a whole, so that no secret is cut in two.
    const fault = inPart(this.trace.redacted(faultOf('opened the session', error)));
    this.#waysOut = [...(error instanceof OpenFault ? error.waysOut : []), ...waysOutOf(this.#line)];
    this.#finish(false, fault.what, fault);
    await this.close();
  }

  async #close(): Promise<void> {
    if (this.isOpen) this.#enter('closing', null);
    await this.#line.transport.close();
    this.#finish(true, 'Disconnected.', null);
    await this.trace.close();
  }

  /** The session has ended, by whatever side; the first reason counts. */
  #finish(isClean: boolean, reason: string, fault: Fault | null): void {
    if (!this.isOpen) return;
    // Whoever opens it tells better why that failed, and finishes with that.
    if (isOpening(this.#phase) && fault === null) {
      this.#endedWhileOpening = reason;
      this.#peer.end(reason);
      return;
    }
    clearTimeout(this.#delayedInitialized);
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
      next: 'The whole trace is kept below. Reconnect opens a new session.',
      ...(stderr !== '' && { evidence: stderr }),
    };
  }
}

/** Milliseconds that a server may take to say that it took `notifications/initialized`. */
const TAKING_TIME = 3000;

const isOpening = (phase: PhaseName): boolean =>
  phase === 'connecting' || phase === 'detecting' || phase === 'initializing';

const notReady = (phase: PhaseName): Fault => ({
  code: 'not-ready',
  what: `The session is ${phase}, so nothing can be sent.`,
  next: 'Connect, or wait until the server is ready.',
});

const forgottenAgain: Fault = {
  code: 'session-forgotten-again',
  what: 'The server opened the session anew and forgot it at once (HTTP status 404), so it was not asked again.',
  why: 'It keeps no sessions although it gives them ids, or several servers share this address and do not know of each other.',
  next: 'Compare the Mcp-Session-Id it gave with the requests it refused, in the trace.',
};

const sessionExpired: Fault = {
  code: 'session-expired',
  what: 'The server no longer knows the session (HTTP status 404), so there will be no answer.',
  why: 'It was restarted, or it lets sessions expire.',
  next: 'The session is opened anew by itself; send it again.',
};
