import type { Fault } from '#shared/contract/fault.ts';
import * as faults from './faults.ts';
import type { Change } from './file-source.ts';

/** Lines that are no records which are told one by one. */
const MOST_TOLD = 20;

/** What is wrong with a file. What could be read of it is there all the same. */
export class Damage {
  readonly #first: faults.BadLine[] = [];
  #badLines = 0;
  /** Where the last line begins, and how much there is of it, when its end never came. */
  torn: { readonly offset: number; readonly bytes: number } | null = null;
  change: Change = 'none';
  /** Why it was not read to its end. */
  unread: Fault | null = null;

  badLine(line: faults.BadLine): void {
    this.#badLines++;
    if (this.#first.length < MOST_TOLD) this.#first.push(line);
  }

  /** What others did to it, if they did. */
  changeFaults(path: string): Fault[] {
    return this.change === 'none' ? [] : [byChange[this.change](path)];
  }

  faults(path: string): Fault[] {
    const told: (Fault | null)[] = [
      this.unread,
      ...this.changeFaults(path),
      this.#badLines === 0 ? null : faults.badLines(this.#badLines, this.#first),
      this.torn === null ? null : faults.tornEnd(this.torn.offset, this.torn.bytes),
    ];
    return told.filter((fault) => fault !== null);
  }
}

const byChange: Readonly<Record<Exclude<Change, 'none'>, (path: string) => Fault>> = {
  gone: faults.gone,
  replaced: faults.replaced,
  truncated: faults.truncated,
};
