import { call, on } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { DetailSource } from './detail/detail-source.ts';
import { FilterSwitch } from './filter/filter-switch.ts';
import { FrameSignal, onNextFrame } from './frame-signal.ts';
import { RowWindow } from './table/row-window.ts';
import type { FilterProgress } from './filter/text-filter.ts';
import type { Clock } from './table/trace-clock.ts';

/** A place the table should bring into view. A new object is a new wish. */
export interface Reveal {
  readonly place: number;
}

/**
 * What the screen holds of one session's trace: the rows around what is looked at, the filter, the cursor.
 * Not in React's state, because rows come by the million; components subscribe and are told once a frame.
 */
export class TraceView {
  readonly sessionId: string;
  /** Tells whenever anything below may have changed. */
  readonly signal = new FrameSignal();
  readonly detail: DetailSource;
  /** Where the table stood when it was last on screen; pixels. */
  top = 0;
  readonly #all: RowWindow;
  readonly #filter: FilterSwitch;
  readonly #stops: (() => void)[] = [];
  #clock: Clock | null = null;
  #failure: unknown = null;
  #isLive = true;
  #cursor: number | null = null;
  #selected: number | null = null;
  #firstSeen = 0;
  #reveal: Reveal | null = null;
  #isClosed = false;
  /** Our own selection is being told to the rest of the screen. */
  #isChoosing = false;
  /** The message from which the user went to its exchange, so that he can go back. */
  #cameFrom: TraceRow | null = null;
  /** A row to bring into view as soon as the filter has come that far. */
  #anchor: number | null = null;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    this.#all = new RowWindow({
      read: (from, count) => call('trace/rows', { sessionId, filterId: null, from, count }),
      onChange: this.signal.tell,
      onNextFrame,
    });
    this.detail = new DetailSource(sessionId, this.signal.tell);
    this.#filter = new FilterSwitch({
      sessionId,
      onLeave: () => this.#keepPlace(),
      onAdvance: () => this.#onAdvance(),
      onFail: (failure) => this.#fail(failure),
    });
    this.#stops.push(
      on('trace/grew', (change) => {
        if (change.sessionId !== sessionId) return;
        this.#all.grow(change.rows);
        this.#all.outdate(change.changedFrom);
        this.#filter.current?.window.outdate(change.changedFrom);
        this.detail.outdate(change.changedFrom);
      }),
    );
    void this.#readSummary();
  }

  /** The rows on screen: the whole trace, or the filter's matches. */
  get window(): RowWindow {
    return this.#filter.current?.window ?? this.#all;
  }

  /** Rows of the whole trace. */
  get total(): number {
    return this.#all.total;
  }

  get clock(): Clock | null {
    return this.#clock;
  }

  /** Why the trace cannot be read. */
  get failure(): unknown {
    return this.#failure ?? this.window.failure;
  }

  get filterText(): string {
    return this.#filter.text;
  }

  /** How far the filter on screen is; null without one. */
  get filterProgress(): FilterProgress | null {
    return this.#filter.current?.progress ?? null;
  }

  /** Whether the table sticks to the end. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The chosen place in the list on screen, or the one chosen last. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** The row of the trace that is selected. */
  get selected(): number | null {
    return this.#selected;
  }

  /** What is known of the selected row so far. */
  get selectedFacts(): TraceRow | null {
    const held = this.#cursor === null ? undefined : this.window.at(this.#cursor);
    const known = [this.detail.detail?.row, held];
    return known.find((facts) => facts?.row === this.#selected) ?? null;
  }

  /** A place the table should bring into view. */
  get reveal(): Reveal | null {
    return this.#reveal;
  }

  setLive(isLive: boolean): void {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#anchor = null;
    this.signal.tellNow();
  }

  /** The table stands at `firstSeen` and wants the places `from` to `end` held. */
  lookAt(from: number, end: number, firstSeen: number): void {
    this.#firstSeen = firstSeen;
    this.window.want(from, end);
  }

  /** The table has brought the place into view. */
  endReveal(): void {
    this.#reveal = null;
  }

  /**
   * Chooses a place of the list on screen, as the user does by click or key.
   *
   * @param drawn the row he saw there: a filter may have taken over since it was drawn, and he means that row
   */
  choose(place: number, drawn?: number): void {
    this.#anchor = null;
    const held = this.window.at(place)?.row;
    if (drawn !== undefined && held !== drawn) {
      this.#cursor = null;
      this.#select(drawn);
      void this.#revealRow(drawn);
      this.signal.tellNow();
      return;
    }
    this.#cursor = place;
    const row = this.#filter.current === null ? place : held;
    if (row !== undefined) this.#select(row);
    else void this.#chooseUnheld(place);
    this.signal.tellNow();
  }

  /** Follows the selection that the rest of the screen sees: another pane may have chosen a row. */
  follow(row: number | null): void {
    if (row === this.#selected) return;
    this.#selected = row;
    this.detail.show(row);
    if (row !== null) void this.#revealRow(row);
    this.signal.tellNow();
  }

  /** Another pane wants a row shown: one that is selected already is brought into view again. */
  show(row: number | null): void {
    if (this.#isChoosing) return;
    if (row !== null && row === this.#selected) void this.#revealRow(row);
    else this.follow(row);
  }

  /** Where `goToExchange` leads: from a message to its HTTP exchange, from an exchange to a message it carried. */
  get exchangeJump(): { readonly to: 'exchange' | 'message'; readonly row: number } | null {
    const facts = this.selectedFacts;
    if (facts === null || facts.exchange === null) return null;
    if (facts.exchange !== facts.row) return { to: 'exchange', row: facts.exchange };
    const isBack = this.#cameFrom?.exchange === facts.row;
    const carried =
      this.detail.detail?.row.row === facts.row ? this.detail.detail.exchange?.carried[0] : null;
    const row = isBack ? this.#cameFrom?.row : carried?.row;
    return row === undefined ? null : { to: 'message', row };
  }

  /** Selects the HTTP exchange of the selected row, or goes back from there. */
  goToExchange(): void {
    const jump = this.exchangeJump;
    if (jump === null) return;
    this.#cameFrom = jump.to === 'exchange' ? this.selectedFacts : null;
    selectTraceRow(this.sessionId, jump.row);
  }

  /** Shows only rows that contain the text; all rows when it is empty. */
  setFilter(text: string): void {
    this.#filter.set(text);
    this.signal.tellNow();
  }

  retry(): void {
    this.#failure = null;
    this.#filter.retry();
    this.window.retry();
    void this.#readSummary();
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.detail.close();
    this.#all.close();
    this.#filter.close();
  }

  async #readSummary(): Promise<void> {
    try {
      const { rows, clock } = await call('trace/summary', { sessionId: this.sessionId });
      this.#clock = clock;
      this.#all.grow(rows);
    } catch (failure) {
      this.#fail(failure);
    }
    this.signal.tell();
  }

  /** Chooses a match that is not held: only the engine knows which row it is. */
  async #chooseUnheld(place: number): Promise<void> {
    const filter = this.#filter.current;
    if (filter === null) return;
    try {
      const { rows } = await call('trace/rows', {
        sessionId: this.sessionId,
        filterId: filter.id,
        from: place,
        count: 1,
      });
      const row = rows[0]?.row;
      if (row !== undefined && this.#cursor === place && this.#filter.current === filter) this.#select(row);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #select(row: number): void {
    this.#selected = row;
    this.detail.show(row);
    this.#isChoosing = true;
    selectTraceRow(this.sessionId, row);
    this.#isChoosing = false;
  }

  /** Notes what to show in the next list: the selected row, else the first one seen unless it is the live end. */
  #keepPlace(): void {
    const seen = this.#isLive ? undefined : this.window.at(this.#firstSeen)?.row;
    this.#anchor = this.#selected ?? seen ?? null;
    this.#cursor = null;
    this.#failure = null;
  }

  #onAdvance(): void {
    if (this.#anchor !== null && this.#hasCome(this.#anchor)) void this.#revealRow(this.#anchor);
    this.signal.tell();
  }

  /** Whether the list on screen already holds the row if it ever will. */
  #hasCome(row: number): boolean {
    const progress = this.#filter.current?.progress;
    return progress === undefined || progress.isDone || progress.scanned > row;
  }

  async #revealRow(row: number): Promise<void> {
    this.#anchor = null;
    const place = await this.#placeOf(row);
    if (place === null) return;
    if (row === this.#selected) this.#cursor = place;
    this.#reveal = { place };
    this.signal.tell();
  }

  async #placeOf(row: number): Promise<number | null> {
    const filter = this.#filter.current;
    if (filter === null) return row;
    try {
      const { place } = await call('trace/place', { sessionId: this.sessionId, filterId: filter.id, row });
      return filter === this.#filter.current ? Math.max(0, place) : null;
    } catch (failure) {
      this.#fail(failure);
      return null;
    }
  }

  #fail(failure: unknown): void {
    if (this.#isClosed) return;
    this.#failure = failure;
    this.signal.tell();
  }
}
