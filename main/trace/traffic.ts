import type { Traffic } from '#shared/contract/trace.ts';
import type { RowColumns } from './rows/row-columns.ts';

/** Counts bytes and HTTP statuses of a trace. Each row is read once, an exchange again until it has a status. */
export class TrafficCounter {
  readonly #columns: RowColumns;
  readonly #statuses = new Map<string, Traffic['statuses'][number]>();
  /** Rows of exchanges that had no status yet. */
  #open: number[] = [];
  /** Rows before this one were read. */
  #scanned = 0;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** What crossed up to now. */
  read(): Traffic {
    this.#settleOpen();
    for (; this.#scanned < this.#columns.count; this.#scanned++) this.#add(this.#scanned);
    const pending = new Map<string, Traffic['statuses'][number]>();
    for (const row of this.#open) this.#count(pending, row, null);
    return {
      bytesIn: this.#bytesIn,
      bytesOut: this.#bytesOut,
      statuses: [...this.#statuses.values(), ...pending.values()].map((entry) => ({ ...entry })),
    };
  }

  #add(row: number): void {
    const columns = this.#columns;
    // The messages of a batch came in one unit.
    if (columns.channel(row) !== null && columns.position(row) === 0) {
      if (columns.direction(row) === 'in') this.#bytesIn += columns.size(row);
      else this.#bytesOut += columns.size(row);
    }
    if (columns.kind(row) === 'http') this.#addExchange(row);
  }

  #addExchange(row: number): void {
    const status = this.#columns.code(row);
    if (status === null) this.#open.push(row);
    else this.#count(this.#statuses, row, status);
  }

  #settleOpen(): void {
    const open = this.#open;
    this.#open = [];
    for (const row of open) this.#addExchange(row);
  }

  #count(to: Map<string, Traffic['statuses'][number]>, row: number, status: number | null): void {
    const method = this.#columns.method(row) ?? '';
    const key = `${method} ${status}`;
    const known = to.get(key);
    if (known === undefined) to.set(key, { method, status, count: 1, row });
    else {
      known.count++;
      known.row = Math.max(known.row, row);
    }
  }
}
