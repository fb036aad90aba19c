import type { PreloadBridge } from '#bridge';
import { FaultError } from '#shared/contract/fault.ts';
import type { CommandName, EventName, Params, Payload, Result } from '#shared/contract/index.ts';

/** What the engine answers to each command; a command without a line here fails the test that runs it. */
export type Answers = { [N in CommandName]?: (params: Params<N>) => Result<N> | Promise<Result<N>> };

const listeners = new Set<(frame: unknown) => void>();
let answers: Answers = {};
let asked: { readonly command: string; readonly params: unknown }[] = [];

const bridge: PreloadBridge = {
  async invoke(command, params) {
    asked.push({ command, params });
    const answer = answers[command as CommandName] as ((params: unknown) => unknown) | undefined;
    if (!answer) throw new Error(`the test has no answer to ${command}`);
    try {
      return { ok: true, result: await answer(params) };
    } catch (error) {
      if (error instanceof FaultError) return { ok: false, fault: error.fault };
      throw error;
    }
  },
  onEvent(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/**
 * An engine for component tests, behind the real bridge: the page runs commands, the test answers. It stands
 * where Electron's preload script would.
 */
export function fakeEngine(given: Answers): {
  /** The parameters of every run of a command so far. */
  readonly asked: <N extends CommandName>(command: N) => Params<N>[];
  readonly emit: <N extends EventName>(event: N, payload: Payload<N>) => void;
} {
  answers = given;
  asked = [];
  Object.defineProperty(window, 'sightglass', { value: bridge, configurable: true });
  return {
    asked: <N extends CommandName>(command: N) =>
      asked.filter((one) => one.command === command).map(({ params }) => params as Params<N>),
    emit: (event, payload) => {
      for (const listener of listeners) listener({ event, payload });
    },
  };
}
