import { Worker } from 'node:worker_threads';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { CommandName, CommandOutcome, Params, Result } from '#shared/contract/index.ts';
import { forwardingHandlers, type TraceHandlers } from '#trace/handlers.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { withResolvers } from '#transports/async.ts';
import * as faults from './faults.ts';
import { forwardingRecorded, type RecordedHandlers } from './recorded-session.ts';
import { fromReaderSchema, type ReaderTask, type ToReader } from './reader-protocol.ts';

/** Milliseconds that a reader may take to close its file. */
const CLOSES_WITHIN = 2000;

export interface OpenedFileListener {
  /** Called when the progress or the faults of an opened trace changed. */
  changed(opened: OpenedTrace): void;
  event(event: string, payload: unknown): void;
}

/** The engine's side of a trace file that is read in a separate thread. */
export class OpenedFile {
  /** Forwards commands to the reader. */
  readonly handlers: TraceHandlers = forwardingHandlers((command, params) => this.#run(command, params));
  /** The handlers of commands about the recorded session. */
  readonly recorded: RecordedHandlers = forwardingRecorded((command, params) => this.#run(command, params));
  readonly #task: ReaderTask;
  readonly #listener: OpenedFileListener;
  readonly #worker: Worker;
  readonly #ended = withResolvers<void>();
  readonly #opening = withResolvers<OpenedTrace>();
  readonly #waiting = new Map<number, (outcome: CommandOutcome) => void>();
  #lastId = 0;
  #view: OpenedTrace | null = null;
  /** Why the reader accepts no more commands. */
  #fault: Fault | null = null;

  constructor(reader: URL, task: ReaderTask, listener: OpenedFileListener) {
    this.#task = task;
    this.#listener = listener;
    this.#worker = new Worker(reader, { workerData: task, name: `trace ${task.sessionId}` });
    this.#worker.on('message', (message: unknown) => this.#take(message));
    this.#worker.on('error', (error) => this.#end(faults.readerFailed(task.path, messageOf(error))));
    this.#worker.once('exit', (code) => {
      this.#end(faults.readerFailed(task.path, `Its thread ended with code ${code}.`));
      this.#ended.resolve();
    });
  }

  /** Resolves once the header was read. @throws FaultError if the file cannot be opened */
  opened(): Promise<OpenedTrace> {
    return this.#opening.promise;
  }

  /** The latest view; null before it is open. */
  get view(): OpenedTrace | null {
    return this.#view;
  }

  /** Whether the reader has ended, or the file was changed by another process. */
  get isStale(): boolean {
    const changes = ['trace-gone', 'trace-replaced', 'trace-truncated'];
    return this.#fault !== null || (this.#view?.faults.some(({ code }) => changes.includes(code)) ?? false);
  }

  moved(path: string): void {
    this.#send({ tell: 'moved', path });
  }

  /** Closes the file; pending commands fail. Idempotent. */
  async close(): Promise<void> {
    this.#end(faults.notOpened(this.#task.sessionId));
    this.#send({ tell: 'close' });
    const late = setTimeout(() => void this.#worker.terminate(), CLOSES_WITHIN);
    await this.#ended.promise;
    clearTimeout(late);
  }

  /** @throws FaultError as the command does, or if the reader has ended */
  async #run<N extends CommandName>(command: N, params: Params<N>): Promise<Result<N>> {
    if (this.#fault !== null) throw new FaultError(this.#fault);
    const id = ++this.#lastId;
    const answer = withResolvers<CommandOutcome>();
    this.#waiting.set(id, answer.resolve);
    this.#send({ tell: 'command', id, command, params });
    const outcome = await answer.promise;
    if (!outcome.ok) throw new FaultError(outcome.fault);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader's handler of this very command gave it
    return outcome.result as Result<N>;
  }

  #send(what: ToReader): void {
    this.#worker.postMessage(what);
  }

  #take(message: unknown): void {
    const what = fromReaderSchema.parse(message);
    switch (what.tell) {
      case 'failed':
        this.#end(what.fault);
        return;
      case 'opened':
        this.#opening.resolve(what.opened);
        this.#note(what.opened);
        return;
      case 'outcome':
        this.#waiting.get(what.id)?.(what.outcome);
        this.#waiting.delete(what.id);
        return;
      case 'event':
        if (this.#fault === null) this.#listener.event(what.event, what.payload);
    }
  }

  #note(view: OpenedTrace): void {
    if (this.#fault !== null) return;
    this.#view = view;
    this.#listener.changed(view);
  }

  /** Only the first fault counts. */
  #end(fault: Fault): void {
    if (this.#fault !== null) return;
    if (this.#view !== null && fault.code === 'trace-reader-failed') {
      this.#note({ ...this.#view, isGrowing: false, faults: [fault, ...this.#view.faults] });
    }
    this.#fault = fault;
    this.#opening.reject(new FaultError(fault));
    for (const answer of this.#waiting.values()) answer({ ok: false, fault });
    this.#waiting.clear();
  }
}
