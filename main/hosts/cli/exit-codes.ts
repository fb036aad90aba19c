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

/** The command was called in a way it cannot follow. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
