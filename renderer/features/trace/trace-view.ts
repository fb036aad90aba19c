import { call, on } from '#bridge';
import type { RowCounts, RowSort, TraceViewName } from '#shared/contract/trace.ts';
import { truncate } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { keepEntry, keptEntry } from '#model/place.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { DetailSource } from '#model/detail-source.ts';
import { FilterSwitch, type FilterProgress } from '#model/trace-filter.ts';
import { reportFault } from '#ui/toaster.tsx';
import { FrameSignal, onNextFrame } from '#ui/frame-signal.ts';
import { RowNavigation } from './selection/row-navigation.ts';
import { RowSelection } from './selection/row-selection.ts';
import type { Clock } from '#model/trace-clock.ts';
import { RowLookup, RowWindow } from '#model/row-window.ts';

/** A request to scroll a place of the list into view. Each request is a new object. */
interface Reveal {
  readonly place: number;
}

/** Characters of a wrapped text; the detail has the rest. */
const MAX_WRAPPED = 2000;

/** What is shown below the bar: the rows, or statistics or a diagram of them. */
export type Panel =
  | { readonly of: 'messages' }
  /** Statistics of the selected rows; null for all rows that the filter shows. */
  | { readonly of: 'statistics'; readonly rows: readonly number[] | null }
  | { readonly of: 'sequence'; readonly rows: readonly number[] };

/**
 * The page's state of one trace: the rows around the visible ones, the filter, the selection. Kept outside React,
 * because rows arrive by the million; components subscribe and are notified once per frame.
 */
export class TraceView {
  readonly sessionId: string;
  /** Notifies of any change below. */
  readonly signal = new FrameSignal();
  readonly detail: DetailSource;
  /** Single rows that visible rows refer to. */
  readonly lookup: RowLookup;
  readonly selection: RowSelection;
  readonly navigation: RowNavigation;
  /** Scroll position of the table when it was last on screen; pixels. */
  top = 0;
  readonly #all: RowWindow;
  /** Shown until the first filter has started. */
  readonly #none: RowWindow;
  readonly #filter: FilterSwitch;
  readonly #stops: (() => void)[] = [];
  #clock: Clock | null = null;
  #counts: RowCounts | null = null;
  #server: string | null = null;
  #error: unknown = null;
  #isLive = true;
  #firstVisible = 0;
  #reveal: Reveal | null = null;
  #isClosed = false;
  #panel: Panel = { of: 'messages' };
  /** A row to scroll into view once the filter has scanned it. */
  #anchor: number | null = null;
  /** The row whose text is wrapped; only while it is selected. */
  #wrapped: number | null = null;
  /** The order in which the filter had the rows when the cursor was last placed. */
  #order = 0;
  /** The row that a link led to last, until the list changes; and whether the list does not have it. */
  #linked: { readonly row: number; isHidden: boolean } | null = null;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    const onChange = this.signal.notify;
    this.#all = new RowWindow({
      read: (from, count) => call('trace/rows', { sessionId, filterId: null, from, count }),
      onChange,
      onAwaited: () => this.signal.notifyNow(),
      onNextFrame,
    });
    this.#none = new RowWindow({
      read: () => Promise.resolve({ total: 0, rows: [] }),
      onChange,
      onAwaited: onChange,
      onNextFrame,
    });
    this.detail = new DetailSource(sessionId, onChange);
    this.lookup = new RowLookup({
      read: (rows) => call('trace/rows-by-number', { sessionId, rows: [...rows] }),
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
      viewName: useSettings.getState().traceView,
      onLeave: () => this.#keepSelection(),
      onProgress: () => this.#onProgress(),
      onAwaited: () => this.signal.notifyNow(),
      onError: (error) => this.#fail(error),
      onEnding: reportFault,
    });
    this.navigation = new RowNavigation({
      sessionId,
      selectedRow: () => this.selection.selectedRow,
      detail: () => this.detail.detail,
      filterId: () => this.filterId,
      clock: () => this.#clock,
      total: () => this.total,
      start: () => this.selected ?? (this.window.at(this.#firstVisible)?.row ?? 0) - 1,
    });
    const kept = keptFilter(sessionId);
    if (kept !== '') this.#filter.set(kept, this.viewName);
    this.#stops.push(
      on('trace/grew', (change) => {
        if (change.sessionId !== sessionId) return;
        // Growing may start reads, which must not count as outdated.
        this.#all.outdate(change.changedFrom);
        this.#counts = change.counts;
        this.#all.grow(change.rows);
        this.#filter.current?.window.outdate(change.changedFrom);
        this.lookup.outdate(change.changedFrom);
        this.detail.outdate(change.changedFrom);
      }),
    );
    void this.#readSummary();
  }

  /** The rows of the list on screen: the whole trace, or the filter's matches. */
  get window(): RowWindow {
    return this.#filter.current?.window ?? (this.#filter.isStarting ? this.#none : this.#all);
  }

  /** Rows of the whole trace. */
  get total(): number {
    return this.#all.total;
  }

  get clock(): Clock | null {
    return this.#clock;
  }

  /** How many rows of the trace some usual filters match; null until the engine has sent it. */
  get counts(): RowCounts | null {
    return this.#counts;
  }

  /** The name of the server; null until the engine has sent it. */
  get server(): string | null {
    return this.#server;
  }

  /** Why the trace cannot be read. */
  get error(): unknown {
    return this.#error ?? this.window.error;
  }

  get filterText(): string {
    return this.#filter.text;
  }

  /** The text of the filter on screen, which stays while a new one is invalid or not started yet. */
  get shownFilterText(): string {
    return this.#filter.current?.text ?? '';
  }

  /** Every row, or one row per call. */
  get viewName(): TraceViewName {
    return this.#filter.viewName;
  }

  /** Id of the filter on screen; null when every row is shown. */
  get filterId(): string | null {
    return this.#filter.current?.id ?? null;
  }

  /** Whether the first list has not been started yet. */
  get isStarting(): boolean {
    return this.#filter.isStarting;
  }

  /** Progress of the filter on screen; null without one. */
  get filterProgress(): FilterProgress | null {
    return this.#filter.current?.progress ?? null;
  }

  /** The order that the user chose for the rows; null for that of the trace. */
  get sort(): RowSort | null {
    return this.#filter.sort;
  }

  /** Whether the rows on screen are in the order of a column, which has no place for gaps, folds and the end of the trace. */
  get isSorted(): boolean {
    return this.#filter.current !== null && this.#filter.current.sort !== null;
  }

  /** Whether the table follows the end. */
  get isLive(): boolean {
    return this.#isLive && this.sort === null;
  }

  get selected(): number | null {
    return this.selection.selected;
  }

  /** The selected row, if a link led to it and the filter hides it; else null. */
  get hiddenRow(): number | null {
    const linked = this.#linked;
    return linked?.isHidden === true && linked.row === this.selected ? linked.row : null;
  }

  /** The text of the row that is shown over several lines; null if none is. */
  get wrapped(): { readonly row: number; readonly text: string } | null {
    const { selectedRow } = this.selection;
    if (selectedRow === null || selectedRow.row !== this.#wrapped) return null;
    const { row, summary } = selectedRow;
    const { detail } = this.detail;
    const text = (detail?.row.row === row ? detail.text : null) ?? summary;
    return { row, text: truncate(text, MAX_WRAPPED) };
  }

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
    if (isLive === this.#isLive || this.sort !== null) return;
    this.#isLive = isLive;
    this.#anchor = null;
    this.signal.notifyNow();
  }

  /** Follows the end of the trace from now on, in its order. */
  goLive(): void {
    this.setSort(null);
    this.setLive(true);
  }

  /** Lists the rows in the order of a column; null lists them in the order of the trace. */
  setSort(sort: RowSort | null): void {
    if (sort === this.sort) return;
    this.#filter.set(this.filterText, this.viewName, sort);
    this.signal.notifyNow();
  }

  /** The table shows `firstVisible`, and needs the places `from` to `end`. */
  lookAt(from: number, end: number, firstVisible: number): void {
    this.#firstVisible = firstVisible;
    this.window.want(from, end);
  }

  /** The table follows the end, from `firstVisible` on, and needs the last `length` rows and some before them. */
  follow(length: number, before: number, firstVisible: number): void {
    this.#firstVisible = firstVisible;
    this.window.follow(length, before);
  }

  /** The user scrolled the table to the places from `first` to `end`; rows `beyond` both edges are read ahead. */
  show(first: number, end: number, beyond: number): void {
    this.#firstVisible = first;
    this.window.show(first, end, beyond);
  }

  /** Shows a row that was selected elsewhere, such as by a link of a pane; null for none. */
  showLinked(row: number | null): void {
    const isLink = this.selection.show(row);
    if (isLink && row !== null) this.#linked = { row, isHidden: false };
  }

  /** Ends a reveal, because the table has scrolled to its place. */
  endReveal(): void {
    this.#reveal = null;
  }

  /** Selects a place like `RowSelection.select`, and drops a pending request to scroll. */
  select(...args: Parameters<RowSelection['select']>): void {
    this.#anchor = null;
    this.selection.select(...args);
  }

  /** Shows only rows that match; an empty filter shows all. */
  setFilter(text: string): void {
    keepFilter(this.sessionId, text);
    this.#filter.set(text, this.viewName);
    this.signal.notifyNow();
  }

  /** Lists calls or every message, and does so for later traces. */
  setViewName(viewName: TraceViewName): void {
    this.#filter.set(this.filterText, viewName);
    reportFault(changeSettings({ traceView: viewName }));
    this.signal.notifyNow();
  }

  /** Lists what is folded into a row in its place, or no longer. */
  toggleFold({ row, fold }: TraceRow): void {
    if (fold !== undefined) reportFault(this.#filter.toggleFold(row));
  }

  /** Shows the text of the selected row over several lines, or on one again. */
  toggleWrap(): void {
    this.#wrapped = this.wrapped === null ? this.selected : null;
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
      const { rows, counts, clock, server } = await call('trace/summary', { sessionId: this.sessionId });
      this.#clock = clock;
      this.#server = server.name;
      // A notice of growth may have come first, which is newer.
      this.#counts ??= counts;
      this.#all.grow(rows);
    } catch (error) {
      this.#fail(error);
    }
    this.signal.notify();
  }

  /** Remembers which row to show in the next list: the selected row, else the first visible one, unless the table is live. */
  #keepSelection(): void {
    this.#order = 0;
    const firstRow = this.#isLive ? undefined : this.window.at(this.#firstVisible)?.row;
    this.#anchor = this.selected ?? firstRow ?? null;
    this.#linked = null;
    this.selection.leaveList();
    this.#error = null;
  }

  #onProgress(): void {
    const progress = this.#filter.current?.progress;
    if (this.isSorted) {
      this.#anchor = null;
      if (progress !== undefined && progress.order !== this.#order) this.#onSorted(progress.order);
    } else if (this.#anchor !== null && this.#hasScanned(this.#anchor)) void this.#revealRow(this.#anchor);
    this.signal.notify();
  }

  /** Places the cursor where the selected row is now. Shows the top of a list that was sorted for the first time. */
  #onSorted(order: number): void {
    if (this.#order === 0) this.#reveal = { place: 0 };
    this.#order = order;
    const { selected } = this;
    if (selected === null) return;
    void this.#placeOf(selected).then((found) => {
      if (found === null || order !== this.#order) return;
      this.selection.setPlace(selected, found.place);
      this.signal.notify();
    });
  }

  /** Whether the filter has scanned the row. */
  #hasScanned(row: number): boolean {
    const progress = this.#filter.current?.progress;
    return progress === undefined || progress.isDone || progress.scanned > row;
  }

  async #revealRow(row: number): Promise<void> {
    this.#anchor = null;
    const found = await this.#placeOf(row);
    if (found === null) return;
    const { place, isListed } = found;
    this.selection.setPlace(row, place);
    this.#reveal = { place };
    if (!isListed && !this.#hasScanned(row)) this.#anchor = row;
    else if (this.#linked?.row === row) this.#linked.isHidden = !isListed;
    this.signal.notify();
  }

  async #placeOf(row: number): Promise<{ readonly place: number; readonly isListed: boolean } | null> {
    const filter = this.#filter.current;
    if (filter === null) return { place: row, isListed: true };
    try {
      const found = await call('trace/place', { sessionId: this.sessionId, filterId: filter.id, row });
      return filter === this.#filter.current ? found : null;
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

/** A filter is kept by the path of the trace's file: a session has a new id after a restart, or none. */
function filterEntry(sessionId: string): { name: string; serverId: string | null } | null {
  const session = useSessions.getState().sessions[sessionId];
  const path = session?.traceFile.path ?? useTraces.getState().opened[sessionId]?.path;
  return path === undefined ? null : { name: `filter ${path}`, serverId: session?.serverId ?? null };
}

function keptFilter(sessionId: string): string {
  const entry = filterEntry(sessionId);
  return (entry && keptEntry(entry.name)?.typed.filter) ?? '';
}

function keepFilter(sessionId: string, filter: string): void {
  const entry = filterEntry(sessionId);
  if (entry === null) return;
  const { name, serverId } = entry;
  keepEntry(name, filter === '' ? null : { serverId, chosen: {}, typed: { filter } });
}

/** Traces kept while another one is on screen. */
const MAX_VIEWS = 6;

/** The views, the least recently shown first. */
const views = new Map<string, TraceView>();

/** The view of a session's trace; the recently shown ones are kept. */
export function traceViewOf(sessionId: string): TraceView {
  const view = views.get(sessionId) ?? new TraceView(sessionId);
  views.delete(sessionId);
  views.set(sessionId, view);
  for (const [id, oldest] of views) {
    if (views.size <= MAX_VIEWS) break;
    views.delete(id);
    oldest.close();
  }
  return view;
}

/** Closes all views. */
export function forgetViews(): void {
  for (const view of views.values()) view.close();
  views.clear();
}
