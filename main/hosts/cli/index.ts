#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { appVersion } from '../app-root.ts';
import { type CommandLine, splitAtDashes } from '../command-line.ts';
import type { CliCommand } from './command.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { openCommand } from './open.ts';
import { say } from './say.ts';

const commandTable: readonly CliCommand[] = [openCommand];

async function main(args: readonly string[]): Promise<ExitCode> {
  const { own, commandLine, hasDashes } = splitAtDashes(args);
  try {
    if (hasDashes && commandLine === null) throw new UsageError('after "--" a command line is needed');
    return await runCommand(own, commandLine);
  } catch (error) {
    return exitCodeOf(error);
  }
}

async function runCommand(own: readonly string[], commandLine: CommandLine | null): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.fine;
  const program = new Command('sightglass')
    .description('Inspects and debugs MCP servers.')
    .version(appVersion)
    .exitOverride();
  for (const { usage, summary, options, notes, isDefault = false, run } of commandTable) {
    const command = program
      .command(usage, { isDefault })
      .summary(summary)
      .description(summary)
      .exitOverride()
      .action(async (...given: unknown[]) => {
        exitCode = await run({ args: given.slice(0, -2), options: command.opts(), commandLine });
      });
    for (const [flags, purpose] of options) command.option(flags, purpose);
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  }
  await program.parseAsync(own, { from: 'user' });
  return exitCode;
}

function exitCodeOf(error: unknown): ExitCode {
  // commander has said it already; asking for help or the version is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  if (error instanceof UsageError) return complain(exitCodes.usage, error.message);
  return complain(
    exitCodes.internal,
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}

function complain(exitCode: ExitCode, text: string): ExitCode {
  say(text);
  return exitCode;
}

// Left to end by itself: what still runs then is a fault that must not be hidden by an exit.
process.exitCode = await main(process.argv.slice(2));
