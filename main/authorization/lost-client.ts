import type { Fault } from '#shared/contract/fault.ts';
import type { Conclusion, FlowContext } from './flow-types.ts';
import { requireUrl } from './step-request.ts';
import { DROPPED, isDeadClient } from './token-errors.ts';

/** Drops the registration of the client; what the flow goes on with. */
export type DropClient = () => Promise<FlowContext>;

/** The code of the fault of an authorization request that was refused. */
export const REFUSED = 'authorization-refused';

/** A redirect that says that a registration is lost: the client registers again. Null for any other redirect. */
export async function concludeLostClient(
  { fault }: Conclusion,
  drop: DropClient | null,
  url: string,
): Promise<Conclusion | null> {
  const { searchParams } = requireUrl(url);
  const error = searchParams.get('error');
  // Only a redirect that belongs to the request is read.
  if (fault?.code !== REFUSED || !isDeadClient(error) || drop === null) return null;
  const said = [error, searchParams.get('error_description')].filter((one) => one !== null && one !== '');
  return {
    context: await drop(),
    outcome: `The authorization server does not know the client: ${said.join(': ').slice(0, 300)}. ${DROPPED}`,
  };
}

/** The browser shows an error page, or nothing came in time: a registration that was kept is the likely cause. */
export async function concludeWithoutRedirect(
  context: FlowContext,
  drop: DropClient | null,
  fault: Fault,
): Promise<Conclusion> {
  if (fault.code === 'authorization-needs-browser' && context.isStepUp) {
    const next = adviceForStepUp(context.authorizationRequest?.scope ?? '');
    return { context, outcome: fault.what, fault: { ...fault, next } };
  }
  if (drop === null) return { context, outcome: fault.what, fault };
  if (fault.code === 'authorization-error-page')
    return { context: await drop(), outcome: `${fault.what} ${DROPPED}` };
  if (fault.code !== 'authorization-timeout') return { context, outcome: fault.what, fault };
  await drop();
  const next =
    'Authorize again. The registration of the client was dropped, because the authorization server may have lost it; the next authorization registers it again.';
  return { context, outcome: fault.what, fault: { ...fault, next } };
}

/** What to run for a token with more scopes: without --scope, the server would demand nothing of the one that is saved. */
function adviceForStepUp(scope: string): string {
  // It is pasted into a shell.
  const option = /^[\w.:/*+ -]+$/.test(scope)
    ? `--scope '${scope}'`
    : '--scope and the scopes of the challenge';
  return `The token lacks scopes. Connect in the window of the app, or run "sightglass auth --save ${option}" with this server.`;
}
