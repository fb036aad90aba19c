import { call, on } from '#bridge';
import type { RowCounts, RowSort, TraceViewName } from '#shared/contract/trace.ts';
import { truncate } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { changeSettings } from '#model/settings.ts';
import { DetailSource } from '#model/detail-source.ts';
import type { ListOfTrace } from '#model/kept-list.ts';
import { FilterSwitch, type FilterProgress, type TraceList } from '#model/trace-filter.ts';
import { reportFault } from '#ui/toaster.tsx';
import { FrameSignal, onNextFrame } from '#ui/frame-signal.ts';
import { ListPosition } from './selection/list-position.ts';
import { RowNavigation } from './selection/row-navigation.ts';
import { RowSelection } from './selection/row-selection.ts';
import type { Clock } from '#model/trace-clock.ts';
import { RowLookup, RowWindow } from '#model/row-window.ts';

/** Characters of a wrapped text; the detail has the rest. */
const MAX_WRAPPED = 2000;

/** What is shown below the bar: the rows, or statistics or a diagram of them. */
export type Panel =
  | { readonly of: 'messages' }
  /** Statistics of the selected rows; null for all rows that the filter shows. */
  | { readonly of: 'statistics'; readonly rows: readonly number[] | null }
  | { readonly of: 'sequence'; readonly rows: readonly number[] };

/** What the view lists at first, and who keeps what the user lists from then on. */
export interface KeptList extends ListOfTrace {
  readonly onChange: (listed: ListOfTrace, change: Partial<TraceList>) => void;
}

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
  readonly position: ListPosition;
  readonly navigation: RowNavigation;
  readonly #all: RowWindow;
  /** Shown until the first filter has started. */
  readonly #none: RowWindow;
  readonly #filter: FilterSwitch;
  readonly #kept: KeptList;
  readonly #stops: (() => void)[] = [];
  #clock: Clock | null = null;
  #counts: RowCounts | null = null;
  #server: string | null = null;
  #error: unknown = null;
  #isClosed = false;
  #panel: Panel = { of: 'messages' };
  /** The row whose text is wrapped; only while it is selected. */
  #wrapped: number | null = null;

  constructor(sessionId: string, kept: KeptList) {
    this.sessionId = sessionId;
    this.#kept = kept;
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
    const listener = {
      onChange: (isByUser: boolean) => (isByUser ? this.signal.notifyNow() : this.signal.notify()),
      onError: (error: unknown) => this.#fail(error),
    };
    this.selection = new RowSelection({
      detail: this.detail,
      list: () => ({ sessionId, filterId: this.filterId, window: this.window }),
      reveal: (row) => void this.position.revealRow(row),
      ...listener,
    });
    this.position = new ListPosition({
      sessionId,
      filter: () => this.#filter,
      window: () => this.window,
      selection: () => this.selection,
      ...listener,
    });
    this.#filter = new FilterSwitch({
      sessionId,
      list: kept.list,
      onLeave: () => {
        this.#error = null;
        this.position.leaveList();
      },
      onProgress: () => this.position.onProgress(),
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
      start: () => this.selected ?? (this.window.at(this.position.firstVisible)?.row ?? 0) - 1,
    });
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
    return this.#filter.list.text;
  }

  /** Whether the filter is that of the previous session, unchanged. */
  get isCarriedOver(): boolean {
    return this.#kept.isCarriedOver && this.filterText === this.#kept.list.text;
  }

  /** The text of the filter on screen, which stays while a new one is invalid or not started yet. */
  get shownFilterText(): string {
    return this.#filter.current?.text ?? '';
  }

  /** Every row, or one row per call. */
  get viewName(): TraceViewName {
    return this.#filter.list.viewName;
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
    return this.#filter.list.sort;
  }

  /** Whether the rows on screen are in the order of a column, which has no place for gaps, folds and the end of the trace. */
  get isSorted(): boolean {
    return this.#filter.current !== null && this.#filter.current.sort !== null;
  }

  get selected(): number | null {
    return this.selection.selected;
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

  get panel(): Panel {
    return this.#panel;
  }

  setPanel(panel: Panel): void {
    this.#panel = panel;
    this.signal.notifyNow();
  }

  /** Follows the end of the trace from now on, in its order. */
  goLive(): void {
    this.position.goLive();
    this.setSort(null);
  }

  /** Lists the rows in the order of a column; null lists them in the order of the trace. */
  setSort(sort: RowSort | null): void {
    if (sort !== this.sort) this.#setList({ sort });
  }

  /** Selects a place like `RowSelection.select`, and drops a pending request to scroll. */
  select(...args: Parameters<RowSelection['select']>): void {
    this.position.dropAnchor();
    this.selection.select(...args);
  }

  /** Shows only rows that match; an empty filter shows all. */
  setFilter(text: string): void {
    this.position.endLink();
    this.#setList({ text });
  }

  /** Lists calls or every message, and does so for later traces. */
  setViewName(viewName: TraceViewName): void {
    this.position.endLink();
    reportFault(changeSettings({ traceView: viewName }));
    this.#setList({ viewName });
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

  #setList(change: Partial<TraceList>): void {
    this.#filter.set(change);
    this.#kept.onChange({ list: this.#filter.list, isCarriedOver: this.isCarriedOver }, change);
    this.signal.notifyNow();
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

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#error = error;
    this.signal.notify();
  }
}
