import { onEndSignal } from '../close-in-order.ts';
import { exitCodes } from './exit-codes.ts';

/** Milliseconds in which signals count as one behind npm: the same Ctrl-C comes from the terminal and from npm. */
const SAME_BEHIND_NPM = 1000;

/**
 * Calls the listener when we are asked to end, until the returned function is called. Asked a second time, the process
 * exits at once, and what it runs is killed with it.
 */
export function onCtrlC(listener: (signal: NodeJS.Signals) => void): () => void {
  const isBehindNpm = process.env.npm_lifecycle_event !== undefined;
  let firstAt: number | null = null;
  return onEndSignal((signal) => {
    if (firstAt === null) {
      firstAt = performance.now();
      listener(signal);
    } else if (!isBehindNpm || performance.now() - firstAt > SAME_BEHIND_NPM) {
      process.exit(exitCodes.interrupted);
    }
  });
}
