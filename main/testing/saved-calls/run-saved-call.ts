import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, FaultError, faultLine, faultQuote } from '#shared/contract/fault.ts';
import type { CallFailure, CallOutcome } from '#shared/contract/saved-calls.ts';
import { textInside } from '#shared/json/inner-json.ts';
import { parsePath } from '#shared/json/path.ts';
import { inRawText, withVariables } from '#shared/json/variables.ts';
import { requestText, toolCallText, whyMayWrite } from '#testing/called-tools.ts';
import {
  type EndedStep,
  type MatchesPattern,
  type TestedSession,
  type Validate,
  wholeResult,
} from '#testing/tested-session.ts';
import { checkCall, type CompareResults } from './check-call.ts';
import { checkMessages } from './check-messages.ts';
import type { GivenAnswers, QuestionAnswers } from './question-answers.ts';
import { type RunPlace, sendRawStep, waitStep, type Wire } from './raw-and-wait.ts';
import type { Place, ReadCall } from './read-test-file.ts';

export interface AttemptOptions {
  readonly sessionId: string;
  /** Whether to call tools that are not read-only by their annotations; otherwise they are skipped. */
  readonly allowWrites: boolean;
  /** JSON texts by name. What a call captures is added. */
  readonly variables: Map<string, string>;
  /** The names of variables that are secret. */
  readonly secrets: readonly string[];
  readonly validate: Validate;
  readonly matches: MatchesPattern;
  readonly compareResults: CompareResults;
  readonly wire: Wire;
  /** Where the run is in the trace; each step moves it on. */
  readonly place: RunPlace;
  readonly answers: QuestionAnswers;
  /** Why a session failed; null if it did not. */
  readonly endFault: (sessionId: string) => Fault | null;
  /** The expected result, as `checkCall` takes it. */
  readonly expectedResult: string | null;
}

/** What a call brought, to be compared again when the file has changed. */
export interface Answered {
  readonly call: EndedStep;
  /** JSON text, without secrets; null if the response was no result. */
  readonly result: string | null;
  /** The variables as they were when it was compared, without secrets as well. */
  readonly variables: ReadonlyMap<string, string>;
  /** The names of those that are secret. */
  readonly secrets: readonly string[];
  /** What no answer can change: captures, order and time of messages. */
  readonly failures: readonly CallFailure[];
  readonly warnings: readonly CallFailure[];
  /** Whether its session is of the modern era. */
  readonly isModern: boolean;
}

/** One time that a call was sent, or why it was not. */
export interface Attempt {
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failures: readonly CallFailure[];
  readonly warnings: readonly CallFailure[];
  readonly ignored: readonly CallOutcome['ignored'][number][];
  readonly reason: string | null;
  readonly answered: Answered | null;
}

/** Sends a saved call and compares what comes with what is expected. Expected errors become failures. */
export async function runSavedCall(
  session: TestedSession,
  call: ReadCall,
  options: AttemptOptions,
): Promise<Attempt> {
  const failed = (failures: readonly CallFailure[]): Attempt => ({
    state: 'failed',
    failures,
    warnings: [],
    ignored: [],
    reason: null,
    answered: null,
  });
  const { line, column } = call;
  const missing = call.variableUses.filter(({ name }) => !options.variables.has(name));
  if (missing.length > 0) {
    return failed(
      missing.map(({ name, ...place }) => ({ ...place, message: `the variable ${name} is not set` })),
    );
  }
  const text = textToSend(call, options.variables);
  if (!options.allowWrites && text !== null && whyMayWrite(session, text) !== null) {
    const reason =
      call.kind === 'raw'
        ? 'A server may read the text as a call of a tool that is not read-only, and calls that may write are not allowed.'
        : 'The tool is not read-only by its annotations, and calls that may write are not allowed.';
    return { ...failed([]), state: 'skipped', reason };
  }
  hideSecrets(session, options);
  try {
    const { ended, result, failure, answers } = await runStep(session, call, options);
    const { variables } = options;
    const failures = [
      ...(failure === null ? [] : [failure]),
      ...answersFailures(call, answers),
      ...(await messagesFailures(call, ended, options)),
      ...captureValues(call, result, variables),
    ];
    const answered = {
      call: ended,
      result,
      variables: withoutSecrets(session, options),
      secrets: options.secrets,
      failures,
      warnings: unusedAnswers(call, answers),
      isModern: session.isModern,
    };
    return assess(call, answered, options);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // Nothing can be sent to a server that has ended, and why it has says more.
    const ended = options.endFault(options.sessionId);
    const quote = faultQuote(ended ?? error.fault);
    const message = ended === null ? error.fault.what : `${error.fault.what} ${faultLine(ended)}`;
    return failed([{ line, column, message, ...(quote !== null && { quote }) }]);
  }
}

/** Keeps the values of secret variables out of the trace. */
function hideSecrets(session: TestedSession, { variables, secrets }: AttemptOptions): void {
  for (const name of secrets) {
    const value: unknown = JSON.parse(variables.get(name) ?? 'null');
    if (typeof value === 'string') session.hideSecret(`variable ${name}`, value);
  }
}

/** The variables as results show them, in which secrets are replaced. */
function withoutSecrets(
  session: TestedSession,
  { variables, secrets }: AttemptOptions,
): ReadonlyMap<string, string> {
  const shown = new Map(variables);
  for (const name of secrets) {
    const value: unknown = JSON.parse(variables.get(name) ?? 'null');
    if (typeof value === 'string') shown.set(name, JSON.stringify(session.redacted(value)));
  }
  return shown;
}

/** Compares what a call brought with what is expected of it. */
export function assess(
  call: ReadCall,
  answered: Answered,
  {
    validate,
    matches,
    compareResults,
    expectedResult,
  }: Pick<AttemptOptions, 'validate' | 'matches' | 'compareResults' | 'expectedResult'>,
): Attempt {
  const { variables, isModern } = answered;
  const options = { variables, validate, matches, compareResults, expectedResult, isModern };
  const checked = checkCall(call, answered.call, answered.result, options);
  const failures = [...checked.failures, ...answered.failures];
  const state = failures.length === 0 ? 'passed' : 'failed';
  return {
    state,
    failures,
    warnings: answered.warnings,
    ignored: [...checked.ignored],
    reason: null,
    answered,
  };
}

async function runStep(
  session: TestedSession,
  call: ReadCall,
  options: AttemptOptions,
): Promise<Awaited<ReturnType<typeof sendRawStep>> & { readonly answers: GivenAnswers }> {
  const { wire, place, variables } = options;
  if (call.kind === 'raw')
    return { ...(await sendRawStep(call, variables, wire, place)), answers: noAnswers };
  if (call.kind === 'wait') return { ...(await waitStep(call, wire, place)), answers: noAnswers };
  const { ended, answers } = await send(session, call, options);
  if (ended.requestRow !== null) place.row = ended.requestRow + 1;
  return { ended, result: await wholeResult(session, ended.id), failure: null, answers };
}

async function send(session: TestedSession, call: ReadCall, options: AttemptOptions) {
  const { calls } = session;
  const args = withVariables(call.arguments, options.variables);
  // A call that is expected to time out need not wait for the longest time.
  const timeout = call.expect.status === 'timed-out' ? call.expect.duration : null;
  const started =
    call.tool === null
      ? calls.startRequest(call.method, args, { timeout })
      : calls.startTool(call.tool, args, { timeout });
  const given = options.answers.take(options.sessionId, started.id, call.answers, options.variables);
  const cancelling = new AbortController();
  try {
    const ended = calls.ended(started.id);
    if (call.cancelAfter !== null) {
      void delay(call.cancelAfter, undefined, { signal: cancelling.signal }).then(
        () => calls.cancel(started.id, undefined),
        () => undefined,
      );
    }
    return { ended: await ended, answers: given.end() };
  } finally {
    cancelling.abort();
    given.end();
  }
}

const noAnswers: GivenAnswers = { unfit: [], unused: [] };

const answersFailures = ({ places, ...call }: ReadCall, { unfit }: GivenAnswers): CallFailure[] =>
  unfit.map(({ index, why }) => ({ ...at(places.answers[index] ?? call), message: why }));

const unusedAnswers = ({ places, answers, ...call }: ReadCall, { unused }: GivenAnswers): CallFailure[] =>
  unused.map((index) => ({
    ...at(places.answers[index] ?? call),
    message: `the answer to ${answers[index]?.method ?? 'a question'} was not used: the server did not ask for it`,
  }));

const at = ({ line, column }: Place): Place => ({ line, column });

async function messagesFailures(
  call: ReadCall,
  ended: EndedStep,
  { wire }: AttemptOptions,
): Promise<CallFailure[]> {
  const { messages, progress, silence } = call.expect;
  const { requestRow, responseRow } = ended;
  if (requestRow === null || (messages.length === 0 && progress === null && silence === null)) return [];
  const before = await wire.rowsFrom(requestRow);
  const end =
    before.find(({ row }) => row === responseRow) ??
    before.find((row) => row.method === 'notifications/cancelled' && row.parent === requestRow) ??
    before.at(-1);
  if (silence !== null) await delay(silence);
  const rows = silence === null ? before : await wire.rowsFrom(requestRow);
  return checkMessages(call, ended, rows, end?.at ?? 0);
}

/** Adds what the call captures to the variables. */
function captureValues(
  { capture, places }: ReadCall,
  result: string | null,
  variables: Map<string, string>,
): CallFailure[] {
  const failures: CallFailure[] = [];
  for (const [name, path] of Object.entries(capture)) {
    const value = result === null ? null : textInside(result, parsePath(path) ?? []);
    if (value !== null) variables.set(name, value);
    else {
      const { line, column } = places.capture;
      failures.push({
        line,
        column,
        message: `the variable ${name} is not captured: ${path} does not exist`,
      });
    }
  }
  return failures;
}

/** What a step sends, as text; null for one that sends nothing. */
function textToSend(call: ReadCall, variables: ReadonlyMap<string, string>): string | null {
  if (call.kind === 'wait') return null;
  if (call.kind === 'raw') return inRawText(call.arguments, variables);
  const args = withVariables(call.arguments, variables);
  return call.tool === null ? requestText(call.method, args) : toolCallText(call.tool, args);
}
