import { withTimeout } from '#transports/async.ts';
import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import type { DefinitionChanges } from '#shared/contract/definitions.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { activeLabels } from '#shared/client-switches/switch-table.ts';
import type { Diagnosis } from '#shared/contract/diagnosis.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { EraChoice, KeepAlive } from '#shared/contract/servers.ts';
import type { Agreement, Implementation, RunningCommand, SessionView } from '#shared/contract/sessions.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Trace } from '#trace/trace.ts';
import type { WireEvent } from '#transports/transport.ts';
import type { Authorizer, MakeAuthorizer } from './authorizer.ts';
import { Connection, type MakeTransport } from './connection.ts';
import { ClientBehavior } from './era/client-behavior.ts';
import type { HandshakeSettings } from './era/legacy-era.ts';
import { modernRevision } from './era/modern-era.ts';
import { ConnectLog } from './diagnosis/connect-log.ts';
import { diagnose } from './diagnosis/diagnose.ts';
import { withFurtherCauses } from './diagnosis/further-causes.ts';
import { OpenFault, ReceivedOutput, remediesFor } from './era/open-fault.ts';
import { type FeatureListeners, Features } from './features.ts';
import { Pinger } from './keep-alive.ts';
import { Manual } from './manual.ts';
import { Opening } from './opening.ts';
import { Peer } from './rpc/peer.ts';
import {
  sessionRejectedAgain,
  noHeaders,
  serverEnded,
  sessionExpired,
  truncateFault,
} from './session-faults.ts';
import type { UnfinishedOfServer } from './tasks/unfinished-tasks.ts';
import { SessionState, type SessionStateOptions } from './session-state.ts';
import { KnownStart, type KnownStartOptions } from './start-need.ts';

export interface SessionOptions extends SessionStateOptions {
  readonly serverId: string;
  readonly serverName: string;
  readonly makeTransport: MakeTransport;
  /** Creates the object that authorizes the requests; undefined if requests are not authorized. */
  readonly makeAuthorizer?: MakeAuthorizer | undefined;
  /** Whether to stop once the connection is prepared: the user runs an authorization flow without a session. */
  readonly onlyAuthorizes: boolean;
  /** The command that runs; null over HTTP. */
  readonly command: RunningCommand | null;
  readonly client: Implementation;
  /** The `User-Agent` of HTTP requests. */
  readonly userAgent: string;
  readonly era: EraChoice;
  /** What earlier starts of the server showed, and where to keep it. */
  readonly knownStart: Omit<KnownStartOptions, 'onFault'>;
  /** The revision to request; null for the newest of the era. */
  readonly revision: string | null;
  /** Whether to accept any revision that the server responds with, and a result without its required members. */
  readonly anyRevision: boolean;
  readonly keepAlive: KeepAlive;
  readonly features: FeatureListeners;
  /** Unfinished tasks of earlier sessions; null if none can outlive its session. */
  readonly unfinishedTasks: UnfinishedOfServer | null;
  /** Called each time a request of ours has been recorded. */
  readonly onRequestSent: () => void;
  /** Called each time a response of the server has been recorded. */
  readonly onResponseReceived: () => void;
  /** Called when the server does not respond to pings, and its settings say to reconnect. */
  readonly onSilent: () => void;
}

/**
 * One session with one server, from connect to close. Its parts share a `SessionState`. Everything stays readable
 * after the session has ended.
 */
export class Session {
  readonly id: string;
  readonly serverId: string;
  readonly trace: Trace;
  /** Lists, calls, inbox, tasks and subscriptions; readable in any phase. */
  readonly features: Features;
  readonly manual: Manual;
  readonly #options: SessionOptions;
  readonly #state: SessionState;
  readonly #connection: Connection;
  readonly #peer: Peer;
  readonly #authorizer: Authorizer | null = null;
  readonly #received: ReceivedOutput;
  readonly #connectLog = new ConnectLog();
  readonly #pinger: Pinger;
  readonly #opening: Opening;
  #closing: Promise<void> | undefined;
  #endedByServer = false;
  /** Whether the server let the session expire while we were opening it. */
  #expiredWhileOpening = false;
  /** Why the transport ended while the session was being opened; null if it did not. */
  #endedWhileOpening: string | null = null;

  constructor(options: SessionOptions) {
    const { trace, client } = options;
    this.id = options.id;
    this.serverId = options.serverId;
    this.trace = trace;
    this.#options = options;
    const state = new SessionState(options);
    this.#state = state;
    this.#received = new ReceivedOutput((text) => state.redacted(text));
    // Changed settings apply from the next session on, in the modern era too, where each request carries them.
    const { capabilities } = state.profile;
    const settings: HandshakeSettings = {
      revision: options.revision,
      anyRevision: options.anyRevision,
      timeout: options.timeouts.initialize,
      client,
      clientCapabilities: (revision) =>
        capabilities ??
        withExtensions(defaultClientCapabilities(revision), this.#authorizer?.extensions ?? {}),
      recentStderr: () => trace.recentStderr,
      received: () => this.#received.explain(),
    };
    const behavior = new ClientBehavior({
      state,
      settings,
      isHttp: () => this.#connection.http !== null,
      tools: () => this.features.catalog.tools,
    });
    this.#connection = new Connection({
      state,
      makeTransport: options.makeTransport,
      behavior,
      userAgent: options.userAgent,
      probeRevision: modernRevision(settings),
      onRecorded: (event, recorded) => this.#handle(event, recorded),
      onExpired: () => this.#expired(),
      authorizer: () => this.#authorizer,
    });
    if (options.makeAuthorizer !== undefined && this.#connection.http !== null) {
      this.#authorizer = options.makeAuthorizer({
        sessionId: this.id,
        trace,
        revision: () => this.#state.agreement?.revision ?? options.revision,
        exchange: (request) => this.#connection.exchangeOutOfBand(request),
        recordReceived: (request) => this.#connection.recordReceived(request),
        faultOfPrivate: (url) => this.#connection.faultOfPrivate(url),
        customHeaders: this.#connection.customHeaders,
        onState: () => state.changed(),
      });
    }
    const peer = new Peer(this.#connection, behavior);
    this.#peer = peer;
    const { transport } = this.#connection;
    const restart = transport.restart?.bind(transport);
    this.#opening = new Opening({
      state,
      connection: this.#connection,
      peer,
      era: options.era,
      settings,
      authorizer: this.#authorizer,
      known: new KnownStart({
        ...options.knownStart,
        onFault: ({ what }) => state.noteEvidence(what, null),
      }),
      restart: restart === undefined ? null : () => this.#restart(restart),
      ended: () => (this.#endedWhileOpening === null ? null : this.#endedFault(this.#endedWhileOpening)),
    });
    this.#pinger = new Pinger({ state, peer, settings: options.keepAlive, onSilent: options.onSilent });
    this.manual = new Manual(state, this.#connection, peer, behavior);
    const { unfinishedTasks } = options;
    this.features = new Features({ ...options.features, state, peer, behavior, unfinishedTasks });
  }

  get isOpen(): boolean {
    return this.#state.isOpen;
  }

  /** Whether the session ended without being closed from this side. */
  get endedByServer(): boolean {
    return this.#endedByServer;
  }

  /** What both sides agreed on; null until then. */
  get agreement(): Redacted<Agreement> | null {
    const { agreement } = this.#state;
    return agreement && this.#state.redacted(agreement);
  }

  /** The features, to send something. @throws FaultError if the session is not ready */
  requireReady(): Features {
    this.#state.mustBeReady();
    return this.features;
  }

  /** The features, to send something once the session is ready. @throws FaultError if it has ended */
  requireOpeningOrReady(): Features {
    this.#state.mustBeOpeningOrReady();
    return this.features;
  }

  /** The features once the session is ready. @throws FaultError with the reason if it is not opened */
  async untilReady(): Promise<Features> {
    const fault = await this.#state.untilReady();
    if (fault !== null) throw new FaultError(this.#state.redacted(fault));
    return this.features;
  }

  /** @throws FaultError unless it speaks HTTP, where requests have headers */
  requireHttp(): void {
    if (this.#connection.http === null) throw new FaultError(noHeaders);
  }

  /** Connects and detects the era. Settles when the session is ready or has failed; never rejects. */
  async open(): Promise<void> {
    const { transport } = this.#connection;
    this.#state.enter('connecting', null);
    this.applySwitches();
    this.#followTransport();
    try {
      await transport.open();
      await this.#authorizer?.restore();
      if (!this.#isIn('connecting')) return;
      if (this.#options.onlyAuthorizes) {
        this.#state.enter('authorizing', 'the user authorizes without a session');
        return;
      }
      const agreement = await this.#opening.agree();
      if (!this.isOpen || this.#isIn('closing')) return;
      await this.#opening.begin(agreement);
      if (!this.isOpen || this.#isIn('closing')) return;
    } catch (error) {
      await this.#fail(error);
      return;
    }
    this.#becomeReady(null);
    if (this.#isIn('ready')) await this.features.readCatalog();
  }

  #followTransport(): void {
    const { transport } = this.#connection;
    void transport.ended.then(({ clean, reason }) => this.#finish(clean, reason, null));
  }

  /** Starts the process of the server again while the session is being opened. @throws FaultError */
  async #restart(restart: () => Promise<void>): Promise<void> {
    await restart();
    this.#endedWhileOpening = null;
    this.#peer.begin();
    this.#followTransport();
  }

  /** Shuts down as the transport requires, and waits until nothing of the server is left. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Pauses or resumes reading from the server. */
  holdReading(isHeld: boolean): void {
    if (isHeld) this.#connection.transport.pause();
    else this.#connection.transport.resume();
  }

  /** Records what the server defines differently from its last connection, unless it is far too much to be read. */
  recordChanges(changes: DefinitionChanges): void {
    const isSame = Object.keys(changes.changes).length === 0;
    if (!isSame && JSON.stringify(changes).length <= PIECE_BYTES) this.trace.definitions(changes);
  }

  /** Records the active client switches, and closes the standing stream if they forbid it. */
  applySwitches(): void {
    const { switches, phase } = this.#state;
    const labels = activeLabels(switches);
    if (!this.isOpen || (labels.length === 0 && phase === 'connecting')) return;
    this.trace.recordSwitches(labels);
    if (switches.noStandingStream) this.#connection.http?.closeStanding();
    this.#state.changed();
  }

  view(): Redacted<SessionView> {
    // A server may repeat secrets that it received anywhere.
    return this.#state.redacted({
      ...this.#state.view,
      id: this.id,
      serverId: this.serverId,
      serverName: this.#options.serverName,
      transport: this.#connection.transportName,
      http: this.#connection.httpView,
      toolCount: this.features.catalog.count('tools'),
      resourceCount: this.features.catalog.count('resources'),
      promptCount: this.features.catalog.count('prompts'),
      waiting: this.features.inbox.waiting,
      isDecliningAll: this.features.inbox.isDecliningAll,
      taskCount: this.features.tasks.count,
      resumableTasks: this.features.tasks.resumableCount,
    });
  }

  /** Notes whether the settings of the server have changed since the session began. */
  noteSettings(isOutdated: boolean): void {
    if (this.#state.isOutdated === isOutdated) return;
    this.#state.isOutdated = isOutdated;
    this.#state.changed();
  }

  /** The command that runs, without secrets; null over HTTP. */
  get command(): Redacted<RunningCommand | null> {
    return this.#state.redacted(this.#options.command);
  }

  /** The steps of connecting. */
  async diagnose(): Promise<Redacted<Diagnosis>> {
    const { diagnosis, agreement } = this.#state;
    // A session without a handshake is ready before the server has sent anything. Only the response to its first request
    // shows whether there is a server.
    const isUnproven = agreement?.handshake === null && !this.#connectLog.isAnswered;
    return this.#state.redacted(
      diagnosis ?? (await this.#diagnose(isUnproven ? this.features.catalog.tools.fault : null)),
    );
  }

  #diagnose(fault: Fault | null): Promise<Diagnosis> {
    return diagnose({
      log: this.#connectLog,
      target: this.#connection.target,
      agreement: this.#state.agreement,
      evidence: this.#state.evidence,
      fault,
      rowOf: (exchange) => this.trace.index.exchanges.row(exchange),
      redacted: (value) => this.#state.redacted(value),
    });
  }

  /** Handles an event of the transport, after it was recorded. */
  #handle(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind === 'process') this.#noteProcess(event);
    // Exchanges with an authorization server say nothing about the connection.
    if (this.#connection.isOutOfBand(event)) return;
    if (this.#state.isOpening) {
      this.#received.add(event, recorded);
      const { framed } = this.#received;
      if (framed !== null) this.#peer.fail(framed);
    }
    if (this.#state.isOpening || !this.#connectLog.isAnswered) {
      this.#connectLog.add(event, recorded, this.trace.index.columns.count - 1);
    }
    for (const message of recorded) {
      // A log level or subscription that the user requested with raw bytes takes effect, too.
      this.features.track(message);
      if (message.direction === 'out') {
        if (message.status === 'pending') this.#options.onRequestSent();
        continue;
      }
      if (message.pair !== null) this.#options.onResponseReceived();
      this.#state.noteServer(message);
      const received = this.#peer.receive(message);
      if (received !== null) this.features.receive(received);
    }
  }

  #noteProcess({ change, at }: Extract<WireEvent, { kind: 'process' }>): void {
    this.#state.noteProcess(change, at);
    // The process lives on, such as for another listener, but nothing can answer any more.
    if (change.what === 'stdout-closed' && this.#state.isOpening) this.#finish(false, OUTPUT_CLOSED, null);
  }

  #becomeReady(reason: string | null): void {
    this.#state.enter('ready', reason);
    void this.features.tasks.ready();
    // The modern era has no ping.
    if (!this.#state.isModern) this.#pinger.start();
    if (this.#expiredWhileOpening) this.#expired();
  }

  /** Initializes again after the session has expired on the server (MCP 2025-06-18 transports). */
  #expired(): void {
    const { switches, renewed, isOpening } = this.#state;
    if (switches.keepExpired) return;
    // The server rejects the new session too, before it has accepted it even once: renewing would never end.
    const isRejectedAgain =
      renewed > 0 && (this.#expiredWhileOpening || !this.#connection.isServerSessionHonoured);
    this.#expiredWhileOpening = isOpening;
    if (this.#isIn('ready'))
      void (isRejectedAgain ? this.#fail(new FaultError(sessionRejectedAgain)) : this.#renew());
  }

  async #renew(): Promise<void> {
    this.#pinger.stop();
    this.#connection.http?.closeStanding();
    this.#connection.forgetServerSession();
    this.#peer.fail(sessionExpired);
    // The new session does not know the requests of the old one.
    this.features.inbox.loseAll();
    try {
      const agreement = await this.#opening.renew();
      if (!this.#isIn('initializing')) return;
      this.#state.renewed++;
      const text = 'The server let the session expire (HTTP status 404), so it was opened again.';
      this.#state.noteEvidence(text, null);
      await this.#opening.begin(agreement);
      const faults = await this.features.restore();
      for (const { what } of faults) {
        this.#state.noteEvidence(`after the session expired: ${what}`, null);
      }
    } catch (error) {
      await this.#fail(error);
      return;
    }
    if (!this.#isIn('initializing')) return;
    this.#becomeReady('the session was opened again');
    // Another server process may listen at the URL now.
    if (this.#isIn('ready')) await this.features.readCatalog();
  }

  /** A method, because the compiler would assume that a property is unchanged after an `await`. */
  #isIn(phase: PhaseName): boolean {
    return this.#state.phase === phase;
  }

  async #fail(error: unknown): Promise<void> {
    // A closed session has not failed.
    if (!this.isOpen || this.#isIn('closing')) return;
    const isConnecting = this.#state.isOpening;
    const found = faultOf('opened the session', error);
    const explained = isConnecting
      ? await withFurtherCauses(found, this.#connection.target, this.#connectLog)
      : found;
    // Redacted before it is truncated, so that no secret is cut in two.
    const fault = truncateFault(this.#state.redacted(explained));
    const diagnosis = isConnecting ? await this.#diagnose(fault) : null;
    if (!this.isOpen || this.#isIn('closing')) return;
    this.#state.diagnosis = diagnosis;
    this.#state.remedies = [
      ...(error instanceof OpenFault ? error.remedies : []),
      ...remediesFor(this.#connection),
    ];
    this.#finish(false, fault.what, fault);
    await this.close();
  }

  async #close(): Promise<void> {
    if (this.isOpen) {
      this.#state.enter('closing', null);
      // Requests of the server that still wait are answered with an error or `cancel`.
      this.features.inbox.cancelAll();
      await withTimeout(DELIVERY_TIMEOUT, this.#peer.responsesSent());
    }
    await this.#authorizer?.close();
    await this.#connection.transport.close();
    this.#finish(true, 'Disconnected.', null);
    await this.trace.close();
  }

  /** Ends the session, whichever side ended it. The first reason is kept. */
  #finish(isClean: boolean, reason: string, fault: Fault | null): void {
    if (!this.isOpen) return;
    // `open` notices this failure, explains it with more context, and calls this again with the fault.
    if (this.#state.isOpening && fault === null) {
      this.#endedWhileOpening = reason;
      this.#peer.end(reason);
      return;
    }
    this.#endedByServer = !this.#isIn('closing');
    this.#opening.stop();
    this.#pinger.stop();
    this.#state.fault = fault ?? (isClean ? null : this.#endedFault(reason));
    this.#state.closedAt = Date.now();
    this.#peer.end(reason);
    this.features.end();
    this.#state.enter(isClean ? 'closed' : 'failed', reason);
    void this.close();
  }

  #endedFault(reason: string): Fault {
    return serverEnded(reason, this.trace.recentStderr.join('\n'));
  }
}

/** The capabilities with further extensions (SEP-1724). */
function withExtensions(
  capabilities: Readonly<Record<string, unknown>>,
  extensions: Readonly<Record<string, object>>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(extensions).length === 0) return capabilities;
  const own = isObject(capabilities.extensions) ? capabilities.extensions : {};
  return { ...capabilities, extensions: { ...own, ...extensions } };
}

const OUTPUT_CLOSED = 'The server closed its standard output, although its process still runs.';

/** Milliseconds that a server may take to accept the last responses. */
const DELIVERY_TIMEOUT = 1000;
