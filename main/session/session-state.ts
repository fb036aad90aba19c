import type { CallHeader } from '#shared/contract/calls.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Diagnosis } from '#shared/contract/diagnosis.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ClientProfile, Timeouts } from '#shared/contract/servers.ts';
import { activeLabels } from '#shared/client-switches/switch-table.ts';
import type { Switches } from '#shared/client-switches/switches.ts';
import type { Agreement, Evidence, SessionView } from '#shared/contract/sessions.ts';
import type { Origin, PhaseName, ProcessChange } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Trace } from '#trace/trace.ts';
import { readMessageText } from '#trace/view/row-reader.ts';
import { withResolvers } from '#transports/async.ts';
import { serverInfoOf } from './era/modern-era.ts';
import { ProcessState } from './process-state.ts';
import type { RequestOptions } from './rpc/peer.ts';
import { notReady } from './session-faults.ts';

export interface SessionStateOptions {
  readonly id: string;
  readonly trace: Trace;
  readonly timeouts: Timeouts;
  /** The client switches as they are now. */
  readonly switches: () => Switches;
  /** Whether lists are read one page at a time. */
  readonly pageByPage: () => boolean;
  /** The current client profile. */
  readonly profile: () => ClientProfile;
  readonly onChange: () => void;
}

/** The phases before a session is ready. */
const openingPhases: ReadonlySet<PhaseName> = new Set([
  'connecting',
  'detecting',
  'authorizing',
  'initializing',
]);

/** Options of one request; null and undefined mean the settings of the server. */
export interface RequestChoices {
  /** Milliseconds. */
  readonly timeout?: number | null | undefined;
  /** Milliseconds in total, despite progress. */
  readonly maxTimeout?: number | null | undefined;
  readonly resetOnProgress?: boolean | undefined;
  /** Header lines for its HTTP request. */
  readonly headers?: readonly CallHeader[] | undefined;
}

/** The state of one session: its phase, what was negotiated, and the settings in force. Its parts share it. */
export class SessionState {
  readonly id: string;
  readonly trace: Trace;
  fault: Fault | null = null;
  remedies: SessionView['remedies'] = [];
  diagnosis: Diagnosis | null = null;
  agreement: Agreement | null = null;
  closedAt: number | null = null;
  /** How often the session expired on the server and was opened again. */
  renewed = 0;
  missedPings = 0;
  /** Whether the settings of the server were changed after the session began. */
  isOutdated = false;
  logLevel: string | null = null;
  readonly #options: SessionStateOptions;
  readonly #evidence: Evidence[] = [];
  /** How many entries of `#evidence` are in the trace. */
  #recordedEvidence = 0;
  readonly #openedAt = Date.now();
  #labels: { readonly of: Switches; readonly labels: string[] } | null = null;
  #phase: PhaseName = 'connecting';
  #reason: string | null = null;
  /** The callers that wait for the next phase, in order. */
  readonly #awaitingPhase = new Set<() => void>();
  readonly #process = new ProcessState();

  constructor(options: SessionStateOptions) {
    this.id = options.id;
    this.trace = options.trace;
    this.#options = options;
  }

  get phase(): PhaseName {
    return this.#phase;
  }

  get isOpen(): boolean {
    return this.#phase !== 'closed' && this.#phase !== 'failed';
  }

  /** Whether the session is being opened. */
  get isOpening(): boolean {
    return openingPhases.has(this.#phase);
  }

  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  get isModern(): boolean {
    return this.agreement?.era === 'modern';
  }

  get switches(): Switches {
    return this.#options.switches();
  }

  get pageByPage(): boolean {
    return this.#options.pageByPage();
  }

  get profile(): ClientProfile {
    return this.#options.profile();
  }

  /** The capabilities that this client declared to the server. */
  get clientCapabilities(): Readonly<Record<string, unknown>> {
    return this.agreement?.clientCapabilities ?? {};
  }

  /** The capabilities that the server declared; null before the handshake, and in a session without one. */
  get serverCapabilities(): Readonly<Record<string, unknown>> | null {
    return this.agreement?.serverCapabilities ?? null;
  }

  /**
   * Only the handshake may be sent before the session is ready (MCP 2025-06-18 lifecycle, initialization).
   *
   * @throws FaultError if it is not ready
   */
  mustBeReady(): void {
    if (!this.isReady) throw new FaultError(notReady(this.#phase));
  }

  /**
   * Waits while the session is being opened. A call that the user starts before is sent once the session is ready (MCP
   * 2025-06-18 lifecycle, initialization).
   *
   * @param signal stops waiting
   * @returns null once the session is ready or `signal` is aborted; the fault if the session ended before
   */
  async untilReady(signal?: AbortSignal): Promise<Fault | null> {
    while (!this.isReady) {
      if (signal?.aborted === true) return null;
      if (!this.isOpening) return this.fault ?? notReady(this.#phase);
      const { promise, resolve } = withResolvers<void>();
      this.#awaitingPhase.add(resolve);
      signal?.addEventListener('abort', () => resolve());
      await promise;
      this.#awaitingPhase.delete(resolve);
    }
    return null;
  }

  /** @throws FaultError if the session has ended, or is being closed */
  mustBeOpeningOrReady(): void {
    if (!this.isOpening) this.mustBeReady();
  }

  /** @throws FaultError if there is no connection to send on */
  mustBeConnected(): void {
    if (!this.isOpen || this.#phase === 'closing' || this.#phase === 'connecting') {
      throw new FaultError(notReady(this.#phase));
    }
  }

  /** The options of a request: the chosen ones, and otherwise the settings of the server. */
  requestOptions(origin: Origin, choices: RequestChoices = {}): RequestOptions {
    const { request, requestMax } = this.#options.timeouts;
    return {
      origin,
      timeout: choices.timeout ?? request,
      // A timeout chosen for one request may exceed the maximum set for the server.
      maxTimeout: choices.maxTimeout ?? Math.max(choices.timeout ?? 0, requestMax),
      resetOnProgress: choices.resetOnProgress ?? true,
      ...(choices.headers !== undefined && { headers: choices.headers }),
    };
  }

  /** How era and transport were detected. */
  get evidence(): readonly Evidence[] {
    return this.#evidence;
  }

  /** Enters a phase, and records it. */
  enter(phase: PhaseName, reason: string | null): void {
    this.#phase = phase;
    this.#reason = reason;
    this.trace.phase(phase, reason, this.#evidence.slice(this.#recordedEvidence));
    this.#recordedEvidence = this.#evidence.length;
    this.changed();
    for (const resume of this.#awaitingPhase) resume();
  }

  /** Adds a step to the evidence of how the session was opened. @param row the row that shows the step */
  noteEvidence(text: string, row: number | null): void {
    this.#evidence.push({ text, row });
    this.changed();
  }

  /** @param at microseconds */
  noteProcess(change: ProcessChange, at: number): void {
    this.#process.add(change, at);
    // Each step of a shutdown is shown as it happens.
    if (change.what === 'shutdown') this.changed();
  }

  /** Takes over the name and version of a modern server, which any result may contain. */
  noteServer({ envelope }: RecordedMessage): void {
    if (this.agreement?.era !== 'modern' || this.agreement.server !== null) return;
    if ('defect' in envelope || envelope.message.type !== 'result') return;
    const server = serverInfoOf(envelope.message.result);
    if (server === null) return;
    this.agreement = { ...this.agreement, server };
    this.changed();
  }

  /** Reports a change of the session. */
  changed(): void {
    this.#options.onChange();
  }

  /** A copy without secrets. */
  redacted<T>(value: T): Redacted<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is where the brand comes from
    return this.trace.redacted(value) as Redacted<T>;
  }

  /** The text of the message in a row, secrets replaced. */
  recordedText(row: number): Promise<string> {
    return readMessageText(this.trace, row);
  }

  /** The labels of the active client switches; computed when they change, not with each view. */
  #activeSwitches(): string[] {
    const { switches } = this;
    if (this.#labels?.of !== switches) this.#labels = { of: switches, labels: activeLabels(switches) };
    return this.#labels.labels;
  }

  /** The part of the session's view that this state and its trace hold. */
  get view() {
    const { fault, remedies, diagnosis, agreement, closedAt, missedPings, isOutdated, logLevel } = this;
    const { index, file, durations, fault: fileFault, findings } = this.trace;
    return {
      phase: this.#phase,
      reason: this.#reason,
      fault,
      remedies,
      diagnosis,
      agreement,
      evidence: [...this.#evidence],
      process: this.#process.view,
      openedAt: this.#openedAt,
      closedAt,
      missedPings,
      isOutdated,
      logLevel,
      switchesOn: this.#activeSwitches(),
      counts: {
        rows: index.columns.count,
        messages: index.messages,
        errors: index.errors,
        invalid: index.invalid,
        traceBytes: file.size,
      },
      findings: { ...findings.counts },
      medianDuration: durations.median(),
      traceFile: { path: file.path, fault: fileFault },
    };
  }
}
