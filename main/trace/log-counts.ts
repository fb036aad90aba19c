import type { LogCounts, LoggerCount } from '#shared/contract/logs.ts';
import { LOG_MESSAGE } from '#shared/protocol/methods.ts';
import type { ReadableTrace } from './readable-trace.ts';

/** Seconds that a rate is measured over. */
const WINDOW = 10;
const SECOND = 1_000_000;
/** Limit of distinct loggers to count; messages of later ones are counted together. */
const MAX_COUNTED = 10_000;
/** Limit of loggers in one result. */
const MAX_LISTED = 200;

/** Counts the log messages of a trace by logger. Each row is read once. */
export class LogCounter {
  readonly #trace: ReadableTrace;
  readonly #now: (() => number) | null;
  readonly #loggers = new Map<string | null, Count>();
  readonly #all = new Count();
  /** Messages of loggers beyond the limit. */
  readonly #others = new Count();
  /** Rows before this one were read. */
  #scanned = 0;

  /** @param now microseconds of the trace's clock; null if nothing more is recorded: rates end at the last row */
  constructor(trace: ReadableTrace, now: (() => number) | null) {
    this.#trace = trace;
    this.#now = now;
  }

  /** The counts up to now. */
  read(): LogCounts {
    const { columns } = this.#trace.index;
    for (; this.#scanned < columns.count; this.#scanned++) {
      if (columns.method(this.#scanned) === LOG_MESSAGE) this.#add(this.#scanned);
    }
    const end = this.#now?.() ?? (columns.count === 0 ? 0 : columns.at(columns.count - 1));
    const loggers = [...this.#loggers].sort(([, a], [, b]) => b.total - a.total);
    const listed = loggers.slice(0, MAX_LISTED).map(
      ([logger, count]): LoggerCount => ({
        logger: this.#trace.redacted(logger),
        count: count.total,
        perSecond: count.perSecond(end),
      }),
    );
    return {
      count: this.#all.total,
      perSecond: this.#all.perSecond(end),
      loggers: listed,
      unlisted: this.#all.total - listed.reduce((sum, { count }) => sum + count, 0),
    };
  }

  #add(row: number): void {
    const { columns } = this.#trace.index;
    const at = columns.at(row);
    this.#all.add(at);
    this.#countOf(columns.logger(row)).add(at);
  }

  #countOf(logger: string | null): Count {
    const known = this.#loggers.get(logger);
    if (known !== undefined) return known;
    if (this.#loggers.size >= MAX_COUNTED) return this.#others;
    const count = new Count();
    this.#loggers.set(logger, count);
    return count;
  }
}

/** How many messages came in all, and in each of the last seconds. */
class Count {
  total = 0;
  /** Messages in each of the last seconds, by second modulo `WINDOW`. */
  readonly #recent = new Uint32Array(WINDOW);
  #newest = Number.NEGATIVE_INFINITY;

  add(at: number): void {
    const second = Math.floor(at / SECOND);
    this.total++;
    this.#forgetUntil(second);
    const place = placeOf(second);
    if (second > this.#newest - WINDOW) this.#recent[place] = (this.#recent[place] ?? 0) + 1;
  }

  /** Messages per second over the last seconds before `end`, in microseconds. */
  perSecond(end: number): number {
    const last = Math.floor(end / SECOND);
    let sum = 0;
    for (let second = last; second > last - WINDOW; second--) {
      if (second <= this.#newest && second > this.#newest - WINDOW) sum += this.#recent[placeOf(second)] ?? 0;
    }
    return sum / WINDOW;
  }

  /** Makes room for a newer second. */
  #forgetUntil(second: number): void {
    if (second <= this.#newest) return;
    if (second - this.#newest >= WINDOW) this.#recent.fill(0);
    else for (let later = this.#newest + 1; later <= second; later++) this.#recent[placeOf(later)] = 0;
    this.#newest = second;
  }
}

const placeOf = (second: number): number => ((second % WINDOW) + WINDOW) % WINDOW;
