// oxlint-disable-next-line no-restricted-imports -- stands in for the engine
import { SchemaValidator } from '#session/validation/schema-validator.ts';
import { FaultError } from '#shared/contract/fault.ts';
import {
  type CommandName,
  type CommandOutcome,
  commands,
  type EventName,
  isCommandName,
  type Params,
  type Payload,
  type Result,
} from '#shared/contract/index.ts';
import type { PreloadBridge } from '#shared/contract/preload-bridge.ts';

/** What the engine answers to each command; a command without a line here fails the test that runs it. */
export type Answers = { [N in CommandName]?: (params: Params<N>) => Result<N> | Promise<Result<N>> };

/** Forms are validated as in the real engine. */
const validator = new SchemaValidator();

const listeners = new Set<(frame: unknown) => void>();
let answers: Answers = {};
let asked: { readonly command: string; readonly params: unknown }[] = [];

const bridge: PreloadBridge = {
  async invoke(command, params): Promise<CommandOutcome> {
    if (!isCommandName(command)) throw new Error(`there is no command ${command}`);
    asked.push({ command, params });
    try {
      return { ok: true, result: await answer(command, commands[command].params.parse(params)) };
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

function answer<N extends CommandName>(command: N, params: unknown) {
  const give = answers[command];
  if (!give) throw new Error(`the test has no answer to ${command}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very command's schema
  return give(params as Params<N>);
}

/**
 * An engine for component tests, behind the real bridge: the page runs commands, the test answers. It stands
 * where Electron's preload script would.
 */
export function fakeEngine(given: Answers): {
  /** The parameters of every run of a command so far. */
  readonly asked: (command: CommandName) => unknown[];
  readonly emit: <N extends EventName>(event: N, payload: Payload<N>) => void;
} {
  answers = { 'calls/check': ({ schema, value }) => validator.validateText(schema, value), ...given };
  asked = [];
  Object.defineProperty(window, 'sightglass', { value: bridge, configurable: true });
  return {
    asked: (command) => asked.filter((one) => one.command === command).map(({ params }) => params),
    emit: (event, payload) => {
      for (const listener of listeners) listener({ event, payload });
    },
  };
}
