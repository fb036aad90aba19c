import { call } from '#bridge';
import type { FilterSwitch } from '#model/trace-filter.ts';
import type { RowWindow } from '#model/row-window.ts';
import type { RowSelection } from './row-selection.ts';

/** A request to scroll a place of the list into view. Each request is a new object. */
interface Reveal {
  readonly place: number;
}

interface ListPositionParts {
  readonly sessionId: string;
  readonly filter: () => FilterSwitch;
  /** The list on screen. */
  readonly window: () => RowWindow;
  readonly selection: () => RowSelection;
  /** `isByUser` is false if a response of the engine changed the position. */
  readonly onChange: (isByUser: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Which part of the list is on screen: its end, which is followed as rows arrive, or the rows that the user scrolled to.
 * Keeps the selected row on screen when another list replaces this one, and brings rows into view that a link led to.
 */
export class ListPosition {
  /** Scroll position of the table when it was last on screen; pixels. */
  top = 0;
  readonly #parts: ListPositionParts;
  #isLive = true;
  /** Whether the next list is to be followed, even if a row is selected. */
  #followsNext = false;
  #firstVisible = 0;
  #reveal: Reveal | null = null;
  /** A row to scroll into view once the filter has scanned it. */
  #anchor: number | null = null;
  /** The order in which the filter had the rows when the cursor was last placed. */
  #order = 0;
  /** The row that a link led to last, until the user asks for another list; and whether the list does not have it. */
  #linked: { readonly row: number; isHidden: boolean } | null = null;

  constructor(parts: ListPositionParts) {
    this.#parts = parts;
  }

  /** Whether the table follows the end. */
  get isLive(): boolean {
    return this.#isLive && this.#parts.filter().list.sort === null;
  }

  /** The place to scroll into view; null for none. */
  get reveal(): Reveal | null {
    return this.#reveal;
  }

  /** The first visible place. */
  get firstVisible(): number {
    return this.#firstVisible;
  }

  /** The selected row, if a link led to it and the filter hides it; else null. */
  get hiddenRow(): number | null {
    const linked = this.#linked;
    return linked?.isHidden === true && linked.row === this.#selected ? linked.row : null;
  }

  setLive(isLive: boolean): void {
    if (isLive === this.#isLive || this.#parts.filter().list.sort !== null) return;
    this.#isLive = isLive;
    this.#anchor = null;
    this.#followsNext = false;
    this.#parts.onChange(true);
  }

  /** Follows the end, of a sorted list once it is listed in the order of the trace. */
  goLive(): void {
    this.#followsNext = this.#parts.filter().list.sort !== null;
    this.#isLive = true;
    this.#anchor = null;
    this.#parts.onChange(true);
  }

  /** The table shows `firstVisible`, and needs the places `from` to `end`. */
  lookAt(from: number, end: number, firstVisible: number): void {
    this.#firstVisible = firstVisible;
    this.#parts.window().want(from, end);
  }

  /** The table follows the end, from `firstVisible` on, and needs the last `length` rows and some before them. */
  follow(length: number, before: number, firstVisible: number): void {
    this.#firstVisible = firstVisible;
    this.#parts.window().follow(length, before);
  }

  /** The user scrolled the table to the places from `first` to `end`; rows `beyond` both edges are read ahead. */
  show(first: number, end: number, beyond: number): void {
    this.#firstVisible = first;
    this.#parts.window().show(first, end, beyond);
  }

  /** Shows a row that was selected elsewhere, such as by a link of a pane; null for none. */
  showLinked(row: number | null): void {
    const isLink = this.#parts.selection().show(row);
    if (isLink && row !== null) this.#linked = { row, isHidden: false };
  }

  /** Forgets the linked row, because the user asks for another list. */
  endLink(): void {
    this.#linked = null;
  }

  /** Ends a reveal, because the table has scrolled to its place. */
  endReveal(): void {
    this.#reveal = null;
  }

  /** Drops a pending request to scroll, because the user has selected another row. */
  dropAnchor(): void {
    this.#anchor = null;
  }

  /** Scrolls a row into view, or the place where it would be; again once it is listed, if it may not be listed yet. */
  async revealRow(row: number): Promise<void> {
    this.#anchor = null;
    const found = await this.#placeOf(row);
    if (found === null) return;
    const { place, isListed } = found;
    this.#parts.selection().setPlace(row, place);
    this.#reveal = { place };
    // Until a list is sorted, it has no places for its last rows.
    const isPlaced = isListed && this.#parts.filter().list.sort === null;
    if (!isPlaced && !this.#hasScanned(row)) this.#anchor = row;
    else if (this.#linked?.row === row) this.#linked.isHidden = !isListed;
    this.#parts.onChange(false);
  }

  /** Remembers which row to show in the next list: the selected row, else the first visible one, unless its end or its top is shown. */
  leaveList(): void {
    this.#order = 0;
    const firstRow = this.#isLive ? undefined : this.#parts.window().at(this.#firstVisible)?.row;
    // A sorted list is shown from its top.
    const isKept = !this.#followsNext && this.#parts.filter().list.sort === null;
    this.#anchor = isKept ? (this.#selected ?? firstRow ?? null) : null;
    this.#followsNext = false;
    this.#reveal = null;
    this.#parts.selection().leaveList();
  }

  /** The list has changed: another filter, more rows scanned, or the rows sorted again. */
  onProgress(): void {
    const { current } = this.#parts.filter();
    const isSorted = current !== null && current.sort !== null && current.progress.order !== this.#order;
    if (isSorted) {
      if (this.#order === 0) this.#reveal = { place: 0 };
      this.#order = current.progress.order;
    }
    const anchor = this.#anchor;
    if (anchor !== null && (isSorted || this.#hasScanned(anchor))) void this.revealRow(anchor);
    else if (isSorted || this.hiddenRow !== null) void this.#placeSelected();
    this.#parts.onChange(false);
  }

  get #selected(): number | null {
    return this.#parts.selection().selected;
  }

  /** Places the cursor where the selected row is now, without scrolling; a linked row may be listed now. */
  async #placeSelected(): Promise<void> {
    const [row, order] = [this.#selected, this.#order];
    const found = row === null ? null : await this.#placeOf(row);
    if (row === null || found === null || order !== this.#order) return;
    this.#parts.selection().setPlace(row, found.place);
    if (this.#linked?.row === row) this.#linked.isHidden = !found.isListed;
    this.#parts.onChange(false);
  }

  /** Whether the filter has scanned the row, and its list has been sorted. */
  #hasScanned(row: number): boolean {
    const { current } = this.#parts.filter();
    if (current === null || current.progress.isDone) return true;
    return current.sort === null && current.progress.scanned > row;
  }

  async #placeOf(row: number): Promise<{ readonly place: number; readonly isListed: boolean } | null> {
    const { current } = this.#parts.filter();
    if (current === null) return { place: row, isListed: true };
    try {
      const { sessionId } = this.#parts;
      const found = await call('trace/place', { sessionId, filterId: current.id, row });
      return current === this.#parts.filter().current ? found : null;
    } catch (error) {
      this.#parts.onError(error);
      return null;
    }
  }
}
