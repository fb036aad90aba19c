import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { MAX_SELECTED_ROWS, MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { DetailSource } from '#model/detail-source.ts';
import type { RowWindow } from '#model/row-window.ts';

/** Selects one place, or the range from the anchor to a place, or adds or removes a place. */
type SelectMode = 'single' | 'range' | 'toggle';

interface RowSelectionParts {
  readonly detail: DetailSource;
  /** The list on screen. */
  readonly list: () => RowList;
  /** Scrolls a row into view. */
  readonly reveal: (row: number) => void;
  /** Called when the selection has changed. `isByUser` is false if a response of the engine changed it. */
  readonly onChange: (isByUser: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Which rows of a trace are selected. The last one is the selected row that the rest of the page knows; a
 * multi-selection is in `picks`.
 */
export class RowSelection {
  /** The multi-selection. */
  readonly picks = new RowPicks();
  readonly #parts: RowSelectionParts;
  #cursor: number | null = null;
  /** Whether the cursor has been moved away from the selected row. */
  #isApart = false;
  #selected: number | null = null;
  /** Whether we are reporting our own selection to the rest of the page. */
  #isReporting = false;

  constructor(parts: RowSelectionParts) {
    this.#parts = parts;
  }

  /** The place of the cursor in the list on screen. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** The number of the selected row; the last one of a multi-selection. */
  get selected(): number | null {
    return this.#selected;
  }

  /** The selected row itself; null if none is selected, or the row has not been read yet. */
  get selectedRow(): TraceRow | null {
    const { detail, list } = this.#parts;
    const held = this.#cursor === null ? undefined : list().window.at(this.#cursor);
    // The list is updated sooner than the detail.
    return [held, detail.detail?.row].find((row) => row?.row === this.#selected) ?? null;
  }

  /** The selected rows, in the order of the trace. */
  get rows(): readonly number[] {
    if (this.picks.count > 0) return this.picks.rows;
    return this.#selected === null ? [] : [this.#selected];
  }

  isSelected(row: number): boolean {
    return this.picks.count > 0 ? this.picks.has(row) : row === this.#selected;
  }

  /**
   * Selects the row at a place of the list on screen, by click or key.
   *
   * @param drawn the row that was rendered at the place: a filter may have changed the list since then
   */
  select(place: number, drawn?: number, mode: SelectMode = 'single'): void {
    const { filterId, window } = this.#parts.list();
    const held = window.at(place)?.row;
    const row = filterId === null ? place : held;
    if (drawn !== undefined && held !== drawn) {
      this.leaveList();
      this.#select(drawn);
      this.#parts.reveal(drawn);
    } else if (mode === 'toggle' && row !== undefined) {
      this.#toggle(row, place);
    } else {
      if (mode === 'range') this.#pickUpTo(place);
      else this.picks.reset(place);
      this.#cursor = place;
      this.#isApart = false;
      if (row !== undefined) this.#select(row);
      else void this.#selectUnheld(place);
    }
    this.#parts.onChange(true);
  }

  /** Selects every row of the list, up to the limit. */
  selectAll(): void {
    this.#pick(0, this.#parts.list().window.total);
    this.#parts.onChange(true);
  }

  /** Selects several rows; the selected one stays. */
  pick(rows: readonly number[]): void {
    this.picks.replace(rows, false);
    this.#parts.onChange(true);
  }

  /** Clears the multi-selection; the selected row stays. */
  clearPicks(): void {
    this.picks.reset(this.#cursor);
    this.#parts.onChange(true);
  }

  /** Moves the cursor without selecting. */
  moveCursor(place: number): void {
    this.#cursor = place;
    this.#isApart = true;
    this.#parts.onChange(true);
  }

  /** Shows a row for another pane; the selected row is scrolled into view again. False for a selection of our own. */
  show(row: number | null): boolean {
    if (this.#isReporting) return false;
    this.#isApart = false;
    if (row !== this.#selected) {
      this.picks.reset(null);
      this.#selected = row;
      this.#parts.detail.show(row);
      this.#parts.onChange(true);
    }
    if (row !== null) this.#parts.reveal(row);
    return true;
  }

  /** Clears the cursor and the multi-selection, because another list replaces this one and has other places. */
  leaveList(): void {
    this.#cursor = null;
    this.#isApart = false;
    this.picks.reset(null);
  }

  /** Sets the place that the selected row has now; a cursor that the user has moved away stays. */
  setPlace(row: number, place: number): void {
    if (row !== this.#selected) return;
    if (!this.#isApart) this.#cursor = place;
    if (this.picks.count === 0) this.picks.setAnchor(place);
  }

  #toggle(row: number, place: number): void {
    this.picks.toggle(row, this.#selected, place);
    const { count, rows } = this.picks;
    // A removed row is no longer the selected one; the last remaining row is.
    const selected = count === 0 || this.picks.has(row) ? row : (rows.at(-1) ?? row);
    if (selected === row) this.#cursor = place;
    this.#isApart = selected !== row;
    if (count <= 1) this.picks.reset(place);
    this.#select(selected);
  }

  #pickUpTo(place: number): void {
    const anchor = this.picks.anchor ?? this.#cursor ?? place;
    this.#pick(anchor, place >= anchor ? place + 1 : place - 1);
    this.picks.setAnchor(anchor);
  }

  /** Selects the rows from `begin` towards `end`, up to the limit. */
  #pick(begin: number, end: number): void {
    const isDown = end >= begin;
    const all = Math.abs(end - begin);
    const count = Math.min(all, MAX_SELECTED_ROWS);
    const from = isDown ? begin : begin - count + 1;
    const rows = rowsOfPlaces(this.#parts.list(), from, from + count);
    const hasMore = all > count;
    if (!(rows instanceof Promise)) this.picks.replace(rows, hasMore);
    else {
      this.picks
        .replaceBy(rows, hasMore)
        .then(() => this.#parts.onChange(false))
        .catch(this.#parts.onError);
    }
  }

  /** Selects a place whose row is not held: asks the engine which row it is. */
  async #selectUnheld(place: number): Promise<void> {
    const { filterId } = this.#parts.list();
    try {
      const [row] = await rowsOfPlaces(this.#parts.list(), place, place + 1);
      const isWanted = this.#cursor === place && this.#parts.list().filterId === filterId;
      if (row !== undefined && isWanted) this.#select(row);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #select(row: number): void {
    this.#selected = row;
    this.#parts.detail.show(row);
    this.#isReporting = true;
    selectTraceRow(this.#parts.list().sessionId, row);
    this.#isReporting = false;
  }
}

/**
 * A multi-selection, by row of the trace. Empty for a single row, which is the selected row alone.
 */
class RowPicks {
  #rows: ReadonlySet<number> = new Set();
  #hasMore = false;
  #anchor: number | null = null;
  /** Incremented by every change, to ignore late responses. */
  #turn = 0;

  get count(): number {
    return this.#rows.size;
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** The rows, in the order of the trace. */
  get rows(): readonly number[] {
    return [...this.#rows].sort((a, b) => a - b);
  }

  /** Whether the user selected more rows than the limit. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** The place where a range starts; null for the cursor. */
  get anchor(): number | null {
    return this.#anchor;
  }

  setAnchor(anchor: number | null): void {
    this.#anchor = anchor;
  }

  /** Clears the multi-selection; ranges start at the anchor from now on. */
  reset(anchor: number | null): void {
    this.#anchor = anchor;
    this.#keep([], false);
  }

  /** Selects these rows; a single one is not a multi-selection. */
  replace(rows: readonly number[], hasMore: boolean): void {
    this.#keep(rows.length > 1 ? rows : [], hasMore);
  }

  /** Selects rows once the engine has returned them, unless the selection has changed in the meantime. */
  async replaceBy(rows: Promise<readonly number[]>, hasMore: boolean): Promise<void> {
    const turn = ++this.#turn;
    const answer = await rows;
    if (turn === this.#turn) this.replace(answer, hasMore);
  }

  /** Adds or removes a row. `selected`: the selected row, from which a multi-selection starts. */
  toggle(row: number, selected: number | null, place: number): void {
    const rows = new Set(this.#rows.size > 0 || selected === null ? this.#rows : [selected]);
    if (!rows.delete(row)) rows.add(row);
    this.#anchor = place;
    this.#keep(rows, false);
  }

  #keep(rows: Iterable<number>, hasMore: boolean): void {
    this.#turn++;
    this.#rows = new Set(rows);
    this.#hasMore = hasMore;
  }
}

/** A list of rows: the whole trace, or a filter's matches. */
interface RowList {
  readonly sessionId: string;
  readonly filterId: string | null;
  readonly window: RowWindow;
}

/** The rows at the places from `from` up to, but not including, `end` of a list; synchronously if they are held. */
function rowsOfPlaces(list: RowList, from: number, end: number): number[] | Promise<number[]> {
  const places = Array.from({ length: Math.max(0, end - from) }, (_, order) => from + order);
  if (list.filterId === null) return places;
  const held = places.flatMap((place) => list.window.at(place)?.row ?? []);
  return held.length === places.length ? held : readRows(list, from, end);
}

async function readRows({ sessionId, filterId }: RowList, from: number, end: number): Promise<number[]> {
  const rows: number[] = [];
  for (let place = from; place < end; place += MAX_ROWS_PER_PAGE) {
    const count = Math.min(MAX_ROWS_PER_PAGE, end - place);
    const page = await call('trace/rows', { sessionId, filterId, from: place, count });
    rows.push(...page.rows.map(({ row }) => row));
  }
  return rows;
}
