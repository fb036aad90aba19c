import { formatBytes, formatDuration } from '#shared/format.ts';
import { type CommandFile, formatMode, hasCarriageReturn, inspectCommand } from '#transports/command-file.ts';
import type { StdioTarget } from '#transports/stdio.ts';
import type { ProcessLog } from './connect-log.ts';
import { factsOf, type MeasuredStep, notMeasured } from './step.ts';

/** The steps of starting a process, up to its first output. Looks at the file of the command as it is now. */
export async function stdioSteps(target: StdioTarget, log: ProcessLog): Promise<MeasuredStep[]> {
  const file = await inspectCommand(target);
  return [commandStep(target, file), executableStep(file), spawnStep(target, log), outputStep(log)];
}

function commandStep({ command, cwd, environment }: StdioTarget, file: CommandFile | null): MeasuredStep {
  const isPath = /[/\\]/.test(command);
  return {
    name: 'command',
    state: file === null ? 'unknown' : 'ok',
    measured: file === null ? `no file for ${command}` : file.path,
    facts: factsOf({
      Command: command,
      'Resolved to': file?.path,
      'Looked for in': isPath ? cwd : null,
      PATH: isPath ? null : (environment.PATH ?? environment.Path),
    }),
    row: null,
  };
}

function executableStep(file: CommandFile | null): MeasuredStep {
  if (file === null) return notMeasured('executable');
  const { kind, mode, uid, size, script } = file;
  const bits = process.platform === 'win32' ? '' : formatMode(mode);
  const interpreter =
    script === null
      ? ''
      : hasCarriageReturn(script)
        ? 'its first line ends with a carriage return'
        : `runs with ${script.found ?? `${script.interpreter}, which was not found`}`;
  const measured = kind === 'file' ? [bits, interpreter].filter(Boolean).join('; ') : `a ${kindLabels[kind]}`;
  return {
    name: 'executable',
    state: 'ok',
    measured: measured === '' ? null : measured,
    facts: factsOf({
      Permissions: bits,
      Owner: bits === '' ? null : `uid ${uid}`,
      'Runs as': process.getuid === undefined ? null : `uid ${process.getuid()}`,
      Size: kind === 'file' ? formatBytes(size) : null,
      'First line': script?.line.replace(/\r$/, '\\r'),
      Interpreter:
        script === null ? null : (script.found ?? `${script.interpreter.replace(/\r$/, '\\r')} (not found)`),
    }),
    row: null,
  };
}

const kindLabels: Readonly<Record<Exclude<CommandFile['kind'], 'file'>, string>> = {
  folder: 'folder, not a file',
  other: 'special file',
};

function spawnStep({ args, cwd }: StdioTarget, { spawned, failure }: ProcessLog): MeasuredStep {
  return {
    name: 'spawn',
    state: spawned === null ? 'unknown' : 'ok',
    measured: spawned === null ? failure : `pid ${spawned.pid}`,
    facts: factsOf({ Arguments: args.join(' '), 'Working folder': cwd, Error: failure }),
    row: spawned?.row ?? null,
  };
}

function outputStep({ spawned, stdout, stderr, exit }: ProcessLog): MeasuredStep {
  const since = (at: number | null) =>
    at === null || spawned === null ? '' : ` after ${formatDuration(at - spawned.at)}`;
  const amount = ({ bytes, firstAt }: ProcessLog['stdout']) =>
    bytes === 0 ? 'nothing' : `${formatBytes(bytes)}${since(firstAt)}`;
  const exited = exit === null ? null : `${exit.signal ?? `exit code ${exit.code}`}${since(exit.at)}`;
  const noMessage = stdout.bytes > 0 && stdout.messages === 0 ? ', no message' : '';
  const parts = [`${amount(stdout)} on standard output${noMessage}`];
  if (stdout.messages === 0) {
    if (stderr.bytes > 0) parts.push(`${amount(stderr)} on standard error`);
    if (exited !== null) parts.push(exited);
  }
  return {
    name: 'output',
    state: stdout.messages > 0 ? 'ok' : 'unknown',
    measured: parts.join('; '),
    facts: factsOf({
      'Standard output': amount(stdout),
      'Standard error': amount(stderr),
      Messages: stdout.messages,
      Exit: exited ?? 'it was still running',
    }),
    row: exit?.row ?? null,
  };
}
