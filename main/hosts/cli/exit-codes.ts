/** What the process ends with, the same for every command. */
export const exitCodes = {
  fine: 0,
  /** Findings, failed expectations, a tool error or a protocol error. */
  findings: 1,
  usage: 2,
  notConnected: 3,
  internal: 4,
  /** Asked to end before it was done: 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What every command ends with, unless it says something else of a code. */
const everyEnd: Partial<Record<ExitCode, string>> = {
  0: 'fine',
  2: 'wrong usage',
  4: 'a fault of Sightglass',
  130: 'interrupted before it was done',
};

/** The exit codes of a command as lines of its `--help`. */
export function exitCodeLines(own: Partial<Record<ExitCode, string>>): string {
  const lines = Object.entries({ ...everyEnd, ...own }).map(([code, text]) => `  ${code.padEnd(4)} ${text}`);
  return ['Exit codes:', ...lines].join('\n');
}

/** The command was called in a way it cannot follow. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
