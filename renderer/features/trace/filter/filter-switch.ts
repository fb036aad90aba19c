import { reportFailure } from '#ui/toaster.tsx';
import { TextFilter } from './text-filter.ts';

/** Milliseconds without a keystroke before a filter is started. */
const PAUSE_MS = 150;

export interface FilterSwitchParts {
  readonly sessionId: string;
  /** The list on screen is about to be another one. */
  readonly onLeave: () => void;
  /** The current filter is another one, or has looked at more rows. */
  readonly onAdvance: () => void;
  readonly onFail: (failure: unknown) => void;
}

/**
 * The filter as the user types it: started after a pause, the one before ended, and what is answered late
 * ended unseen.
 */
export class FilterSwitch {
  readonly #parts: FilterSwitchParts;
  #text = '';
  #current: TextFilter | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Raised by every change, so that an answer knows whether it is still wanted. */
  #turn = 0;

  constructor(parts: FilterSwitchParts) {
    this.#parts = parts;
  }

  /** What the user typed; the current filter follows it. */
  get text(): string {
    return this.#text;
  }

  get current(): TextFilter | null {
    return this.#current;
  }

  set(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#turn++;
    clearTimeout(this.#timer);
    if (text === '') this.#switchTo(null);
    else this.#timer = setTimeout(() => void this.#start(), PAUSE_MS);
  }

  /** Starts the filter anew when it could not be started. */
  retry(): void {
    if (this.#text !== '' && this.#current === null) void this.#start();
  }

  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    end(this.#current);
  }

  async #start(): Promise<void> {
    const turn = ++this.#turn;
    try {
      const filter = await TextFilter.start(this.#parts.sessionId, this.#text, this.#parts.onAdvance);
      if (turn === this.#turn) this.#switchTo(filter);
      else end(filter);
    } catch (failure) {
      if (turn === this.#turn) this.#parts.onFail(failure);
    }
  }

  #switchTo(next: TextFilter | null): void {
    this.#parts.onLeave();
    end(this.#current);
    this.#current = next;
    this.#parts.onAdvance();
  }
}

function end(filter: TextFilter | null): void {
  if (filter !== null) reportFailure(filter.close());
}
