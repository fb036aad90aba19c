/** Milliseconds that an answer is waited for in stillness: less than a frame of the screen. */
const LONGEST = 8;

/**
 * The moment after a request went out. What the screen is told meanwhile waits for the answer, in its order: telling
 * takes this thread, and drawing takes the processor, while a quick server answers, and the answer would be stamped
 * late.
 */
export class Stillness {
  readonly #held: (() => Promise<void> | void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;

  /** A request went out. */
  begin(): void {
    this.#timer ??= setTimeout(() => this.end(), LONGEST);
  }

  /** An answer came. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isTelling) void this.#tellHeld();
  }

  /** Tells something now, or after what already waits. */
  tell(action: () => void): void {
    if (this.#isOver) action();
    else this.#held.push(action);
  }

  /** Settles when the result of a command is to be handed over. What is told later comes after it. */
  async turn(): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#held.push(() => {
        resolve();
        return handedOver();
      });
    });
  }

  get #isOver(): boolean {
    return this.#timer === undefined && !this.#isTelling;
  }

  async #tellHeld(): Promise<void> {
    this.#isTelling = true;
    // What is told may lead to more of it.
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) await next();
    this.#isTelling = false;
  }
}

/** Whoever waits for a result hands it on by promises alone, so all is done in the next turn of the loop. */
const handedOver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
