import { call, on } from '#bridge';
import { RecentViews } from '#model/recent-views.ts';
import { DetailSource } from '#model/detail-source.ts';
import { type FilterProgress, FilterSwitch } from '#model/trace-filter.ts';
import type { Clock } from '#model/trace-clock.ts';
import type { RowWindow } from '#model/row-window.ts';
import { LOG_MESSAGE } from '#shared/protocol/methods.ts';
import { allOf, anyOf, type Filter, term } from '#shared/trace/filter/filter.ts';
import { printFilter } from '#shared/trace/filter/print.ts';
import { FrameSignal } from '#ui/frame-signal.ts';

/** What the list shows. */
export interface LogChoices {
  /** The index in `logLevels` of the least severe level; 0 shows messages of unknown levels too. */
  readonly severity: number;
  /** Null in the list: messages that name no logger. An empty list shows every logger. */
  readonly loggers: readonly (string | null)[];
  /** Text in the message. */
  readonly text: string;
  /** Whether lines of standard error are listed among the messages, regardless of level and loggers. */
  readonly withStderr: boolean;
}

export const everyLog: LogChoices = { severity: 0, loggers: [], text: '', withStderr: false };

/** The filter of the trace that finds the chosen rows. */
export function logFilter({ severity, loggers, text, withStderr }: LogChoices): string {
  const ofLogger = (logger: string | null): Filter =>
    logger === null
      ? { type: 'not', part: term({ field: 'logger', values: [['', '']] }) }
      : term({ field: 'logger', values: [[logger]] });
  const [first, ...others] = loggers.map(ofLogger);
  const messages = allOf([
    term({ field: 'method', values: [[LOG_MESSAGE]] }),
    ...(severity > 0
      ? [term({ field: 'level', values: [{ low: severity, high: Number.POSITIVE_INFINITY }] })]
      : []),
    ...(first === undefined ? [] : [anyOf([first, ...others])]),
  ]);
  const rows = withStderr ? anyOf([messages, term({ field: 'kind', values: ['stderr'] })]) : messages;
  return printFilter(text === '' ? rows : allOf([rows, term({ field: 'text', values: [text] })]));
}

/** The page's state of the logs of one trace. Kept outside React, as that of the trace. */
export class LogView {
  readonly sessionId: string;
  /** Notifies of any change below. */
  readonly signal = new FrameSignal();
  readonly detail: DetailSource;
  /** Scroll position of the list when it was last on screen; pixels. */
  top = 0;
  readonly #filter: FilterSwitch;
  readonly #stop: () => void;
  #choices = everyLog;
  #clock: Clock | null = null;
  #error: unknown = null;
  #isLive = true;
  #isClosed = false;
  #selected: number | null = null;
  #cursor: number | null = null;
  /** Whether the selected row still has to be found in a new list. */
  #isLost = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    this.detail = new DetailSource(sessionId, this.signal.notify);
    this.#filter = new FilterSwitch({
      sessionId,
      list: { text: logFilter(everyLog), viewName: 'messages', sort: null },
      onLeave: () => {
        this.#cursor = null;
        this.#isLost = this.#selected !== null;
      },
      onProgress: () => this.#onProgress(),
      onAwaited: () => this.signal.notifyNow(),
      onError: (error) => this.#fail(error),
      // Of a trace that was closed the engine has ended it.
      onEnding: (ending) => void ending.catch(() => null),
    });
    this.#stop = on('trace/grew', (change) => {
      if (change.sessionId !== sessionId) return;
      this.window?.outdate(change.changedFrom);
      this.detail.outdate(change.changedFrom);
    });
    void this.#readClock();
  }

  /** The rows of the list; null until its filter has started. */
  get window(): RowWindow | null {
    return this.#filter.current?.window ?? null;
  }

  get filterId(): string | null {
    return this.#filter.current?.id ?? null;
  }

  get progress(): FilterProgress | null {
    return this.#filter.current?.progress ?? null;
  }

  get choices(): LogChoices {
    return this.#choices;
  }

  get clock(): Clock | null {
    return this.#clock;
  }

  /** Why the trace cannot be read. */
  get error(): unknown {
    return this.#error ?? this.window?.error ?? null;
  }

  /** Whether the list follows the newest message. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The selected row of the trace. */
  get selected(): number | null {
    return this.#selected;
  }

  /** The place of the selected row in the list. */
  get cursor(): number | null {
    return this.#cursor;
  }

  choose(change: Partial<LogChoices>): void {
    this.#choices = { ...this.#choices, ...change };
    this.#filter.set({ text: logFilter(this.#choices) });
    this.signal.notifyNow();
  }

  setLive(isLive: boolean): void {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.signal.notifyNow();
  }

  /** Selects a place of the list. */
  select(place: number): void {
    this.#cursor = place;
    const row = this.window?.at(place)?.row;
    if (row === undefined) void this.#selectUnheld(place);
    else this.#select(row);
    this.signal.notifyNow();
  }

  /** Closes the detail. */
  deselect(): void {
    this.#selected = null;
    this.#cursor = null;
    this.detail.show(null);
    this.signal.notifyNow();
  }

  /** Filters again: the engine may have ended the filter. */
  retry(): void {
    this.#error = null;
    this.#filter.set({ text: '' });
    this.#filter.set({ text: logFilter(this.#choices) });
    void this.#readClock();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.detail.close();
    this.#filter.close();
  }

  #select(row: number): void {
    this.#selected = row;
    this.detail.show(row);
  }

  async #selectUnheld(place: number): Promise<void> {
    const { sessionId, filterId } = this;
    try {
      const { rows } = await call('trace/rows', { sessionId, filterId, from: place, count: 1 });
      const [found] = rows;
      if (found !== undefined && this.#cursor === place && filterId === this.filterId)
        this.#select(found.row);
    } catch (error) {
      this.#fail(error);
    }
  }

  #onProgress(): void {
    const { progress } = this;
    const row = this.#selected;
    const isScanned = progress !== null && (progress.isDone || progress.scanned > (row ?? 0));
    if (this.#isLost && row !== null && isScanned) void this.#findSelected(row);
    this.signal.notify();
  }

  /** Finds the place of the selected row, or of the nearest one before it, in a new list. */
  async #findSelected(row: number): Promise<void> {
    this.#isLost = false;
    const { sessionId, filterId } = this;
    try {
      const { place } = await call('trace/place', { sessionId, filterId, row });
      if (filterId === this.filterId && row === this.#selected) this.#cursor = place;
    } catch (error) {
      this.#fail(error);
    }
    this.signal.notify();
  }

  async #readClock(): Promise<void> {
    try {
      this.#clock = (await call('trace/summary', { sessionId: this.sessionId })).clock;
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

/** Views kept while another one is on screen. */
const MAX_VIEWS = 4;

/** The views of the logs; the recently shown ones are kept. */
export const logViews = new RecentViews(MAX_VIEWS, (sessionId) => new LogView(sessionId));
