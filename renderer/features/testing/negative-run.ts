import { create } from 'zustand';
import { call, on } from '#bridge';
import { faultOf } from '#model/faults.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { NegativeInput, NegativeOutcome } from '#shared/contract/negative-inputs.ts';

/** The negative inputs that were sent in a session. */
export interface NegativeRun {
  /** Ids of the inputs, in their order. */
  readonly ids: readonly string[];
  readonly outcomes: Readonly<Record<string, NegativeOutcome>>;
  readonly isRunning: boolean;
  readonly fault: Fault | null;
}

const useRuns = create<Readonly<Record<string, NegativeRun>>>()(() => ({}));

/** The last run of a session; null if there was none. */
export const useNegativeRun = (sessionId: string): NegativeRun | null =>
  useRuns((runs) => runs[sessionId] ?? null);

const update = (sessionId: string, change: (run: NegativeRun) => Partial<NegativeRun>): void =>
  useRuns.setState(({ [sessionId]: run }) =>
    run === undefined ? {} : { [sessionId]: { ...run, ...change(run) } },
  );

/** Sends inputs; the user has agreed. Never rejects. */
export async function runNegativeInputs(sessionId: string, inputs: readonly NegativeInput[]): Promise<void> {
  const ids = inputs.map(({ id }) => id);
  useRuns.setState({ [sessionId]: { ids, outcomes: {}, isRunning: true, fault: null } });
  const stop = on('negative-inputs/ran', (outcome) => {
    if (outcome.sessionId !== sessionId) return;
    update(sessionId, ({ outcomes }) => ({ outcomes: { ...outcomes, [outcome.input.id]: outcome } }));
  });
  try {
    const all = await call('negative-inputs/run', { sessionId, ids, consent: true });
    update(sessionId, () => ({ outcomes: Object.fromEntries(all.map((one) => [one.input.id, one])) }));
  } catch (error) {
    update(sessionId, () => ({ fault: faultOf(error) }));
  } finally {
    stop();
    update(sessionId, () => ({ isRunning: false }));
  }
}

/** Ends the run; the request under way is cancelled. Never rejects. */
export async function stopNegativeInputs(sessionId: string): Promise<void> {
  try {
    await call('negative-inputs/stop', { sessionId });
  } catch (error) {
    update(sessionId, () => ({ fault: faultOf(error) }));
  }
}
