import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import type { CliOption } from './command.ts';
import { faultText } from './fault-text.ts';
import { quoted } from './given.ts';
import type { HeadlessSession } from './headless-session.ts';
import { say } from './say.ts';
import { targetOptions } from './target.ts';

/** The levels of MCP logging, the least severe first (RFC 5424). */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The options of every command that has a session of its own. */
export const sessionOptions: readonly CliOption[] = [
  ...targetOptions,
  ['--confirm', 'show what would be run or connected to, and ask first: in commands copied from a trace'],
  ['--log-level <level>', `ask the server for log messages of this level and above: ${logLevels.join(', ')}`],
];

export const sessionOptionsSchema = z.object({
  logLevel: z
    .string()
    .refine((text) => logLevels.some((level) => level === text), {
      error: ({ input }) => `one of ${logLevels.join(', ')} is needed; it is ${quoted(String(input))}`,
    })
    .optional(),
});

/** Asks for logs where that is wanted; a server that refuses is told of, and what was asked for goes on. */
export async function askForLogs(session: HeadlessSession, level: string | undefined): Promise<void> {
  if (level === undefined) return;
  try {
    await session.interruptible(session.request('sessions/set-log-level', { level }));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(`there are no log messages: ${faultText(error.fault)}`);
  }
}
