/// <reference lib="dom" />

/** What the probe has seen since it was last reset. Times are milliseconds of the page's clock. */
export interface ProbeReading {
  /** The longest time between two frames. */
  readonly longestGap: number;
  readonly frames: number;
  /** When the page was clicked first. */
  readonly clickedAt: number | null;
  /** When the rows asked for were listed and the last of them was drawn. */
  readonly listedAt: number | null;
  /** How many rows the table has, and how long that has not changed. */
  readonly rows: number;
  readonly stillFor: number;
}

export interface Probe {
  reset(untilRows: number): void;
  read(): ProbeReading;
}

declare global {
  interface Window {
    benchProbe?: Probe;
  }
}

/** Runs inside the page, so it may use nothing from outside itself. Watches every frame from then on. */
export function installProbe(): void {
  let lastFrame = performance.now();
  let longestGap = 0;
  let frames = 0;
  let clickedAt: number | null = null;
  let listedAt: number | null = null;
  let untilRows = Number.POSITIVE_INFINITY;
  let rows = 0;
  let grownAt = lastFrame;

  // The header of the grid counts as its first row.
  const grid = () => document.querySelector('[role=grid][aria-rowcount]');
  const countRows = () => Number(grid()?.getAttribute('aria-rowcount') ?? 1) - 1;
  const isDrawn = (row: number) => {
    const cells = grid()?.querySelectorAll(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell]`);
    return Array.from(cells ?? []).some((cell) => cell.textContent !== '');
  };

  const onFrame = () => {
    const now = performance.now();
    longestGap = Math.max(longestGap, now - lastFrame);
    lastFrame = now;
    frames += 1;
    if (rows !== countRows()) grownAt = now;
    rows = countRows();
    if (listedAt === null && untilRows <= rows && isDrawn(rows)) listedAt = now;
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  document.addEventListener('click', () => (clickedAt ??= performance.now()), { capture: true });

  window.benchProbe = {
    reset: (until) => {
      longestGap = 0;
      frames = 0;
      clickedAt = null;
      listedAt = null;
      untilRows = until;
      lastFrame = performance.now();
      grownAt = lastFrame;
    },
    read: () => ({
      longestGap,
      frames,
      clickedAt,
      listedAt,
      rows: countRows(),
      stillFor: performance.now() - grownAt,
    }),
  };
}
