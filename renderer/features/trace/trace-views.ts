import { keepList, takeList } from '#model/kept-list.ts';
import { RecentViews } from '#model/recent-views.ts';
import { TraceView } from './trace-view.ts';

/** Traces kept while another one is on screen. */
const MAX_VIEWS = 6;

const views = new RecentViews(
  MAX_VIEWS,
  (sessionId) =>
    new TraceView(sessionId, {
      ...takeList(sessionId),
      onChange: (listed, change) => keepList(sessionId, listed, change),
    }),
);

/** The view of a session's trace, with what it last listed; the recently shown ones are kept. */
export const traceViewOf = (sessionId: string): TraceView => views.of(sessionId);

/** Closes all views. */
export const forgetViews = (): void => views.forget();
