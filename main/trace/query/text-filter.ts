import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { HttpRequestRecord, TraceRecord } from '#shared/trace/record.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { hasBytes, parseRecord, rowFacts } from '#trace/view/row-reader.ts';
import { slices } from '#trace/view/slices.ts';
import { summarize, textOf } from '#trace/view/summarize.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';

/** Rows taken at a time of those not looked at yet. */
const STRETCH = 5000;

export interface TextFilterListener {
  /** More rows were looked at, or the filter failed. */
  progressed(): void;
  /** A row before others that matched was found only now, so that they moved. */
  inserted(row: number): void;
}

/**
 * Rows that contain a text, whatever its case: in the method, the id, the short text, the unit itself (of a
 * unit over 1 MiB its first MiB), the address or the header lines of an HTTP exchange. Follows the trace while
 * it grows.
 */
export class TextFilter {
  readonly #trace: ReadableTrace;
  readonly #needle: string;
  readonly #listener: TextFilterListener;
  #rows = new Uint32Array(1024);
  #matches = 0;
  #scanned = 0;
  /** HTTP exchanges that do not match so far, and whose response had not come when they were looked at. */
  #unanswered: ExchangeRow[] = [];
  #scanning: Promise<void> | undefined;
  #isEnded = false;
  #fault: Fault | null = null;

  constructor(trace: ReadableTrace, text: string, listener: TextFilterListener) {
    this.#trace = trace;
    this.#needle = text.toLowerCase();
    this.#listener = listener;
  }

  get matches(): number {
    return this.#matches;
  }

  /** Rows looked at so far. */
  get scanned(): number {
    return this.#scanned;
  }

  get isDone(): boolean {
    return this.#fault !== null || this.#scanned >= this.#trace.index.columns.count;
  }

  /** The matching rows from the `from`th match on. @throws FaultError when the trace could not be searched */
  page(from: number, count: number): number[] {
    if (this.#fault !== null) throw new FaultError(this.#fault);
    return [...this.#rows.subarray(from, Math.min(from + count, this.#matches))];
  }

  /** The place among the matches of this row, or of the nearest match before it. */
  placeOf(row: number): number {
    return Math.max(0, this.#placeFor(row + 1) - 1);
  }

  /** How many matches stand before this row. */
  #placeFor(row: number): number {
    let low = 0;
    let high = this.#matches;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Looks at the rows it has not seen. Never rejects; what went wrong is told when rows are asked for. */
  catchUp(): Promise<void> {
    this.#scanning ??= this.#scan()
      .catch((error: unknown) => {
        if (this.#isEnded) return;
        this.#fault = cannotSearch(error);
        this.#listener.progressed();
      })
      .finally(() => {
        this.#scanning = undefined;
      });
    return this.#scanning;
  }

  end(): void {
    this.#isEnded = true;
  }

  async #scan(): Promise<void> {
    const { columns } = this.#trace.index;
    while (this.#isScanning) {
      const answered = this.#takeAnswered();
      if (answered.length > 0) {
        for (const slice of slices(columns, answered)) await this.#look(slice);
      } else if (this.#scanned < columns.count) {
        await this.#scanOn(columns);
      } else {
        return;
      }
    }
  }

  async #scanOn(columns: RowColumns): Promise<void> {
    const first = this.#scanned;
    const length = Math.min(STRETCH, columns.count - first);
    const rows = Array.from({ length }, (_, place) => first + place);
    for (const slice of slices(columns, rows)) {
      await this.#look(slice);
      this.#scanned += slice.length;
      this.#listener.progressed();
      await nextTurn();
      if (!this.#isScanning) return;
    }
  }

  /** Exchanges whose response has come since they were looked at. */
  #takeAnswered(): number[] {
    if (this.#unanswered.length === 0) return [];
    const { exchanges } = this.#trace.index;
    const hasAnswer = ({ exchange }: ExchangeRow) => exchanges.record(exchange, 'response') !== null;
    const answered = this.#unanswered.filter(hasAnswer);
    this.#unanswered = this.#unanswered.filter(
      (one) => !hasAnswer(one) && exchanges.record(one.exchange, 'end') === null,
    );
    return answered.map(({ row }) => row);
  }

  get #isScanning(): boolean {
    return !this.#isEnded && this.#fault === null;
  }

  async #look(rows: readonly number[]): Promise<void> {
    const { columns } = this.#trace.index;
    const places = rows.map((row) => ({ offset: columns.offset(row), length: columns.length(row) }));
    const lines = await this.#trace.file.read(places);
    const exchanges: Exchange[] = [];
    const matches: number[] = [];
    for (const [order, row] of rows.entries()) {
      if (this.#isNamedSo(columns, row)) {
        matches.push(row);
        continue;
      }
      const record = parseRecord(lines[order] ?? '');
      if (record.kind === 'http-request') {
        exchanges.push({ row, exchange: record.exchange, request: record });
      } else if (this.#contains(searchedText(columns, row, record))) {
        matches.push(row);
      }
    }
    if (exchanges.length > 0) matches.push(...(await this.#lookAtExchanges(exchanges)));
    for (const row of matches.sort((a, b) => a - b)) this.#add(row);
  }

  /** The rows that match. What may still match is noted. */
  async #lookAtExchanges(rows: readonly Exchange[]): Promise<number[]> {
    const { exchanges } = this.#trace.index;
    const isOpen = rows.map(({ exchange }) => exchanges.record(exchange, 'response') === null);
    const places = rows.map(({ exchange }) => exchanges.responses(exchange));
    const lines = (await this.#trace.file.read(places.flat())).values();
    const matches: number[] = [];
    for (const [order, { row, exchange, request }] of rows.entries()) {
      const responses = (places[order] ?? []).map(() => parseRecord(lines.next().value ?? ''));
      const texts = [request.url, ...headerTexts(request), ...responses.flatMap(headerTexts)];
      if (texts.some((text) => this.#contains(text))) matches.push(row);
      else if (isOpen[order]) this.#unanswered.push({ row, exchange });
    }
    return matches;
  }

  #isNamedSo(columns: RowColumns, row: number): boolean {
    if (this.#contains(columns.method(row) ?? '')) return true;
    return this.#contains(columns.subject(row) ?? '') || columns.kind(row).includes(this.#needle);
  }

  #contains(text: string): boolean {
    return text.toLowerCase().includes(this.#needle);
  }

  #add(row: number): void {
    if (this.#matches === this.#rows.length) {
      const grown = new Uint32Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    const last = this.#matches === 0 ? -1 : (this.#rows[this.#matches - 1] ?? -1);
    const place = row > last ? this.#matches : this.#placeFor(row);
    this.#rows.copyWithin(place + 1, place, this.#matches);
    this.#rows[place] = row;
    this.#matches++;
    if (row < last) this.#listener.inserted(row);
  }
}

/** An HTTP exchange: its row, and its id. */
interface ExchangeRow {
  readonly row: number;
  readonly exchange: number;
}

interface Exchange extends ExchangeRow {
  readonly request: HttpRequestRecord;
}

const searchedText = (columns: RowColumns, row: number, record: TraceRecord): string =>
  hasBytes(record) ? textOf(record) : summarize(record, rowFacts(columns, row));

/** What is searched of a request or response beside the address. */
const headerTexts = (record: TraceRecord): string[] => {
  if (record.kind !== 'http-request' && record.kind !== 'http-response') return [];
  const lines = record.headers.map(([name, value]) => `${name}: ${value}`);
  return record.kind === 'http-response' ? [`${record.status} ${record.reason}`, ...lines] : lines;
};

const cannotSearch = (error: unknown): Fault => ({
  code: 'trace-not-searched',
  what: 'The trace could not be searched to its end.',
  why: error instanceof FaultError ? (error.fault.why ?? error.message) : messageOf(error),
  next: 'Check that the trace file was not moved or deleted, and filter again.',
});
