import type { MessagePort } from 'node:worker_threads';
import { FaultError, faultOf } from '#shared/contract/fault.ts';
import type { CommandOutcome, Emit } from '#shared/contract/index.ts';
import { handlersOf, runCommand, type TraceHandlers } from '#trace/handlers.ts';
import type { MakeChecker } from '#trace/findings.ts';
import { Throttle } from '#transports/async.ts';
import { TraceFeed } from '#trace/trace-feed.ts';
import { TraceFromFile } from './trace-from-file.ts';
import { LateChecks } from './late-checks.ts';
import type { MakeRecordedHandlers, RecordedHandlers } from './recorded-session.ts';
import { type FromReader, type ReaderTask, toReaderSchema } from './reader-protocol.ts';

/** Milliseconds between two progress messages. */
const NOTICE_EVERY = 100;
/** Milliseconds between two checks for changes of the file. */
const CHECK_EVERY = 200;

/**
 * Reads one trace file for the engine, in a thread of its own: derives and checks its rows, follows the file,
 * and handles commands about it until it gets the message to close.
 */
export async function readTrace(
  port: MessagePort,
  task: ReaderTask,
  makeChecker: MakeChecker,
  makeRecorded: MakeRecordedHandlers,
): Promise<void> {
  const tell = (what: FromReader): void => port.postMessage(what);
  try {
    const reader = await TraceReader.open(task, makeChecker, makeRecorded, tell);
    port.on('message', (message: unknown) => {
      const what = toReaderSchema.parse(message);
      if (what.tell === 'moved') reader.moved(what.path);
      else if (what.tell === 'close') void reader.close().finally(() => port.close());
      else
        void reader
          .answer(what.command, what.params)
          .then((outcome) => tell({ tell: 'outcome', id: what.id, outcome }));
    });
    await reader.run();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    tell({ tell: 'failed', fault: error.fault });
    port.close();
  }
}

class TraceReader {
  readonly #task: ReaderTask;
  readonly #makeChecker: MakeChecker;
  readonly #makeRecorded: MakeRecordedHandlers;
  readonly #emit: Emit;
  #trace: TraceFromFile;
  #feed: TraceFeed;
  #handlers: TraceHandlers;
  #recorded: RecordedHandlers;
  #checks: LateChecks;
  readonly #tell: (what: FromReader) => void;
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#tellOpened());
  #checkTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastSent = '';

  private constructor(
    task: ReaderTask,
    trace: TraceFromFile,
    makeChecker: MakeChecker,
    makeRecorded: MakeRecordedHandlers,
    tell: (what: FromReader) => void,
  ) {
    this.#task = task;
    this.#makeChecker = makeChecker;
    this.#makeRecorded = makeRecorded;
    this.#emit = (event, payload) => tell({ tell: 'event', event, payload });
    this.#trace = trace;
    this.#feed = new TraceFeed(task.sessionId, trace, this.#emit);
    this.#handlers = this.#handlersOf(this.#feed);
    this.#recorded = makeRecorded(task.sessionId, trace);
    this.#checks = this.#checksOf(trace);
    this.#tell = tell;
  }

  /** @throws FaultError if the file cannot be opened */
  static async open(
    task: ReaderTask,
    makeChecker: MakeChecker,
    makeRecorded: MakeRecordedHandlers,
    tell: (what: FromReader) => void,
  ): Promise<TraceReader> {
    const trace = await TraceFromFile.open(task.path, (from) => reader.#changed(from));
    const reader = new TraceReader(task, trace, makeChecker, makeRecorded, tell);
    return reader;
  }

  /** Reads and checks the file, and follows it until it is closed. */
  async run(): Promise<void> {
    this.#tellOpened();
    if (this.#task.keepsIndex) {
      await this.#trace.restore();
      this.#checks = this.#checksOf(this.#trace);
    }
    await this.#trace.readAll();
    await this.#check();
    this.#followLater();
    if (this.#task.keepsIndex && this.#checks.isDone) await this.#trace.keepIndex();
  }

  moved(path: string): void {
    this.#trace.file.moved(path);
    this.#notice.request();
  }

  /** Runs a command. Never rejects. */
  async answer(command: string, params: unknown): Promise<CommandOutcome> {
    try {
      return {
        ok: true,
        result: await runCommand({ ...this.#handlers, ...this.#recorded }, command, params),
      };
    } catch (error) {
      return { ok: false, fault: faultOf(`ran ${command} on an opened trace`, error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#checkTimer);
    this.#checks.end();
    this.#feed.close();
    await this.#trace.close();
  }

  #changed(from: number): void {
    this.#feed.changed(from);
    this.#notice.request();
  }

  async #check(): Promise<void> {
    this.#notice.request();
    try {
      await this.#checks.catchUp();
    } catch (error) {
      // Lines that are gone cannot be checked; the file's faults report them.
      if (!(error instanceof FaultError)) throw error;
      this.#checks.end();
    }
    this.#notice.request();
  }

  #followLater(): void {
    if (this.#isClosed) return;
    this.#checkTimer = setTimeout(() => void this.#follow(), CHECK_EVERY);
  }

  async #follow(): Promise<void> {
    await this.#trace.follow();
    if (this.#trace.hasOutgrownIndex) await this.#readAgain();
    if (!this.#checks.isDone) await this.#check();
    this.#notice.request();
    this.#followLater();
  }

  /**
   * Reads the file again from its beginning. The old rows stay on screen until all of it was read, or if the file is
   * gone or was replaced.
   */
  async #readAgain(): Promise<void> {
    const before = this.#trace;
    if (this.#isClosed || (await before.file.changed()) !== 'none') return;
    let isShown = false;
    let trace: TraceFromFile | undefined;
    let checks: LateChecks;
    try {
      trace = await TraceFromFile.open(before.file.path, (from) => {
        if (isShown) this.#changed(from);
      });
      checks = this.#checksOf(trace);
      await trace.readAll();
      await checks.catchUp();
    } catch (error) {
      await trace?.close();
      // The file was just removed. The next check reports that, or tries again.
      if (!(error instanceof FaultError)) throw error;
      return;
    }
    if (this.#isClosed) return trace.close();
    isShown = true;
    const feed = new TraceFeed(this.#task.sessionId, trace, this.#emit);
    feed.continueFrom(this.#feed);
    this.#feed.close();
    [this.#trace, this.#feed, this.#checks] = [trace, feed, checks];
    this.#handlers = this.#handlersOf(feed);
    this.#recorded = this.#makeRecorded(this.#task.sessionId, trace);
    await before.close();
  }

  #handlersOf(feed: TraceFeed): TraceHandlers {
    const { sessionId } = this.#task;
    return handlersOf(feed, null, () => this.#recorded['authorization/flows']({ sessionId }));
  }

  #checksOf(trace: TraceFromFile): LateChecks {
    return new LateChecks(
      trace,
      this.#makeChecker,
      (from) => {
        if (trace === this.#trace) this.#changed(from);
      },
      trace.keptRows,
    );
  }

  #tellOpened(): void {
    const view = this.#trace.view();
    const opened = {
      sessionId: this.#task.sessionId,
      ...view,
      isChecked: view.isRead && this.#checks.isDone,
    };
    const text = JSON.stringify(opened);
    // The file is checked far more often than it changes.
    if (text === this.#lastSent) return;
    this.#lastSent = text;
    this.#tell({ tell: 'opened', opened });
  }
}
