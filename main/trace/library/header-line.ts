import { open } from 'node:fs/promises';
import { FaultError } from '#shared/contract/fault.ts';
import { cannotOpen } from '#trace/opened/faults.ts';
import { LONGEST_HEADER, type ReadHeader, readHeader } from '#trace/opened/header.ts';

/** Bytes that nearly every header has room in. */
const USUAL_HEADER = 4096;
const NEWLINE = 0x0a;

/** What a file says about itself in its first line; nothing behind that is read. @throws FaultError when it is no trace */
export async function readHeaderLine(path: string): Promise<ReadHeader> {
  let start: Buffer;
  try {
    start = await readStart(path);
  } catch (error) {
    throw new FaultError(cannotOpen(path, error));
  }
  return readHeader(path, start);
}

/** The file up to the end of its first line, if that is within bounds. */
async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    let bytes = Buffer.alloc(USUAL_HEADER);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
      filled += bytesRead;
      const isWhole = bytes.subarray(filled - bytesRead, filled).includes(NEWLINE);
      if (isWhole || bytesRead === 0 || filled === LONGEST_HEADER) return bytes.subarray(0, filled);
      if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(LONGEST_HEADER, filled * 8));
    }
  } finally {
    await file.close();
  }
}
