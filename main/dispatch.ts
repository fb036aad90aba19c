import { z } from 'zod';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import {
  type CommandName,
  type CommandOutcome,
  commands,
  type Handlers,
  isCommandName,
  type Params,
} from '#shared/contract/index.ts';

/**
 * Runs commands that come from a screen: checks the name and the parameters, and turns whatever goes wrong
 * into a fault.
 */
export function dispatcher(handlers: Handlers) {
  return async (command: string, params: unknown): Promise<CommandOutcome> => {
    if (!isCommandName(command)) return failed(unknownCommand(command));
    const parsed = commands[command].params.safeParse(params);
    if (!parsed.success) return failed(badParams(command, parsed.error));
    try {
      return { ok: true, result: await run(handlers, command, parsed.data) };
    } catch (error) {
      return failed(faultOf(`ran ${command}`, error));
    }
  };
}

/** The table joins each name with its own parameters; the compiler cannot follow that through a lookup. */
function run<N extends CommandName>(handlers: Handlers, command: N, params: unknown) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very command's schema
  return handlers[command](params as Params<N>);
}

const failed = (fault: Fault): CommandOutcome => ({ ok: false, fault });

const unknownCommand = (command: string): Fault => ({
  code: 'unknown-command',
  what: `The engine has no command "${command.slice(0, 100)}".`,
  why: 'The page and the engine are of different versions.',
  next: 'Restart Sightglass.',
});

const badParams = (command: string, error: z.ZodError): Fault => ({
  code: 'bad-params',
  what: `The parameters of ${command} are not right.`,
  why: z.prettifyError(error),
});
