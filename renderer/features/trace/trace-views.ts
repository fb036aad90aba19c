import { keepEntry, keptEntry } from '#model/place.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { TraceView } from './trace-view.ts';

/** Traces kept while another one is on screen. */
const MAX_VIEWS = 6;

/** The views, the least recently shown first. */
const views = new Map<string, TraceView>();

/** The view of a session's trace, with the filter it last had; the recently shown ones are kept. */
export function traceViewOf(sessionId: string): TraceView {
  const view = views.get(sessionId) ?? newView(sessionId);
  views.delete(sessionId);
  views.set(sessionId, view);
  for (const [id, oldest] of views) {
    if (views.size <= MAX_VIEWS) break;
    views.delete(id);
    oldest.close();
  }
  return view;
}

/** Closes all views. */
export function forgetViews(): void {
  for (const view of views.values()) view.close();
  views.clear();
}

const newView = (sessionId: string): TraceView =>
  new TraceView(sessionId, {
    text: keptFilter(sessionId),
    onChange: (filter) => keepFilter(sessionId, filter),
  });

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
