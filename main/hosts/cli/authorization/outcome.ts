import type { CorsResult } from '#shared/authorization/cors.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { ServerTests } from '#shared/contract/server-tests.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { print, printJson, say } from '#hosts/cli/output.ts';
import { trapsOutcome } from './provider.ts';
import { withoutSecrets } from './saved-credentials.ts';
import { hasNewToken } from './wanted.ts';

/** What came of an authorization, for a person. */
export async function printSummary(session: HeadlessSession): Promise<ExitCode> {
  const flow = (await session.request('authorization/flows', {})).findLast(hasNewToken);
  const { traceFile, http } = await session.view();
  const result =
    flow !== undefined
      ? `Authorized as revision ${flow.revision} says.`
      : http?.authorization === 'authorized'
        ? 'The server accepted the saved credentials.'
        : 'The server demanded no authorization.';
  await print(`\n${result} The trace is ${traceFile.path}`);
  return exitCodes.fine;
}

/** What was checked beside the flow; null for what was not. */
interface Checked {
  readonly serverTests: ServerTests | null;
  readonly cors: readonly CorsResult[] | null;
}

/** The same as JSON, with the fault that ended it. */
export async function printOutcome(
  session: HeadlessSession,
  fault: Fault | null,
  { serverTests, cors }: Checked = { serverTests: null, cors: null },
): Promise<ExitCode> {
  const flows = await session.request('authorization/flows', {});
  const { traceFile } = await session.view();
  const stored = await session.request('authorization/credentials', { serverId: null });
  const credentials = stored.map(withoutSecrets);
  const outcome = {
    ok: fault === null,
    flows,
    traps: trapsOutcome(flows),
    credentials,
    fault,
    trace: traceFile.path,
    ...(serverTests !== null && { serverTests }),
    ...(cors !== null && { cors }),
  };
  await printJson(JSON.stringify(outcome, null, 2));
  return fault === null ? exitCodes.fine : exitCodes.unavailable;
}

/** Says which of the scopes that were asked for were not granted. */
export function sayMissingScopes(asked: readonly string[], granted: readonly string[]): void {
  const missing = asked.filter((one) => !granted.includes(one));
  if (missing.length > 0)
    say(
      `the authorization server did not grant ${missing.join(' ')}; it granted ${granted.join(' ') || 'no scope'}`,
    );
}
