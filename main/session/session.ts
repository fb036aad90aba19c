import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import type { ClientProfile, EraChoice, KeepAlive, Timeouts } from '#shared/contract/servers.ts';
import type { Agreement, Implementation, SessionView, Switches } from '#shared/contract/sessions.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Trace } from '#trace/trace.ts';
import type { WireEvent } from '#wire/transport.ts';
import { ByHand } from './by-hand.ts';
import { ClientBehavior } from './era/client-behavior.ts';
import { type MakeTransport, Connection } from './connection.ts';
import { agree } from './era/era-detection.ts';
import { type FeatureListeners, Features } from './features.ts';
import { truncateFault, forgottenAgain, serverEnded, sessionExpired } from './session-faults.ts';
import { InitializedNotice, type HandshakeSettings, renewSession } from './era/legacy-era.ts';
import { Pinger } from './keep-alive.ts';
import { SessionRestore } from './session-restore.ts';
import { modernRevision } from './era/modern-era.ts';
import { OpenFault, ReceivedOutput, remediesFor } from './era/open-fault.ts';
import { Peer } from './rpc/peer.ts';
import { SessionFacts, traceView } from './session-facts.ts';
import { switchWords } from './switches.ts';
import { withTimeout } from './with-timeout.ts';

export interface SessionOptions {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
  readonly trace: Trace;
  readonly connect: MakeTransport;
  readonly client: Implementation;
  readonly era: EraChoice;
  /** The revision to ask for; null is the newest of the era. */
  readonly revision: string | null;
  /** Go on with whatever revision the server answers with. */
  readonly anyRevision: boolean;
  readonly timeouts: Timeouts;
  readonly keepAlive: KeepAlive;
  /** The client switches as they are now. */
  readonly switches: () => Switches;
  /** What we are to the server, as the user has it set now. */
  readonly profile: () => ClientProfile;
  readonly features: FeatureListeners;
  readonly onChange: () => void;
  /** A request of ours went out; an answer to one came. Called once they are on the record. */
  readonly onAsked: () => void;
  readonly onAnswered: () => void;
  /** The server is silent, and the user wants to be reconnected then. */
  readonly onSilent: () => void;
}

/**
 * One session with one server, from connect to close. Joins a transport, its trace and the conversation; what
 * happened stays readable after it has ended.
 */
export class Session {
  readonly id: string;
  readonly serverId: string;
  readonly trace: Trace;
  /** What the server offers and asks, to be looked at in whatever phase. */
  readonly features: Features;
  readonly byHand: ByHand;
  readonly #options: SessionOptions;
  readonly #settings: HandshakeSettings;
  readonly #connection: Connection;
  readonly #behavior: ClientBehavior;
  readonly #peer: Peer;
  readonly #facts = new SessionFacts();
  readonly #restore = new SessionRestore();
  readonly #received: ReceivedOutput;
  readonly #pinger: Pinger;
  readonly #initialized: InitializedNotice;
  #closing: Promise<void> | undefined;
  /** The server forgot its session while it was still being opened. */
  #hasExpired = false;
  #endedWhileOpening: string | null = null;

  constructor(options: SessionOptions) {
    const { trace, timeouts } = options;
    this.id = options.id;
    this.serverId = options.serverId;
    this.trace = trace;
    this.#options = options;
    this.#received = new ReceivedOutput((text) => trace.redacted(text));
    this.#settings = {
      revision: options.revision,
      anyRevision: options.anyRevision,
      timeout: timeouts.initialize,
      client: options.client,
      clientCapabilities: (revision) => options.profile().capabilities ?? defaultClientCapabilities(revision),
      recentStderr: () => trace.recentStderr,
      received: () => this.#received.explain(),
    };
    this.#connection = new Connection({
      trace,
      connect: options.connect,
      userAgent: `${options.client.name}/${options.client.version}`,
      switches: options.switches,
      agreement: () => this.#facts.agreement,
      probeRevision: modernRevision(this.#settings),
      paramHeadersOf: (tool) => this.#behavior.paramHeadersOf(tool),
      onRecorded: (event, recorded) => this.#see(event, recorded),
      onExpired: () => this.#expired(),
      onStreams: options.onChange,
    });
    this.#behavior = new ClientBehavior({
      settings: this.#settings,
      switches: options.switches,
      agreement: () => this.#facts.agreement,
      isHttp: this.#connection.http !== null,
      tools: () => this.features.catalog.tools,
      logLevel: () => this.#facts.logLevel,
    });
    this.#peer = new Peer(
      {
        send: ({ text, origin, isAwaited }) =>
          this.#connection.send({ bytes: Buffer.from(text), origin, isAwaited }, text),
        metaFor: (method) => this.#behavior.metaFor(method),
        asksForProgress: (method) => this.#behavior.asksForProgress(method),
        challengeOf: ({ exchange }) =>
          exchange === null ? undefined : this.#connection.http?.challengeOf(exchange),
        cancelsByDropping: () => this.#behavior.cancelsByDropping,
      },
      {
        request: (incoming) => this.features.take(incoming),
        notification: (method, params, recorded) =>
          this.features.notified(method, params, recorded, this.#facts.phase === 'ready'),
      },
    );
    const { request, requestMax } = timeouts;
    this.#pinger = new Pinger({
      peer: this.#peer,
      settings: options.keepAlive,
      timeout: request,
      onMissed: (missed) => {
        this.#facts.missedPings = missed;
        options.onChange();
      },
      onSilent: options.onSilent,
    });
    this.#initialized = new InitializedNotice(this.#peer, options.switches);
    this.byHand = new ByHand({
      peer: this.#peer,
      connection: this.#connection,
      behavior: this.#behavior,
      facts: this.#facts,
      trace,
      timeout: request,
      onChange: options.onChange,
    });
    this.features = new Features({
      ...options.features,
      sessionId: this.id,
      peer: this.#peer,
      trace,
      behavior: this.#behavior,
      times: { timeout: request, maxTimeout: requestMax },
      profile: options.profile,
      agreement: () => this.#facts.agreement,
    });
  }

  get isOpen(): boolean {
    return this.#facts.isOpen;
  }

  /** The same for what needs a session that is ready. @throws FaultError when it is not */
  get ready(): Features {
    this.byHand.mustBeReady();
    return this.features;
  }

  get timeouts(): Timeouts {
    return this.#options.timeouts;
  }

  /** Connects and agrees on an era. Settles when the session is ready or has failed; never rejects. */
  async open(): Promise<void> {
    const { transport } = this.#connection;
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
    if (this.#isIn('ready')) await this.features.readCatalog();
  }

  /** Disconnects in the transport's order and waits until nothing of the server is left. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Stops or lets go on the reading of what the server sends. */
  holdReading(isHeld: boolean): void {
    if (isHeld) this.#connection.transport.pause();
    else this.#connection.transport.resume();
  }

  /** The client switches were turned, or hold from the start. */
  noteSwitches(): void {
    const words = switchWords(this.#options.switches());
    if (!this.isOpen || (words.length === 0 && this.#facts.phase === 'connecting')) return;
    this.trace.switches(words);
    const { noStandingStream } = this.#options.switches();
    if (noStandingStream) this.#connection.http?.closeStanding();
    this.#options.onChange();
  }

  view(): SessionView {
    const { id, serverId, trace } = this;
    // A server may repeat what it was sent wherever it likes.
    return trace.redacted({
      ...this.#facts.view,
      ...traceView(trace),
      id,
      serverId,
      serverName: this.#options.serverName,
      transport: this.#connection.transportName(this.#facts.agreement !== null),
      switchesOn: switchWords(this.#options.switches()),
      http: this.#connection.httpView(this.#facts.renewed),
      toolCount: this.features.catalog.toolCount,
      waiting: this.features.inbox.waiting,
    });
  }

  #agree(): Promise<Agreement> {
    return agree({
      peer: this.#peer,
      http: this.#connection.http,
      httpTransport: this.#connection.httpChoice,
      era: this.#options.era,
      settings: this.#settings,
      statusAt: (row) => this.#connection.statusAt(row),
      nextRow: () => this.trace.index.columns.count,
      enter: (phase, reason) => {
        // Nothing more is tried once the session is being closed; the error ends the detection, and nobody sees it.
        if (this.#isIn('closing')) throw new Error('The session is being closed.');
        this.#enter(phase, reason);
      },
      note: (text, row) => {
        this.#facts.evidence.push({ text, row });
        this.#options.onChange();
      },
    });
  }

  /** Both sides have agreed: says so, and opens what belongs to the era. @throws FaultError when it ends meanwhile */
  async #begin(agreement: Agreement): Promise<void> {
    this.#facts.agreement = agreement;
    if (agreement.era === 'modern') return;
    const taken = this.#initialized.say();
    const { noStandingStream } = this.#options.switches();
    const listening = noStandingStream ? undefined : this.#connection.http?.openStanding();
    // Requests go by connections of their own over HTTP, and would overtake it.
    if (taken !== null) await withTimeout(TAKING_TIME, taken);
    // A server may ask something at once; before there is a stream for it, that goes nowhere.
    if (listening !== undefined) await withTimeout(LISTENING_TIME, listening);
    if (this.#endedWhileOpening !== null) throw new FaultError(this.#endedFault(this.#endedWhileOpening));
  }

  #becomeReady(reason: string | null): void {
    this.#enter('ready', reason);
    // The modern era has no ping.
    if (this.#facts.agreement?.era === 'legacy') this.#pinger.start();
    if (this.#hasExpired) this.#expired();
  }

  /** The server has forgotten our session, and wants to be initialized again (MCP 2025-06-18 transports). */
  #expired(): void {
    if (this.#options.switches().keepExpired) return;
    const isInVain =
      this.#facts.renewed > 0 && (this.#hasExpired || !this.#connection.isServerSessionHonoured);
    this.#hasExpired = this.#facts.isOpening;
    if (this.#isIn('ready')) void (isInVain ? this.#fail(new FaultError(forgottenAgain)) : this.#renew());
  }

  async #renew(): Promise<void> {
    this.#pinger.stop();
    this.#connection.http?.closeStanding();
    this.#connection.forgetServerSession();
    this.#peer.fail(sessionExpired);
    // What the old session asked, the new one does not know.
    this.features.inbox.loseAll();
    try {
      const agreement = await renewSession(this.#peer, this.#settings, this.#facts.agreement, (reason) =>
        this.#enter('initializing', reason),
      );
      if (!this.#isIn('initializing')) return;
      this.#facts.renewed++;
      const text = 'The server let the session expire (HTTP status 404), so it was opened again.';
      this.#facts.evidence.push({ text, row: null });
      await this.#begin(agreement);
      await this.#restoreState();
    } catch (error) {
      await this.#fail(error);
      return;
    }
    if (!this.#isIn('initializing')) return;
    this.#becomeReady('the session was opened again');
    // Another server process may stand behind the address now.
    if (this.#isIn('ready')) await this.features.readCatalog();
  }

  async #restoreState(): Promise<void> {
    const { request: timeout } = this.#options.timeouts;
    const refused = await this.#restore.restore(this.#peer, {
      origin: 'automatic',
      timeout,
      maxTimeout: timeout,
    });
    for (const { method, params, fault } of refused) {
      this.#facts.evidence.push({ text: `after the session expired: ${fault.what}`, row: null });
      if (method === 'resources/subscribe')
        this.features.subscriptions.notRestored(String(params.uri), fault);
    }
  }

  /** The phase may have changed while something was waited for. */
  #isIn(phase: PhaseName): boolean {
    return this.#facts.phase === phase;
  }

  /** Everything that crosses the wire, after it is on the record. */
  #see(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind === 'process') this.#facts.noteProcess(event.change);
    if (this.#facts.isOpening) this.#received.see(event, recorded);
    for (const message of recorded) {
      this.#restore.see(message);
      if (message.direction === 'out') {
        if (message.status === 'pending') this.#options.onAsked();
        continue;
      }
      if (message.pair !== null) this.#options.onAnswered();
      if (this.#facts.learnServer(message)) this.#options.onChange();
      this.#peer.accept(message);
    }
  }

  #enter(phase: PhaseName, reason: string | null): void {
    this.#facts.phase = phase;
    this.#facts.reason = reason;
    this.trace.phase(phase, reason);
    this.#options.onChange();
  }

  async #fail(error: unknown): Promise<void> {
    // If it was closed in between, that is why it could not be opened.
    if (!this.isOpen || this.#isIn('closing')) return;
    // Redacted as a whole, so that no secret is cut in two.
    const fault = truncateFault(this.trace.redacted(faultOf('opened the session', error)));
    this.#facts.remedies = [
      ...(error instanceof OpenFault ? error.remedies : []),
      ...remediesFor(this.#connection),
    ];
    this.#finish(false, fault.what, fault);
    await this.close();
  }

  async #close(): Promise<void> {
    if (this.isOpen) {
      this.#enter('closing', null);
      // Nobody will answer any more what the server still waits for.
      this.features.inbox.cancelAll();
      await withTimeout(DELIVERY_TIME, this.#peer.delivered());
    }
    await this.#connection.transport.close();
    this.#finish(true, 'Disconnected.', null);
    await this.trace.close();
  }

  /** The session has ended, by whatever side; the first reason counts. */
  #finish(isClean: boolean, reason: string, fault: Fault | null): void {
    if (!this.isOpen) return;
    // The opener reports that failure with more context, and finishes with it.
    if (this.#facts.isOpening && fault === null) {
      this.#endedWhileOpening = reason;
      this.#peer.end(reason);
      return;
    }
    this.#initialized.stop();
    this.#pinger.stop();
    this.#facts.fault = fault ?? (isClean ? null : this.#endedFault(reason));
    this.#facts.closedAt = Date.now();
    this.#peer.end(reason);
    this.features.end();
    this.#enter(isClean ? 'closed' : 'failed', reason);
    void this.close();
  }

  #endedFault(reason: string): Fault {
    return serverEnded(reason, this.trace.recentStderr.join('\n'));
  }
}

/** Milliseconds that a server may take to say that it took `notifications/initialized`. */
const TAKING_TIME = 3000;

/** Milliseconds that a server may take to answer the GET of the standing stream; some do with the first event only. */
const LISTENING_TIME = 1000;

/** Milliseconds that a server may take to take the last answers. */
const DELIVERY_TIME = 1000;
