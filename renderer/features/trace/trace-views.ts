import { keepEntry, keptEntry } from '#model/place.ts';
import { RecentViews } from '#model/recent-views.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { TraceView } from './trace-view.ts';

/** Traces kept while another one is on screen. */
const MAX_VIEWS = 6;

const views = new RecentViews(
  MAX_VIEWS,
  (sessionId) =>
    new TraceView(sessionId, {
      text: keptFilter(sessionId),
      onChange: (filter) => keepFilter(sessionId, filter),
    }),
);

/** The view of a session's trace, with the filter it last had; the recently shown ones are kept. */
export const traceViewOf = (sessionId: string): TraceView => views.of(sessionId);

/** Closes all views. */
export const forgetViews = (): void => views.forget();

/** A filter is kept by the path of the trace's file: a session has a new id after a restart, or none. */
function filterEntry(sessionId: string): { name: string; serverId: string | null } | null {
  const session = useSessions.getState().sessions[sessionId];
  const path = session?.traceFile.path ?? useTraces.getState().opened[sessionId]?.path;
  return path === undefined ? null : { name: `filter ${path}`, serverId: session?.serverId ?? null };
}

function keptFilter(sessionId: string): string {
  const entry = filterEntry(sessionId);
  return (entry && keptEntry(entry.name)?.typed.filter) ?? '';
}

function keepFilter(sessionId: string, filter: string): void {
  const entry = filterEntry(sessionId);
  if (entry === null) return;
  const { name, serverId } = entry;
  keepEntry(name, filter === '' ? null : { serverId, chosen: {}, typed: { filter } });
}
