import { onEndSignal } from '#hosts/close-in-order.ts';
import type { Fault } from '#shared/contract/fault.ts';

/** The exit codes of all commands. */
export const exitCodes = {
  fine: 0,
  /** Findings, failed expectations, a tool error or a protocol error. */
  findings: 1,
  usage: 2,
  /** No connection, or a file that cannot be read or written. */
  unavailable: 3,
  internal: 4,
  /** Interrupted before the end: 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The default descriptions of exit codes. */
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

/** The command was used incorrectly. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit code for a fault. */
export const exitCodeOf = ({ code }: Fault): ExitCode => exitCodesOfFaults[code] ?? exitCodes.findings;

/** Every other fault is the server's. */
const exitCodesOfFaults: Readonly<Record<string, ExitCode>> = {
  'bad-arguments': exitCodes.usage,
  'trace-exists': exitCodes.usage,
  'no-trace': exitCodes.usage,
  'trace-not-found': exitCodes.usage,
  'trace-not-permitted': exitCodes.usage,
  'trace-header-damaged': exitCodes.usage,
  'trace-too-new': exitCodes.usage,
  'bad-test-file': exitCodes.usage,
  'bad-lock-file': exitCodes.usage,
  'bad-foreign-file': exitCodes.usage,
  'lock-file-not-accessed': exitCodes.unavailable,
  'file-not-read': exitCodes.usage,
  'no-such-file': exitCodes.usage,
  'empty-file': exitCodes.usage,
  'bad-test-file-path': exitCodes.usage,
  'test-file-exists': exitCodes.usage,
  'test-file-not-written': exitCodes.unavailable,
  'test-file-not-read': exitCodes.usage,
  'bad-filter': exitCodes.usage,
  'bad-path': exitCodes.usage,
  'bad-pattern': exitCodes.usage,
  'no-such-secret': exitCodes.usage,
  'several-secrets': exitCodes.usage,
  'short-secret': exitCodes.usage,
  'pattern-too-slow': exitCodes.usage,
  'no-exchanges': exitCodes.usage,
  'export-exists': exitCodes.usage,
  'export-not-written': exitCodes.unavailable,
  'trace-not-created': exitCodes.unavailable,
  'no-requests': exitCodes.usage,
  'bad-fault-file': exitCodes.usage,
  'recorded-otherwise': exitCodes.usage,
  'report-not-written': exitCodes.unavailable,
  'mock-not-listening': exitCodes.unavailable,
  'launch-refused': exitCodes.unavailable,
  'variables-refused': exitCodes.unavailable,
  'authorization-needs-browser': exitCodes.unavailable,
  'no-saved-server': exitCodes.usage,
  'several-saved-servers': exitCodes.usage,
  'no-such-value': exitCodes.usage,
  'secret-not-held': exitCodes.usage,
  'variable-not-set': exitCodes.usage,
  'input-not-given': exitCodes.usage,
  'no-workspace': exitCodes.usage,
  'configuration-changed': exitCodes.usage,
  'data-folder-not-made': exitCodes.unavailable,
  'data-folder-not-yours': exitCodes.unavailable,
  // Without a handshake, the first request finds that there is no server.
  'http-lookup': exitCodes.unavailable,
  'http-connect': exitCodes.unavailable,
  'http-proxy': exitCodes.unavailable,
  'http-tls': exitCodes.unavailable,
  'bad-params': exitCodes.internal,
  'unknown-command': exitCodes.internal,
  internal: exitCodes.internal,
};

/** Milliseconds in which signals count as one behind npm: the same Ctrl-C comes from the terminal and from npm. */
const SAME_BEHIND_NPM = 1000;

/**
 * Calls the listener when the process is asked to end, until the returned function is called. On a second signal the
 * process exits at once and kills its children.
 */
export function onCtrlC(listener: (signal: NodeJS.Signals) => void): () => void {
  const isBehindNpm = process.env.npm_lifecycle_event !== undefined;
  let firstAt: number | null = null;
  return onEndSignal((signal) => {
    if (firstAt === null) {
      firstAt = performance.now();
      listener(signal);
    } else if (!isBehindNpm || performance.now() - firstAt > SAME_BEHIND_NPM) {
      process.exit(exitCodes.interrupted);
    }
  });
}

/** Milliseconds between two checks of the parent process. */
const LOOK_EVERY = 500;

/**
 * Shuts down when npm is ended by a signal. npm passes it to its shell, but a shell such as dash dies and leaves its
 * children behind.
 */
export function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  }, LOOK_EVERY);
  timer.unref();
}
