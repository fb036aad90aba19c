import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/** How much an export holds. */
export interface Counts {
  readonly entries: number;
  readonly leftOut: number;
  /** Rows that it holds besides the chosen ones. */
  readonly additions: Additions;
}

/** Rows that were not chosen, and how many of them are messages, and lines of standard error. */
export interface Additions {
  readonly added: number;
  readonly addedMessages: number;
  readonly addedStderr: number;
}

export const noAdditions: Additions = { added: 0, addedMessages: 0, addedStderr: 0 };

/** What a trace file has besides its rows. */
export interface TraceFileOptions {
  /** Whether to add the standard error during the chosen calls. */
  readonly hasStderr: boolean;
  /** The filter that chose its rows; null if none did. */
  readonly filter: string | null;
}

/** The destination of an export, written in pieces of text. */
export interface Output {
  write(text: string): Promise<void>;
}

/** Discards the output, for previews. */
export const nowhere: Output = { write: () => Promise.resolve() };

const FULL = 256 * 1024;

/** A new file, which is removed if it is not written completely. */
export class FileOutput implements Output {
  readonly path: string;
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #length = 0;
  #bytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Creates and fills the file. @throws FaultError if it exists or cannot be written */
  static async fill(path: string, fill: (output: FileOutput) => Promise<void>): Promise<number> {
    const output = new FileOutput(path, await create(path));
    try {
      await fill(output);
      await output.#flush();
      await output.#doing(() => output.#handle.close());
      return output.#bytes;
    } catch (error) {
      // The first error is reported; a failed cleanup adds nothing to it.
      await output.#handle.close().catch(() => undefined);
      await unlink(path).catch(() => undefined);
      throw error;
    }
  }

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= FULL) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#length = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#doing(() => this.#handle.write(bytes, done, bytes.length - done));
      done += bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  async #doing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new FaultError(notWritten(this.path, error));
    }
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw new FaultError(notCreated(path, error));
  }
}

function notCreated(path: string, error: unknown): Fault {
  if (systemCodeOf(error) === 'EEXIST') {
    return {
      code: 'export-exists',
      what: `There is already a file ${path}, and an export never overwrites one.`,
      next: 'Choose another name, or move that file away.',
    };
  }
  return {
    code: 'export-not-written',
    what: 'The file of the export cannot be made.',
    why: messageOf(error),
    next: `Check that ${dirname(path)} is a folder that exists, and that you may write to it.`,
    evidence: path,
  };
}

function notWritten(path: string, error: unknown): Fault {
  const isFull = systemCodeOf(error) === 'ENOSPC';
  return {
    code: isFull ? 'disk-full' : 'export-not-written',
    what: isFull ? 'The disk is full: the export was not written.' : 'The export could not be written.',
    why: messageOf(error),
    next: 'What was written of it was deleted again. Free some space or choose another folder; the trace itself is untouched.',
    evidence: path,
  };
}
