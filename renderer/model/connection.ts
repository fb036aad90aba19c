import { create } from 'zustand';
import { call } from '#bridge';
import { type Fault, faultOf as faultOfAny } from '#shared/contract/fault.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { selectPane, selectServer } from './selection.ts';
import { keepSession } from './sessions.ts';

/** What stands between a click on Connect and a session. */
export type Attempt =
  | { readonly state: 'opening' }
  /** The command line is new: nothing runs until the user says so. */
  | { readonly state: 'approval'; readonly approval: string; readonly launch: Launch }
  | { readonly state: 'failed'; readonly fault: Fault };

/** The attempt to connect each server, by server id, while there is one. */
export const useAttempts = create<Readonly<Record<string, Attempt>>>()(() => ({}));

const setAttempt = (serverId: string, attempt: Attempt) => useAttempts.setState({ [serverId]: attempt });

export const forgetAttempt = (serverId: string): void =>
  useAttempts.setState(({ [serverId]: _, ...others }) => others, true);

/**
 * Connects a server, or connects it anew. What stands in the way is shown in its Overview. Never rejects.
 * @param approval what the user confirmed, when the engine asked for it
 */
export async function connect(serverId: string, approval?: string): Promise<void> {
  if (useAttempts.getState()[serverId]?.state === 'opening') return;
  setAttempt(serverId, { state: 'opening' });
  try {
    const answer = await call('sessions/open', { serverId, ...(approval !== undefined && { approval }) });
    if (answer.outcome === 'opened') {
      keepSession(answer.session);
      forgetAttempt(serverId);
      return;
    }
    setAttempt(serverId, { state: 'approval', approval: answer.approval, launch: answer.launch });
  } catch (error) {
    setAttempt(serverId, { state: 'failed', fault: faultOf(error) });
  }
  selectServer(serverId);
  selectPane('overview');
}

/** Ends a session in order. Never rejects; what goes wrong is shown in the server's Overview. */
export async function disconnect(session: { readonly id: string; readonly serverId: string }): Promise<void> {
  try {
    await call('sessions/close', { sessionId: session.id });
  } catch (error) {
    setAttempt(session.serverId, { state: 'failed', fault: faultOf(error) });
  }
}

/** Any failure as something to tell the user. */
export const faultOf = (error: unknown): Fault => faultOfAny('drew this window', error);
