/** A server to open, as it was named after `--`. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

export interface SplitArguments {
  /** What is meant for us. */
  readonly own: readonly string[];
  /** What stands after the first `--`; null when there is no `--`, or nothing after it. */
  readonly commandLine: CommandLine | null;
  readonly hasDashes: boolean;
}

/** Splits arguments at the first `--`: what follows is a server's command line, none of our options. */
export function splitAtDashes(args: readonly string[]): SplitArguments {
  const dashes = args.indexOf('--');
  if (dashes === -1) return { own: args, commandLine: null, hasDashes: false };
  const [command, ...rest] = args.slice(dashes + 1);
  const commandLine = command === undefined ? null : { command, args: rest };
  return { own: args.slice(0, dashes), commandLine, hasDashes: true };
}
