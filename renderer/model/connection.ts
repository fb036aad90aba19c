import { create } from 'zustand';
import { call } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';
import { faultOf } from './faults.ts';
import { awaitTools, isOverviewShown, selectPane, selectServer, useSelection } from './selection.ts';
import { addSession, latestSession, useSessions } from './sessions.ts';

/** Deviations from the server's settings for one connection, such as another revision. */
type ConnectChoices = Omit<Params<'sessions/open'>, 'serverId' | 'approval'>;

/** What the user has to approve: a command line, or variables that are sent to a host. */
export type Asked = { readonly launch: Launch } | { readonly sent: SentVariables };

/** The state of an attempt to open a session. */
type Attempt =
  | { readonly state: 'opening' }
  /** What would run or be sent is new: neither is done until the user approves it. */
  | {
      readonly state: 'approval';
      readonly approval: string;
      readonly asked: Asked;
      readonly choices: ConnectChoices;
    }
  | { readonly state: 'failed'; readonly fault: Fault };

/** Current connection attempts by server id. */
export const useAttempts = create<Readonly<Record<string, Attempt>>>()(() => ({}));

/** Whether the user is asked on screen if the command of a server may run, or its variables be sent. The other buttons that connect give way then. */
export function useIsApprovalShown(serverId: string): boolean {
  const isAsked = useAttempts((attempts) => attempts[serverId]?.state === 'approval');
  return useSelection(isOverviewShown) && isAsked;
}

const setAttempt = (serverId: string, attempt: Attempt) => useAttempts.setState({ [serverId]: attempt });

export const forgetAttempt = (serverId: string): void =>
  useAttempts.setState(({ [serverId]: _, ...others }) => others, true);

/** Connects or reconnects a server. Never rejects: faults are shown in the server's Overview. */
export const connect = (serverId: string, choices: ConnectChoices = {}): Promise<void> =>
  open(serverId, choices);

/** Continues an attempt after the user has approved what it was asked for. Never rejects. */
export async function approve(serverId: string): Promise<void> {
  const attempt = useAttempts.getState()[serverId];
  if (attempt?.state === 'approval') await open(serverId, attempt.choices, attempt.approval);
}

async function open(serverId: string, choices: ConnectChoices, approval?: string): Promise<void> {
  if (useAttempts.getState()[serverId]?.state === 'opening') return;
  setAttempt(serverId, { state: 'opening' });
  // Before the engine answers: a click of the user after it keeps the pane that it chose.
  if (latestSession(useSessions.getState().sessions, serverId) === null) awaitTools(serverId);
  try {
    const answer = await call('sessions/open', {
      ...choices,
      serverId,
      ...(approval !== undefined && { approval }),
    });
    if (answer.outcome === 'opened') {
      addSession(answer.session);
      forgetAttempt(serverId);
      return;
    }
    setAttempt(serverId, {
      state: 'approval',
      approval: answer.approval,
      asked: answer.outcome === 'approval-needed' ? { launch: answer.launch } : { sent: answer.sent },
      choices,
    });
  } catch (error) {
    setAttempt(serverId, { state: 'failed', fault: faultOf(error) });
  }
  selectServer(serverId);
  selectPane('overview');
}

/** Closes a session. Never rejects: faults are shown in the server's Overview. */
export async function disconnect(session: { readonly id: string; readonly serverId: string }): Promise<void> {
  try {
    await call('sessions/close', { sessionId: session.id });
  } catch (error) {
    setAttempt(session.serverId, { state: 'failed', fault: faultOf(error) });
  }
}

/** Shows a fault in a server's Overview, unless a connection attempt is in progress. */
export function noteFault(serverId: string, error: unknown): void {
  const state = useAttempts.getState()[serverId]?.state;
  if (state !== 'opening' && state !== 'approval')
    setAttempt(serverId, { state: 'failed', fault: faultOf(error) });
}
