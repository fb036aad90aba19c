import type { z } from 'zod';
import type { CommandLine } from '#hosts/startup-target.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { flagOf, quoted } from './option-values.ts';

/** One command of the terminal: a row of the table in `index.ts`. */
export interface CliCommand {
  /** Its name and arguments as commander writes them: `call <tool> [arguments...]`. */
  readonly usage: string;
  /** One line for `--help`. */
  readonly summary: string;
  /** Flags as commander writes them (`-o, --out <file>`), and what each is for. */
  readonly options: readonly CliOption[];
  /** Lines below the options in `--help`, such as examples. */
  readonly notes?: string;
  /** Exit codes in addition to those of every command, for `--help`. */
  readonly ends: Partial<Record<ExitCode, string>>;
  /** Set for the command that runs when none is named. */
  readonly isDefault?: true;
  run(invocation: Invocation): Promise<ExitCode>;
}

/** A repeatable option is passed as a list. */
export type CliOption = readonly [flags: string, purpose: string, repeats?: 'repeatable'];

export interface Invocation {
  /** The arguments of `usage`. */
  readonly args: readonly unknown[];
  /** The options; read them with `parseOptions`. */
  readonly options: unknown;
  /** The server's command line after `--`. */
  readonly commandLine: CommandLine | null;
}

/** Validates the options. @throws UsageError */
export function parseOptions<T extends z.ZodType>(schema: T, options: unknown): z.infer<T> {
  const parsed = schema.safeParse(options, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(complaintOf).join('; '));
}

function complaintOf(issue: z.core.$ZodIssue): string {
  // The path of a repeatable option ends with an index.
  const option = flagOf(String(issue.path[0] ?? ''));
  return issue.code === 'invalid_value'
    ? `${option} wants one of: ${issue.values.join(', ')}; it is ${quoted(String(issue.input))}`
    : `${option}: ${issue.message}`;
}
