import type { Call } from '#shared/contract/calls.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { Emit, Handlers, Params } from '#shared/contract/index.ts';
import { type LoadReport, RUN_VARIABLE, type StepLatency } from '#shared/contract/load.ts';
import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { withVariables } from '#shared/json/variables.ts';
import { stepTimes } from '#replay/kept-comparisons.ts';
import type { CompareResults } from '#testing/saved-calls/check-call.ts';
import { toolCallText, whyMayWrite } from '#testing/called-tools.ts';
import { Wire, type WireOptions } from '#testing/saved-calls/raw-and-wait.ts';
import { QuestionAnswers } from '#testing/saved-calls/question-answers.ts';
import { type Attempt, runSavedCall } from '#testing/saved-calls/run-saved-call.ts';
import { textOfFile } from '#testing/saved-calls/snapshot-files.ts';
import type { TestFileWork } from '#testing/saved-calls/test-file-work.ts';
import { absolutePath, expectedResult, mustBeReadable } from '#testing/saved-calls/test-files.ts';
import type { MatchesPattern, TestedSession, Validate } from '#testing/tested-session.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { type LoadedCall, LoadRun, type LoadSample, type LoadTask } from './load-run.ts';

interface LoadHandlersOptions extends WireOptions {
  /** @throws FaultError if the session is not ready */
  readonly session: (sessionId: string) => TestedSession;
  readonly validate: Validate;
  readonly matches: MatchesPattern;
  readonly compareResults: CompareResults;
  readonly endFault: (sessionId: string) => Fault | null;
  readonly files: TestFileWork;
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
  /** The exchange that carried a row; null if none did. */
  readonly exchangeOf: (sessionId: string, row: number) => Promise<ExchangeDetail | null>;
  readonly emit: Emit;
}

type LoadCommand = Extract<keyof Handlers, `load/${string}`>;

/** Milliseconds between two events about the progress. */
const NOTICE_EVERY = 200;

/** Makes the same calls many times, and measures them. */
export function loadHandlers(options: LoadHandlersOptions): Pick<Handlers, LoadCommand> {
  /** What stops the loads under way, by session. */
  const loads = new Map<string, AbortController>();
  const answers = new QuestionAnswers(options);
  return {
    'load/run': async ({ sessionId, what, count, schedule, allowWrites }) => {
      if (loads.has(sessionId)) throw new FaultError(isLoading);
      const session = options.session(sessionId);
      const stop = new AbortController();
      loads.set(sessionId, stop);
      let noticedAt = 0;
      let last = { sessionId, done: 0, failed: 0, total: count };
      const onAdvance = (done: number, failed: number): void => {
        last = { ...last, done, failed };
        if (performance.now() - noticedAt < NOTICE_EVERY) return;
        noticedAt = performance.now();
        options.emit('load/advanced', { ...last, isRunning: true });
      };
      try {
        const task =
          what.kind === 'tool'
            ? toolTask(session, what, allowWrites)
            : await fileTask(session, what, { ...options, sessionId, allowWrites, answers });
        const mustBeReady = (): void => void options.session(sessionId);
        const load = new LoadRun(task, { count, schedule, stop: stop.signal, onAdvance, mustBeReady });
        const figures = await load.run();
        const report: LoadReport = { ...figures, steps: await stepsOf(load, sessionId, schedule, options) };
        return session.redacted(report);
      } finally {
        loads.delete(sessionId);
        // A page that was reloaded has no answer to wait for.
        options.emit('load/advanced', { ...last, isRunning: false });
      }
    },
    'load/stop': ({ sessionId }) => {
      loads.get(sessionId)?.abort();
      return null;
    },
  };
}

type What<Kind extends 'tool' | 'file'> = Extract<Params<'load/run'>['what'], { readonly kind: Kind }>;

function toolTask(
  session: TestedSession,
  { tool, arguments: args }: What<'tool'>,
  allowWrites: boolean,
): LoadTask {
  return async (run) => {
    const sent = withVariables(args, ofRun(run));
    if (!allowWrites && whyMayWrite(session, toolCallText(tool, sent)) !== null) return [skipped];
    const started = session.calls.startTool(tool, sent, { timeout: null });
    const call = await session.calls.ended(started.id);
    return [{ error: errorOf(call), isSkipped: false, duration: call.duration, requestRow: call.requestRow }];
  };
}

/** The variables that every run has; a file's own ones come first. */
const ofRun = (run: number): ReadonlyMap<string, string> => new Map([[RUN_VARIABLE, String(run)]]);

const skipped: LoadedCall = { error: null, isSkipped: true, duration: null, requestRow: null };

/** What went wrong with a call; null if it has a result. */
function errorOf({ state, error, fault }: Call): string | null {
  switch (state) {
    case 'ok':
      return null;
    case 'tool-error':
      return 'tool error (isError)';
    case 'protocol-error':
      return error === null ? (fault?.code ?? state) : `error ${error.code}: ${error.message}`;
    case 'timed-out':
      return 'timed out';
    case 'lost':
      return fault === null ? 'no response' : `no response: ${fault.what}`;
    default:
      return fault === null ? state : `${state}: ${fault.what}`;
  }
}

/** Runs the calls of a test file in their order, with variables of its own for each run. @throws FaultError */
async function fileTask(
  session: TestedSession,
  { path: given, name, variables: set, secrets = [] }: What<'file'>,
  options: LoadHandlersOptions & {
    readonly sessionId: string;
    readonly allowWrites: boolean;
    readonly answers: QuestionAnswers;
  },
): Promise<LoadTask> {
  const path = absolutePath(given);
  const read = mustBeReadable(path, await options.files.read((await textOfFile(path)) ?? ''));
  const chosen = read.calls.filter((call) => name === null || call.name === name);
  if (chosen.length === 0) throw new FaultError(noCall(path, name));
  const calls = await Promise.all(
    chosen.map(async (call) => ({ call, expected: await expectedResult(path, call) })),
  );
  const wire = new Wire(options, options.sessionId);
  return async (run) => {
    const variables = new Map([...ofRun(run), ...Object.entries(read.variables), ...Object.entries(set)]);
    const place = { row: await wire.nextRow() };
    const ran: LoadedCall[] = [];
    for (const { call, expected } of calls) {
      const attempt = await runSavedCall(session, call, {
        ...options,
        variables,
        secrets,
        wire,
        place,
        expectedResult: expected,
      });
      ran.push(loadedOf(attempt));
    }
    return ran;
  };
}

/** By what a failure is counted: the answers of calls that should have failed may all differ. */
function kindOf([first]: Attempt['failures']): string {
  if (first?.received === 'ok' && first.expected !== undefined) return `expected ${first.expected}, got ok`;
  return first?.message ?? 'not as expected';
}

const loadedOf = ({ state, failures, answered }: Attempt): LoadedCall => ({
  error: state === 'failed' ? kindOf(failures) : null,
  isSkipped: state === 'skipped',
  duration: answered?.call.duration ?? null,
  requestRow: answered?.call.requestRow ?? null,
});

/** The latency of each step that the transport has; the first ones over HTTP from the sampled calls. */
async function stepsOf(
  { samples, waited, ends }: LoadRun,
  sessionId: string,
  schedule: Params<'load/run'>['schedule'],
  { exchangeOf }: LoadHandlersOptions,
): Promise<StepLatency[]> {
  const queued = new LatencyHistogram();
  const connected = new LatencyHistogram();
  const firstByte = new LatencyHistogram();
  for (const { row, waited: wait } of samples satisfies LoadSample[]) {
    const exchange = await exchangeOf(sessionId, row);
    // The calls of a session go over one transport.
    if (exchange === null) break;
    const times = stepTimes(exchange);
    if (times.queued !== null) queued.add(wait + times.queued);
    if (times.connected !== null) connected.add(times.connected);
    if (times['first-byte'] !== null) firstByte.add(times['first-byte']);
  }
  const first = queued.count === 0 && schedule.kind === 'rate' ? waited : queued;
  return [
    first.view('queued'),
    connected.view('connected'),
    firstByte.view('first-byte'),
    ends.view('end'),
  ].filter(({ count }) => count > 0);
}

const isLoading = {
  code: 'already-loading',
  what: 'A load runs in this session.',
  next: 'Wait for its end, or stop it.',
};

const noCall = (path: string, name: string | null) => ({
  code: 'no-saved-call',
  what: name === null ? `The file ${path} has no calls.` : `The file ${path} has no call named ${name}.`,
});
