import { resolve } from 'node:path';
import { type NamedFile, type StartupTarget, startupTargetSchema } from '#main/platform.ts';

/** An environment variable, because Chromium reads the arguments, and headers are secret. */
const VARIABLE = 'SIGHTGLASS_OPEN';

/** The variable that tells a process of ours what to open. */
export function handOverInEnvironment(target: StartupTarget | null): Record<string, string> {
  return target === null ? {} : { [VARIABLE]: JSON.stringify(target) };
}

/**
 * What this process should open: the target the terminal command handed over, else the command line after `--`, else a
 * trace file passed by the desktop. Removes the variable, so that no server inherits it.
 */
export function takeStartupTarget(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): StartupTarget | null {
  const handedOver = environment[VARIABLE];
  delete environment[VARIABLE];
  const target = handedOver === undefined ? null : startupTargetSchema.parse(JSON.parse(handedOver));
  if (target !== null)
    return target.kind === 'stdio' ? { ...target, cwd: resolve(target.cwd ?? '.') } : target;
  const { own, commandLine } = splitAtDashes(args);
  if (commandLine !== null) return { kind: 'stdio', ...commandLine, cwd: process.cwd() };
  const file = own.find(isTraceName);
  return file === undefined ? null : namedFile(file);
}

/** Whether an argument has the extension of a trace file. */
export const isTraceName = (argument: string): boolean =>
  !argument.startsWith('-') && /\.mcptrace$/i.test(argument);

/** A trace file, relative to the working folder of this process. */
export const namedFile = (path: string): NamedFile => ({ kind: 'file', path: resolve(path) });

/** A server to open, given after `--`. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

interface SplitArguments {
  /** Our own arguments. */
  readonly own: readonly string[];
  /** What follows the first `--`; null without `--`, or with nothing after it. */
  readonly commandLine: CommandLine | null;
  readonly hasDashes: boolean;
}

/** Splits arguments at the first `--`: what follows is a server's command line, not our options. */
export function splitAtDashes(args: readonly string[]): SplitArguments {
  const dashes = args.indexOf('--');
  if (dashes === -1) return { own: args, commandLine: null, hasDashes: false };
  const [command, ...rest] = args.slice(dashes + 1);
  const commandLine = command === undefined ? null : { command, args: rest };
  return { own: args.slice(0, dashes), commandLine, hasDashes: true };
}
