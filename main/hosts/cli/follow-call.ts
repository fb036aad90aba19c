import { z } from 'zod';
import { type Call, isUnderWay, type Validation } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import type { CliOption } from './command.ts';
import { type ExitCode, exitCodes, UsageError } from './exit.ts';
import { type HeadlessSession, Interrupted } from './headless-session.ts';
import { readDuration, quoted, readJsonObject } from './option-values.ts';
import { quoteLines, printJson, progressLine, say, visibleText } from './output.ts';

interface FollowOptions {
  /** Whether to print progress and task states on stderr. */
  readonly showsProgress: boolean;
  /** Called whenever something has happened, and once more at the end. */
  readonly onNews?: (call: Call) => Promise<void>;
}

/** Makes a call and waits for its end, through rounds and tasks; cancels it on interruption. */
export async function followCall(
  session: HeadlessSession,
  start: () => Promise<Call>,
  { showsProgress, onNews = () => Promise.resolve() }: FollowOptions,
): Promise<Call> {
  const line = progressLine(process.stderr);
  const stops = showsProgress
    ? [
        session.on('calls/changed', ({ progress }) => line.show(progress)),
        session.on('tasks/changed', ({ owner, status, statusMessage }) => {
          if (owner === 'server') line.note(`task ${status}${statusMessage ? `  ${statusMessage}` : ''}`);
        }),
      ]
    : [];
  try {
    const { id } = await start();
    return await untilEnded(session, id, onNews);
  } finally {
    for (const stop of stops) stop();
    line.end();
  }
}

async function untilEnded(
  session: HeadlessSession,
  callId: string,
  onNews: (call: Call) => Promise<void>,
): Promise<Call> {
  try {
    return await session.until(async () => {
      const call = await callOf(session, callId);
      await onNews(call);
      return isUnderWay(call) ? null : call;
    });
  } catch (error) {
    if (error instanceof Interrupted) await cancelCall(session, callId);
    throw error;
  }
}

/** The current state of the call. */
export async function callOf(session: HeadlessSession, callId: string): Promise<Call> {
  const call = (await session.request('calls/list', {})).find(({ id }) => id === callId);
  if (call === undefined) throw new Error(`the call ${callId} vanished`);
  return call;
}

export async function cancelCall(session: HeadlessSession, callId: string): Promise<void> {
  await session.request('calls/cancel', { callId, reason: 'cancelled by the user' });
}

/**
 * Reports the end of a call: the result on stdout, problems on stderr.
 *
 * @param printResult prints the result as it was received
 */
export async function reportCall(
  session: HeadlessSession,
  call: Call,
  json: boolean,
  printResult: (result: string) => Promise<void>,
): Promise<ExitCode> {
  printValidation('the arguments', 'input schema', call.argumentsValidation);
  if (call.error !== null) {
    const { code, message, data } = call.error;
    if (json) await printJson(JSON.stringify({ error: call.error }));
    const details =
      data === null ? '' : `\n  data: ${JSON.stringify(data, null, 2).replaceAll('\n', '\n  ')}`;
    const what = `the server answered with error ${code} (${errorCodeName(code)}): ${message}`;
    say([what, ...quoteLines(call.fault?.quote)].join('\n') + details);
    return exitCodes.findings;
  }
  if (call.fault !== null) throw new FaultError(call.fault);
  const result = await wholeResult(session, call.id);
  if (result === null) {
    say('the call was cancelled');
    return exitCodes.findings;
  }
  await printResult(result);
  printValidation('the structured content', 'output schema', call.outputValidation);
  if (call.state !== 'tool-error') return exitCodes.fine;
  say('the tool says that it failed ("isError": true)');
  return exitCodes.findings;
}

/** Validation results are information only and do not affect the exit code. */
function printValidation(what: string, schema: string, validation: Validation | null): void {
  switch (validation?.state) {
    case undefined:
    case 'valid':
      return;
    case 'unknown':
      return say(
        visibleText(`not validated: ${what} against the ${schema} of the tool: ${validation.reason}`),
      );
    case 'invalid': {
      const errors = validation.errors.map(
        ({ pointer, message }) => `\n  ${pointer || '(all of it)'}: ${message}`,
      );
      const verb = what.endsWith('s') ? 'do' : 'does';
      say(`${what} ${verb} not fit the ${schema} of the tool:${errors.join('')}`);
    }
  }
}

async function wholeResult(session: HeadlessSession, callId: string): Promise<string | null> {
  let whole = '';
  for (;;) {
    const part = await session.request('calls/result', { callId, from: whole.length });
    if (part.text === null && whole === '') return null;
    whole += part.text ?? '';
    if (!part.truncated) return whole;
  }
}

/** The options of every call. */
export const callOptions: readonly CliOption[] = [
  ['--meta <json>', 'members for _meta of the request: a JSON object or @FILE; they win over our own'],
  ['--task [ttl]', 'ask for a task, to be kept for this time (MCP 2025-11-25), such as 60s'],
  ['--progress', 'print progress on stderr even when that is no terminal'],
  ['--json', 'print the result as JSON, exactly as received'],
];

export const callOptionsSchema = z.object({
  meta: z.string().optional(),
  task: z.union([z.literal(true), z.string()]).optional(),
  progress: z.boolean().optional(),
  json: z.boolean().default(false),
});
type CallOptions = z.infer<typeof callOptionsSchema>;

export type CallParams = Pick<Params<'calls/request'>, 'timeout' | 'maxTimeout' | 'meta' | 'task'>;

/** Reads the options of a call. @throws UsageError */
export function readCallParams({ meta, task }: CallOptions): CallParams {
  return {
    timeout: null,
    ...(meta !== undefined && { meta: readJsonObject('--meta', meta) }),
    ...(task !== undefined && { task: { ttl: task === true ? null : readTtl(task) } }),
  };
}

function readTtl(text: string): number {
  if (/^\d/.test(text)) return readDuration('--task', text);
  throw new UsageError(
    `--task wants a time or nothing; it is ${quoted(text)}; put --task behind all arguments`,
  );
}
