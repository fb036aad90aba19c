import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { formatQuantity } from '#shared/format.ts';
import { printValue } from '#shared/trace/filter/index.ts';
import { instantIn, readInstant, type TraceClock } from '#shared/trace/filter/instants.ts';
import { agoUnits, readQuantity } from '#shared/trace/filter/numbers.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { reportFault, toastNote } from '#ui/toaster.tsx';
import type { Clock } from '#model/trace-clock.ts';

/** Rows that can be reached from the selected one. */
export type Related = 'pair' | 'parent' | 'child' | 'exchange' | 'message';

/** What navigation needs to know about the list on screen. */
interface NavigationParts {
  readonly sessionId: string;
  /** The selected row; null if none is selected, or the row has not been read yet. */
  readonly selectedRow: () => TraceRow | null;
  /** The detail of the selected row, once it has arrived. */
  readonly detail: () => RowDetail | null;
  readonly filterId: () => string | null;
  readonly clock: () => Clock | null;
  /** Rows of the whole trace. */
  readonly total: () => number;
  /** The row that a search starts from: the selected one, else the first visible one. */
  readonly start: () => number;
}

/** Goes from row to row: to related rows, to the next of a kind, to a number or a time. */
export class RowNavigation {
  readonly #parts: NavigationParts;
  /** The message from which the user went to its exchange. */
  #cameFrom: TraceRow | null = null;

  constructor(parts: NavigationParts) {
    this.#parts = parts;
  }

  /** The related row; null if there is none, or it is not known yet. */
  rowOf(related: Related): number | null {
    const selected = this.#parts.selectedRow();
    if (selected === null) return null;
    switch (related) {
      case 'pair':
        return selected.pair;
      case 'parent':
        return selected.parent;
      case 'child':
        return this.#detailOf(selected)?.children[0]?.row ?? null;
      case 'exchange':
        return selected.exchange === selected.row ? null : selected.exchange;
      case 'message': {
        if (selected.exchange !== selected.row) return null;
        if (this.#cameFrom?.exchange === selected.row) return this.#cameFrom.row;
        return this.#detailOf(selected)?.exchange?.carried[0]?.row ?? null;
      }
    }
  }

  /** Selects the related row. */
  go(related: Related): void {
    const row = this.rowOf(related);
    if (row === null) return;
    if (related === 'exchange') this.#cameFrom = this.#parts.selectedRow();
    if (related === 'message') this.#cameFrom = null;
    this.#select(row);
  }

  /** From the selected message to its HTTP exchange, or back; null for other rows. */
  get exchangeJump(): 'exchange' | 'message' | null {
    if (this.rowOf('exchange') !== null) return 'exchange';
    return this.rowOf('message') === null ? null : 'message';
  }

  goToExchange(): void {
    const jump = this.exchangeJump;
    if (jump !== null) this.go(jump);
  }

  /** Selects the next row of the list that also matches this filter. @param what names such a row, to say if there is none */
  seek(text: string, step: 1 | -1, what: string): void {
    reportFault(this.#seek(text, step, what));
  }

  seekError(step: 1 | -1): void {
    this.seek('is:error', step, 'error');
  }

  seekMark(step: 1 | -1): void {
    this.seek('is:marked', step, 'marked row');
  }

  /** The next row of the same method, or of the same kind for rows without a method. */
  seekAlike(step: 1 | -1): void {
    const selected = this.#parts.selectedRow();
    if (selected === null) return;
    const { method, kind } = selected;
    if (method === null) this.seek(printValue('kind', kind), step, `${kind} row`);
    else this.seek(`${printValue('method', method)} kind:${kind}`, step, `similar row`);
  }

  /** Goes to a row or a time that the user typed. Resolves to an error message, or null. */
  async goTo(written: string): Promise<string | null> {
    const clock = this.#parts.clock();
    const total = this.#parts.total();
    if (clock === null || total === 0) return 'There are no rows yet.';
    const target = readTarget(written, { ...clock, lastAt: await this.#lastAt(total) });
    if (target === null) return 'Not a row number or a time.';
    const { sessionId } = this.#parts;
    const row = target.to === 'row' ? target.row : (await call('trace/at', { sessionId, at: target.at })).row;
    if (row === null) return 'All rows are before that time.';
    if (row >= total) return `There are only ${formatQuantity(total, 'row')}.`;
    this.#select(row);
    return null;
  }

  async #lastAt(total: number): Promise<number> {
    const [last] = await call('trace/rows-by-number', {
      sessionId: this.#parts.sessionId,
      rows: [total - 1],
    });
    return last?.at ?? 0;
  }

  async #seek(text: string, step: 1 | -1, what: string): Promise<void> {
    const { sessionId, filterId, start } = this.#parts;
    const from = start();
    const { row } = await call('trace/seek', { sessionId, filterId: filterId(), from, step, text });
    if (row !== null) this.#select(row);
    else if (from < 0) toastNote(`No ${what} in this list`);
    else toastNote(`No ${what} ${step > 0 ? 'after' : 'before'} ${rowNumber(from)}`);
  }

  #detailOf(row: TraceRow): RowDetail | null {
    const detail = this.#parts.detail();
    return detail?.row.row === row.row ? detail : null;
  }

  #select(row: number): void {
    selectTraceRow(this.#parts.sessionId, row);
  }
}

/** A row, counted from 0, or a time in microseconds of the trace. */
type NavigationTarget =
  | { readonly to: 'row'; readonly row: number }
  | { readonly to: 'at'; readonly at: number };

/** Parses `1204`, `#1,204`, `10:42:03`, a date, `+1.5s` since the first row or `-5m` before the last; else null. */
export function readTarget(written: string, clock: TraceClock): NavigationTarget | null {
  const text = written.trim();
  if (/^#?\d[\d,]*$/.test(text)) {
    const number = Number(text.replaceAll(/[#,]/g, ''));
    return number > 0 ? { to: 'row', row: number - 1 } : null;
  }
  if (text.startsWith('+')) {
    const since = readQuantity(text.slice(1).trim(), agoUnits);
    return since === null ? null : { to: 'at', at: clock.at + since };
  }
  const instant = readInstant(text);
  return instant === null ? null : { to: 'at', at: Math.round(instantIn(instant, clock)) };
}
