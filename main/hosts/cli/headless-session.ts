import type { Engine, NamedServer } from '#main/platform.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import {
  type CommandName,
  commands,
  type EventName,
  events,
  type Params,
  type Payload,
  type Result,
} from '#shared/contract/index.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { PhaseName } from '#shared/trace/record.ts';

/** The user interrupted a wait. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The session ended before the handshake was complete. */
export class NotConnected extends FaultError {
  override readonly name = 'NotConnected';
}

/** The authorization that a command is about was not successful. */
export class NotAuthorized extends FaultError {
  override readonly name = 'NotAuthorized';
}

const beforeReady: ReadonlySet<PhaseName> = new Set([
  'connecting',
  'detecting',
  'authorizing',
  'initializing',
]);

/** Whether a session has ended. */
export const hasEnded = ({ phase }: SessionView): boolean => phase === 'closed' || phase === 'failed';

const nobodyWaits = (): void => undefined;

/** The session of a terminal command; uses only the engine's contract. */
export class HeadlessSession {
  /** Aborted when the user asks the command to end. */
  readonly interruption: AbortSignal;
  /** How the server was named. */
  readonly target: NamedServer | null;
  readonly #engine: Engine;
  readonly #id: string;
  #wake: () => void = nobodyWaits;
  #woken: Promise<void> | null = null;
  #nextCheck: NodeJS.Timeout | undefined;

  private constructor(engine: Engine, id: string, interruption: AbortSignal, target: NamedServer | null) {
    this.#engine = engine;
    this.#id = id;
    this.target = target;
    this.interruption = interruption;
    engine.onEvent(() => this.#wakeUp());
  }

  /** The session that an engine opened for its command line. */
  static async of(
    engine: Engine,
    interruption: AbortSignal,
    target: NamedServer | null = null,
  ): Promise<HeadlessSession> {
    const [session] = await request(engine, 'sessions/list', {});
    if (session === undefined) throw new Error('the engine opened no session');
    return new HeadlessSession(engine, session.id, interruption, target);
  }

  /** Runs a command of the contract about this session. @throws FaultError */
  request<N extends CommandName>(name: N, params: Omit<Params<N>, 'sessionId'>): Promise<Result<N>> {
    return request(this.#engine, name, { ...params, sessionId: this.#id });
  }

  /** Names this session in commands about several. */
  get id(): string {
    return this.#id;
  }

  /** Calls the listener with every such event of the contract until the returned function is called. */
  on<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void {
    return this.#engine.onEvent((frame) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very event's schema
      if (frame.event === name) listener(events[name].parse(frame.payload) as Payload<N>);
    });
  }

  async view(): Promise<SessionView> {
    const [view] = await request(this.#engine, 'sessions/list', {});
    if (view === undefined) throw new Error('the session vanished');
    return view;
  }

  /**
   * Calls `check` now and after every event, until it returns a value.
   *
   * @throws Interrupted
   */
  until<T>(check: () => Promise<T | null>): Promise<T> {
    return this.#until(check, this.interruption);
  }

  /**
   * Like `until`, with a timeout; null on timeout or if the user interrupts.
   *
   * @param check gets a signal that aborts on timeout, for long operations
   * @param time milliseconds; null for no limit
   */
  async follow<T>(check: (over: AbortSignal) => Promise<T | null>, time: number | null): Promise<T | null> {
    const signals = [this.interruption, ...(time === null ? [] : [AbortSignal.timeout(time)])];
    try {
      return await this.#until(check, AbortSignal.any(signals));
    } catch (error) {
      if (error instanceof Interrupted) return null;
      throw error;
    }
  }

  async #until<T>(check: (over: AbortSignal) => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const wakeUp = () => this.#wakeUp();
    signal.addEventListener('abort', wakeUp);
    try {
      for (;;) {
        // Created before `check`, so that no event is missed.
        const woken = this.#nextEvent();
        const result = await check(signal);
        if (result !== null) return result;
        if (signal.aborted) throw new Interrupted();
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', wakeUp);
    }
  }

  /** Makes the current wait check again after this time, even without an event. The last call counts. */
  checkAgainIn(milliseconds: number): void {
    clearTimeout(this.#nextCheck);
    this.#nextCheck = setTimeout(() => this.#wakeUp(), milliseconds).unref();
  }

  /** Waits for the handshake. @throws NotConnected, or FaultError if the server has already exited */
  async ready(): Promise<void> {
    const view = await this.until(async () => {
      const now = await this.view();
      return beforeReady.has(now.phase) ? null : now;
    });
    if (view.phase === 'ready') return;
    const fault: Fault = view.fault ?? { code: 'ended', what: view.reason ?? 'The session has ended.' };
    throw view.agreement === null ? new NotConnected(fault) : new FaultError(fault);
  }

  /** The tools, once they have been read. */
  tools(): Promise<Result<'catalog/tools'>> {
    return this.until(async () => {
      const list = await this.request('catalog/tools', {});
      return list.state === 'loading' ? null : list;
    });
  }

  /** Waits for work that cannot be aborted itself. @throws Interrupted */
  interruptible<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const interrupt = () => reject(new Interrupted());
      const settle = () => this.interruption.removeEventListener('abort', interrupt);
      void work.then(resolve, reject).then(settle);
      if (this.interruption.aborted) interrupt();
      else this.interruption.addEventListener('abort', interrupt);
    });
  }

  /** Resolves with the next event, for all that wait for it. */
  #nextEvent(): Promise<void> {
    this.#woken ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#woken;
  }

  #wakeUp(): void {
    this.#wake();
    this.#wake = nobodyWaits;
    this.#woken = null;
  }
}

/** Runs a command of the contract. @throws FaultError */
export async function request<N extends CommandName>(
  engine: Engine,
  name: N,
  params: unknown,
): Promise<Result<N>> {
  const outcome = await engine.handle(name, params);
  if (!outcome.ok) throw new FaultError(outcome.fault);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very command's schema
  return commands[name].result.parse(outcome.result) as Result<N>;
}
