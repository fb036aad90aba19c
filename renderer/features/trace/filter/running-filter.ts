import { call, on } from '#bridge';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { onNextFrame } from '../frame-signal.ts';
import { RowWindow, type RowWindowParts } from '../table/row-window.ts';

export interface FilterProgress {
  readonly matches: number;
  /** Rows looked at so far. */
  readonly scanned: number;
  /** It has caught up with the trace. */
  readonly isDone: boolean;
}

/** Told of the filter's progress and of its rows, as `RowWindow` tells. */
export type FilterListener = Pick<RowWindowParts, 'onChange' | 'onAwaited'>;

/** A filter that runs in the engine, and the window on its matches. */
export class RunningFilter {
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
    } catch (failure) {
      stopListening();
      throw failure;
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
