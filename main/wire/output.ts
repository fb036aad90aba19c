import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { now } from './clock.ts';
import { type LinePiece, LineFramer } from './framing.ts';

/** More than any pipe holds: what comes after it was printed by a process that goes on printing. */
const MOST_LEFT_OVER = 4 * 1024 * 1024;

/** Reads what a process prints, line by line, each stamped with the time its bytes were read. */
export class OutputReader {
  readonly #stream: Readable;
  readonly #framer: LineFramer;
  #at = now();
  #bytesRead = 0;
  /** While the reading is paused: settles once it goes on. */
  #paused: Promise<void> | undefined;
  #goOn: () => void = () => {};

  constructor(stream: Readable, report: (piece: LinePiece, at: number) => void) {
    this.#stream = stream;
    this.#framer = new LineFramer((piece) => report(piece, this.#at));
    stream.on('data', (bytes: Buffer) => {
      this.#at = now();
      this.#bytesRead += bytes.length;
      this.#framer.push(bytes);
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
    this.#stream.resume();
    this.#paused = undefined;
    this.#goOn();
  }

  /** Takes what was printed until now, then lets the stream go even if somebody still holds its other end. */
  async finish(): Promise<void> {
    const most = this.#bytesRead + MOST_LEFT_OVER;
    let isDry = false;
    while (!isDry && !this.#stream.closed && this.#bytesRead < most) {
      await this.#paused;
      const before = this.#bytesRead;
      // Two turns, so that between them all that is ready has been read.
      await nextTurn();
      await nextTurn();
      isDry = before === this.#bytesRead && this.#paused === undefined;
    }
    this.#stream.destroy();
    this.#end();
  }

  #end(): void {
    this.#at = now();
    this.#framer.end();
  }
}
