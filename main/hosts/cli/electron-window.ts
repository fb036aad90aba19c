import { appRoot } from '../app-root.ts';
import type { Named } from '#engine/platform.ts';
import { handOverInEnvironment } from '../named.ts';
import { sandboxFlags } from './display.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { runChild } from './run-child.ts';

/** An Electron that fails does so at once; what ends later has had its window. */
const FAILS_WITHIN = 10_000;

export type ElectronRun =
  | { readonly hasRun: true; readonly exitCode: ExitCode }
  /** It ended before it was of use; `why` is for the user. */
  | { readonly hasRun: false; readonly why: string };

/** Runs the app in Electron until it is closed. */
export async function runElectron(binary: string, named: Named | null): Promise<ElectronRun> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const started = performance.now();
  const args = [...sandboxFlags(), appRoot];
  const { exitCode, signal, failure, wasInterrupted } = await runChild({
    command: binary,
    args,
    env: { ...env, ...handOverInEnvironment(named) },
    stdio: 'inherit',
  });
  if (wasInterrupted || exitCode === exitCodes.fine) return { hasRun: true, exitCode: exitCodes.fine };
  // Our own code for a fault that it has told already.
  if (exitCode === exitCodes.internal) return { hasRun: true, exitCode };
  const why = `Electron ended with ${failure ?? signal ?? `exit code ${exitCode}`}`;
  if (performance.now() - started < FAILS_WITHIN) return { hasRun: false, why };
  throw new Error(why);
}
