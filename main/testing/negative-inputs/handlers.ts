import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit, Handlers } from '#shared/contract/index.ts';
import type { NegativeInput, NegativeOutcome } from '#shared/contract/negative-inputs.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { type TestedSession, type Validate, wholeResult } from '#testing/tested-session.ts';
import { makeInputs, type PreparedInput } from './make-inputs.ts';
import { assessResponse } from './assess-response.ts';

type NegativeInputsCommand = Extract<keyof Handlers, `negative-inputs/${string}`>;

interface NegativeInputsOptions {
  /** @throws FaultError if the session is not ready */
  readonly session: (sessionId: string) => TestedSession;
  readonly validate: Validate;
  readonly emit: Emit;
  /** Milliseconds to wait for one response. */
  readonly timeout?: number;
}

const DEFAULT_TIMEOUT = 15_000;

/** Makes and sends negative inputs. */
export function negativeInputsHandlers(
  options: NegativeInputsOptions,
): Pick<Handlers, NegativeInputsCommand> {
  const { validate, emit, timeout = DEFAULT_TIMEOUT } = options;
  /** The runs under way, by session. */
  const runs = new Map<string, AbortController>();

  async function run(sessionId: string, ids: readonly string[]): Promise<Redacted<NegativeOutcome>[]> {
    if (runs.has(sessionId)) throw new FaultError(isRunning);
    const chosen = new Set(ids);
    const inputs = makeInputs(options.session(sessionId), validate).filter(({ id }) => chosen.has(id));
    const stop = new AbortController();
    runs.set(sessionId, stop);
    const outcomes: Redacted<NegativeOutcome>[] = [];
    /** An input may have ended the session; what came before still counts. */
    const sessionIfReady = (hasOutcomes: boolean): TestedSession | null => {
      try {
        return options.session(sessionId);
      } catch (error) {
        if (hasOutcomes && error instanceof FaultError) return null;
        throw error;
      }
    };
    try {
      for (const input of inputs) {
        if (stop.signal.aborted) break;
        const session = sessionIfReady(outcomes.length > 0);
        if (session === null) break;
        const outcome = await send(session, sessionId, input, timeout, stop.signal);
        outcomes.push(outcome);
        emit('negative-inputs/ran', outcome);
      }
    } finally {
      runs.delete(sessionId);
    }
    return outcomes;
  }

  return {
    'negative-inputs/plan': ({ sessionId }) => {
      const session = options.session(sessionId);
      return makeInputs(session, validate).map((input) => session.redacted(viewOf(input)));
    },
    'negative-inputs/run': ({ sessionId, ids }) => run(sessionId, ids),
    'negative-inputs/stop': ({ sessionId }) => {
      runs.get(sessionId)?.abort();
      return null;
    },
  };
}

const viewOf = ({ id, kind, method, target, what, expected, mayDestroy }: PreparedInput): NegativeInput => ({
  id,
  kind,
  method,
  target,
  what,
  expected,
  mayDestroy,
});

/** Sends an input and waits for its end. */
async function send(
  session: TestedSession,
  sessionId: string,
  input: PreparedInput,
  timeout: number,
  stop: AbortSignal,
): Promise<Redacted<NegativeOutcome>> {
  const { calls } = session;
  const { method, target, expectation } = input;
  const { id } =
    method === 'tools/call' && target !== null
      ? calls.startTool(target, input.text(), { timeout })
      : calls.startRequest(method, input.text(), { timeout });
  // The timeout of a call pauses while it waits for the Inbox, where nobody may answer.
  const timer = setTimeout(() => calls.cancel(id, 'The negative input took too long.'), timeout * 2);
  const cancel = () => calls.cancel(id, 'The run of negative inputs was stopped.');
  stop.addEventListener('abort', cancel);
  const call = await calls.ended(id);
  clearTimeout(timer);
  stop.removeEventListener('abort', cancel);
  const { duration, requestRow, responseRow } = call;
  const result = await wholeResult(session, id);
  return session.redacted({
    sessionId,
    input: viewOf(input),
    ...assessResponse(expectation, call, result),
    duration,
    requestRow,
    responseRow,
  });
}

const isRunning: Fault = {
  code: 'negative-inputs-running',
  what: 'Negative inputs are already being sent in this session.',
  next: 'Wait for the end of that run, or stop it.',
};
