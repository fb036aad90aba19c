import type { Readable } from 'node:stream';
import { now } from './transport.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { cutIntoPieces, type LinePiece } from './pieces.ts';
import { nextTurn } from './async.ts';

/** More than any pipe holds: a process that prints more than this is still running. */
const MAX_LEFT_OVER = 4 * 1024 * 1024;

/** Milliseconds after which the first part of a line without a newline is reported, and then each further part. */
const FIRST_WAIT = 50;
const FURTHER_WAIT = 200;
/** Milliseconds of reading before other work gets a turn: a flood would starve it. */
const MAX_TURN_TIME = 20;

/** Reads the output of a process line by line, stamping each line with the time its bytes were read. */
export class OutputReader {
  readonly #stream: Readable;
  readonly #framer: LineFramer;
  #at = now();
  #bytesRead = 0;
  /** While reading is paused: resolves when it resumes. */
  #paused: Promise<void> | undefined;
  #continue: () => void = () => {};
  /** Runs while a line is incomplete. */
  #tick: NodeJS.Timeout | undefined;
  /** The incomplete line when the timer started, and the last line that was reported in part. */
  #waitingLine = -1;
  #flushedLine = -1;
  /** Microseconds of the clock when this turn of the event loop began to read; null before its first read. */
  #turnBegan: number | null = null;
  #isYielding = false;
  #yields = 0;

  /** @param together runs the function that reports all lines of one read */
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
    // A broken pipe ends the stream too; the exit of the process explains it.
    stream.on('error', () => this.#end());
    stream.on('end', () => this.#end());
  }

  pause(): void {
    this.#stream.pause();
    this.#paused ??= new Promise((resolve) => {
      this.#continue = resolve;
    });
  }

  resume(): void {
    if (!this.#isYielding) this.#stream.resume();
    this.#paused = undefined;
    this.#continue();
  }

  /** Reports the part of an incomplete line that was read, so that later events are recorded after it. */
  flushIncomplete(): void {
    if (!this.#framer.isWaiting) return;
    this.#flushedLine = this.#framer.lines;
    this.#framer.flush();
  }

  /** Reads what has been printed so far, then closes the stream even if another process still holds the other end. */
  async finish(): Promise<void> {
    const most = this.#bytesRead + MAX_LEFT_OVER;
    let isDry = false;
    while (!isDry && !this.#stream.closed && this.#bytesRead < most) {
      await this.#paused;
      const before = this.#bytesRead;
      const yields = this.#yields;
      // Two turns, so that everything ready has been read in between.
      await nextTurn();
      await nextTurn();
      const isReading = this.#paused === undefined && !this.#isYielding && yields === this.#yields;
      isDry = before === this.#bytesRead && isReading;
    }
    this.#stream.destroy();
    this.#end();
  }

  /** Reports an incomplete line after a while. In a flood the timer finds a newer line, which has not waited that long. */
  #wait(): void {
    if (this.#tick !== undefined) return;
    const line = this.#framer.lines;
    this.#waitingLine = line;
    const ticked = () => {
      this.#tick = undefined;
      if (this.#framer.lines === this.#waitingLine) this.flushIncomplete();
      else if (this.#framer.isWaiting) this.#wait();
    };
    this.#tick = setTimeout(ticked, line === this.#flushedLine ? FURTHER_WAIT : FIRST_WAIT).unref();
  }

  #beginTurn(): void {
    if (this.#turnBegan !== null) return;
    this.#turnBegan = this.#at;
    setImmediate(() => {
      this.#turnBegan = null;
    });
  }

  #yieldWhenLong(): void {
    if (this.#isYielding || now() - (this.#turnBegan ?? this.#at) < MAX_TURN_TIME * 1000) return;
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
    // An incomplete last line keeps the time at which it was read.
    if (!this.#framer.isWaiting) this.#at = now();
    this.#framer.end();
  }
}

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines (MCP transports, stdio: messages are delimited by newlines). The newline is
 * not part of the line; a carriage return before it is. Lines may be of any length: full pieces are emitted at once,
 * and a part without its newline can be flushed earlier. Pieces never split a UTF-8 character.
 */
export class LineFramer {
  readonly #emit: (piece: LinePiece) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether a piece of the current line has been emitted. */
  #begun = false;
  #lines = 0;

  constructor(emit: (piece: LinePiece) => void) {
    this.#emit = emit;
  }

  /** The number of complete lines so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether part of an incomplete line is buffered. */
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

  /** The stream ended: emits a line without its newline as cut. */
  end(): void {
    if (this.#heldBytes > 0 || this.#begun) this.#finish(Buffer.alloc(0), true);
  }

  /** Emits the buffered part of an incomplete line, except for an incomplete character. */
  flush(): void {
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
    if (this.#heldBytes > PIECE_BYTES) this.#emitFull();
  }

  #finish(tail: Buffer, cut: boolean): void {
    if (this.#heldBytes === 0 && tail.length <= PIECE_BYTES) {
      this.#emit({ bytes: tail, first: !this.#begun, more: false, cut });
    } else {
      this.#held.push(tail);
      this.#heldBytes += tail.length;
      this.#emitFull();
      const rest = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
      this.#emit({ bytes: rest ?? Buffer.alloc(0), first: !this.#begun, more: false, cut });
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#begun = false;
    this.#lines++;
  }

  /** Emits full pieces and keeps at most one piece. */
  #emitFull(): void {
    if (this.#heldBytes <= PIECE_BYTES) return;
    for (const { bytes, more } of cutIntoPieces(Buffer.concat(this.#held))) {
      if (more) {
        this.#emit({ bytes, first: !this.#begun, more, cut: false });
        this.#begun = true;
      } else {
        this.#held = [bytes];
        this.#heldBytes = bytes.length;
      }
    }
  }
}

/** Where the last complete UTF-8 character ends; the end of the bytes if they do not end inside a character. */
function completeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
