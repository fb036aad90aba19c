import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { TraceHeader } from '#shared/trace/record.ts';

/** The longest time in milliseconds before a line is passed to the system, if the system keeps up. */
const MAX_WAIT = 10;
/** Milliseconds to wait for further lines after a write during which lines came: each write takes time, however small it is. */
const FLOW_WAIT = 2;
/** Bytes from which a line is written at once: parsing its content may take long. */
const LARGE_LINE = 256 * 1024;
/** The limits of one write. */
const BATCH_LINES = 4096;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes waiting for the disk at which the pipe is paused, and at which it is resumed. */
const CONGESTED_AT = 32 * 1024 * 1024;
const RELIEVED_AT = 8 * 1024 * 1024;
/** Milliseconds before a failed write is retried. */
const RETRY_AFTER = 2000;

interface TraceWriterListener {
  /** Called with true when the disk cannot keep up, and with false when it can again. */
  congested(isCongested: boolean): void;
  /** Called when lines cannot be written and stay in memory, where they can be read; with null once they were written. */
  failed(fault: Fault | null): void;
}

/** A write in progress. */
interface Batch {
  readonly count: number;
  /** Where it ends in the file. */
  readonly end: number;
  /** Settles once it is written or has failed; never rejects. */
  readonly done: Promise<void>;
}

/**
 * A trace file being written. Lines are written as soon as the previous write is done, and can be read back at once,
 * from memory while they wait for the disk. Nothing is dropped, not even if the disk is full. A process that is killed
 * loses only the last milliseconds, however busy it is.
 */
export class TraceWriter implements LineSource {
  /** Resolves once the file is closed: no session writes to it any more. */
  readonly closed: Promise<void>;
  #settleClosed: () => void = () => {};
  #path: string;
  /** Undefined once closed. */
  #handle: FileHandle | undefined;
  #listener: TraceWriterListener | undefined;
  #size = 0;
  #written = 0;
  readonly #waiting = new WaitingLines();
  /** The write in progress of the first waiting lines. */
  #inFlight: Batch | undefined;
  /** Milliseconds of the monotonic clock at which the oldest unwritten line was added, or `#hurry` last ran. */
  #waitingSince = 0;
  #isScheduled = false;
  #closing: Promise<void> | undefined;
  #isCongested = false;
  #fault: Fault | undefined;
  #retry: NodeJS.Timeout | undefined;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  static async create(path: string, header: TraceHeader): Promise<TraceWriter> {
    const handle = await open(path, 'wx+', 0o600);
    const file = new TraceWriter(path, handle);
    file.append(JSON.stringify(header));
    return file;
  }

  listen(listener: TraceWriterListener): void {
    this.#listener = listener;
    if (this.#fault) listener.failed(this.#fault);
  }

  get path(): string {
    return this.#path;
  }

  /** Whether a session may still write to the file. */
  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** Notes that the file was renamed. */
  moved(path: string): void {
    this.#path = path;
  }

  /** Bytes of the file once everything is written. */
  get size(): number {
    return this.#size;
  }

  append(line: string): LineSpan {
    const bytes = Buffer.from(`${line}\n`);
    const offset = this.#size;
    const now = performance.now();
    if (this.#waiting.count === (this.#inFlight?.count ?? 0)) this.#waitingSince = now;
    this.#size += bytes.length;
    this.#waiting.push(offset, bytes);
    const span = { offset, length: bytes.length - 1 };
    if (this.#fault !== undefined) return span;
    if (!this.#isCongested && this.#size - this.#written > CONGESTED_AT) this.#setCongested(true);
    if (bytes.length >= LARGE_LINE || now - this.#waitingSince >= MAX_WAIT) this.#hurry(now);
    else this.#schedule();
    return span;
  }

  /** The lines at these positions, in the same order. Neighbors are read together. */
  async read(spans: readonly LineSpan[]): Promise<string[]> {
    const lines: string[] = [];
    for (let from = 0; from < spans.length; ) {
      const first = spans[from];
      if (first === undefined) break;
      if (first.offset >= this.#written) {
        lines.push(this.#waiting.at(first));
        from++;
        continue;
      }
      let to = from + 1;
      let end = first.offset + first.length;
      for (; to < spans.length; to++) {
        const next = spans[to];
        if (next === undefined || next.offset < end || next.offset >= this.#written) break;
        if (next.offset - end > READ_GAP || next.offset + next.length - first.offset > READ_SPAN) break;
        end = next.offset + next.length;
      }
      const span = await this.#readWritten(first.offset, end - first.offset);
      for (const { offset, length } of spans.slice(from, to)) {
        const start = offset - first.offset;
        lines.push(span.toString('utf8', start, start + length));
      }
      from = to;
    }
    return lines;
  }

  /** The bytes in a range, including those that still wait for the disk. */
  async readSpan(from: number, end: number): Promise<Buffer> {
    const waiting = this.#waiting.span(from, end);
    const written = waiting.from > from ? [await this.#readWritten(from, waiting.from - from)] : [];
    const pieces = [...written, ...waiting.pieces];
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  /** Resolves once all lines are written, or cannot be. Never rejects. */
  async flush(): Promise<void> {
    while (this.#waiting.count > 0 && this.#fault === undefined) {
      this.#startWrite();
      await this.#inFlight?.done;
    }
  }

  /** Writes all lines and closes the file. Lines stay readable. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The last attempt: there may be room by now.
    if (this.#fault !== undefined) await this.#tryAgain();
    await this.flush();
    clearTimeout(this.#retry);
    const handle = this.#handle;
    this.#handle = undefined;
    // Some file systems report only now that the data did not fit.
    await handle?.close().catch((error: unknown) => this.#fail(error));
    this.#settleClosed();
  }

  /** Writes after the caller, which may append more lines, has finished; after a moment in a flow of lines. */
  #schedule(isInFlow = false): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const start = () => {
      this.#isScheduled = false;
      this.#startWrite();
    };
    if (isInFlow) setTimeout(start, FLOW_WAIT);
    else queueMicrotask(start);
  }

  /** Starts a write, unless one is in progress or has failed. */
  #startWrite(): void {
    if (this.#inFlight !== undefined || this.#waiting.count === 0 || this.#fault !== undefined) return;
    this.#write();
  }

  /** Starts the next write at once: in a flood the event loop may go a long time without a turn to notice the end of the last. */
  #hurry(now: number): void {
    const before = this.#inFlight;
    if (before !== undefined && this.#isInFile(before)) this.#confirm(before);
    this.#startWrite();
    this.#waitingSince = now;
  }

  #isInFile({ end }: Batch): boolean {
    return this.#handle !== undefined && fstatSync(this.#handle.fd).size >= end;
  }

  #write(): void {
    const { count, bytes } = this.#waiting.first(BATCH_LINES, BATCH_BYTES);
    const settled = this.#writeAll(bytes, this.#written).then(
      () => {
        // `#hurry` may have confirmed it already.
        if (this.#inFlight === batch) this.#confirm(batch);
        if (this.#waiting.count > 0) this.#schedule(true);
      },
      (error: unknown) => this.#fail(error),
    );
    const batch: Batch = { count, end: this.#written + bytes.length, done: settled };
    this.#inFlight = batch;
  }

  #confirm({ count, end }: Batch): void {
    this.#inFlight = undefined;
    this.#waiting.drop(count);
    this.#written = end;
    if (this.#isCongested && this.#size - this.#written < RELIEVED_AT) this.#setCongested(false);
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#listener?.failed(null);
  }

  async #writeAll(bytes: Buffer, position: number): Promise<void> {
    // Marks may be added long after the session, when the file is closed.
    const openHandle = this.#handle;
    const handle = openHandle ?? (await open(this.#path, 'r+'));
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    } finally {
      if (openHandle === undefined) await handle.close();
    }
  }

  /** Reads bytes that are in the file already. @throws FaultError if the file cannot be read */
  async #readWritten(offset: number, length: number): Promise<Buffer> {
    const openHandle = this.#handle;
    try {
      const handle = openHandle ?? (await open(this.#path));
      try {
        return await readFully(handle, offset, length);
      } finally {
        if (openHandle === undefined) await handle.close();
      }
    } catch (error) {
      throw new FaultError({
        code: 'trace-not-read',
        what: 'The trace file cannot be read.',
        why: messageOf(error),
        next: 'Check that it was not moved, changed or deleted. A session that runs goes on.',
        evidence: this.#path,
      });
    }
  }

  #setCongested(isCongested: boolean): void {
    this.#isCongested = isCongested;
    this.#listener?.congested(isCongested);
  }

  #fail(error: unknown): void {
    this.#inFlight = undefined;
    const before = this.#fault;
    const isTriedAgain = this.isOpen && this.#closing === undefined;
    this.#fault = notWritten(error, this.#path, isTriedAgain);
    clearTimeout(this.#retry);
    if (isTriedAgain) this.#retry = setTimeout(() => void this.#tryAgain(), RETRY_AFTER).unref();
    // Waiting for this disk would stop the session for good.
    if (this.#isCongested) this.#setCongested(false);
    if (before?.next !== this.#fault.next) this.#listener?.failed(this.#fault);
  }

  /** Repeats the failed write from its beginning. */
  async #tryAgain(): Promise<void> {
    if (this.#inFlight === undefined && this.#waiting.count > 0) this.#write();
    await this.#inFlight?.done;
  }
}

async function readFully(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new Error('it is shorter than what was written to it');
    done += bytesRead;
  }
  return bytes;
}

/** Bytes between two lines that are still read together, and the most bytes read at once. */
const READ_GAP = 4096;
const READ_SPAN = 4 * 1024 * 1024;

interface WaitingLine {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The lines that may not be on the disk yet, in order. */
class WaitingLines {
  #lines: WaitingLine[] = [];

  get count(): number {
    return this.#lines.length;
  }

  push(offset: number, bytes: Buffer): void {
    this.#lines.push({ offset, bytes });
  }

  /** The first lines, up to the limits of one write, and their number. */
  first(mostLines: number, mostBytes: number): { count: number; bytes: Buffer } {
    let count = 0;
    let size = 0;
    for (const { bytes } of this.#lines) {
      if (count > 0 && (count === mostLines || size + bytes.length > mostBytes)) break;
      count++;
      size += bytes.length;
    }
    return {
      count,
      bytes: Buffer.concat(
        this.#lines.slice(0, count).map((line) => line.bytes),
        size,
      ),
    };
  }

  /** Removes the first lines: they are on the disk. */
  drop(count: number): void {
    this.#lines = this.#lines.slice(count);
  }

  /** @throws Error if no line begins there */
  at({ offset, length }: LineSpan): string {
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lines[middle]?.offset ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const line = this.#lines[low];
    if (line?.offset !== offset) throw new Error(`no line of the trace starts at byte ${offset}`);
    return line.bytes.toString('utf8', 0, length);
  }

  /** The waiting part of a range of the file, in pieces, and where it begins. */
  span(from: number, end: number): { from: number; pieces: Buffer[] } {
    const lines = this.#lines.filter(({ offset, bytes }) => offset < end && offset + bytes.length > from);
    return {
      from: Math.max(from, Math.min(end, lines[0]?.offset ?? end)),
      pieces: lines.map(({ offset, bytes }) => bytes.subarray(Math.max(0, from - offset), end - offset)),
    };
  }
}

/** System errors for a lack of space. */
const noRoom = new Map([
  ['ENOSPC', 'The disk is full'],
  ['EDQUOT', 'Your share of the disk is used up'],
  ['EFBIG', 'The file may grow no further'],
]);

/**
 * The fault of a trace that cannot be written.
 *
 * @param isTriedAgain whether writing is retried
 */
export function notWritten(error: unknown, path: string, isTriedAgain: boolean): Fault {
  const words = noRoomText(error);
  const meanwhile = isTriedAgain
    ? 'New records stay in memory and are written as soon as possible;'
    : 'What is not in the file stays in memory until you quit;';
  return {
    code: words === null ? 'trace-not-written' : 'disk-full',
    what: words === null ? 'The trace cannot be written.' : `${words}: the trace is not written.`,
    why: messageOf(error),
    next: `${words === null ? '' : 'Make room. '}${meanwhile} earlier records are safe.`,
    evidence: path,
  };
}

/** The text of a fault for a lack of space; null for other errors. */
export const noRoomText = (error: unknown): string | null => noRoom.get(systemCodeOf(error) ?? '') ?? null;

/** Where a line is in the file, in bytes, without its newline. */
export interface LineSpan {
  readonly offset: number;
  readonly length: number;
}

/** A source of trace lines: a file being written, or an opened one. */
export interface LineSource {
  readonly path: string;
  /** Bytes of the file once everything is written. */
  readonly size: number;
  /** The lines at these positions, in the same order. @throws FaultError if they cannot be read */
  read(spans: readonly LineSpan[]): Promise<string[]>;
  /** The bytes in a range. @throws FaultError if they cannot be read */
  readSpan(from: number, end: number): Promise<Buffer>;
}
