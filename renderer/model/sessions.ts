import { create } from 'zustand';
import { call, on } from '#bridge';
import type { SessionView } from '#shared/contract/sessions.ts';

/** Every session of this run, by id, as the engine last told. */
export const useSessions = create<{ sessions: Readonly<Record<string, SessionView>> }>()(() => ({
  sessions: {},
}));

const keep = (...views: readonly SessionView[]) =>
  useSessions.setState(({ sessions }) => ({
    sessions: { ...sessions, ...Object.fromEntries(views.map((view) => [view.id, view])) },
  }));

const forget = (sessionId: string) =>
  useSessions.setState(({ sessions: { [sessionId]: _, ...others } }) => ({ sessions: others }));

export async function followSessions(): Promise<void> {
  on('sessions/changed', (session) => keep(session));
  on('sessions/forgotten', ({ sessionId }) => forget(sessionId));
  keep(...(await call('sessions/list', {})));
}

/** Takes in a session that a command answered with; the notice of it may come later. */
export const keepSession = (session: SessionView): void => keep(session);

/** The newest session of a server, running or not: what the screen shows for it. */
export function latestSession(
  sessions: Readonly<Record<string, SessionView>>,
  serverId: string | null,
): SessionView | null {
  let latest: SessionView | null = null;
  for (const session of Object.values(sessions)) {
    if (session.serverId !== serverId) continue;
    if (latest === null || session.openedAt >= latest.openedAt) latest = session;
  }
  return latest;
}

/** Whether a session still holds its connection. */
export const isOpen = (session: SessionView): boolean =>
  session.phase !== 'closed' && session.phase !== 'failed';
