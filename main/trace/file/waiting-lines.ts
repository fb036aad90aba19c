import type { LinePlace } from './line-source.ts';

interface WaitingLine {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Lines of a file that are not known to be on the disk, in their order. */
export class WaitingLines {
  #lines: WaitingLine[] = [];

  get count(): number {
    return this.#lines.length;
  }

  push(offset: number, bytes: Buffer): void {
    this.#lines.push({ offset, bytes });
  }

  /** The first of them, so many that writing them is worth it; how many they are. */
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

  /** The first of them are on the disk. */
  drop(count: number): void {
    this.#lines = this.#lines.slice(count);
  }

  /** @throws when none begins there */
  at({ offset, length }: LinePlace): string {
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

  /** What of these bytes of the file waits, in pieces, and where it begins. */
  span(from: number, end: number): { from: number; pieces: Buffer[] } {
    const lines = this.#lines.filter(({ offset, bytes }) => offset < end && offset + bytes.length > from);
    return {
      from: Math.max(from, Math.min(end, lines[0]?.offset ?? end)),
      pieces: lines.map(({ offset, bytes }) => bytes.subarray(Math.max(0, from - offset), end - offset)),
    };
  }
}
