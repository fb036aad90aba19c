import { z } from 'zod';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import {
  type CommandName,
  type CommandOutcome,
  commands,
  type Handlers,
  isCommandName,
  type Params,
  type Emit,
  type EventFrame,
  PayloadOnRead,
} from '#shared/contract/index.ts';

/**
 * Runs the commands of a page: validates the name and the parameters, and turns errors into faults.
 */
export function dispatcher(handlers: Handlers) {
  return async (command: string, params: unknown): Promise<CommandOutcome> => {
    if (!isCommandName(command)) return failed(unknownCommand(command));
    const parsed = commands[command].params.safeParse(params);
    if (!parsed.success) return failed(badParams(command, parsed.error));
    try {
      return { ok: true, result: await run(handlers, command, parsed.data) };
    } catch (error) {
      return failed(faultOf(`ran ${command}`, error));
    }
  };
}

/** The table pairs each name with its parameters; the compiler cannot follow that through a lookup. */
function run<N extends CommandName>(handlers: Handlers, command: N, params: unknown) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very command's schema
  return handlers[command](params as Params<N>);
}

const failed = (fault: Fault): CommandOutcome => ({ ok: false, fault });

const unknownCommand = (command: string): Fault => ({
  code: 'unknown-command',
  what: `The engine has no command "${command.slice(0, 100)}".`,
  why: 'The page and the engine are of different versions.',
  next: 'Restart Sightglass.',
});

const badParams = (command: string, error: z.ZodError): Fault => ({
  code: 'bad-params',
  what: `The parameters of ${command} are not right.`,
  why: z.prettifyError(error),
});

type Listener = (frame: EventFrame) => void;

/** A frame whose payload is made when it is read. Hosts copy its members: a getter of a class is not sent to a page. */
class FrameOnRead implements EventFrame {
  readonly event: string;
  readonly #made: PayloadOnRead<unknown>;

  constructor(event: string, made: PayloadOnRead<unknown>) {
    this.event = event;
    this.#made = made;
  }

  get payload(): unknown {
    return this.#made.payload;
  }
}

/** The longest hold in milliseconds: less than a frame of the screen. */
const MAX_HOLD_TIME = 8;

/**
 * Delivers the engine's events to the pages, in order. While a request waits for its response, events are held for a
 * moment: sending them takes this thread, and drawing takes the processor, so a fast response would be timestamped
 * late.
 */
export class EventQueue {
  readonly #listeners = new Set<Listener>();
  #queued: EventFrame[] = [];
  readonly #report: (error: unknown, event: string) => void;
  #isHeld = false;
  /** Milliseconds of the monotonic clock. */
  #heldSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDelivering = false;

  /** @param report receives errors of listeners, with the name of the event */
  constructor(report: (error: unknown, event: string) => void) {
    this.#report = report;
  }

  /** Calls the listener with every event until the returned function is called. */
  subscribe(listener: Listener): () => void {
    // A listener may be added twice; each subscription is separate.
    const own: Listener = (frame) => listener(frame);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  readonly emit: Emit = (event, payload) => {
    this.#queued.push(
      payload instanceof PayloadOnRead ? new FrameOnRead(event, payload) : { event, payload },
    );
    if (!this.#isHeld) this.#deliver();
  };

  /** Holds events until `release`, or for 8 ms at most. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#heldSince = performance.now();
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#timeOut(), MAX_HOLD_TIME);
  }

  /** Delivers held events. Its timer runs on: one for each response would take longer than all else here. */
  release(): void {
    this.#isHeld = false;
    if (this.#queued.length > 0) this.#deliver();
  }

  #timeOut(): void {
    this.#timer = undefined;
    if (!this.#isHeld) return;
    const left = this.#heldSince + MAX_HOLD_TIME - performance.now();
    if (left > 0) this.#timer = setTimeout(() => this.#timeOut(), left);
    else this.release();
  }

  /** A listener may emit events: they are queued for the running loop. */
  #deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    while (this.#queued.length > 0) {
      const frames = this.#queued;
      this.#queued = [];
      for (const frame of frames) for (const listener of this.#listeners) this.#notify(listener, frame);
    }
    this.#isDelivering = false;
  }

  /** A failing listener must not affect other listeners or the queue. */
  #notify(listener: Listener, frame: EventFrame): void {
    try {
      listener(frame);
    } catch (error) {
      this.#report(error, frame.event);
    }
  }
}
