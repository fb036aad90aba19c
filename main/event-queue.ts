import type { Emit, EventFrame } from '#shared/contract/index.ts';

type Listener = (frame: EventFrame) => void;

/** The longest hold in milliseconds: less than a frame of the screen. */
const LONGEST_HOLD = 8;

/**
 * Delivers the engine's events to the screens, in order. While a request waits for its response, events are held for a
 * moment: telling screens takes this thread, and drawing takes the processor, so a fast response would be stamped late.
 */
export class EventQueue {
  readonly #listeners = new Set<Listener>();
  readonly #queued: EventFrame[] = [];
  readonly #report: (error: unknown, event: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #isDelivering = false;

  /** @param report takes what a listener threw, with the name of the event it was given */
  constructor(report: (error: unknown, event: string) => void) {
    this.#report = report;
  }

  /** Calls the listener with every event until the returned function is called. */
  subscribe(listener: Listener): () => void {
    // A listener may be added twice; each subscription ends alone.
    const own: Listener = (frame) => listener(frame);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  readonly emit: Emit = (event, payload) => {
    this.#queued.push({ event, payload });
    if (this.#timer === undefined) this.#deliver();
  };

  /** Holds events until `release`, or for 8 ms at most. */
  hold(): void {
    this.#timer ??= setTimeout(() => this.release(), LONGEST_HOLD);
  }

  /** Delivers what was held. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deliver();
  }

  /** A listener may emit, which queues: the loop that is running delivers it. */
  #deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let frame = this.#queued.shift(); frame !== undefined; frame = this.#queued.shift()) {
      for (const listener of this.#listeners) this.#tell(listener, frame);
    }
    this.#isDelivering = false;
  }

  /** One listener that fails must not keep events from the others, nor stop the queue. */
  #tell(listener: Listener, frame: EventFrame): void {
    try {
      listener(frame);
    } catch (error) {
      this.#report(error, frame.event);
    }
  }
}
