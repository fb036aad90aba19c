import type { Engine } from '#engine/platform.ts';
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

/** We were asked to end while something was waited for. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The session ended before the handshake was through. */
export class NotConnected extends FaultError {
  override readonly name = 'NotConnected';
}

const beforeReady: ReadonlySet<PhaseName> = new Set(['connecting', 'detecting', 'initializing']);

/** Whether nothing more comes of a session. */
export const hasEnded = ({ phase }: SessionView): boolean => phase === 'closed' || phase === 'failed';

/** The one session of a terminal command, over nothing but the engine's contract. */
export class HeadlessSession {
  /** Aborted when the user asks the command to end. */
  readonly interruption: AbortSignal;
  readonly #engine: Engine;
  readonly #id: string;
  #wake: () => void = () => undefined;
  #woken: Promise<void> = Promise.resolve();
  #nextLook: NodeJS.Timeout | undefined;

  private constructor(engine: Engine, id: string, interruption: AbortSignal) {
    this.#engine = engine;
    this.#id = id;
    this.interruption = interruption;
    this.#sleep();
    engine.onEvent(() => this.#wakeUp());
  }

  /** Takes the session that an engine opened on its command line. */
  static async of(engine: Engine, interruption: AbortSignal): Promise<HeadlessSession> {
    const [session] = await request(engine, 'sessions/list', {});
    if (session === undefined) throw new Error('the engine opened no session');
    return new HeadlessSession(engine, session.id, interruption);
  }

  /** Runs a command of the contract about this session. @throws FaultError */
  request<N extends CommandName>(name: N, params: Omit<Params<N>, 'sessionId'>): Promise<Result<N>> {
    return request(this.#engine, name, { ...params, sessionId: this.#id });
  }

  /** Calls the listener with every such event of the contract until the returned function is called. */
  on<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void {
    return this.#engine.onEvent(({ event, payload }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very event's schema
      if (event === name) listener(events[name].parse(payload) as Payload<N>);
    });
  }

  async view(): Promise<SessionView> {
    const [view] = await request(this.#engine, 'sessions/list', {});
    if (view === undefined) throw new Error('the session vanished');
    return view;
  }

  /**
   * Looks now and whenever something has happened, until there is something to see.
   *
   * @throws Interrupted when the user asks to end first
   */
  until<T>(look: () => Promise<T | null>): Promise<T> {
    return this.#until(look, this.interruption);
  }

  /**
   * The same for a time; null when it is over, or the user asks to end, before there is something to see.
   *
   * @param look gets a signal that aborts when the time is over: what takes long has to heed it
   * @param time milliseconds; null for as long as it takes
   */
  async follow<T>(look: (over: AbortSignal) => Promise<T | null>, time: number | null): Promise<T | null> {
    const signals = [this.interruption, ...(time === null ? [] : [AbortSignal.timeout(time)])];
    try {
      return await this.#until(look, AbortSignal.any(signals));
    } catch (error) {
      if (error instanceof Interrupted) return null;
      throw error;
    }
  }

  async #until<T>(look: (over: AbortSignal) => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const wakeUp = () => this.#wakeUp();
    signal.addEventListener('abort', wakeUp);
    try {
      for (;;) {
        // Taken before the look, so that nothing is missed that happens meanwhile.
        const woken = this.#woken;
        const seen = await look(signal);
        if (seen !== null) return seen;
        if (signal.aborted) throw new Interrupted();
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', wakeUp);
    }
  }

  /** Has the current wait look again after this time, even if nothing happens; of several calls the last counts. */
  lookAgainIn(milliseconds: number): void {
    clearTimeout(this.#nextLook);
    this.#nextLook = setTimeout(() => this.#wakeUp(), milliseconds).unref();
  }

  /** Waits for the handshake. @throws NotConnected, or FaultError when the server has left already */
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

  /** Waits for something that is not about to be ended. @throws Interrupted when the user asks to end first */
  async interruptible<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    void Promise.allSettled([work]).then(() => {
      isSettled = true;
      this.#wakeUp();
    });
    await this.until(async () => isSettled || null);
    return work;
  }

  #sleep(): void {
    this.#woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake();
    this.#sleep();
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
