import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { FileWatch } from '#config/file-watch.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { type CliCommand, type Invocation, parseOptions } from './command.ts';
import { comparisonText } from './comparison-report.ts';
import { type ExitCode, onCtrlC, UsageError } from './exit.ts';
import { Interrupted } from './headless-session.ts';
import { OpenedFile } from './opened-file.ts';
import { quoted } from './option-values.ts';
import { faultText, say } from './output.ts';
import { writtenTraces } from './with-session.ts';

const optionsSchema = z.object({ watch: z.array(z.string()).default([]) });

/**
 * Adds `--watch` to a command with a session of its own: it runs again, with a new server, after each change, and says on stderr what
 * the server lists and answers differently from the run before.
 */
export const withWatch = (command: CliCommand): CliCommand => ({
  ...command,
  options: [
    ...command.options,
    [
      '--watch <path>',
      'run again when this file or folder changes, until Ctrl-C; the exit code is that of the last run; may be repeated',
      'repeatable',
    ],
  ],
  run(invocation) {
    const { watch } = parseOptions(optionsSchema, invocation.options);
    return watch.length === 0 ? command.run(invocation) : runOnChange(command, invocation, watch);
  },
});

async function runOnChange(
  command: CliCommand,
  invocation: Invocation,
  paths: readonly string[],
): Promise<ExitCode> {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UsageError(`there is no file or folder ${quoted(missing)} to watch`);
  const changes = new Changes();
  const watched = await FileWatch.begin({
    paths: paths.map((path) => ({ path: resolve(path), from: '--watch', onlyCode: false })),
    onChange: (files) => changes.add(files),
  });
  const stopListening = onCtrlC(() => changes.stop());
  // Nothing else keeps the process alive between two runs.
  const awake = setInterval(() => undefined, 60_000);
  try {
    let before: string | null = null;
    for (;;) {
      const known = writtenTraces.length;
      const exitCode = await command.run(invocation);
      if (changes.isStopped) return exitCode;
      const traces = writtenTraces.slice(known);
      // Several sessions at a time have no one before.
      const [now = null] = traces.length === 1 ? traces : [];
      if (before !== null && now !== null) await sayChanges(before, now);
      before = now ?? before;
      if (watched.notWatched !== null) say(watched.notWatched);
      say(`watching ${formatQuantity(watched.files, 'file')}; Ctrl-C ends`);
      const files = await changes.next();
      if (files === null) return exitCode;
      say(
        `changed: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`,
      );
    }
  } finally {
    watched.close();
    clearInterval(awake);
    stopListening();
  }
}

/** The changes since the last run, and the end of the loop. */
class Changes {
  isStopped = false;
  #files = new Set<string>();
  #wake: () => void = () => undefined;

  add(files: readonly string[]): void {
    for (const file of files) this.#files.add(file);
    this.#wake();
  }

  stop(): void {
    this.isStopped = true;
    this.#wake();
  }

  /** Waits for the next change; null once the user ends the loop. */
  async next(): Promise<string[] | null> {
    while (this.#files.size === 0 && !this.isStopped) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    if (this.isStopped) return null;
    const files = [...this.#files];
    this.#files = new Set();
    return files;
  }
}

async function sayChanges(before: string, now: string): Promise<void> {
  try {
    await OpenedFile.useBoth([before, now], async ([file, other]) => {
      const comparison = await file.request('comparison/compare', {
        recorded: file.sessionId,
        other: other.sessionId,
        rules: [],
        replay: null,
      });
      say(`compared with the run before:\n${comparisonText(comparison)}`);
    });
  } catch (error) {
    if (error instanceof Interrupted) return;
    if (!(error instanceof FaultError)) throw error;
    say(`not compared with the run before: ${faultText(error.fault)}`);
  }
}
