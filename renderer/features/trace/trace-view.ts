import { call, on } from '#bridge';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { DetailSource } from './detail/detail-source.ts';
import { FilterSwitch, type FilterProgress } from './filter/trace-filter.ts';
import { FrameSignal, onNextFrame } from './frame-signal.ts';
import { RowNavigation } from './selection/row-navigation.ts';
import { RowSelection } from './selection/row-selection.ts';
import type { Clock } from './table/row-times.ts';
import { RowLookup, RowWindow } from './table/row-window.ts';

/** A place the table should bring into view. A new object is a new request. */
interface Reveal {
  readonly place: number;
}

/** What stands under the bar: the rows, or what some of them come to. */
export type Panel =
  | { readonly of: 'messages' }
  /** Of the chosen rows; null for all that the filter shows. */
  | { readonly of: 'statistics'; readonly rows: readonly number[] | null }
  | { readonly of: 'sequence'; readonly rows: readonly number[] };

/**
 * What the screen holds of one session's trace: the rows around what is looked at, the filter, the selection.
 * Not in React's state, because rows come by the million; components subscribe and are told once a frame.
 */
export class TraceView {
  readonly sessionId: string;
  /** Tells whenever anything below may have changed. */
  readonly signal = new FrameSignal();
  readonly detail: DetailSource;
  /** Rows that rows on screen refer to. */
  readonly lookup: RowLookup;
  readonly selection: RowSelection;
  readonly navigation: RowNavigation;
  /** Where the table stood when it was last on screen; pixels. */
  top = 0;
  readonly #all: RowWindow;
  readonly #filter: FilterSwitch;
  readonly #stops: (() => void)[] = [];
  #clock: Clock | null = null;
  #error: unknown = null;
  #isLive = true;
  #firstSeen = 0;
  #reveal: Reveal | null = null;
  #isClosed = false;
  #panel: Panel = { of: 'messages' };
  /** A row to bring into view as soon as the filter has come that far. */
  #anchor: number | null = null;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    const onChange = this.signal.notify;
    this.#all = new RowWindow({
      read: (from, count) => call('trace/rows', { sessionId, filterId: null, from, count }),
      onChange,
      onAwaited: () => this.signal.notifyNow(),
      onNextFrame,
    });
    this.detail = new DetailSource(sessionId, onChange);
    this.lookup = new RowLookup({
      read: (rows) => call('trace/pick', { sessionId, rows: [...rows] }),
      onChange,
    });
    this.selection = new RowSelection({
      detail: this.detail,
      list: () => ({ sessionId, filterId: this.filterId, window: this.window }),
      reveal: (row) => void this.#revealRow(row),
      onChange: (isByUser) => (isByUser ? this.signal.notifyNow() : this.signal.notify()),
      onError: (error) => this.#fail(error),
    });
    this.#filter = new FilterSwitch({
      sessionId,
      onLeave: () => this.#keepPlace(),
      onProgress: () => this.#onProgress(),
      onAwaited: () => this.signal.notifyNow(),
      onError: (error) => this.#fail(error),
    });
    this.navigation = new RowNavigation({
      sessionId,
      facts: () => this.selection.facts,
      detail: () => this.detail.detail,
      filterId: () => this.filterId,
      clock: () => this.#clock,
      total: () => this.total,
      start: () => this.selected ?? (this.window.at(this.#firstSeen)?.row ?? 0) - 1,
    });
    this.#stops.push(
      on('trace/grew', (change) => {
        if (change.sessionId !== sessionId) return;
        // What grows may be asked for at once, which would count as outdated after that.
        this.#all.outdate(change.changedFrom);
        this.#all.grow(change.rows);
        this.#filter.current?.window.outdate(change.changedFrom);
        this.lookup.outdate(change.changedFrom);
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
  get error(): unknown {
    return this.#error ?? this.window.error;
  }

  get filterText(): string {
    return this.#filter.text;
  }

  /** The text of the filter whose rows are on screen, which stays while a new one cannot be read or is not started yet. */
  get shownFilterText(): string {
    return this.#filter.current?.text ?? '';
  }

  /** Whether every row is listed, or calls with their answers folded into them. */
  get viewName(): TraceViewName {
    return this.#filter.viewName;
  }

  /** The filter on screen, as the engine knows it; null when every row is shown. */
  get filterId(): string | null {
    return this.#filter.current?.id ?? null;
  }

  /** How far the filter on screen is; null without one. */
  get filterProgress(): FilterProgress | null {
    return this.#filter.current?.progress ?? null;
  }

  /** Whether the table sticks to the end. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The row of the trace that is selected. */
  get selected(): number | null {
    return this.selection.selected;
  }

  /** A place the table should bring into view. */
  get reveal(): Reveal | null {
    return this.#reveal;
  }

  get panel(): Panel {
    return this.#panel;
  }

  setPanel(panel: Panel): void {
    this.#panel = panel;
    this.signal.notifyNow();
  }

  setLive(isLive: boolean): void {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#anchor = null;
    this.signal.notifyNow();
  }

  /** The table stands at `firstSeen` and wants the places `from` to `end` held. */
  lookAt(from: number, end: number, firstSeen: number): void {
    this.#firstSeen = firstSeen;
    this.window.want(from, end);
  }

  /** The table stands at the end, where `firstSeen` is drawn first, and wants so many rows held, however many come. */
  follow(length: number, before: number, firstSeen: number): void {
    this.#firstSeen = firstSeen;
    this.window.follow(length, before);
  }

  /** The user moved the table to these places. */
  show(first: number, end: number, beyond: number): void {
    this.#firstSeen = first;
    this.window.show(first, end, beyond);
  }

  /** The table has brought the place into view. */
  endReveal(): void {
    this.#reveal = null;
  }

  /** Chooses a place of the list on screen, as `RowSelection` does. A row that was to come into view need not now. */
  choose(...chosen: Parameters<RowSelection['choose']>): void {
    this.#anchor = null;
    this.selection.choose(...chosen);
  }

  /** Shows only rows that the filter matches; all rows when it is empty. */
  setFilter(text: string): void {
    this.#filter.set(text, this.viewName);
    this.signal.notifyNow();
  }

  setViewName(viewName: TraceViewName): void {
    this.#filter.set(this.filterText, viewName);
    this.signal.notifyNow();
  }

  retry(): void {
    this.#error = null;
    this.#filter.retry();
    this.window.retry();
    void this.#readSummary();
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.detail.close();
    this.lookup.close();
    this.#all.close();
    this.#filter.close();
  }

  async #readSummary(): Promise<void> {
    try {
      const { rows, clock } = await call('trace/summary', { sessionId: this.sessionId });
      this.#clock = clock;
      this.#all.grow(rows);
    } catch (error) {
      this.#fail(error);
    }
    this.signal.notify();
  }

  /** Notes what to show in the next list: the selected row, else the first one seen unless it is the live end. */
  #keepPlace(): void {
    const seen = this.#isLive ? undefined : this.window.at(this.#firstSeen)?.row;
    this.#anchor = this.selected ?? seen ?? null;
    this.selection.leaveList();
    this.#error = null;
  }

  #onProgress(): void {
    if (this.#anchor !== null && this.#hasCome(this.#anchor)) void this.#revealRow(this.#anchor);
    this.signal.notify();
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
    this.selection.standAt(row, place);
    this.#reveal = { place };
    this.signal.notify();
  }

  async #placeOf(row: number): Promise<number | null> {
    const filter = this.#filter.current;
    if (filter === null) return row;
    try {
      const { place } = await call('trace/place', { sessionId: this.sessionId, filterId: filter.id, row });
      return filter === this.#filter.current ? Math.max(0, place) : null;
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#error = error;
    this.signal.notify();
  }
}

/** Sessions whose place, filter and rows are kept while another one is on screen. */
const MOST_KEPT = 6;

/** The session looked at last stands last. */
const views = new Map<string, TraceView>();

/** What the screen holds of a session's trace; the same as long as the session was looked at lately. */
export function traceViewOf(sessionId: string): TraceView {
  const view = views.get(sessionId) ?? new TraceView(sessionId);
  views.delete(sessionId);
  views.set(sessionId, view);
  for (const [id, oldest] of views) {
    if (views.size <= MOST_KEPT) break;
    views.delete(id);
    oldest.close();
  }
  return view;
}

/** Lets go of everything held, as when the page is closed. */
export function forgetViews(): void {
  for (const view of views.values()) view.close();
  views.clear();
}
