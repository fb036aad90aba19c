import type { NamedServer } from '#main/platform.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { type HeadlessSession, NotAuthorized } from '#hosts/cli/headless-session.ts';
import type { LineQuestions } from '#hosts/cli/terminal-questions.ts';
import { FlowPrinter } from './flow-printer.ts';
import { sayMissingScopes } from './outcome.ts';
import { PASTE_INTRO, PastedCallbacks } from './pasted-callback.ts';
import { savedScopes, scopesIn } from './scopes.ts';
import { SteppedFlows } from './stepped-flows.ts';
import { mustBegin, scopesToAsk, type Wanted } from './wanted.ts';

/** How the flows of a session are run on the terminal. */
export interface FlowSettings {
  readonly isStepped: boolean;
  /** Whether the steps are printed. */
  readonly printsSteps: boolean;
  /** The lines that are read while a flow waits for its browser; null to read none. */
  readonly openPasted: (() => LineQuestions) | null;
}

/** Prints the flows of a session, asks about them, and takes pasted callbacks, until it is closed. */
export class FlowRun {
  readonly #session: HeadlessSession;
  readonly #printer: FlowPrinter;
  readonly #stepped: SteppedFlows | null;
  readonly #pasted: PastedCallbacks | null;
  readonly #printsSteps: boolean;

  constructor(session: HeadlessSession, { isStepped, printsSteps, openPasted }: FlowSettings) {
    this.#session = session;
    this.#printsSteps = printsSteps;
    this.#printer = new FlowPrinter(session, isStepped);
    this.#stepped =
      isStepped && openPasted !== null ? new SteppedFlows(session, openPasted(), this.#printer) : null;
    this.#pasted =
      !isStepped && openPasted !== null ? new PastedCallbacks(session, openPasted, PASTE_INTRO) : null;
  }

  async start(): Promise<void> {
    if (this.#printsSteps) await this.#printer.start();
    await this.#stepped?.start();
    await this.#pasted?.start();
  }

  /** Waits for the end of a flow; in the stepped mode, until it was left. */
  async untilOver({ id }: AuthorizationFlow): Promise<AuthorizationFlow> {
    const flow = await this.#session.until(async () => {
      const now = (await this.#session.request('authorization/flows', {})).find((one) => one.id === id);
      return now !== undefined && (isOver(now) || this.#stepped !== null) ? now : null;
    });
    if (this.#stepped === null) return flow;
    await this.#session.interruptible(this.#stepped.untilOver(flow));
    return (await this.#session.request('authorization/flows', {})).find((one) => one.id === id) ?? flow;
  }

  async close(): Promise<void> {
    this.#stepped?.close();
    this.#pasted?.close();
    await this.#printer.close();
  }
}

const isOver = ({ state }: AuthorizationFlow): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** Authorizes as it is wanted, unless connecting did. @throws NotAuthorized */
export async function authorizeAsWanted(
  session: HeadlessSession,
  run: FlowRun,
  wanted: Wanted & { readonly isStepped: boolean; readonly revision: string | null },
): Promise<void> {
  if (!mustBegin(wanted, await session.request('authorization/flows', {}))) return;
  const begun = await session.request('authorization/begin', {
    serverId: (await session.view()).serverId,
    mode: wanted.isStepped ? 'stepped' : 'automatic',
    revision: wanted.revision,
    settings: {},
  });
  const flow = await run.untilOver(begun);
  if (flow.state !== 'done') throw new NotAuthorized(faultOfFlow(flow));
}

function faultOfFlow({ fault, steps }: AuthorizationFlow): Fault {
  if (fault === null) return cancelled;
  const challenge = steps.find(({ name }) => name === 'challenge');
  return fault.code === 'no-authorization-metadata' && challenge?.response?.status !== 401
    ? {
        ...fault,
        what: 'The server demanded no authorization, and no metadata of an authorization server was found.',
      }
    : fault;
}

const cancelled: Fault = { code: 'authorization-cancelled', what: 'The authorization was cancelled.' };

/** Verifies the tokens of the session with the keys of their issuer, unless that was done before. */
export async function verifySignatures(
  session: HeadlessSession,
  run: FlowRun,
  target: NamedServer,
): Promise<void> {
  for (const { id, generations } of await credentialsOf(session, target)) {
    const token = generations.at(-1);
    const signatures = [
      ...(token === undefined || token.claims === null ? [] : [token.signature]),
      ...(token?.idToken?.claims == null ? [] : [token.idToken.signature]),
    ];
    if (token?.state !== 'in-use' || signatures.every(({ state }) => state !== 'unverified')) continue;
    await run.untilOver(await session.request('authorization/verify', { credentialsId: id }));
  }
}

/** Says which scopes were asked for and not granted. */
export async function reportScopes(
  session: HeadlessSession,
  target: NamedServer,
  wanted: Wanted,
): Promise<void> {
  const granted = (await credentialsOf(session, target)).at(-1);
  if (granted !== undefined) sayMissingScopes(scopesIn(scopesToAsk(wanted)), savedScopes(granted));
}

const credentialsOf = async (session: HeadlessSession, target: NamedServer) =>
  session.request('authorization/credentials', {
    serverId: target.kind === 'http' ? target.url : (await session.view()).serverId,
  });
