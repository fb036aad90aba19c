import { keepList, takeList } from '#model/kept-list.ts';
import { RecentViews } from '#model/recent-views.ts';
import { TraceView } from './trace-view.ts';

/** Traces kept while another one is on screen. */
const MAX_VIEWS = 6;

/** The views of the traces, with what each last listed; the recently shown ones are kept. */
export const traceViews = new RecentViews(
  MAX_VIEWS,
  (sessionId) =>
    new TraceView(sessionId, {
      ...takeList(sessionId),
      onChange: (listed, change) => keepList(sessionId, listed, change),
    }),
);
