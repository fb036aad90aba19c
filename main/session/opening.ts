import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { EraChoice } from '#shared/contract/servers.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import { withTimeout } from '#transports/async.ts';
import { type Authorizer, decidedFault } from './authorizer.ts';
import type { Connection } from './connection.ts';
import { agree } from './era/era-detection.ts';
import { type HandshakeSettings, InitializedNotice, renewSession } from './era/legacy-era.ts';
import type { Peer } from './rpc/peer.ts';
import type { SessionState } from './session-state.ts';
import type { KnownStart } from './start-need.ts';

interface OpeningOptions {
  readonly state: SessionState;
  readonly connection: Connection;
  readonly peer: Peer;
  readonly era: EraChoice;
  readonly settings: HandshakeSettings;
  /** Null if the session does not authorize. */
  readonly authorizer: Authorizer | null;
  /** What earlier starts of the server showed. */
  readonly known: KnownStart;
  /** Ends the server's process and starts another one. Null over HTTP. @throws FaultError */
  readonly restart: (() => Promise<void>) | null;
  /** The fault of a transport that has ended while the session was being opened; null if it has not. */
  readonly ended: () => Fault | null;
}

/** Agrees with the server on era and revision, authorizes if it demands that, and opens the streams of the era. */
export class Opening {
  readonly #options: OpeningOptions;
  readonly #initialized: InitializedNotice;

  constructor(options: OpeningOptions) {
    this.#options = options;
    this.#initialized = new InitializedNotice(options.state, options.peer);
  }

  /** Negotiates with the server, and authorizes if the server demands it. @throws FaultError */
  agree(): Promise<Agreement> {
    return this.#authorized(() => this.#agree());
  }

  /** Negotiates again after the session has expired on the server, perhaps together with its token. @throws FaultError */
  renew(): Promise<Agreement> {
    return this.#authorized(() => this.#renew());
  }

  /** Negotiates, and again after each authorization that the server demands. */
  async #authorized(negotiate: () => Promise<Agreement>): Promise<Agreement> {
    for (let attempts = 0; ; attempts++) {
      try {
        return await negotiate();
      } catch (error) {
        if (!(await this.#authorizeAfter(error, attempts))) throw error;
      }
    }
  }

  /** Stores the agreement, and opens the streams of the era. @throws FaultError if the session ends before they are open */
  async begin(agreement: Agreement): Promise<void> {
    const { state, connection, ended } = this.#options;
    state.agreement = agreement;
    if (agreement.era === 'modern') return;
    const delivered = this.#initialized.send();
    const listening = state.switches.noStandingStream ? undefined : connection.http?.openStanding();
    // Over HTTP further requests have connections of their own, and would overtake the notification.
    if (delivered !== null) await withTimeout(INITIALIZED_TIMEOUT, delivered);
    // Messages that the server sends before it has a stream are lost.
    if (listening !== undefined) await withTimeout(LISTENING_TIMEOUT, listening);
    const fault = ended();
    if (fault !== null) throw new FaultError(fault);
  }

  /** Ends what may still be sent. */
  stop(): void {
    this.#initialized.stop();
  }

  /** Authorizes if this error demands it; returns whether to try again. @throws FaultError if the authorization failed */
  async #authorizeAfter(error: unknown, attempts: number): Promise<boolean> {
    const { state, connection, authorizer } = this.#options;
    const isDemand = error instanceof FaultError && /^http-status-40[13]$/.test(error.fault.code);
    const demand = connection.lastDemand;
    if (!isDemand || demand === null || authorizer === null || this.#isClosing) return false;
    state.enter('authorizing', `the server answered with HTTP status ${demand.status}`);
    const decision = await authorizer.authorize(demand, attempts);
    if (this.#isClosing || decision === null) return false;
    if (decision !== 'retry') throw new FaultError(decidedFault(decision, error.fault));
    return true;
  }

  #renew(): Promise<Agreement> {
    const { peer, settings, state, connection } = this.#options;
    return renewSession({
      peer,
      settings,
      before: state.agreement,
      statusAt: (row) => connection.statusAt(row),
      enter: (reason) => this.#enter('initializing', reason),
    });
  }

  #agree(): Promise<Agreement> {
    const { state, connection, peer, era, settings, known, restart } = this.#options;
    return agree({
      known,
      restart,
      peer,
      http: connection.http,
      httpTransport: connection.httpChoice,
      era,
      settings,
      statusAt: (row) => connection.statusAt(row),
      nextRow: () => state.trace.index.columns.count,
      enter: (phase, reason) => this.#enter(phase, reason),
      note: (text, row) => state.noteEvidence(text, row),
    });
  }

  #enter(phase: PhaseName, reason: string): void {
    // Ends the negotiation in a session that is being closed. The error is not shown.
    if (this.#isClosing) throw new Error('The session is being closed.');
    this.#options.state.enter(phase, reason);
  }

  /** A getter, because the compiler would assume that a property is unchanged after an `await`. */
  get #isClosing(): boolean {
    const { state } = this.#options;
    return !state.isOpen || state.phase === 'closing';
  }
}

/** Milliseconds that a server may take to accept `notifications/initialized`. */
const INITIALIZED_TIMEOUT = 3000;

/** Milliseconds that a server may take to respond to the GET of the standing stream; some wait for the first event. */
const LISTENING_TIMEOUT = 1000;
