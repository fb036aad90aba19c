import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { otherKind } from '#files/file-kinds.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { LineSpan, LineSource } from '#trace/trace-writer.ts';
import type { Change } from './faults.ts';
import * as faults from './faults.ts';
import type { Upgrade } from './header.ts';

/** Lines this close together are read at once, up to this many bytes. */
const READ_GAP = 4096;
const READ_SPAN = 4 * 1024 * 1024;

const BRACE = 0x7b;

/** A file opened for reading. It stays readable through its handle even if it is renamed or replaced. */
export class FileSource implements LineSource {
  readonly #handle: FileHandle;
  #path: string;
  /** Its size when it was last checked. */
  #size = 0;
  #upgrade: Upgrade | null = null;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** @throws FaultError if there is no readable file */
  static async open(path: string): Promise<FileSource> {
    let handle: FileHandle | undefined;
    try {
      const kind = await stat(path);
      // Opening a pipe would wait for a writer.
      const other = otherKind(kind);
      if (other !== null) throw new FaultError(faults.noFile(path, other));
      handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      const source = new FileSource(handle, path);
      await source.update();
      return source;
    } catch (error) {
      await handle?.close();
      throw error instanceof FaultError ? error : new FaultError(faults.cannotOpen(path, error));
    }
  }

  get path(): string {
    return this.#path;
  }

  /** The name without its extension. */
  get name(): string {
    return basename(this.#path, extname(this.#path));
  }

  get size(): number {
    return this.#size;
  }

  /** Upgrades lines of an older version. */
  upgradeBy(upgrade: Upgrade | null): void {
    this.#upgrade = upgrade;
  }

  /** The file was renamed. */
  moved(path: string): void {
    this.#path = path;
  }

  /** Updates the size; returns the modification time in milliseconds since the Unix epoch. */
  async update(): Promise<number> {
    const { size, mtimeMs } = await this.#handle.stat();
    this.#size = size;
    return mtimeMs;
  }

  /** Whether the path still names this file. */
  async changed(): Promise<Exclude<Change, 'truncated'>> {
    try {
      const [own, there] = await Promise.all([
        this.#handle.stat({ bigint: true }),
        stat(this.#path, { bigint: true }),
      ]);
      return own.ino === there.ino && own.dev === there.dev ? 'none' : 'replaced';
    } catch {
      return 'gone';
    }
  }

  /** Fills the buffer from a position on; returns the number of bytes. @throws FaultError if it cannot be read */
  async fill(buffer: Buffer, from: number): Promise<number> {
    try {
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, from);
      return bytesRead;
    } catch (error) {
      throw new FaultError(faults.notRead(this.#path, error));
    }
  }

  /** The lines at these positions, in the same order. Neighbors are read together. */
  async read(spans: readonly LineSpan[]): Promise<string[]> {
    const lines: string[] = [];
    for (const run of neighbours(spans)) {
      const [first] = run;
      const last = run.at(-1);
      if (first === undefined || last === undefined) continue;
      const span = await this.readSpan(first.offset, last.offset + last.length);
      for (const { offset, length } of run) {
        const from = offset - first.offset;
        // Every known line was an object: the file has changed.
        if (span[from] !== BRACE) throw new FaultError(faults.truncated(this.#path));
        lines.push(this.#asNewest(span.toString('utf8', from, from + length)));
      }
    }
    return lines;
  }

  async readSpan(from: number, end: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(end - from);
    for (let done = 0; done < bytes.length; ) {
      const count = await this.fill(bytes.subarray(done), from + done);
      if (count === 0) throw new FaultError(faults.truncated(this.#path));
      done += count;
    }
    return bytes;
  }

  #asNewest(line: string): string {
    return this.#upgrade === null ? line : JSON.stringify(this.#upgrade.record(JSON.parse(line)));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Groups positions into ascending runs that are close together. */
function* neighbours(spans: readonly LineSpan[]): Generator<readonly LineSpan[]> {
  let run: LineSpan[] = [];
  let begin = 0;
  let end = 0;
  for (const span of spans) {
    const isNear = span.offset >= end && span.offset - end <= READ_GAP;
    if (run.length > 0 && !(isNear && span.offset + span.length - begin <= READ_SPAN)) {
      yield run;
      run = [];
    }
    if (run.length === 0) begin = span.offset;
    run.push(span);
    end = span.offset + span.length;
  }
  if (run.length > 0) yield run;
}
