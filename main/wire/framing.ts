import type { Readable } from 'node:stream';
import { now } from './transport.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { cutIntoPieces, type LinePiece } from './pieces.ts';
import { nextTurn } from './async.ts';

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

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines (MCP transports, stdio: messages are delimited by newlines). The newline is
 * not part of a line, a carriage return before it is. A line of any length passes: what exceeds a piece is
 * handed on at once and not held, and what waits for its newline can be handed on earlier. Pieces end between UTF-8
 * characters, never inside one.
 */
export class LineFramer {
  readonly #emit: (piece: LinePiece) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether a piece of the current line went out already. */
  #begun = false;
  #lines = 0;

  constructor(emit: (piece: LinePiece) => void) {
    this.#emit = emit;
  }

  /** Lines that have ended so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether bytes are held of a line that has not ended. */
  get isWaiting(): boolean {
    return this.#heldBytes > 0;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, from);
      if (newline === -1) break;
      this.#finish(bytes.subarray(from, newline), false);
      from = newline + 1;
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
  }

  /** The stream ended; a line without its newline is handed on as cut. */
  end(): void {
    if (this.#heldBytes > 0 || this.#begun) this.#finish(Buffer.alloc(0), true);
  }

  /** Hands on what is held of a line that has not ended, but for a character that is not complete. */
  handOnHeld(): void {
    if (this.#heldBytes === 0) return;
    const held = this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held);
    const end = completeEnd(held);
    this.#held = end < held.length ? [held.subarray(end)] : [];
    this.#heldBytes = held.length - end;
    if (end === 0) return;
    this.#emit({ bytes: held.subarray(0, end), first: !this.#begun, more: true, cut: false });
    this.#begun = true;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > PIECE_BYTES) this.#handOn();
  }

  #finish(tail: Buffer, cut: boolean): void {
    if (this.#heldBytes === 0 && tail.length <= PIECE_BYTES) {
      this.#emit({ bytes: tail, first: !this.#begun, more: false, cut });
    } else {
      this.#held.push(tail);
      this.#heldBytes += tail.length;
      this.#handOn();
      const rest = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
      this.#emit({ bytes: rest ?? Buffer.alloc(0), first: !this.#begun, more: false, cut });
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#begun = false;
    this.#lines++;
  }

  /** Hands on full pieces and keeps at most one piece's worth. */
  #handOn(): void {
    if (this.#heldBytes <= PIECE_BYTES) return;
    for (const { bytes, more } of cutIntoPieces(Buffer.concat(this.#held))) {
      if (more) this.#emit({ bytes, first: !this.#begun, more, cut: false });
      else this.#held = [bytes];
      this.#heldBytes = bytes.length;
      this.#begun = true;
    }
  }
}

/** Where the last complete UTF-8 character ends; the end of the bytes when they end with none that could be completed. */
function completeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
