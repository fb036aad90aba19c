/// <reference lib="dom" />

import type { PreloadBridge } from '#shared/contract/preload-bridge.ts';

/** What the probe has seen since it was last reset. Times are milliseconds of the page's clock. */
export interface ProbeReading {
  /** The longest time between two frames. */
  readonly longestGap: number;
  readonly frames: number;
  /** When the page was clicked first, or something was written into it. */
  readonly actedAt: number | null;
  /** When any row was drawn, when the rows asked for were listed, and when the last of them was drawn as well. */
  readonly anyAt: number | null;
  readonly countedAt: number | null;
  readonly listedAt: number | null;
  /** How many rows the table has, and how long that has not changed. */
  readonly rows: number;
  readonly stillFor: number;
}

/** How far the filter has come that was asked for since the probe was last reset. */
export interface FilterReading {
  /** When the page asked the engine for it; null where that cannot be seen, as in Electron. */
  readonly askedAt: number | null;
  /** When the first matches were told, and when all rows had been looked at. */
  readonly firstAt: number | null;
  readonly doneAt: number | null;
  /** When the first matches were drawn. */
  readonly drawnAt: number | null;
  readonly matches: number;
}

export interface Probe {
  reset(untilRows: number): void;
  read(): ProbeReading;
  /** Scrolls to a part of the table, from 0 to 1; gives the milliseconds until its rows were drawn, at most 10 s. */
  jump(part: number): Promise<number>;
  /** When it was asked and the text stood beside the table; null when it does not stand there. */
  shownAt(text: string): number | null;
  filtered(): FilterReading;
}

declare global {
  interface Window {
    /** The contract's bridge, in Electron. */
    readonly sightglass?: PreloadBridge;
    benchProbe?: Probe;
  }
}

/** Runs inside the page, so it may use nothing from outside itself. Watches every frame from then on. */
export function installProbe(): void {
  let lastFrame = performance.now();
  let longestGap = 0;
  let frames = 0;
  let actedAt: number | null = null;
  let anyAt: number | null = null;
  let countedAt: number | null = null;
  let listedAt: number | null = null;
  let untilRows = Number.POSITIVE_INFINITY;
  let rows = 0;
  let grownAt = lastFrame;
  let rowsBefore = 0;
  let askedAt: number | null = null;
  let firstAt: number | null = null;
  let doneAt: number | null = null;
  let drawnAt: number | null = null;
  let matches = 0;

  // The header of the grid counts as its first row.
  const grid = () => document.querySelector('[role=treegrid][aria-rowcount]');
  const countRows = () => Number(grid()?.getAttribute('aria-rowcount') ?? 1) - 1;
  const hasText = (row: Element) =>
    Array.from(row.querySelectorAll('[role=gridcell]')).some((cell) => cell.textContent !== '');
  const isDrawn = (row: number) => {
    const found = grid()?.querySelector(`[role=row][aria-rowindex="${row + 1}"]`);
    return found !== null && found !== undefined && hasText(found);
  };
  const isAnyDrawn = () => Array.from(grid()?.querySelectorAll('[role=row][data-place]') ?? []).some(hasText);
  /** Whether every row on screen is drawn, and they are those at this part of the table. */
  const isAt = (part: number) => {
    const drawn = Array.from(grid()?.querySelectorAll('[role=row]') ?? []).slice(1);
    const first = Number(drawn[0]?.getAttribute('aria-rowindex'));
    const tolerance = drawn.length + countRows() / 1000;
    const isThere = Math.abs(first - part * (countRows() - drawn.length)) <= tolerance;
    return isThere && drawn.every(hasText);
  };

  const onFrame = () => {
    const now = performance.now();
    longestGap = Math.max(longestGap, now - lastFrame);
    lastFrame = now;
    frames += 1;
    if (rows !== countRows()) grownAt = now;
    rows = countRows();
    const isOther = rows !== rowsBefore && rows > 0;
    if (drawnAt === null && firstAt !== null && isOther && isAnyDrawn()) drawnAt = now;
    if (anyAt === null && rows > 0 && isAnyDrawn()) anyAt = now;
    if (untilRows <= rows) {
      countedAt ??= now;
      if (listedAt === null && isDrawn(rows)) listedAt = now;
    }
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  for (const act of ['click', 'input']) {
    document.addEventListener(act, () => (actedAt ??= performance.now()), { capture: true });
  }

  /** Takes what the engine tells, as text. */
  const onEvent = (text: string) => {
    if (!text.includes('"trace/filtered"')) return;
    const { payload } = JSON.parse(text);
    matches = payload.matches;
    if (matches > 0) firstAt ??= performance.now();
    if (payload.done) doneAt ??= performance.now();
  };
  window.sightglass?.onEvent((frame) => onEvent(JSON.stringify(frame)));
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    if (askedAt !== null && typeof data === 'string') onEvent(data);
  };
  const sockets = new WeakSet<WebSocket>();
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (!sockets.has(this)) this.addEventListener('message', onMessage);
    sockets.add(this);
    if (typeof data === 'string' && data.includes('"trace/filter"')) askedAt ??= performance.now();
    send.call(this, data);
  };

  window.benchProbe = {
    reset: (until) => {
      rowsBefore = countRows();
      askedAt = null;
      firstAt = null;
      doneAt = null;
      drawnAt = null;
      matches = 0;
      longestGap = 0;
      frames = 0;
      actedAt = null;
      anyAt = null;
      countedAt = null;
      listedAt = null;
      untilRows = until;
      lastFrame = performance.now();
      grownAt = lastFrame;
    },
    read: () => ({
      longestGap,
      frames,
      actedAt,
      anyAt,
      countedAt,
      listedAt,
      rows: countRows(),
      stillFor: performance.now() - grownAt,
    }),
    shownAt: (text) => {
      const detail = document.querySelector('section[aria-label^=Row]');
      return detail?.textContent.includes(text) ? performance.now() : null;
    },
    filtered: () => ({ askedAt, firstAt, doneAt, drawnAt, matches }),
    jump: (part) =>
      new Promise((resolve) => {
        const scroller = grid();
        if (scroller === null) throw new Error('there is no table');
        requestAnimationFrame(() => {
          const startedAt = performance.now();
          scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight);
          const look = () => {
            const passed = performance.now() - startedAt;
            if (isAt(part) || passed > 10_000) resolve(passed);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        });
      }),
  };
}
