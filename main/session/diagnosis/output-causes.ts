import { truncate } from '#shared/format.ts';
import { crashIn } from '#trace/crash-in-output.ts';

/** Why a process printed something other than an answer. */
interface Cause {
  readonly why: string;
  readonly next: string;
}

/**
 * The cause that a server names in its output when it cannot start: a stack trace, its usage, a missing module or
 * variable. Null if none is recognized.
 *
 * @param output what it printed on both streams, redacted
 */
export function causeInOutput(output: string): Cause | null {
  for (const { pattern, explain } of causes) {
    const match = pattern.exec(output);
    if (match !== null) return explain(truncate(match[1]?.trim() ?? '', MAX_QUOTED), crashIn(output));
  }
  return null;
}

/** Characters quoted of what the server printed. */
const MAX_QUOTED = 200;

interface CauseRow {
  readonly pattern: RegExp;
  /** @param found the first group of the pattern @param crash the error of the stack trace, if there is one */
  readonly explain: (found: string, crash: string | null) => Cause;
}

/** The most specific first. */
const causes: readonly CauseRow[] = [
  {
    // env of coreutils, BusyBox and BSD; they write the carriage return as it is, or as \\r.
    pattern:
      /^(?:\S*\/)?env: (?:can't execute )?[‘'"$]{0,2}([^\n:‘’'"\\\r]{1,200})(?:\r|\\r|'\$'\\r)[’'"]{0,2}: No such file or directory/m,
    explain: carriageReturn,
  },
  {
    // bash and zsh.
    pattern: /([^\s:^]{1,200})(?:\^M|\r): (?:bad interpreter|no such file or directory$)/m,
    explain: carriageReturn,
  },
  {
    // A shell script whose lines end so: bash writes $'\\r', dash the carriage return itself.
    pattern: /(\$'\\r': command not found|: \r: not found|: [Ii]llegal option -\r)/,
    explain: () => ({
      why: 'It is a shell script whose lines end with a carriage return (Windows line ends), which the shell takes as part of each command.',
      next: UNIX_LINES,
    }),
  },
  {
    // env of coreutils, BusyBox and BSD.
    pattern: /^(?:\S*\/)?env: (?:can't execute )?[‘'"]?([^\n:‘’'"]+)[’'"]?: No such file or directory/m,
    explain: (name) => ({
      why: `Its first line names the interpreter ${name}, which is not on the PATH of the process.`,
      next: `Install ${name}, or start the server with the full path of ${name} as the command.`,
    }),
  },
  {
    pattern: /Ok to proceed\?/,
    explain: () => ({
      why: 'npx asks whether it may install the package, and waits for an answer.',
      next: 'Let it install without asking: npx -y PACKAGE',
    }),
  },
  {
    pattern: /^npm (?:ERR!|error) (?:code )?(E404|ENOVERSIONS|ETARGET)\b/m,
    explain: (code) => ({
      why: `npm does not know this package or version (${code}).`,
      next: 'Check the name and the version of the package.',
    }),
  },
  {
    pattern: /^.*?(?:^|: )([^\s:]+): (?:command )?not found$/m,
    explain: (name) => ({
      why: `It starts the command ${name}, which was not found.`,
      next: `Install ${name}, or add its folder to the PATH in the server's environment.`,
    }),
  },
  {
    pattern: /Cannot find (?:module|package) ['"]([^'"\n]+)['"]/,
    explain: (name) =>
      /^(?:\/|\.|[A-Za-z]:\\)/.test(name)
        ? {
            why: `Node found no file ${name}.`,
            next: 'Check the path in the arguments and the working folder. Is the server built?',
          }
        : {
            why: `The package ${name} is not installed where the server looks for it.`,
            next: 'Run "npm install" in the folder of the server.',
          },
  },
  {
    pattern: /can't open file ['"]([^'"\n]+)['"]: \[Errno 2\]/,
    explain: (path) => ({
      why: `Python found no file ${path}.`,
      next: 'Check the path in the arguments and the working folder.',
    }),
  },
  {
    pattern: /ModuleNotFoundError: No module named ['"]([^'"\n]+)['"]/,
    explain: (name) => ({
      why: `The Python module ${name} is not installed for the interpreter that runs the server.`,
      next: `Install it there, or use the Python of the server's virtual environment as the command, such as .venv/bin/python.`,
    }),
  },
  {
    pattern: /(EADDRINUSE|[Aa]ddress already in use)/,
    explain: () => ({
      why: 'It wants to listen on a port that another process uses.',
      next: 'End the other process, or give the server another port.',
    }),
  },
  {
    pattern:
      /\b([A-Z][A-Z0-9]{0,60}_[A-Z0-9_]{1,100})\b[^\n]{0,40}\b(?:not set|not defined|undefined|missing|required|must be set)\b/,
    explain: missingVariable,
  },
  {
    pattern: /\b(?:[Mm]issing|[Rr]equires?|[Ss]et)\b[^\n]{0,40}?\b([A-Z][A-Z0-9]{0,60}_[A-Z0-9_]{1,100})\b/,
    explain: missingVariable,
  },
  {
    pattern:
      /^[ \t]*(?:[Uu]sage|USAGE):|^(?:\S+: )*[Uu]n(?:known|recognized) (?:option|argument|command)s?\b|^Try ['`‘].* --help['`’]/m,
    explain: () => ({
      why: 'It printed how it is used: an argument is missing, or it does not know one.',
      next: 'Compare the arguments with its usage in the evidence. Some servers need a word such as "stdio" to serve.',
    }),
  },
  {
    pattern:
      /^(?:[ \t]+at .+|Traceback \(most recent call last\):|panic: .+|goroutine \d+ .+|thread '[^'\n]*' .*panicked at .+)$/m,
    explain: (_found, crash) => ({
      why: crash === null ? 'It failed as it started.' : `It failed as it started: ${crash}`,
      next: 'Correct that error in the server; the stack trace is in the evidence.',
    }),
  },
];

const UNIX_LINES =
  'Save the script with Unix line ends (LF), such as with "dos2unix FILE". Of a package: its files were packed on Windows.';

function carriageReturn(interpreter: string): Cause {
  const name = interpreter.slice(interpreter.lastIndexOf('/') + 1);
  return {
    why: `The first line of the script ends with a carriage return (Windows line ends), so an interpreter is looked for whose name is ${name} and that character.`,
    next: `${UNIX_LINES} Or start it through its interpreter: ${name} FILE`,
  };
}

function missingVariable(name: string, crash: string | null): Cause {
  return {
    why: crash === null ? `It says that the variable ${name} is missing.` : `It ended with: ${crash}`,
    next: `Set ${name} in the environment of this server; it inherits only variables such as PATH and HOME.`,
  };
}
