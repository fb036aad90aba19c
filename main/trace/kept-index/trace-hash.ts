import { createHash, webcrypto } from 'node:crypto';

/** Bytes hashed at a time, and how many such blocks are on their way at once. */
const BLOCK = 4 * 1024 * 1024;
const AT_ONCE = 3;

/** Fills a buffer from a place on; returns how many bytes there were. */
type Fill = (buffer: Buffer, from: number) => Promise<number>;

/**
 * SHA-256 over the SHA-256 of each block of the first bytes of a file, as hex; null when there are fewer, or once it is
 * not wanted any more. Blocks are hashed by threads of the runtime, several at once, so that this one goes on.
 */
export async function hashStart(fill: Fill, length: number, isWanted = () => true): Promise<string | null> {
  const whole = createHash('sha256');
  const spare: Buffer<ArrayBuffer>[] = [];
  const running: Promise<Buffer | null>[] = [];
  const one = async (from: number): Promise<Buffer | null> => {
    const memory = spare.pop() ?? Buffer.alloc(Math.min(BLOCK, length));
    const block = memory.subarray(0, Math.min(BLOCK, length - from));
    for (let done = 0; done < block.length; ) {
      const count = await fill(block.subarray(done), from + done);
      if (count === 0) return null;
      done += count;
    }
    const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', block));
    spare.push(memory);
    return digest;
  };
  for (let from = 0; from < length || running.length > 0; ) {
    while (from < length && running.length < AT_ONCE) {
      running.push(one(from));
      from += BLOCK;
    }
    const digest = await running.shift();
    if (digest === undefined || digest === null || !isWanted()) {
      await Promise.allSettled(running);
      return null;
    }
    whole.update(digest);
  }
  return whole.digest('hex');
}
