import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { now } from './clock.ts';
import { type LinePiece, LineFramer } from './framing.ts';

/** More than any pipe holds: what comes after it was printed by a process that goes on printing. */
const MOST_LEFT_OVER = 4 * 1024 * 1024;

/** Milliseconds after which a line that waits for its newline is handed on as far as it came, and then what more came. */
const FIRST_WAIT = 50;
const FURTHER_WAIT = 200;
/** Milliseconds of reading after which timers and others have their turn: a flood would leave them none. */
const LONGEST_TURN = 20;

/** Reads what a process prints, line by line, each stamped with the time its bytes were read. */
export class OutputReader {
  readonly #stream: Readable;
  readonly #framer: LineFramer;
  #at = now();
  #bytesRead = 0;
  /** While the reading is paused: settles once it goes on. */
  #paused: Promise<void> | undefined;
  #goOn: () => void = () => {};
  /** Ticks while a line waits. */
  #tick: NodeJS.Timeout | undefined;
  /** The line that waited when the tick began, and the last one of which something was handed on. */
  #waitingLine = -1;
  #handedOnLine = -1;
  /** Microseconds of the clock when this turn of the event loop began to read; null before that. */
  #turnBegan: number | null = null;
  #isYielding = false;
  #yields = 0;

  /** @param together runs what reports the lines that were read in one go */
  constructor(
    stream: Readable,
    report: (piece: LinePiece, at: number) => void,
    together: (read: () => void) => void,
  ) {
    this.#stream = stream;
    this.#framer = new LineFramer((piece) => report(piece, this.#at));
    stream.on('data', (bytes: Buffer) => {
      this.#at = now();
      this.#bytesRead += bytes.length;
      this.#beginTurn();
      together(() => this.#framer.push(bytes));
      if (this.#framer.isWaiting) this.#wait();
      this.#yieldWhenLong();
    });
    // A torn pipe ends the stream as well; how the process ended tells why.
    stream.on('error', () => this.#end());
    stream.on('end', () => this.#end());
  }

  pause(): void {
    this.#stream.pause();
    this.#paused ??= new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  resume(): void {
    if (!this.#isYielding) this.#stream.resume();
    this.#paused = undefined;
    this.#goOn();
  }

  /** Hands on what came of a line that has not ended, so that what happens next is on record after it. */
  handOnWaiting(): void {
    if (!this.#framer.isWaiting) return;
    this.#handedOnLine = this.#framer.lines;
    this.#framer.handOnHeld();
  }

  /** Takes what was printed until now, then lets the stream go even if somebody still holds its other end. */
  async finish(): Promise<void> {
    const most = this.#bytesRead + MOST_LEFT_OVER;
    let isDry = false;
    while (!isDry && !this.#stream.closed && this.#bytesRead < most) {
      await this.#paused;
      const before = this.#bytesRead;
      const yields = this.#yields;
      // Two turns, so that between them all that is ready has been read.
      await nextTurn();
      await nextTurn();
      const isReading = this.#paused === undefined && !this.#isYielding && yields === this.#yields;
      isDry = before === this.#bytesRead && isReading;
    }
    this.#stream.destroy();
    this.#end();
  }

  /** In a flood each tick finds another line, which came just now: only one that waits is handed on. */
  #wait(): void {
    if (this.#tick !== undefined) return;
    const line = this.#framer.lines;
    this.#waitingLine = line;
    const ticked = () => {
      this.#tick = undefined;
      if (this.#framer.lines === this.#waitingLine) this.handOnWaiting();
      else if (this.#framer.isWaiting) this.#wait();
    };
    this.#tick = setTimeout(ticked, line === this.#handedOnLine ? FURTHER_WAIT : FIRST_WAIT).unref();
  }

  #beginTurn(): void {
    if (this.#turnBegan !== null) return;
    this.#turnBegan = this.#at;
    setImmediate(() => {
      this.#turnBegan = null;
    });
  }

  #yieldWhenLong(): void {
    if (this.#isYielding || now() - (this.#turnBegan ?? this.#at) < LONGEST_TURN * 1000) return;
    this.#isYielding = true;
    this.#yields++;
    this.#stream.pause();
    setImmediate(() => {
      this.#isYielding = false;
      if (this.#paused === undefined) this.#stream.resume();
    });
  }

  #end(): void {
    clearTimeout(this.#tick);
    // Bytes of a line that never ended keep the time at which they came.
    if (!this.#framer.isWaiting) this.#at = now();
    this.#framer.end();
  }
}
