import { call } from '#bridge';
import { rememberAppInfo } from '#model/app-info.ts';
import { followApprovals } from '#model/approvals.ts';
import { keepPlace, selectOpened, selectPane, selectServer } from '#model/selection.ts';
import { followServers, useServers } from '#model/servers.ts';
import { followSettings } from '#model/settings.ts';
import { followSessions, isOpen, latestSession, useSessions } from '#model/sessions.ts';
import { followTraces, useTraces } from '#model/traces.ts';
import { reportFailure } from '#ui/toaster.tsx';

/** Fetches what the screen starts from and chooses the server to show. Rejects when the engine is not there. */
export async function start(): Promise<void> {
  const before = keepPlace();
  const [info] = await Promise.all([call('app/info', {}), followServers(), followSessions(), followTraces()]);
  rememberAppInfo(info);
  // The app can do without; the user is told.
  reportFailure(followSettings());
  reportFailure(followApprovals());
  const { servers } = useServers.getState();
  const { sessions } = useSessions.getState();
  const running = servers.find(({ id }) => {
    const session = latestSession(sessions, id);
    return session !== null && isOpen(session);
  });
  const first =
    servers.find(({ id }) => id === before?.serverId) ??
    servers.find(({ id }) => id === info.initialServerId) ??
    running ??
    servers[0];
  if (first) selectServer(first.id);
  if (before !== null) selectPane(before.pane);
  const openedId = before === null ? info.initialTraceId : before.openedId;
  if (openedId !== null && openedId in useTraces.getState().opened) selectOpened(openedId);
}
