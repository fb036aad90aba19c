import type { Tool } from '#shared/contract/catalog.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { type TestedSession, type Validate, wholeResult } from '#testing/tested-session.ts';
import { checkCall } from './check-call.ts';
import type { ReadCall } from './read-test-file.ts';
import { withVariables } from '#shared/json/variables.ts';

export interface RunOptions {
  readonly path: string;
  readonly sessionId: string;
  /** Whether to call tools that are not read-only by their annotations; otherwise they are skipped. */
  readonly allowWrites: boolean;
  /** JSON texts by name. */
  readonly variables: ReadonlyMap<string, string>;
  readonly validate: Validate;
}

/** Sends a saved call and compares what comes with what is expected. Expected errors become failures. */
export async function runSavedCall(
  session: TestedSession,
  call: ReadCall,
  index: number,
  options: RunOptions,
): Promise<Redacted<CallOutcome>> {
  const { path, sessionId, variables } = options;
  const outcome = (part: Partial<CallOutcome>): Redacted<CallOutcome> =>
    session.redacted({
      path,
      index,
      name: call.name,
      sessionId,
      state: 'failed',
      failures: [],
      reason: null,
      duration: null,
      requestRow: null,
      responseRow: null,
      at: Date.now(),
      ...part,
    });
  const missing = call.variableUses.filter(({ name }) => !variables.has(name));
  if (missing.length > 0) {
    return outcome({
      failures: missing.map(({ name, line, column }) => ({
        line,
        column,
        message: `the variable ${name} is not set`,
      })),
    });
  }
  const { line, column } = call;
  if (!options.allowWrites && call.tool !== null && !isReadOnly(session, call.tool)) {
    return outcome({
      state: 'skipped',
      reason: 'The tool is not read-only by its annotations, and calls that may write are not allowed.',
    });
  }
  try {
    const ended = await session.calls.ended(start(session, call, variables).id);
    const { id, duration, requestRow, responseRow } = ended;
    const failures = checkCall(call, ended, await wholeResult(session, id), variables, options.validate);
    const state = failures.length === 0 ? 'passed' : 'failed';
    return outcome({ state, failures, duration, requestRow, responseRow });
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return outcome({ failures: [{ line, column, message: error.fault.what }] });
  }
}

function start({ calls }: TestedSession, call: ReadCall, variables: ReadonlyMap<string, string>) {
  const args = withVariables(call.arguments, variables);
  // A call that is expected to time out need not wait for the longest time.
  const timeout = call.expect.status === 'timed-out' ? call.expect.duration : null;
  return call.tool === null
    ? calls.startRequest(call.method, args, { timeout })
    : calls.startTool(call.tool, args, { timeout });
}

/** Whether the server says that a tool changes nothing; tools that it does not list may change anything. */
function isReadOnly({ tools }: TestedSession, name: string): boolean {
  const tool = tools.entries
    .flatMap((entry): Tool[] => (entry.usable ? [entry.tool] : []))
    .find((one) => one.name === name);
  return tool?.annotations?.readOnlyHint === true;
}
