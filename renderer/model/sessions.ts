import { useMemo } from 'react';
import { create } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { call, on } from '#bridge';
import type { SessionView } from '#shared/contract/sessions.ts';
import { followList } from './follow.ts';

/** Every session of this run, by id. */
export const useSessions = create<{ sessions: Readonly<Record<string, SessionView>> }>()(() => ({
  sessions: {},
}));

/** The sessions in opened trace files, by the id of the trace; they are never open. */
export const useRecordedSessions = create<Readonly<Record<string, SessionView>>>()(() => ({}));

/** A session without the figures that change with every message. */
export type SessionStatus = Omit<SessionView, 'counts' | 'findings' | 'medianDuration' | 'traceFile'>;

const statuses = new WeakMap<SessionView, SessionStatus>();
const lastStatuses = new Map<string, { readonly text: string; readonly status: SessionStatus }>();

/** The status of a session: the same object as before unless something changed in it. */
export function statusOf(session: SessionView): SessionStatus {
  const known = statuses.get(session);
  if (known !== undefined) return known;
  const { counts: _, findings: __, medianDuration: ___, traceFile: ____, ...own } = session;
  const text = JSON.stringify(own);
  const last = lastStatuses.get(session.id);
  const status = last?.text === text ? last.status : own;
  lastStatuses.set(session.id, { text, status });
  statuses.set(session, status);
  return status;
}

/** The status of the newest session of each server, by the server's id. */
export const useLatestStatuses = (): Readonly<Record<string, SessionStatus>> =>
  useSessions(
    useShallow(({ sessions }) =>
      Object.fromEntries(
        Object.values(sessions)
          .toSorted((a, b) => a.openedAt - b.openedAt)
          .map((session) => [session.serverId, statusOf(session)]),
      ),
    ),
  );

const putSessions = (views: readonly SessionView[]) =>
  useSessions.setState(({ sessions }) => ({
    sessions: { ...sessions, ...Object.fromEntries(views.map((view) => [view.id, view])) },
  }));

const forget = (sessionId: string) => {
  lastStatuses.delete(sessionId);
  useSessions.setState(({ sessions: { [sessionId]: _, ...others } }) => ({ sessions: others }));
};

/** Rejects when the engine cannot be reached. */
export const followSessions = (): Promise<void> =>
  followList<SessionView>({
    list: () => call('sessions/list', {}),
    listen(changed, removed) {
      const stops = [
        on('sessions/changed', changed),
        on('sessions/forgotten', ({ sessionId }) => removed(sessionId)),
      ];
      return () => stops.forEach((stop) => stop());
    },
    idOf: ({ id }) => id,
    put: putSessions,
    remove: forget,
  }).loaded;

/**
 * Adds a session that a command returned, unless an event has already brought it: that event may be newer, because
 * Electron keeps no order between answers and events.
 */
export const addSession = (session: SessionView): void => {
  if (!(session.id in useSessions.getState().sessions)) putSessions([session]);
};

/** The newest session of a server, open or not. */
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

/** The ids of all sessions of the server of this one, newest first; of a session in an opened trace, its own. */
export function useSessionsOfServer({ id, serverId }: SessionStatus): readonly string[] {
  const text = useSessions(({ sessions }) => {
    if (sessions[id] === undefined) return id;
    const own = Object.values(sessions).filter((session) => session.serverId === serverId);
    return own
      .sort((a, b) => b.openedAt - a.openedAt)
      .map((session) => session.id)
      .join(' ');
  });
  return useMemo(() => text.split(' '), [text]);
}

/** Whether a session has not ended. */
export const isOpen = (session: SessionStatus): boolean =>
  session.phase !== 'closed' && session.phase !== 'failed';

/** Whether the user can send something: at once, or once the session that is being opened is ready. */
export const canSend = ({ phase }: SessionStatus): boolean => phase === 'ready' || isOpening(phase);

const isOpening = (phase: SessionStatus['phase']): boolean =>
  phase === 'connecting' || phase === 'detecting' || phase === 'authorizing' || phase === 'initializing';

/** A session's phase: the tone of its dot and the label beside it. */
interface PhaseLabel {
  readonly tone: 'ok' | 'busy' | 'error' | 'off';
  readonly label: string;
}

/** Such as `ready`, `starting`, `exit 1` or `SIGKILL`; `not connected` without a session. */
export function phaseLabel(session: SessionStatus | null): PhaseLabel {
  if (session === null) return { tone: 'off', label: 'not connected' };
  switch (session.phase) {
    case 'connecting':
    case 'initializing':
      return { tone: 'busy', label: session.transport === 'stdio' ? 'starting' : 'connecting' };
    case 'authorizing':
      return { tone: 'busy', label: 'authorizing' };
    case 'detecting':
      return { tone: 'busy', label: 'detecting' };
    case 'ready':
      return { tone: 'ok', label: 'ready' };
    case 'closing':
      return { tone: 'busy', label: 'closing' };
    case 'closed':
      return { tone: 'off', label: 'closed' };
    case 'failed':
      return { tone: 'error', label: exitLabel(session) ?? 'failed' };
  }
}

/** How its process exited: `exit 1`, `SIGKILL`; null if it did not. */
export function exitLabel({ process }: SessionStatus): string | null {
  if (process === null) return null;
  if (process.signal !== null) return process.signal;
  return process.exitCode === null ? null : `exit ${process.exitCode}`;
}

/** The transports' names in the specification. */
const words: Readonly<Record<SessionView['transport'], string>> = {
  stdio: 'stdio',
  http: 'HTTP',
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP+SSE',
};

/** The transport in use. Until both sides have agreed it is just HTTP, whichever was tried last. */
export function spokenTransport({ transport, agreement }: SessionStatus): SessionView['transport'] {
  return transport === 'stdio' || agreement !== null ? transport : 'http';
}

export const transportLabel = (session: SessionStatus): string => words[spokenTransport(session)];
