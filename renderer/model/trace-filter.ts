import { call, on } from '#bridge';
import type { RowSort, TraceViewName } from '#shared/contract/trace.ts';
import { parseFilter } from '#shared/trace/filter/index.ts';
import { faultOf } from './faults.ts';
import { RowWindow, type RowWindowParts } from './row-window.ts';

/** Milliseconds without a keystroke before a filter is started. */
const DEBOUNCE_MS = 150;

/** What the user chose to list of a trace. */
export interface TraceList {
  /** The filter as typed. */
  readonly text: string;
  readonly viewName: TraceViewName;
  /** The order of the rows; null for that of the trace. */
  readonly sort: RowSort | null;
}

const everyRow: TraceList = { text: '', viewName: 'messages', sort: null };

interface FilterSwitchParts {
  readonly sessionId: string;
  /** What is listed at first; every row by default. */
  readonly list?: TraceList;
  /** The list on screen is about to change. */
  readonly onLeave: () => void;
  /** The filter changed, or has scanned more rows. */
  readonly onProgress: () => void;
  /** Rows arrived that the user is waiting for. */
  readonly onAwaited: () => void;
  readonly onError: (error: unknown) => void;
  /** Takes what ends a filter, which the user does not wait for. */
  readonly onEnding: (ending: Promise<void>) => void;
}

/**
 * The filter as the user types it. Starts it after a pause, and ends the previous one; a filter that starts too late is
 * ended unseen.
 */
export class FilterSwitch {
  readonly #parts: FilterSwitchParts;
  #list: TraceList;
  /** The last text that was a valid filter, which is what is listed. */
  #validText = '';
  /** Rows whose folds are open. */
  readonly #open = new Set<number>();
  #current: RunningFilter | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Incremented by every change, to ignore late responses. */
  #turn = 0;
  #hasFailed = false;
  /** Whether a list has been shown, which stays on screen until the next one has started. */
  #hasListed: boolean;

  constructor(parts: FilterSwitchParts) {
    this.#parts = parts;
    this.#list = parts.list ?? everyRow;
    if (parseFilter(this.#list.text).ok) this.#validText = this.#list.text;
    this.#hasListed = this.#showsAll;
    if (!this.#showsAll) void this.#start();
  }

  /** What the user chose; `current` follows its text while it is valid. */
  get list(): TraceList {
    return this.#list;
  }

  get current(): RunningFilter | null {
    return this.#current;
  }

  /** Whether nothing can be listed yet, because the first filter has not started. */
  get isStarting(): boolean {
    return !this.#hasListed && !this.#hasFailed;
  }

  /** Opens or closes the fold of a row, now and in later filters. Rejects if the filter has ended. */
  async toggleFold(row: number): Promise<void> {
    const isOpen = !this.#open.delete(row);
    if (isOpen) this.#open.add(row);
    const { sessionId } = this.#parts;
    if (this.#current !== null)
      await call('trace/fold', { sessionId, filterId: this.#current.id, row, isOpen });
  }

  set(change: Partial<TraceList>): void {
    const before = this.#list;
    const list = { ...before, ...change };
    const { text } = list;
    const isTyped = text !== before.text;
    const isSameList = list.viewName === before.viewName && list.sort === before.sort;
    if (!isTyped && isSameList) return;
    this.#list = list;
    clearTimeout(this.#timer);
    const isValid = parseFilter(text).ok;
    if (isValid) this.#validText = text;
    // An invalid filter leaves the rows as they are, and a list that is being started.
    else if (isSameList) return;
    // The first list is shown even if the user types on: what is typed may never become valid.
    if (this.#hasListed || this.#showsAll) this.#turn++;
    if (this.#showsAll) this.#switchTo(null);
    else if (isTyped && isValid && text !== '')
      this.#timer = setTimeout(() => void this.#start(), DEBOUNCE_MS);
    else void this.#start();
  }

  /** Starts the filter again after a failure. */
  retry(): void {
    if (!this.#showsAll && this.#current === null) void this.#start();
  }

  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    this.#end(this.#current);
  }

  /** Whether every row is shown, which needs no filter. */
  get #showsAll(): boolean {
    const { viewName, sort } = this.#list;
    return this.#validText.trim() === '' && viewName === 'messages' && sort === null;
  }

  async #start(): Promise<void> {
    const turn = ++this.#turn;
    const { sessionId, onProgress, onAwaited } = this.#parts;
    const { viewName, sort } = this.#list;
    try {
      const filter = await RunningFilter.start(
        sessionId,
        {
          text: this.#validText,
          view: viewName,
          // What is folded into a row belongs to the order of the trace.
          ...(sort !== null ? { sort } : this.#open.size > 0 && { open: [...this.#open] }),
        },
        { onChange: onProgress, onAwaited },
      );
      this.#hasFailed = false;
      if (turn === this.#turn) this.#switchTo(filter);
      else this.#end(filter);
    } catch (error) {
      this.#hasFailed = true;
      if (turn === this.#turn) this.#parts.onError(error);
    }
  }

  #switchTo(next: RunningFilter | null): void {
    this.#parts.onLeave();
    this.#end(this.#current);
    this.#current = next;
    this.#hasListed = true;
    this.#parts.onProgress();
  }

  #end(filter: RunningFilter | null): void {
    if (filter !== null) this.#parts.onEnding(filter.close());
  }
}

export interface FilterProgress {
  readonly matches: number;
  /** Rows scanned so far. */
  readonly scanned: number;
  /** Whether the filter has caught up with the trace. */
  readonly isDone: boolean;
  /** Changes when the rows were sorted again. */
  readonly order: number;
}

/** Faults of a filter that has ended already. */
const goneCodes: ReadonlySet<string> = new Set(['no-such-session', 'no-such-filter']);

type FilterListener = Pick<RowWindowParts, 'onChange' | 'onAwaited'>;

/** A filter that runs in the engine, and the window of its matches. */
class RunningFilter {
  readonly id: string;
  /** The text it was started with. */
  readonly text: string;
  /** The order of its rows; null for that of the trace. */
  readonly sort: RowSort | null;
  readonly window: RowWindow;
  readonly #sessionId: string;
  readonly #stopListening: () => void;
  #progress: FilterProgress = { matches: 0, scanned: 0, isDone: false, order: 0 };

  /** Starts a filter. Its first progress may arrive before the response with its id. */
  static async start(
    sessionId: string,
    what: {
      readonly text: string;
      readonly view: TraceViewName;
      readonly open?: number[];
      readonly sort?: RowSort;
    },
    listener: FilterListener,
  ): Promise<RunningFilter> {
    const { onChange } = listener;
    const early = new Map<string, FilterProgress>();
    let filter: RunningFilter | undefined;
    const stopListening = on('trace/filtered', ({ filterId, matches, scanned, done, order, ...of }) => {
      // Ids of filters are those of their trace.
      if (of.sessionId !== sessionId) return;
      const progress = { matches, scanned, isDone: done, order };
      if (filter === undefined) early.set(filterId, progress);
      else if (filterId === filter.id) filter.#advance(progress, onChange);
    });
    try {
      const { filterId } = await call('trace/filter', { sessionId, ...what });
      const { text, sort = null } = what;
      filter = new RunningFilter(sessionId, { id: filterId, text, sort }, listener, stopListening);
      const progress = early.get(filterId);
      if (progress) filter.#advance(progress, onChange);
      return filter;
    } catch (error) {
      stopListening();
      throw error;
    }
  }

  private constructor(
    sessionId: string,
    { id, text, sort }: { readonly id: string; readonly text: string; readonly sort: RowSort | null },
    listener: FilterListener,
    stopListening: () => void,
  ) {
    this.id = id;
    this.text = text;
    this.sort = sort;
    this.#sessionId = sessionId;
    this.#stopListening = stopListening;
    this.window = new RowWindow({
      read: (from, count) => call('trace/rows', { sessionId, filterId: id, from, count }),
      ...listener,
      onNextFrame: (run) => void requestAnimationFrame(() => run()),
    });
  }

  get progress(): FilterProgress {
    return this.#progress;
  }

  /** Ends the filter here and in the engine, which may have forgotten it with an old session. */
  async close(): Promise<void> {
    this.#stopListening();
    this.window.close();
    try {
      await call('trace/end-filter', { sessionId: this.#sessionId, filterId: this.id });
    } catch (error) {
      if (!goneCodes.has(faultOf(error).code)) throw error;
    }
  }

  #advance(progress: FilterProgress, onChange: () => void): void {
    // Sorted again, any row may be at any place.
    if (progress.order !== this.#progress.order) this.window.outdate(0);
    this.#progress = progress;
    this.window.resize(progress.matches);
    onChange();
  }
}
