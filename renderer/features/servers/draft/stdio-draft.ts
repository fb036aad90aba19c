import { joinCommandLine, splitCommandLine } from '#model/command-line.ts';
import type { StdioSettings } from '#shared/contract/servers.ts';
import { type NamedValue, namedValues, readRows, rowsSetTwice } from '../named-values/named-value.ts';
import { urlIn } from './other-kind.ts';
import { type DraftOptions, type ReadPart, textOrNull } from './part.ts';
import { nameOfCommand } from '#shared/server-names.ts';

/** How a server's process is run, as it is being edited. */
export interface StdioDraft {
  readonly commandLine: string;
  readonly cwd: string;
  readonly env: readonly NamedValue[];
  readonly inherit: StdioSettings['inherit'];
}

export const emptyStdioDraft = (): StdioDraft => ({ commandLine: '', cwd: '', env: [], inherit: 'safe' });

export const stdioDraftOf = (
  { command, args, cwd, env, inherit }: StdioSettings,
  options: DraftOptions,
): StdioDraft => ({
  commandLine: joinCommandLine([command, ...args], options),
  cwd: cwd ?? '',
  env: namedValues(env),
  inherit,
});

export function readStdioDraft(draft: StdioDraft, options: DraftOptions): ReadPart {
  const line = splitCommandLine(draft.commandLine, options);
  const [command = '', ...args] = line.words;
  const env = readRows(draft.env);
  const errors: Record<string, string> = {};
  for (const [place, why] of rowsSetTwice(draft.env)) errors[`env.${place}`] = why;
  if (line.error !== null) errors.commandLine = line.error;
  else if (command.trim() === '') errors.commandLine = 'Write the command that starts the server.';
  else if (urlIn(draft.commandLine) !== null) errors.commandLine = 'A URL cannot be run.';
  return {
    name: nameOfCommand(command, args),
    transport: {
      kind: 'stdio',
      command,
      args,
      cwd: textOrNull(draft.cwd),
      env: env.entries,
      inherit: draft.inherit,
    },
    errors,
    placeOf: ([head, entry]) => {
      if (head === 'env') return `env.${env.rowOf(Number(entry))}`;
      return head === 'cwd' ? 'cwd' : 'commandLine';
    },
  };
}
