import { resolve } from 'node:path';
import { z } from 'zod';
import type { Platform } from '#engine/platform.ts';
import { type CliOption, type Invocation, parseOptions } from './command.ts';
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';

/** What to connect to. */
export type Target = NonNullable<Platform['commandLine']>;

/** The options of every command that connects to a server. */
export const targetOptions: readonly CliOption[] = [
  ['--env <name=value>', 'set a variable for the server; may be repeated', 'repeatable'],
  ['--cwd <folder>', 'start the server in this folder'],
  ['--timeout <time>', 'how long it may take to answer, such as 500ms, 30s, 2m'],
];

export const targetNotes = `The server is the command line after "--"; everything there is the server's own.
It inherits only what every program needs (PATH, HOME, …) and what --env sets.`;

const optionsSchema = z.object({
  env: z.array(z.string()).default([]),
  cwd: z.string().optional(),
  timeout: z.string().optional(),
});

/** Reads the server's command line and the options that go with it. @throws UsageError */
export function readTarget({ commandLine, options }: Invocation): Target {
  if (commandLine === null) throw new UsageError('a server is needed, such as: -- node server.js');
  const { env, cwd, timeout } = parseOptions(optionsSchema, options);
  return {
    ...commandLine,
    env: Object.fromEntries(env.map(readVariable)),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(timeout !== undefined && { timeout: readDuration('--timeout', timeout) }),
  };
}

function readVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--env wants NAME=VALUE; it is "${text}"`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}
