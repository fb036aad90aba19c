import { type FileHandle, open } from 'node:fs/promises';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import type { LinePlace, LineSource } from './line-source.ts';

/** Milliseconds a line may wait to be written with others. */
const BATCH_WAIT = 25;
/** Bytes waiting for the disk at which the pipe is paused, and at which it goes on. */
const CONGESTED_AT = 32 * 1024 * 1024;
const RELIEVED_AT = 8 * 1024 * 1024;

export interface TraceFileListener {
  /** The disk cannot keep up (true), or can again (false). */
  congested(isCongested: boolean): void;
  /** Lines can no longer be written; they stay readable from memory. */
  failed(fault: Fault): void;
}

/**
 * A trace file being written: lines are appended in batches, and can be read back at once, from memory while
 * they wait for the disk. Nothing is dropped, not even when the disk is full.
 */
export class TraceFile implements LineSource {
  /** Settles once it is no longer written, by whatever reason. */
  readonly closed: Promise<void>;
  #settleClosed: () => void = () => {};
  #path: string;
  /** Undefined once closed. */
  #handle: FileHandle | undefined;
  #listener: TraceFileListener | undefined;
  #size = 0;
  #written = 0;
  #waiting: { offset: number; bytes: Buffer }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isCongested = false;
  #fault: Fault | undefined;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  static async create(path: string, header: TraceHeader): Promise<TraceFile> {
    const handle = await open(path, 'wx+', 0o600);
    const file = new TraceFile(path, handle);
    file.append(JSON.stringify(header));
    return file;
  }

  listen(listener: TraceFileListener): void {
    this.#listener = listener;
    if (this.#fault) listener.failed(this.#fault);
  }

  get path(): string {
    return this.#path;
  }

  /** A session may still write to it. */
  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** It was given another path; what is read from now on is read there. */
  moved(path: string): void {
    this.#path = path;
  }

  /** Bytes of the file once everything is written. */
  get size(): number {
    return this.#size;
  }

  append(line: string): LinePlace {
    const bytes = Buffer.from(`${line}\n`);
    const offset = this.#size;
    this.#size += bytes.length;
    this.#waiting.push({ offset, bytes });
    if (!this.#isCongested && this.#size - this.#written > CONGESTED_AT) this.#setCongested(true);
    if (this.#fault === undefined) this.#timer ??= setTimeout(() => void this.flush(), BATCH_WAIT);
    return { offset, length: bytes.length - 1 };
  }

  /** The lines at these places, in the same order. Neighbours are read in one go. */
  async read(places: readonly LinePlace[]): Promise<string[]> {
    const lines: string[] = [];
    for (let from = 0; from < places.length; ) {
      const first = places[from];
      if (first === undefined) break;
      if (first.offset >= this.#written) {
        lines.push(this.#fromMemory(first));
        from++;
        continue;
      }
      let to = from + 1;
      let end = first.offset + first.length;
      for (; to < places.length; to++) {
        const next = places[to];
        if (next === undefined || next.offset < end || next.offset >= this.#written) break;
        if (next.offset - end > READ_GAP || next.offset + next.length - first.offset > READ_SPAN) break;
        end = next.offset + next.length;
      }
      const span = await this.#readSpan(first.offset, end - first.offset);
      for (const { offset, length } of places.slice(from, to)) {
        const start = offset - first.offset;
        lines.push(span.toString('utf8', start, start + length));
      }
      from = to;
    }
    return lines;
  }

  /** The bytes from one place to another, also those that still wait for the disk. */
  async readSpan(from: number, end: number): Promise<Buffer> {
    const waiting = this.#waiting.filter(({ offset, bytes }) => offset < end && offset + bytes.length > from);
    const written = Math.min(end, waiting[0]?.offset ?? end);
    const parts = written > from ? [await this.#readSpan(from, written - from)] : [];
    for (const { offset, bytes } of waiting) {
      parts.push(bytes.subarray(Math.max(0, from - offset), Math.max(0, end - offset)));
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Writes what waits and gives the file back to the system. Lines stay readable. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.flush();
    const handle = this.#handle;
    this.#handle = undefined;
    // Some file systems tell only now that what was written did not fit.
    await handle?.close().catch((error: unknown) => this.#fail(error));
    this.#settleClosed();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 && this.#fault === undefined) {
      const batch = this.#waiting.slice(0, BATCH_LINES);
      const bytes = Buffer.concat(batch.map((line) => line.bytes));
      try {
        await this.#writeAll(bytes);
      } catch (error) {
        this.#fail(error);
        return;
      }
      this.#waiting = this.#waiting.slice(batch.length);
      this.#written += bytes.length;
      if (this.#isCongested && this.#size - this.#written < RELIEVED_AT) this.#setCongested(false);
    }
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) throw new Error('the trace file is closed');
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, this.#written + done);
      done += bytesWritten;
    }
  }

  /** @throws FaultError when it cannot be read */
  async #readSpan(offset: number, length: number): Promise<Buffer> {
    const own = this.#handle;
    try {
      const handle = own ?? (await open(this.path));
      try {
        return await readFully(handle, offset, length);
      } finally {
        if (own === undefined) await handle.close();
      }
    } catch (error) {
      throw new FaultError({
        code: 'trace-not-read',
        what: 'The trace file cannot be read.',
        why: messageOf(error),
        next: 'Check that it was not moved, changed or deleted. A session that runs goes on.',
        evidence: this.path,
      });
    }
  }

  #fromMemory({ offset, length }: LinePlace): string {
    let low = 0;
    let high = this.#waiting.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#waiting[middle]?.offset ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const line = this.#waiting[low];
    if (line?.offset !== offset) throw new Error(`no line of the trace starts at byte ${offset}`);
    return line.bytes.toString('utf8', 0, length);
  }

  #setCongested(isCongested: boolean): void {
    this.#isCongested = isCongested;
    this.#listener?.congested(isCongested);
  }

  #fail(error: unknown): void {
    const isFull = systemCodeOf(error) === 'ENOSPC';
    this.#fault = {
      code: isFull ? 'disk-full' : 'trace-not-written',
      what: isFull
        ? 'The disk is full: the trace is no longer written.'
        : 'The trace can no longer be written.',
      why: messageOf(error),
      next: 'What comes from now on is kept in memory until you quit. What was written before is safe.',
      evidence: this.path,
    };
    // Waiting for this disk would stop the session for good.
    if (this.#isCongested) this.#setCongested(false);
    this.#listener?.failed(this.#fault);
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

const BATCH_LINES = 4096;
/** Lines this far apart are still read in one go. */
const READ_GAP = 4096;
const READ_SPAN = 4 * 1024 * 1024;
