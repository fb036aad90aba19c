import { call } from '#bridge';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';

/**
 * Hands the bytes of a file to the engine, piece by piece; returns the path it was kept at.
 *
 * @param onProgress told the share that has arrived, 0 to 1
 */
export async function receiveFile(file: File, onProgress: (share: number) => void): Promise<string> {
  let transferId: string | null = null;
  for (let from = 0; ; from += MAX_RECEIVED_BYTES) {
    const to = Math.min(from + MAX_RECEIVED_BYTES, file.size);
    const base64: string = await readPiece(file, from, to);
    const isLast = to >= file.size;
    const answer: { transferId: string; path: string | null } = await call('traces/receive', {
      transferId,
      name: file.name,
      base64,
      isLast,
    });
    if (answer.path !== null) return answer.path;
    if (isLast) throw new FaultError(notKept(file.name));
    transferId = answer.transferId;
    onProgress(to / file.size);
  }
}

async function readPiece(file: File, from: number, to: number): Promise<string> {
  try {
    return base64Of(new Uint8Array(await file.slice(from, to).arrayBuffer()));
  } catch (error) {
    throw new FaultError({
      code: 'file-not-read',
      what: 'The file cannot be read by the browser.',
      why: messageOf(error),
      next: 'It may be a folder, or have been changed or moved since it was dropped. Drop it again, or open it by its path.',
      evidence: file.name,
    });
  }
}

/** Bytes that one call turns into characters: a call takes only so many arguments. */
const AT_ONCE = 8192;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(from, from + AT_ONCE));
  }
  return btoa(binary);
}

const notKept = (name: string) => ({
  code: 'file-not-kept',
  what: 'The file was received, but not where it was kept.',
  next: 'Open it by its path.',
  evidence: name,
});
