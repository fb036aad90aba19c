#!/usr/bin/env node
import { FaultError } from '#shared/contract/fault.ts';
import { similarWord } from '#shared/similar-word.ts';
import { Command, CommanderError } from 'commander';
import { appVersion } from '../app-root.ts';
import { type CommandLine, splitAtDashes, isTraceName } from '#hosts/startup-target.ts';
import { guardRunner } from '#hosts/runner-commands.ts';
import { authCommand } from './commands/auth.ts';
import { callCommand } from './commands/call.ts';
import type { CliCommand } from './command.ts';
import { endWithNpm, type ExitCode, exitCodeLines, exitCodeOf, exitCodes, UsageError } from './exit.ts';
import { convertCommand } from './commands/convert.ts';
import { diffCommand } from './commands/diff.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { quoted, withShortQuotes } from './option-values.ts';
import { listCommand } from './commands/list.ts';
import { mockCommand } from './commands/mock.ts';
import { loadCommand } from './commands/load.ts';
import { openCommand } from './commands/open.ts';
import { lockCommand } from './commands/lock.ts';
import { recordCommand } from './commands/record.ts';
import { replayCommand } from './commands/replay.ts';
import { requestCommand } from './commands/request.ts';
import { faultText, say } from './output.ts';
import { testCommand } from './commands/test.ts';
import { withWatch } from './watch-loop.ts';
import { trimCommand } from './commands/trim.ts';

const commandTable: readonly CliCommand[] = [
  openCommand,
  listCommand,
  callCommand,
  requestCommand,
  withWatch(testCommand),
  loadCommand,
  recordCommand,
  exportCommand,
  trimCommand,
  replayCommand,
  diffCommand,
  lockCommand,
  mockCommand,
  doctorCommand,
  authCommand,
  importCommand,
  convertCommand,
];

async function main(args: readonly string[]): Promise<ExitCode> {
  const { own, commandLine, hasDashes } = splitAtDashes(args);
  try {
    if (hasDashes && commandLine === null) throw new UsageError('after "--" a command line is needed');
    return await runCommand(own, commandLine);
  } catch (error) {
    return exitCodeOfError(error);
  }
}

async function runCommand(own: readonly string[], commandLine: CommandLine | null): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.fine;
  const program = new Command('sightglass')
    .description('Inspects and debugs MCP servers.')
    .version(appVersion)
    .configureOutput({ outputError: (text, write) => write(complaintWithHint(text, own)) })
    .exitOverride();
  for (const { usage, summary, options, notes, ends, isDefault = false, run } of commandTable) {
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
    command.addHelpText('after', `\n${notes === undefined ? '' : `${notes}\n\n`}${exitCodeLines(ends)}`);
  }
  program.addHelpText('after', '\nThe help of each command lists its exit codes.');
  const [first] = own;
  const names = ['help', ...program.commands.map((command) => command.name())];
  // commander would hand an unknown word to the default command as an argument too many.
  if (first !== undefined && !first.startsWith('-') && !names.includes(first) && !isTraceName(first)) {
    const meant = similarWord(first, names);
    const hint = meant === null ? '' : ` (did you mean ${meant}?)`;
    throw new UsageError(`there is no command ${quoted(first)}${hint}; "sightglass --help" lists them`);
  }
  await program.parseAsync(own, { from: 'user' });
  return exitCode;
}

/** What commander says of a mistake; of an unknown option also which was meant, or where the options are listed. */
function complaintWithHint(text: string, own: readonly string[]): string {
  const complaint = withShortQuotes(text);
  if (!text.startsWith("error: unknown option '") || text.includes('Did you mean')) return complaint;
  const [, flag = ''] = /^error: unknown option '([^'=]+)/.exec(text) ?? [];
  const command = commandTable.find(({ usage }) => nameOf(usage) === own[0]) ?? openCommand;
  const meant = similarWord(flag, flagsOf(command));
  const others = commandTable.filter((one) => flagsOf(one).includes(flag)).map(({ usage }) => nameOf(usage));
  const hint =
    meant !== null
      ? `Did you mean ${meant}?`
      : others.length > 0
        ? `It is an option of ${others.join(', ')}.`
        : `"sightglass ${nameOf(command.usage)} --help" lists the options.`;
  return `${complaint}(${hint})\n`;
}

const nameOf = (usage: string): string => usage.split(' ')[0] ?? usage;

const flagsOf = ({ options }: CliCommand): string[] =>
  options.flatMap(([flags]) => flags.split(/[\s,]+/).filter((word) => word.startsWith('-')));

const collect = (given: string, before: readonly string[] = []): string[] => [...before, given];

function exitCodeOfError(error: unknown): ExitCode {
  // commander has printed the message; --help and --version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  if (error instanceof FaultError) return complain(exitCodeOf(error.fault), faultText(error.fault));
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

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    // A full disk behind "> file". What still runs is killed as this process exits.
    process.exit(complain(exitCodes.unavailable, `the output cannot be written: ${error.message}`));
  }
  // The reader has closed the pipe, as with "| head": end in order, as on a signal.
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
});
// There is nowhere left to tell it.
process.stderr.on('error', () => undefined);

// A bug; what still runs is killed as this process exits.
process.on('uncaughtException', (error) => process.exit(exitCodeOfError(error)));

endWithNpm();
guardRunner();

// No explicit exit: it would hide a leak that keeps the process running.
process.exitCode = await main(process.argv.slice(2));
