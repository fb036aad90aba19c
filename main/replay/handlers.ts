import { FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { Emit, Handlers } from '#shared/contract/index.ts';
import type { ReplayTarget, StepAnswer } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import { comparisonHandlers } from './comparison-handlers.ts';
import type { KeptComparisonOptions } from './kept-comparisons.ts';
import { plannedCalls, rowsOfScope } from './plan.ts';
import { readAllCalls } from './read-sides.ts';
import { plannedSecrets, RecordedSecrets } from './recorded-secrets.ts';
import { RecordedAnswers, replayCalls } from './replay-calls.ts';

export interface ReplayOptions extends KeptComparisonOptions {
  /** @throws FaultError if the session is not ready */
  readonly readySession: (sessionId: string) => TestedSession;
  /** What the server of a session or an opened trace asked of the user. */
  readonly questions: (sessionId: string) => Promise<readonly InboxEntry[]> | readonly InboxEntry[];
  /** Calls back when a question comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
  /** Calls back when a session has ended, until the function it returns is called. */
  readonly onSessionEnd: (listener: (sessionId: string) => void) => () => void;
  readonly emit: Emit;
}

type ReplayCommand = Extract<keyof Handlers, `${'replay' | 'comparison'}/${string}`>;

/** Replays recordings, and compares sessions and traces. */
export function replayHandlers(options: ReplayOptions): Pick<Handlers, ReplayCommand> {
  /** The runs under way, by session. */
  const runs = new Map<string, Run>();
  return {
    'replay/plan': async ({ recorded, sessionId, scope }) => {
      const session = options.readySession(sessionId);
      const calls = rowsOfScope(await readAllCalls(recorded, options), scope);
      return {
        rows: calls.map(({ row }) => row),
        calls: plannedCalls(calls, session),
        secrets: plannedSecrets(textsOf(calls, await options.questions(recorded))),
      };
    },
    'replay/run': async (params) => {
      const { recorded, sessionId, rows, allowWrites, speed } = params;
      const { concurrency = 1, leaveOut = [], isStepped = false, variables = {} } = params;
      if (runs.has(sessionId)) throw new FaultError(isReplaying);
      const session = options.readySession(sessionId);
      const run = new Run(sessionId, options.emit);
      runs.set(sessionId, run);
      let endAnswers: () => void = doNothing;
      // Nobody is asked about the next call of a session that has ended.
      const stopWatching = options.onSessionEnd((ended) => {
        if (ended === sessionId) run.stop.abort();
      });
      try {
        const questions = await options.questions(recorded);
        const calls = await readAllCalls(recorded, options);
        const secrets = new RecordedSecrets(textsOf(calls, questions), variables, session.hideSecret);
        const answers = new RecordedAnswers(questions, secrets);
        endAnswers = answerAsRecorded(sessionId, answers, options);
        return await replayCalls({ calls, secrets }, session, answers, {
          rows,
          allowWrites,
          speed,
          concurrency,
          stop: run.stop.signal,
          onAdvance: (done, total) => run.advance(done, total),
          isLeftOut: targetsOf(leaveOut),
          askBefore: isStepped ? (call, text) => run.ask(call, session.redacted(text)) : null,
        });
      } finally {
        endAnswers();
        stopWatching();
        run.end();
        runs.delete(sessionId);
      }
    },
    'replay/step': ({ sessionId, recordedRow, answer }) => {
      runs.get(sessionId)?.step(recordedRow, answer);
      return null;
    },
    'replay/stop': ({ sessionId }) => {
      runs.get(sessionId)?.stop.abort();
      return null;
    },
    ...comparisonHandlers(options),
  };
}

const doNothing = (): void => undefined;

/** What a replay may send of a recording. */
const textsOf = (calls: readonly TracedCall[], questions: readonly InboxEntry[]): string[] => [
  ...calls.flatMap(({ direction, params }) => (direction === 'out' && params !== null ? [params] : [])),
  ...questions.flatMap(({ answer }) => (answer?.content.kind === 'result' ? [answer.content.json] : [])),
];

/** Answers what the server of a session asks as it was answered in a recording, until the returned function is called. */
export function answerAsRecorded(
  sessionId: string,
  answers: RecordedAnswers,
  { onQuestion, answer: send }: Pick<ReplayOptions, 'onQuestion' | 'answer'>,
): () => void {
  return onQuestion((entry) => {
    if (entry.sessionId !== sessionId) return;
    const answer = answers.answerTo(entry);
    if (answer === null) return;
    try {
      send(sessionId, entry.id, answer);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      // The recorded answer does not fit this question.
      send(sessionId, entry.id, { kind: 'decline' });
    }
  });
}

/** Whether a call is of one of these tools, prompts or URIs. */
function targetsOf(targets: readonly ReplayTarget[]): (call: TracedCall) => boolean {
  if (targets.length === 0) return () => false;
  const keys = new Set(targets.map(({ method, target }) => JSON.stringify([method, target])));
  return ({ method, target }) => keys.has(JSON.stringify([method, target]));
}

/** Milliseconds between two reports of the progress of a run. */
const REPORT_EVERY = 50;

/** A replay under way: what stops it, its steps, and its progress, which is reported a few times a second. */
class Run {
  readonly stop = new AbortController();
  readonly #sessionId: string;
  readonly #emit: Emit;
  /** The call that waits to be sent. */
  #waiting: { readonly row: number; readonly answer: (answer: StepAnswer) => void } | null = null;
  #progress = { done: 0, total: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(sessionId: string, emit: Emit) {
    this.#sessionId = sessionId;
    this.#emit = emit;
    this.stop.signal.addEventListener('abort', () => this.#waiting?.answer('stop'));
  }

  ask({ row, method, target }: TracedCall, params: string): Promise<StepAnswer> {
    this.#report();
    return new Promise((resolve) => {
      this.#waiting = { row, answer: resolve };
      this.#emit('replay/waiting', { sessionId: this.#sessionId, recordedRow: row, method, target, params });
    });
  }

  /** Answers whether to send the call that waits; an answer to one before it does nothing. */
  step(recordedRow: number, answer: StepAnswer): void {
    if (this.#waiting?.row === recordedRow) this.#waiting.answer(answer);
  }

  advance(done: number, total: number): void {
    this.#progress = { done, total };
    this.#timer ??= setTimeout(() => this.#report(), REPORT_EVERY);
  }

  /** Reports the last progress at once. */
  end(): void {
    this.#report();
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#emit('replay/advanced', { sessionId: this.#sessionId, ...this.#progress });
  }
}

const isReplaying = {
  code: 'already-replaying',
  what: 'A recording is being replayed in this session.',
  next: 'Wait for its end, or stop it.',
};
