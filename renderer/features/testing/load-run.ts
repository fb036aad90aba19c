import { create } from 'zustand';
import { call, on } from '#bridge';
import { faultOf } from '#model/faults.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import type { LoadReport } from '#shared/contract/load.ts';

/** A load of a session: under way, or ended with a report or a fault. */
export interface LoadRun {
  /** What is run, in words. */
  readonly about: string;
  /** The tool that is called; null for saved calls, and if it is not known. */
  readonly tool: string | null;
  /** Null if it was started before the page was loaded: only its events are known. */
  readonly startedAt: number | null;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  readonly report: LoadReport | null;
  readonly fault: Fault | null;
}

const useRuns = create<Readonly<Record<string, LoadRun>>>()(() => ({}));

/** The last load of a session; null if there was none. */
export const useLoadRun = (sessionId: string): LoadRun | null => useRuns((runs) => runs[sessionId] ?? null);

const update = (sessionId: string, change: Partial<LoadRun>): void =>
  useRuns.setState(({ [sessionId]: run }) =>
    run === undefined ? {} : { [sessionId]: { ...run, ...change } },
  );

on('load/advanced', ({ sessionId, done, failed, total, isRunning }) => {
  const run = useRuns.getState()[sessionId];
  if (run === undefined) {
    if (!isRunning) return;
    const about = 'A load from before the page was loaded';
    useRuns.setState({ [sessionId]: { ...begun, about, total, done, failed } });
  } else if (run.isRunning) {
    const isOver = run.startedAt === null && !isRunning;
    update(sessionId, { done, failed, ...(isOver && { isRunning: false, isStopping: false }) });
  }
});

const begun: Omit<LoadRun, 'about' | 'total'> = {
  tool: null,
  startedAt: null,
  done: 0,
  failed: 0,
  isRunning: true,
  isStopping: false,
  report: null,
  fault: null,
};

/** Makes a call or runs saved calls many times; the user has chosen them. Never rejects. */
export async function runLoad(
  about: string,
  { sessionId, what, count, schedule }: Omit<Params<'load/run'>, 'allowWrites'>,
): Promise<void> {
  useRuns.setState({
    [sessionId]: {
      ...begun,
      about,
      tool: what.kind === 'tool' ? what.tool : null,
      startedAt: Date.now(),
      total: count,
    },
  });
  try {
    const report = await call('load/run', { sessionId, what, count, schedule, allowWrites: true });
    update(sessionId, { report, done: report.done, failed: report.failed });
  } catch (error) {
    update(sessionId, { fault: faultOf(error) });
  } finally {
    update(sessionId, { isRunning: false, isStopping: false });
  }
}

/** Starts no further call; those under way are waited for. Never rejects. */
export async function stopLoad(sessionId: string): Promise<void> {
  update(sessionId, { isStopping: true });
  try {
    await call('load/stop', { sessionId });
  } catch (error) {
    update(sessionId, { fault: faultOf(error) });
  }
}
