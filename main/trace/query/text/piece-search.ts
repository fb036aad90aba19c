import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '#shared/trace/filter/fold.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { Needle } from './needle.ts';
import { piecesOf, writtenText } from './texts.ts';

/** How far a unit has been searched. Pieces are added to it, and none ever changes. */
interface Searched {
  pieces: number;
  /** The end of what was searched, in which a text may begin that goes on in the next piece. */
  tail: string;
  readonly found: Set<number>;
}

/** Looks for texts in units of several pieces, each piece once however often it is asked. */
export class PieceSearch {
  readonly #trace: ReadableTrace;
  readonly #needles: readonly Needle[];
  readonly #searched = new Map<number, Searched>();

  constructor(trace: ReadableTrace, needles: readonly Needle[]) {
    this.#trace = trace;
    this.#needles = needles;
  }

  /** Places of the texts that a row holds. */
  async find(row: number, isWanted: () => boolean): Promise<ReadonlySet<number>> {
    const searched = this.#searched.get(row) ?? { pieces: 0, tail: '', found: new Set<number>() };
    this.#searched.set(row, searched);
    for (const place of piecesOf(this.#trace, row).slice(searched.pieces)) {
      if (!isWanted()) break;
      const [line] = await this.#trace.file.read([place]);
      this.#look(searched, writtenText(line ?? ''));
      searched.pieces++;
      await nextTurn();
    }
    return searched.found;
  }

  #look(searched: Searched, text: string | null): void {
    if (text === null) {
      searched.tail = '';
      return;
    }
    const all = searched.tail + fold(text);
    let longest = 1;
    for (const [place, needle] of this.#needles.entries()) {
      longest = Math.max(longest, needle.text.length);
      if (all.includes(needle.text)) searched.found.add(place);
    }
    // Copied, because a slice would keep the whole piece in memory.
    searched.tail = Buffer.from(all.slice(Math.max(0, all.length - longest + 1)), 'utf16le').toString(
      'utf16le',
    );
  }
}
