import { call, on } from '#bridge';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { reportFailure } from '#ui/toaster.tsx';
import { onNextFrame } from '../frame-signal.ts';
import { RowWindow, type RowWindowParts } from '../table/row-window.ts';
import { problemOf } from './filter-text.tsx';

/** Milliseconds without a keystroke before a filter is started. */
const PAUSE_MS = 150;

interface FilterSwitchParts {
  readonly sessionId: string;
  /** The list on screen is about to be another one. */
  readonly onLeave: () => void;
  /** The current filter is another one, or has looked at more rows. */
  readonly onAdvance: () => void;
  /** Rows of it came that the user waits for. */
  readonly onAwaited: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The filter as the user types it: started after a pause, the one before ended, and what is answered late
 * ended unseen.
 */
export class FilterSwitch {
  readonly #parts: FilterSwitchParts;
  #text = '';
  #viewName: TraceViewName = 'frames';
  #current: RunningFilter | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Raised by every change, so that an answer knows whether it is still wanted. */
  #turn = 0;

  constructor(parts: FilterSwitchParts) {
    this.#parts = parts;
  }

  /** What the user typed; the current filter follows it. */
  get text(): string {
    return this.#text;
  }

  /** Whether rows are listed one by one, or calls with their answers. */
  get viewName(): TraceViewName {
    return this.#viewName;
  }

  get current(): RunningFilter | null {
    return this.#current;
  }

  set(text: string, viewName: TraceViewName): void {
    const isTyped = text !== this.#text;
    if (!isTyped && viewName === this.#viewName) return;
    this.#text = text;
    this.#viewName = viewName;
    this.#turn++;
    clearTimeout(this.#timer);
    if (this.#isWhole) this.#switchTo(null);
    // What cannot be read is shown as such beside the rows that were there.
    else if (problemOf(text) !== null) return;
    else if (isTyped && text !== '') this.#timer = setTimeout(() => void this.#start(), PAUSE_MS);
    else void this.#start();
  }

  /** Starts the filter again when it could not be started. */
  retry(): void {
    const isReadable = problemOf(this.#text) === null;
    if (!this.#isWhole && isReadable && this.#current === null) void this.#start();
  }

  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    end(this.#current);
  }

  /** Every row is shown, for which no filter is needed. */
  get #isWhole(): boolean {
    return this.#text.trim() === '' && this.#viewName === 'frames';
  }

  async #start(): Promise<void> {
    const turn = ++this.#turn;
    const { sessionId, onAdvance, onAwaited } = this.#parts;
    try {
      const filter = await RunningFilter.start(
        sessionId,
        { text: this.#text, view: this.#viewName },
        { onChange: onAdvance, onAwaited },
      );
      if (turn === this.#turn) this.#switchTo(filter);
      else end(filter);
    } catch (error) {
      if (turn === this.#turn) this.#parts.onError(error);
    }
  }

  #switchTo(next: RunningFilter | null): void {
    this.#parts.onLeave();
    end(this.#current);
    this.#current = next;
    this.#parts.onAdvance();
  }
}

function end(filter: RunningFilter | null): void {
  if (filter !== null) reportFailure(filter.close());
}

export interface FilterProgress {
  readonly matches: number;
  /** Rows looked at so far. */
  readonly scanned: number;
  /** It has caught up with the trace. */
  readonly isDone: boolean;
}

/** Told of the filter's progress and of its rows, as `RowWindow` tells. */
type FilterListener = Pick<RowWindowParts, 'onChange' | 'onAwaited'>;

/** A filter that runs in the engine, and the window on its matches. */
class RunningFilter {
  readonly id: string;
  /** What it was started with; the user may have typed something else since. */
  readonly text: string;
  readonly window: RowWindow;
  readonly #sessionId: string;
  readonly #stopListening: () => void;
  #progress: FilterProgress = { matches: 0, scanned: 0, isDone: false };

  /** Starts a filter. The first matches may be told before the engine's answer with the filter's id arrives. */
  static async start(
    sessionId: string,
    what: { readonly text: string; readonly view: TraceViewName },
    listener: FilterListener,
  ): Promise<RunningFilter> {
    const { onChange } = listener;
    const told = new Map<string, FilterProgress>();
    let filter: RunningFilter | undefined;
    const stopListening = on('trace/filtered', ({ filterId, matches, scanned, done }) => {
      const progress = { matches, scanned, isDone: done };
      if (filter === undefined) told.set(filterId, progress);
      else if (filterId === filter.id) filter.#advance(progress, onChange);
    });
    try {
      const { filterId } = await call('trace/filter', { sessionId, ...what });
      filter = new RunningFilter(sessionId, { id: filterId, text: what.text }, listener, stopListening);
      const progress = told.get(filterId);
      if (progress) filter.#advance(progress, onChange);
      return filter;
    } catch (error) {
      stopListening();
      throw error;
    }
  }

  private constructor(
    sessionId: string,
    { id, text }: { readonly id: string; readonly text: string },
    listener: FilterListener,
    stopListening: () => void,
  ) {
    this.id = id;
    this.text = text;
    this.#sessionId = sessionId;
    this.#stopListening = stopListening;
    this.window = new RowWindow({
      read: (from, count) => call('trace/rows', { sessionId, filterId: id, from, count }),
      ...listener,
      onNextFrame,
    });
  }

  get progress(): FilterProgress {
    return this.#progress;
  }

  /** Ends the filter here and in the engine. */
  async close(): Promise<void> {
    this.#stopListening();
    this.window.close();
    await call('trace/end-filter', { sessionId: this.#sessionId, filterId: this.id });
  }

  #advance(progress: FilterProgress, onChange: () => void): void {
    this.#progress = progress;
    this.window.grow(progress.matches);
    onChange();
  }
}
