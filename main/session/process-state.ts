import type { SessionView } from '#shared/contract/sessions.ts';
import type { ProcessChange } from '#shared/trace/record.ts';

type ProcessView = NonNullable<SessionView['process']>;

/** The last process of a session over stdio, derived from its changes: live ones, or those in a trace. */
export class ProcessState {
  /** Null until the process was started. */
  view: ProcessView | null = null;
  /** When the shutdown began, in microseconds. */
  #shutdownAt: number | null = null;

  /** @param at microseconds, of any monotonic clock */
  add(change: ProcessChange, at: number): void {
    const before = this.view ?? { pid: null, exitCode: null, signal: null, shutdown: [] };
    switch (change.what) {
      case 'spawn':
        this.#shutdownAt = null;
        this.view = { pid: change.pid, exitCode: null, signal: null, shutdown: [] };
        break;
      case 'shutdown':
        this.#shutdownAt ??= at;
        this.view = { ...before, shutdown: [...before.shutdown, this.#step(change.step, at)] };
        break;
      case 'exit': {
        const { code: exitCode, signal } = change;
        // The exit is a step of the shutdown only if we have begun one.
        const isShuttingDown = this.#shutdownAt !== null;
        const shutdown = isShuttingDown ? [...before.shutdown, this.#step('exit', at)] : before.shutdown;
        this.view = { ...before, exitCode, signal, shutdown };
        break;
      }
      default:
    }
  }

  #step(step: ProcessView['shutdown'][number]['step'], at: number): ProcessView['shutdown'][number] {
    return { step, after: Math.round((at - (this.#shutdownAt ?? at)) / 1000) };
  }
}
