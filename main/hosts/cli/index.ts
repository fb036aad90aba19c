#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { appVersion } from '../app-root.ts';
import { type CommandLine, splitAtDashes } from '../command-line.ts';
import { isTraceName } from '../named.ts';
import { callCommand } from './call.ts';
import type { CliCommand } from './command.ts';
import { endWithNpm } from './end-with-npm.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { exportCommand } from './export.ts';
import { listCommand } from './list.ts';
import { openCommand } from './open.ts';
import { recordCommand } from './record.ts';
import { requestCommand } from './request.ts';
import { say } from './say.ts';

const commandTable: readonly CliCommand[] = [
  openCommand,
  listCommand,
  callCommand,
  requestCommand,
  recordCommand,
  exportCommand,
];

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
    for (const [flags, purpose, repeats] of options) {
      if (repeats === undefined) command.option(flags, purpose);
      else command.option(flags, purpose, collect);
    }
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  }
  const [first] = own;
  const names = ['help', ...program.commands.map((command) => command.name())];
  // commander would hand an unknown word to the default command as an argument too many.
  if (first !== undefined && !first.startsWith('-') && !names.includes(first) && !isTraceName(first)) {
    throw new UsageError(`there is no command "${first}"; "sightglass --help" lists them`);
  }
  await program.parseAsync(own, { from: 'user' });
  return exitCode;
}

const collect = (given: string, before: readonly string[] = []): string[] => [...before, given];

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

// Nobody reads on, as behind "| head": end in order, as if asked to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
});

// A bug; what still runs is killed as this process exits.
process.on('uncaughtException', (error) => process.exit(exitCodeOf(error)));

endWithNpm();

// Left to end by itself: what still runs then is a fault that must not be hidden by an exit.
process.exitCode = await main(process.argv.slice(2));
