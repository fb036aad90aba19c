import { TraceView } from './trace-view.ts';

/** Sessions whose place, filter and rows are kept while another one is on screen. */
const MOST_KEPT = 6;

/** The session looked at last stands last. */
const views = new Map<string, TraceView>();

/** What the screen holds of a session's trace; the same as long as the session was looked at lately. */
export function traceViewOf(sessionId: string): TraceView {
  const view = views.get(sessionId) ?? new TraceView(sessionId);
  views.delete(sessionId);
  views.set(sessionId, view);
  for (const [id, oldest] of views) {
    if (views.size <= MOST_KEPT) break;
    views.delete(id);
    oldest.close();
  }
  return view;
}

/** Lets go of everything held, as when the page is closed. */
export function forgetViews(): void {
  for (const view of views.values()) view.close();
  views.clear();
}
