import type { RowSort, SortColumn, TraceViewName } from '#shared/contract/trace.ts';
import { findingSeverities, type RowStatus } from '#shared/trace/row.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { Throttle, Turns } from '#transports/async.ts';
import type { RowFilter } from './row-filter.ts';

/** Milliseconds between two sorts of a list that changes. */
const SORT_EVERY = 1000;
/** How many times as long as a sort took the next one waits, so that sorting never takes most of the engine's time. */
const REST = 3;
/** Rows per step: between two steps other work gets its turn. */
const STRETCH = 16 * 1024;

/**
 * The matches of a filter in the order of a column. Sorts them once the filter has tested the rows of its start, and again,
 * throttled, while they change; until then the previous order stays. Equal rows, and rows without a value after all others, are in the
 * order of the trace.
 */
export class SortedRows {
  readonly sort: RowSort;
  readonly #trace: ReadableTrace;
  readonly #filter: RowFilter;
  readonly #view: TraceViewName;
  readonly #onSorted: () => void;
  readonly #throttle = new Throttle(SORT_EVERY, () => void this.#sortNow());
  #rows = new Uint32Array(0);
  #version = 0;
  #isSorting = false;
  /** Whether the list has changed since the last sort began. */
  #isOutdated = true;
  #rest: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(
    trace: ReadableTrace,
    {
      filter,
      view,
      sort,
    }: { readonly filter: RowFilter; readonly view: TraceViewName; readonly sort: RowSort },
    onSorted: () => void,
  ) {
    this.#trace = trace;
    this.#filter = filter;
    this.#view = view;
    this.sort = sort;
    this.#onSorted = onSorted;
  }

  /** Rows sorted so far. */
  get count(): number {
    return this.#rows.length;
  }

  /** Incremented by each sort. */
  get version(): number {
    return this.#version;
  }

  /** Whether the order includes every change of the list. */
  get isDone(): boolean {
    return !this.#isOutdated && !this.#isSorting;
  }

  /** The rows from the `from`th on. @throws FaultError when the trace could not be searched */
  page(from: number, count: number): number[] {
    this.#filter.page(0, 0);
    return [...this.#rows.subarray(from, from + count)];
  }

  /** The index of a row; else of the listed row that it folds into, or that precedes it in the trace. */
  placeOf(row: number): { readonly place: number; readonly isListed: boolean } {
    const { place, isListed } = this.#filter.placeOf(row);
    const [listed] = this.#filter.page(place, 1);
    return { place: listed === undefined ? 0 : Math.max(0, this.#rows.indexOf(listed)), isListed };
  }

  /** Sorts soon, because the list has changed. */
  request(): void {
    this.#isOutdated = true;
    if (!this.#isEnded && !this.#isSorting && this.#rest === undefined) this.#throttle.request();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#rest);
  }

  async #sortNow(): Promise<void> {
    if (this.#isEnded) return;
    this.#isSorting = true;
    this.#isOutdated = false;
    const began = performance.now();
    const { column, isDescending } = this.sort;
    const keys = {
      keyOf: keyOfColumn(this.#trace, column, this.#view),
      // The index has texts as they were received, including secrets.
      shown: (text: string) => this.#trace.redacted(text),
      isDescending,
    };
    const sorted = await sortedRows(this.#filter.all(), keys, () => !this.#isEnded);
    this.#isSorting = false;
    if (sorted === null) return;
    this.#rows = sorted;
    this.#version++;
    this.#onSorted();
    this.#rest = setTimeout(
      () => {
        this.#rest = undefined;
        if (this.#isOutdated) this.request();
      },
      REST * (performance.now() - began),
    ).unref();
  }
}

/** What a row is sorted by: a number, a text (after all numbers), or null for none. */
type Key = number | string | null;

/** The value of each row in a column. */
function keyOfColumn(trace: ReadableTrace, column: SortColumn, view: TraceViewName): (row: number) => Key {
  const { columns } = trace.index;
  switch (column) {
    case 'number':
      return (row) => row;
    case 'time':
    case 'waterfall':
      return columns.at;
    case 'direction':
      return columns.direction;
    case 'method':
      return (row) => columns.method(row) ?? columns.kind(row);
    case 'name':
      return columns.subject;
    case 'id':
      return (row) => {
        const id = columns.id(row);
        return typeof id === 'bigint' ? String(id) : id;
      };
    case 'status':
      return (row) => {
        const order = statusOrder.indexOf(columns.status(row));
        // Equal outcomes are together, by their code.
        return order === -1
          ? null
          : order * CODES + Math.max(-CODES / 2, Math.min(columns.code(row) ?? 0, CODES / 2));
      };
    case 'duration':
      // One that still waits is longer than any that ended.
      return (row) => (columns.status(row) === 'pending' ? Number.POSITIVE_INFINITY : columns.duration(row));
    case 'size':
      return (row) => {
        // In the row of a call, what was received counts.
        const pair = view === 'calls' ? columns.pair(row) : null;
        return columns.size(pair !== null && pair > row ? pair : row) || null;
      };
    case 'transport':
      return (row) => {
        const channel = columns.channel(row);
        const exchange = columns.exchangeRow(row);
        return channel === null ? exchange : channel;
      };
    case 'finding':
      return (row) => {
        const severity = columns.finding(row);
        return severity === null ? null : findingSeverities.indexOf(severity);
      };
    case 'mark':
      return columns.mark;
  }
}

/** How rows are sorted by their outcome: the worst first. Rows without one are not in it. */
const statusOrder: readonly RowStatus[] = [
  'failed',
  'error',
  'tool-error',
  'invalid',
  'orphan',
  'late',
  'unanswered',
  'cancelled',
  'input-required',
  'pending',
  'receiving',
  'ok',
];
/** More than the codes that occur. */
const CODES = 2 ** 32;

/**
 * The rows in the order of their keys; rows without one last. Yields to other work.
 *
 * @param rows in the order of the trace, which equal rows keep
 * @param keys `shown`: the text that a text is sorted as
 * @param isWanted checked between steps; once it is false, the result is null
 */
export async function sortedRows(
  rows: Uint32Array<ArrayBuffer>,
  {
    keyOf,
    shown,
    isDescending,
  }: {
    readonly keyOf: (row: number) => Key;
    readonly shown: (text: string) => string;
    readonly isDescending: boolean;
  },
  isWanted: () => boolean,
): Promise<Uint32Array<ArrayBuffer> | null> {
  const steps = new Steps(isWanted);
  const keys = new Float64Array(rows.length);
  const texts = new Map<string, number>();
  const readKey = (place: number) => {
    const key = keyOf(rows[place] ?? 0);
    if (typeof key !== 'string') keys[place] = Math.min(key ?? Number.NaN, FIRST_TEXT - 1);
    else {
      const known = texts.get(key) ?? texts.size;
      texts.set(key, known);
      keys[place] = FIRST_TEXT + 2 * known;
    }
  };
  if (!(await steps.each(rows.length, readKey))) return null;
  if (texts.size > 0 && !(await rankTexts(keys, { texts: [...texts.keys()], shown }, steps))) return null;

  const places = new Uint32Array(rows.length);
  let withKey = 0;
  const without: number[] = [];
  const part = (place: number) => {
    if (Number.isNaN(keys[place])) without.push(place);
    else places[withKey++] = place;
  };
  if (!(await steps.each(rows.length, part))) return null;
  const at = (place: number) => keys[place] ?? 0;
  const isBefore = isDescending
    ? (one: number, other: number) => at(one) > at(other)
    : (one: number, other: number) => at(one) < at(other);
  const sorted = await mergeSorted(places.subarray(0, withKey), isBefore, steps);
  if (sorted === null) return null;
  const result = new Uint32Array(rows.length);
  const place = (order: number) => {
    result[order] = rows[(order < withKey ? sorted[order] : without[order - withKey]) ?? 0] ?? 0;
  };
  return (await steps.each(rows.length, place)) ? result : null;
}

/** The key of the first text. Texts are every second number from here on, so that they are exact; numbers are below. */
const FIRST_TEXT = 2 ** 53;

/** Replaces the keys of texts, which are in the order of their first use, by the order of the texts. */
async function rankTexts(
  keys: Float64Array,
  { texts, shown }: { readonly texts: string[]; readonly shown: (text: string) => string },
  steps: Steps,
): Promise<boolean> {
  const show = (index: number) => {
    texts[index] = shown(texts[index] ?? '');
  };
  if (!(await steps.each(texts.length, show))) return false;
  const indexes = Uint32Array.from(texts, (_, index) => index);
  const order = await mergeSorted(indexes, (one, other) => (texts[one] ?? '') < (texts[other] ?? ''), steps);
  if (order === null) return false;
  const ranks = new Uint32Array(order.length);
  for (const [rank, index] of order.entries()) ranks[index] = rank;
  return steps.each(keys.length, (place) => {
    const key = keys[place] ?? 0;
    if (key >= FIRST_TEXT) keys[place] = FIRST_TEXT + 2 * (ranks[(key - FIRST_TEXT) / 2] ?? 0);
  });
}

/** A stable merge sort, whose steps are short however many items there are. Null once the result is not wanted. */
async function mergeSorted(
  items: Uint32Array<ArrayBuffer>,
  isBefore: (one: number, other: number) => boolean,
  steps: Steps,
): Promise<Uint32Array<ArrayBuffer> | null> {
  const { length } = items;
  let [from, to] = [items, new Uint32Array(length)];
  for (let width = 1; width < length; width *= 2) {
    /** Where the next item of either run is, and where the two runs end. */
    let [left, right, middle, end] = [0, 0, 0, 0];
    const source = from;
    const target = to;
    const take = (place: number) => {
      if (place === end) {
        left = end;
        middle = right = Math.min(left + width, length);
        end = Math.min(right + width, length);
      }
      const one = source[left] ?? 0;
      const other = source[right] ?? 0;
      const takesRight = left === middle || (right < end && isBefore(other, one));
      target[place] = takesRight ? other : one;
      if (takesRight) right++;
      else left++;
    };
    if (!(await steps.each(length, take))) return null;
    [from, to] = [to, from];
  }
  return from;
}

/** Runs long loops in steps, between which other work gets its turn. */
class Steps {
  readonly #turns = new Turns();
  readonly #isWanted: () => boolean;

  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted;
  }

  /** Runs an action for each index; false if it is not wanted any more. */
  async each(count: number, run: (index: number) => void): Promise<boolean> {
    for (let from = 0; from < count; from += STRETCH) {
      for (let index = from, end = Math.min(from + STRETCH, count); index < end; index++) run(index);
      await this.#turns.pass();
      if (!this.#isWanted()) return false;
    }
    return true;
  }
}
