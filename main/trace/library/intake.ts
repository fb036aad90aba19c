import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';
import { noRoomText } from '#trace/trace-writer.ts';

/** Milliseconds without a further piece after which a transfer is abandoned. */
const GIVEN_UP_AFTER = 2 * 60_000;
/** Milliseconds after which a partial file of a killed app may be removed. */
const LEFT_BEHIND = 3_600_000;
const PART = /^\.receiving-.*\.part$/;

export interface IntakeOptions {
  readonly folder: string;
  /** Moves a complete file to the library, under the requested name or a numbered variant. */
  readonly keep: (part: string, name: string) => Promise<string>;
  readonly givenUpAfter?: number;
}

interface Transfer {
  readonly part: string;
  readonly handle: FileHandle;
  giveUp: NodeJS.Timeout;
  /** Serializes the pieces. */
  turn: Promise<unknown>;
}

interface Piece {
  readonly transferId: string | null;
  readonly name: string;
  readonly base64: string;
  readonly isLast: boolean;
}

/** Receives files piece by piece, and keeps the complete ones. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #transfers = new Map<string, Transfer>();
  #isClosed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Adds the next piece; returns the path after the last one. @throws FaultError, leaving nothing of the file */
  async receive(piece: Piece): Promise<{ transferId: string; path: string | null }> {
    const transferId = piece.transferId ?? (await this.#begin());
    const transfer = this.#transfers.get(transferId);
    if (transfer === undefined) throw new FaultError(noSuchTransfer);
    const taken = transfer.turn.then(() => this.#take(transferId, transfer, piece));
    transfer.turn = taken.catch(() => undefined);
    return { transferId, path: await taken };
  }

  /** Removes partial files of killed apps. Never rejects. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#options.folder).catch(() => []);
    for (const name of names.filter((one) => PART.test(one))) {
      const path = join(this.#options.folder, name);
      const stats = await lstat(path).catch(() => null);
      if (stats !== null && Date.now() - stats.mtimeMs > LEFT_BEHIND) await remove(path);
    }
  }

  /** Abandons incomplete files. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#transfers.keys()].map((id) => this.#drop(id)));
  }

  async #begin(): Promise<string> {
    if (this.#isClosed) throw new FaultError(noSuchTransfer);
    const { folder } = this.#options;
    const transferId = randomUUID();
    const part = join(folder, `.receiving-${transferId}.part`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const handle = await open(part, 'wx', 0o600);
      const giveUp = this.#giveUpLater(transferId);
      this.#transfers.set(transferId, { part, handle, giveUp, turn: Promise.resolve() });
    } catch (error) {
      throw new FaultError(notKept(error, folder));
    }
    return transferId;
  }

  async #take(
    transferId: string,
    transfer: Transfer,
    { base64, isLast, name }: Piece,
  ): Promise<string | null> {
    if (!this.#transfers.has(transferId)) throw new FaultError(noSuchTransfer);
    clearTimeout(transfer.giveUp);
    try {
      const bytes = Buffer.from(base64, 'base64');
      if (bytes.length > MAX_RECEIVED_BYTES) throw new FaultError(tooMuch(bytes.length));
      await transfer.handle.writeFile(bytes);
      if (!isLast) {
        transfer.giveUp = this.#giveUpLater(transferId);
        return null;
      }
      this.#transfers.delete(transferId);
      await transfer.handle.close();
      return await this.#options.keep(transfer.part, name);
    } catch (error) {
      await this.#remove(transferId, transfer);
      throw error instanceof FaultError ? error : new FaultError(notKept(error, this.#options.folder));
    }
  }

  #giveUpLater(transferId: string): NodeJS.Timeout {
    const { givenUpAfter = GIVEN_UP_AFTER } = this.#options;
    return setTimeout(() => void this.#drop(transferId), givenUpAfter).unref();
  }

  async #drop(transferId: string): Promise<void> {
    const transfer = this.#transfers.get(transferId);
    if (transfer === undefined) return;
    this.#transfers.delete(transferId);
    await transfer.turn;
    await this.#remove(transferId, transfer);
  }

  async #remove(transferId: string, { handle, part, giveUp }: Transfer): Promise<void> {
    this.#transfers.delete(transferId);
    clearTimeout(giveUp);
    // It holds nothing that could be lost.
    await handle.close().catch(() => undefined);
    await remove(part);
  }
}

/** The next run tries again. */
const remove = (path: string): Promise<void> => rm(path, { force: true }).catch(() => undefined);

const noSuchTransfer: Fault = {
  code: 'no-such-transfer',
  what: 'The file was not taken in: nothing was received for too long, or Sightglass is closing.',
  next: 'Drop the file again.',
};

const tooMuch = (size: number): Fault => ({
  code: 'bad-params',
  what: `A piece of ${size} bytes is more than the ${MAX_RECEIVED_BYTES} that are taken at once.`,
  why: 'The page and the engine are of different versions.',
  next: 'Reload the page.',
});

function notKept(error: unknown, folder: string): Fault {
  const words = noRoomText(error);
  return {
    code: words === null ? 'trace-not-kept' : 'disk-full',
    what: `${words === null ? '' : `${words}: `}${words === null ? 'The' : 'the'} file was not taken in, and nothing is left of it.`,
    why: messageOf(error),
    next:
      words === null
        ? 'Check that the folder may be written to by you.'
        : 'Make room and drop the file again.',
    evidence: folder,
  };
}
