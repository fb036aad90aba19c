import { call } from '#bridge';
import { FrameSignal, onNextFrame } from '../frame-signal.ts';
import { bytesOfBase64 } from './hex-lines.ts';

const PAGE_BYTES = 16 * 1024;
const MAX_PAGES = 64;

/** The bytes of one unit that the screen holds: a bounded number of pages, read as they are looked at. */
export class HexBytes {
  readonly signal = new FrameSignal();
  readonly #sessionId: string;
  readonly #row: number;
  readonly #pages = new Map<number, Uint8Array>();
  readonly #asked = new Set<number>();
  #total: number;
  #failure: unknown = null;
  #wanted = { from: 0, end: 0 };
  #isPlanned = false;

  constructor(sessionId: string, row: number, size: number) {
    this.#sessionId = sessionId;
    this.#row = row;
    this.#total = size;
  }

  /** Bytes on record; until they were asked for, the size on the wire, from which secrets may differ. */
  get total(): number {
    return this.#total;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Up to `count` bytes from `offset` on, of one page; undefined when they are not held (yet). */
  at(offset: number, count: number): Uint8Array | undefined {
    const start = offset % PAGE_BYTES;
    return this.#pages.get(Math.floor(offset / PAGE_BYTES))?.subarray(start, start + count);
  }

  /** Sees to it that these bytes are held. */
  want(from: number, end: number): void {
    this.#wanted = { from, end };
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    onNextFrame(() => {
      this.#isPlanned = false;
      this.#readWanted();
    });
  }

  retry(): void {
    this.#failure = null;
    this.#readWanted();
    this.signal.tellNow();
  }

  #readWanted(): void {
    if (this.#failure !== null) return;
    const { from, end } = this.#wanted;
    for (let page = Math.floor(from / PAGE_BYTES); page * PAGE_BYTES < Math.min(end, this.#total); page++) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) void this.#read(page);
    }
  }

  async #read(page: number): Promise<void> {
    this.#asked.add(page);
    try {
      const { base64, total } = await call('trace/bytes', {
        sessionId: this.#sessionId,
        row: this.#row,
        from: page * PAGE_BYTES,
        count: PAGE_BYTES,
      });
      this.#total = total;
      this.#pages.set(page, bytesOfBase64(base64));
      const [oldest] = this.#pages.keys();
      if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    } catch (failure) {
      this.#failure = failure;
    }
    this.#asked.delete(page);
    this.signal.tell();
  }
}
