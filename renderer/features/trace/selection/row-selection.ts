import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { MAX_PICKED_ROWS, MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { DetailSource } from '../detail/detail-source.ts';
import type { RowWindow } from '../table/row-window.ts';

/** How a place is chosen: alone, with all from the last one chosen to it, or beside those chosen already. */
type Choosing = 'alone' | 'range' | 'toggle';

interface RowSelectionParts {
  readonly detail: DetailSource;
  /** The list on screen. */
  readonly list: () => RowList;
  /** Brings a row into view. */
  readonly reveal: (row: number) => void;
  /** What is chosen is something else now: by the user, or by an answer of the engine. */
  readonly onChange: (isByUser: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/** Which rows of a trace are chosen. The one chosen last is the selected one, which the rest of the screen knows. */
export class RowSelection {
  /** Rows chosen together. */
  readonly picks = new RowPicks();
  readonly #parts: RowSelectionParts;
  #cursor: number | null = null;
  #selected: number | null = null;
  /** Our own selection is being told to the rest of the screen. */
  #isChoosing = false;

  constructor(parts: RowSelectionParts) {
    this.#parts = parts;
  }

  /** The chosen place in the list on screen, or the one chosen last. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** The row of the trace that is selected: of several, the one chosen last. */
  get selected(): number | null {
    return this.#selected;
  }

  /** What is known of the selected row so far. */
  get facts(): TraceRow | null {
    const { detail, list } = this.#parts;
    const held = this.#cursor === null ? undefined : list().window.at(this.#cursor);
    // The list is read again sooner than the detail.
    return [held, detail.detail?.row].find((facts) => facts?.row === this.#selected) ?? null;
  }

  /** The chosen rows, in the order of the trace. */
  get rows(): readonly number[] {
    if (this.picks.count > 0) return this.picks.rows;
    return this.#selected === null ? [] : [this.#selected];
  }

  isChosen(row: number): boolean {
    return this.picks.count > 0 ? this.picks.has(row) : row === this.#selected;
  }

  /**
   * Chooses a place of the list on screen, as the user does by click or key.
   *
   * @param drawn the row that was drawn there: a filter may have changed the list since
   */
  choose(place: number, drawn?: number, how: Choosing = 'alone'): void {
    const { filterId, window } = this.#parts.list();
    const held = window.at(place)?.row;
    const row = filterId === null ? place : held;
    if (drawn !== undefined && held !== drawn) {
      this.leaveList();
      this.#select(drawn);
      this.#parts.reveal(drawn);
    } else if (how === 'toggle' && row !== undefined) {
      this.#toggle(row, place);
    } else {
      if (how === 'range') this.#pickUpTo(place);
      else this.picks.reset(place);
      this.#cursor = place;
      if (row !== undefined) this.#select(row);
      else void this.#selectUnheld(place);
    }
    this.#parts.onChange(true);
  }

  /** Chooses every row of the list, as far as so many can be picked. */
  chooseAll(): void {
    this.#pick(0, this.#parts.list().window.total);
    this.#parts.onChange(true);
  }

  /** Of several chosen rows only the one chosen last remains so. */
  chooseOne(): void {
    this.picks.reset(this.#cursor);
    this.#parts.onChange(true);
  }

  /** Moves the cursor, and leaves what is chosen. */
  moveCursor(place: number): void {
    this.#cursor = place;
    this.#parts.onChange(true);
  }

  /** Follows the selection that the rest of the screen sees: another pane may have chosen a row. */
  follow(row: number | null): void {
    if (row === this.#selected) return;
    this.picks.reset(null);
    this.#selected = row;
    this.#parts.detail.show(row);
    if (row !== null) this.#parts.reveal(row);
    this.#parts.onChange(true);
  }

  /** Another pane wants a row shown: one that is selected already is brought into view again. */
  show(row: number | null): void {
    if (this.#isChoosing) return;
    if (row !== null && row === this.#selected) this.#parts.reveal(row);
    else this.follow(row);
  }

  /** Another list comes on screen, where places are other ones. */
  leaveList(): void {
    this.#cursor = null;
    this.picks.reset(null);
  }

  /** The row stands at this place of the list. */
  standAt(row: number, place: number): void {
    if (row === this.#selected) this.#cursor = place;
  }

  #toggle(row: number, place: number): void {
    this.picks.toggle(row, this.#selected, place);
    const { count, rows } = this.picks;
    // What is chosen no more is not shown on either; a row that is left alone is the selected one.
    const selected = count === 0 || this.picks.has(row) ? row : (rows.at(-1) ?? row);
    if (selected === row) this.#cursor = place;
    if (count <= 1) this.picks.reset(place);
    this.#select(selected);
  }

  #pickUpTo(place: number): void {
    const anchor = this.picks.anchor ?? this.#cursor ?? place;
    this.#pick(anchor, place >= anchor ? place + 1 : place - 1);
    this.picks.setAnchor(anchor);
  }

  /** Picks the rows of the places from `begin` towards `end`, as many as can be picked. */
  #pick(begin: number, end: number): void {
    const isDown = end >= begin;
    const all = Math.abs(end - begin);
    const count = Math.min(all, MAX_PICKED_ROWS);
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

  /** Selects a match that is not held: only the engine knows which row it is. */
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
    this.#isChoosing = true;
    selectTraceRow(this.#parts.list().sessionId, row);
    this.#isChoosing = false;
  }
}

/**
 * Several rows chosen at once, by row of the trace. Empty while at most one is: then it is the selected row alone.
 */
class RowPicks {
  #rows: ReadonlySet<number> = new Set();
  #hasMore = false;
  #anchor: number | null = null;
  /** Raised by every change, so that an answer that comes late knows whether it is still wanted. */
  #turn = 0;

  get count(): number {
    return this.#rows.size;
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** In the order of the trace. */
  get rows(): readonly number[] {
    return [...this.#rows].sort((a, b) => a - b);
  }

  /** More was to be chosen than can be picked. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** The place of the list where a range begins; null for where the cursor is. */
  get anchor(): number | null {
    return this.#anchor;
  }

  setAnchor(anchor: number | null): void {
    this.#anchor = anchor;
  }

  /** At most one row is chosen, which ranges begin at from now on. */
  reset(anchor: number | null): void {
    this.#anchor = anchor;
    this.#keep([], false);
  }

  /** Chooses these rows; one alone is no choice of several. */
  replace(rows: readonly number[], hasMore: boolean): void {
    this.#keep(rows.length > 1 ? rows : [], hasMore);
  }

  /** The same once the engine has told which they are, unless something else was chosen meanwhile. */
  async replaceBy(rows: Promise<readonly number[]>, hasMore: boolean): Promise<void> {
    const turn = ++this.#turn;
    const answer = await rows;
    if (turn === this.#turn) this.replace(answer, hasMore);
  }

  /** Adds a row to those chosen or takes it away. `selected` is the row chosen so far while several are not. */
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

/** The rows that stand at the places `from` to `end` of a list: at once where they are known here. */
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
