import { appendFileSync, closeSync, writeFileSync } from 'node:fs';
import {
  type ByteExchange,
  ByteMock,
  type ByteSummary,
  describeRecorded,
  type ForwardedAnswer,
  type ForwardedRequest,
  type MockedExchange,
  type MockSummary,
  type ProcessOutputs,
  TraceMock,
} from '#main/mock.ts';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { MatchMode } from '#shared/contract/mocks.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { releaseStream } from '#hosts/runner-commands.ts';
import { type ExitCode, exitCodeOf, exitCodes, onCtrlC } from './exit.ts';
import { faultText, print, printJson, say, visibleJson, visibleText } from './output.ts';

/** How a mock is served, and what is reported of it. */
export interface MockRun {
  readonly paths: readonly string[];
  /** The port of HTTP; null for standard input and output. */
  readonly http: number | null;
  readonly match: MatchMode;
  readonly latency: string;
  /** A file of faults to inject, and the seed of their choices; null for none. */
  readonly faults: { readonly path: string; readonly seed: number } | null;
  /** Whether the recorded bytes are served. */
  readonly bytes: boolean;
  /** Whether a recorded call that was not requested is a failure. */
  readonly failsForUnused: boolean;
  readonly json: boolean;
  /** A file for the objects of `json`; null for none. */
  readonly report: string | null;
  readonly forward: ((request: ForwardedRequest) => Promise<ForwardedAnswer>) | null;
}

/** Serves a mock until its client or the user ends it. Reports faults and turns them into exit codes. */
export async function serveMock(run: MockRun): Promise<ExitCode> {
  const interruption = new AbortController();
  const stopListening = onCtrlC(() => interruption.abort());
  try {
    const reporter = new Reporter(run);
    return await (run.bytes
      ? serveBytes(run, reporter, interruption.signal)
      : serveAnswers(run, reporter, interruption.signal));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
    return exitCodeOf(error.fault);
  } finally {
    stopListening();
  }
}

async function serveAnswers(run: MockRun, reporter: Reporter, signal: AbortSignal): Promise<ExitCode> {
  const onExchange = (exchange: MockedExchange): void => reporter.exchange(exchange, exchange.why);
  const mock = await TraceMock.open({ ...run, onExchange });
  try {
    for (const fault of mock.faults) say(faultText(fault));
    if (run.http === null) {
      // A client reads it, byte for byte.
      releaseStream('stdout');
      await mock.serveStdio(process.stdin, process.stdout, signal);
    } else {
      await reporter.serving(await mock.serveHttp(run.http));
      await aborted(signal);
      await mock.close();
    }
    const { summary } = mock;
    reporter.end(summaryJson(summary), summaryText(summary));
    return reporter.fault === null ? exitOf(summary, summary.unused, run) : exitCodeOf(reporter.fault);
  } finally {
    await mock.close();
  }
}

async function serveBytes(run: MockRun, reporter: Reporter, signal: AbortSignal): Promise<ExitCode> {
  const [path = ''] = run.paths;
  const onExchange = (exchange: ByteExchange): void => reporter.exchange(exchange, byteSentence(exchange));
  const mock = await ByteMock.open({ path, latency: run.latency, onExchange });
  try {
    for (const fault of mock.faults) reporter.say(faultText(fault));
    if (run.http !== null) {
      await reporter.serving(await mock.serveHttp(run.http));
      await aborted(signal);
    }
    // Clients pass standard error on to their own, which a runner may read: there it stays guarded.
    if (run.http === null) releaseStream('stdout');
    const summary = mock.summary ?? (await mock.serveStdio(process.stdin, processOutputs, signal));
    reporter.end(summary, byteText(summary));
    return reporter.fault === null ? exitOf(summary, summary.unused, run) : exitCodeOf(reporter.fault);
  } finally {
    await mock.close();
  }
}

const exitOf = (
  { misses, inexact }: Pick<MockSummary, 'misses' | 'inexact'>,
  unused: readonly unknown[],
  { failsForUnused }: MockRun,
): ExitCode =>
  misses + inexact > 0 || (failsForUnused && unused.length > 0) ? exitCodes.findings : exitCodes.fine;

/** Says what was requested beside what was answered. */
class Reporter {
  readonly #run: MockRun;
  /** Why the report could not be written to its end; null if it could. */
  fault: Fault | null = null;

  /** @throws FaultError if the report cannot be written */
  constructor(run: MockRun) {
    this.#run = run;
    if (run.report !== null) writeReport(() => writeFileSync(run.report ?? '', '', { mode: 0o600 }));
  }

  async serving(url: string): Promise<void> {
    const { json, paths } = this.#run;
    if (json) this.#write({ url });
    else await print(`serving ${paths.join(', ')} at ${url}`);
  }

  /** @param sentence why it is not exact; empty if it is */
  exchange(exchange: object, sentence: string): void {
    this.#write(exchange);
    if (!this.#run.json && sentence !== '') this.say(visibleText(sentence));
  }

  end(summary: object, text: string): void {
    this.#write(summary);
    if (!this.#run.json) this.say(text);
  }

  /** Nothing if standard error is the recorded server's. */
  say(text: string): void {
    if (!this.#isMute) say(text);
  }

  get #isMute(): boolean {
    return this.#run.bytes && this.#run.http === null;
  }

  /** Standard output is the server's, unless it serves over HTTP. */
  #write(value: object): void {
    const { json, report, http } = this.#run;
    const line = JSON.stringify(value);
    // At once: a recorded server may end this process.
    if (report !== null) this.#append(report, line);
    else if (!json || this.#isMute) return;
    else if (http !== null) void printJson(line);
    else process.stderr.write(`${process.stderr.isTTY ? visibleJson(line) : line}\n`);
  }

  /** The mock goes on without its report. */
  #append(report: string, line: string): void {
    if (this.fault !== null) return;
    try {
      writeReport(() => appendFileSync(report, `${line}\n`));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.fault = error.fault;
      this.say(faultText(error.fault));
    }
  }
}

function writeReport(write: () => void): void {
  try {
    write();
  } catch (error) {
    const what = `The report cannot be written (${systemCodeOf(error) ?? messageOf(error)}).`;
    throw new FaultError({ code: 'report-not-written', what, next: 'Choose another file for --report.' });
  }
}

/** The streams of this process. */
const processOutputs: ProcessOutputs = {
  write: (stream, bytes) =>
    new Promise((written) => {
      // A client that has left needs nothing more.
      process[stream].write(bytes, () => written());
    }),
  closeStdout: () => closeSync(1),
  die: (code, signal) => {
    if (signal === null) process.exit(code ?? exitCodes.fine);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  },
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((over) => {
    if (signal.aborted) over();
    signal.addEventListener('abort', () => over(), { once: true });
  });

const summaryJson = (summary: MockSummary): object => ({
  ...summary,
  unused: summary.unused.map(({ method, target, row, recording }) => ({
    method,
    target,
    row,
    file: recording.name,
  })),
});

/** Limit of entries of each list, in text. */
const MAX_LISTED = 20;

const listed = (head: string, entries: readonly string[]): string[] => [
  ...(entries.length === 0 ? [] : [`${head}:`]),
  ...entries.slice(0, MAX_LISTED).map((entry) => `  ${visibleText(entry)}`),
  ...(entries.length > MAX_LISTED ? [`  and ${entries.length - MAX_LISTED} more`] : []),
];

const countsText = (exact: number, inexact: number, misses: number): string =>
  `${formatQuantity(exact, 'exact answer')}, ${inexact} inexact, ${formatQuantity(misses, 'miss', 'misses')}`;

const summaryText = ({ exact, inexact, misses, forwarded, unused, faults }: MockSummary): string =>
  [
    `${countsText(exact, inexact, misses)}, ${forwarded} forwarded`,
    ...listed(
      `${formatQuantity(unused.length, 'recorded call')} not requested`,
      unused.map(describeRecorded),
    ),
    ...listed(
      `${formatQuantity(faults.length, 'fault')} injected`,
      faults.map((one) => `${one.do} ${rowNumber(one.row)} of ${one.file} (line ${one.line})`),
    ),
  ].join('\n');

const byteText = ({ exact, inexact, misses, unused, placeholders }: ByteSummary): string =>
  [
    countsText(exact, inexact, misses),
    ...listed(`${formatQuantity(unused.length, 'recorded message')} not sent by the client`, unused),
    ...listed(
      `${formatQuantity(placeholders.length, 'value')} sent as the placeholder that the recording has`,
      placeholders.map(({ where, placeholder }) => `${where}: ${placeholder}`),
    ),
  ].join('\n');

function byteSentence({ asked, match, recorded }: ByteExchange): string {
  if (match === 'exact') return '';
  return match === 'miss'
    ? `Nothing more was recorded for: ${asked}`
    : `Recorded was: ${recorded ?? ''}; now came: ${asked}`;
}
