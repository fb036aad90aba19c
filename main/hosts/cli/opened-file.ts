import { createEngine } from '#main/engine.ts';
import type { Engine } from '#main/platform.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { commands, events, type CommandName, type Params, type Result } from '#shared/contract/index.ts';
import { MAX_ROWS_PER_PAGE, type RowChoice } from '#shared/contract/trace.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { closeInOrder } from '../close-in-order.ts';
import { cliPlatform } from './cli-platform.ts';
import { type ExitCode, exitCodeOf, exitCodes, onCtrlC } from './exit.ts';
import { Interrupted, request } from './headless-session.ts';
import { faultText, say } from './output.ts';

/** Whether the reader has failed: nothing more can be read. */
const isEnd = ({ code }: Fault): boolean => code === 'trace-reader-failed';

/** A trace file opened by a terminal command; uses only the engine's contract. */
export class OpenedFile {
  readonly #engine: Engine;
  readonly #interruption: AbortSignal;
  readonly #doneFilters = new Set<string>();
  #wake: () => void = () => undefined;
  #sessionId = '';

  private constructor(engine: Engine, interruption: AbortSignal) {
    this.#engine = engine;
    this.#interruption = interruption;
    interruption.addEventListener('abort', () => this.#wake());
    engine.onEvent((frame) => {
      if (frame.event === 'trace/filtered') {
        const { filterId, done } = events['trace/filtered'].parse(frame.payload);
        if (done) this.#doneFilters.add(filterId);
      }
      this.#wake();
    });
  }

  /**
   * Opens a file, passes it to `use` once all of it is read and checked, and closes it in any case.
   *
   * @throws FaultError if it is not a trace, or as `use` does
   * @throws Interrupted
   */
  static use<T>(path: string, use: (file: OpenedFile, opened: OpenedTrace) => Promise<T>): Promise<T> {
    return OpenedFile.inEngine(async (engine, interruption) => {
      const file = new OpenedFile(engine, interruption);
      return use(file, await file.#open(path));
    });
  }

  /** Like `use`, with two files that are read at the same time, and perhaps not checked yet. */
  static useBoth<T>(
    paths: readonly [string, string],
    use: (
      files: readonly [OpenedFile, OpenedFile],
      opened: readonly [OpenedTrace, OpenedTrace],
    ) => Promise<T>,
  ): Promise<T> {
    return OpenedFile.inEngine(async (engine, interruption) => {
      const files = [new OpenedFile(engine, interruption), new OpenedFile(engine, interruption)] as const;
      const [one, other] = files;
      const opened = await Promise.all([one.#open(paths[0], 'read'), other.#open(paths[1], 'read')]);
      return use(files, opened);
    });
  }

  /** Runs an engine without a session, and closes it in any case. */
  static async inEngine<T>(use: (engine: Engine, interruption: AbortSignal) => Promise<T>): Promise<T> {
    const interruption = new AbortController();
    const stopListening = onCtrlC(() => interruption.abort());
    // The thread that reads the file does not keep this process alive.
    const awake = setInterval(() => undefined, 60_000);
    const closings: (() => Promise<void>)[] = [];
    try {
      const engine = await createEngine(cliPlatform());
      closings.push(() => engine.close());
      return await use(engine, interruption.signal);
    } finally {
      await closeInOrder(closings);
      clearInterval(awake);
      stopListening();
    }
  }

  /** Opens a file in an engine that runs, and is closed with it. @throws FaultError or Interrupted */
  static async openIn(
    engine: Engine,
    path: string,
    interruption: AbortSignal,
  ): Promise<{ readonly file: OpenedFile; readonly opened: OpenedTrace }> {
    const file = new OpenedFile(engine, interruption);
    return { file, opened: await file.#open(path) };
  }

  /** Names this trace in commands about several. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** Runs a command of the contract about this trace. @throws FaultError or Interrupted */
  async request<N extends CommandName>(name: N, params: Omit<Params<N>, 'sessionId'>): Promise<Result<N>> {
    let outcome: { value: Result<N> } | { error: unknown } | undefined;
    const asked: Promise<Result<N>> = request(this.#engine, name, { ...params, sessionId: this.#sessionId });
    void asked
      .then(
        (value) => {
          outcome = { value };
        },
        (error: unknown) => {
          outcome = { error };
        },
      )
      .then(() => this.#wake());
    await this.#until(async () => outcome !== undefined);
    return asked;
  }

  /** The rows that a filter matches, once it has tested all. @throws FaultError if the filter cannot be parsed */
  async matching(text: string): Promise<RowChoice & { of: 'filter' }> {
    const { filterId } = await this.request('trace/filter', { text, view: 'messages' });
    await this.#until(async () => this.#doneFilters.has(filterId));
    return { of: 'filter', filterId };
  }

  /** The numbers of the rows that a filter matches. @throws FaultError if the filter cannot be parsed */
  async rowsMatching(text: string): Promise<number[]> {
    const { filterId } = await this.matching(text);
    const rows: number[] = [];
    for (;;) {
      const page = { filterId, from: rows.length, count: MAX_ROWS_PER_PAGE };
      const { rows: found, total } = await this.request('trace/rows', page);
      rows.push(...found.map(({ row }) => row));
      if (rows.length >= total || found.length === 0) return rows;
    }
  }

  async #open(path: string, until: 'read' | 'checked' = 'checked'): Promise<OpenedTrace> {
    const { sessionId } = await request(this.#engine, 'traces/open', { path });
    this.#sessionId = sessionId;
    let opened: OpenedTrace | undefined;
    await this.#until(async () => {
      const all = commands['traces/opened'].result.parse(await request(this.#engine, 'traces/opened', {}));
      opened = all.find((one) => one.sessionId === sessionId);
      if (opened === undefined || opened.faults.some(isEnd)) return true;
      return opened.isRead && (until === 'read' || opened.isChecked);
    });
    if (opened === undefined) throw new Error('the trace vanished while it was read');
    return opened;
  }

  /** Calls `isDone` now and after every event, until it returns true. */
  async #until(isDone: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (await isDone()) return;
      if (this.#interruption.aborted) throw new Interrupted();
      await woken;
    }
  }
}

/** Says why a command that reads files ended early. @throws the error if it is not a fault */
export function endOfFault(error: unknown): ExitCode {
  if (error instanceof Interrupted) {
    say('interrupted');
    return exitCodes.interrupted;
  }
  if (!(error instanceof FaultError)) throw error;
  say(faultText(error.fault));
  return exitCodeOf(error.fault);
}
