import type { Handlers } from '#shared/contract/index.ts';
import type { OpenedTraces } from './opened-traces.ts';

type OpenedCommand = Extract<keyof Handlers, 'traces/open' | 'traces/close' | 'traces/opened'>;

/** Handles the commands about traces opened from files. */
export function openedHandlers(opened: OpenedTraces): Pick<Handlers, OpenedCommand> {
  return {
    'traces/open': ({ path }) => opened.open(path),
    'traces/close': async ({ sessionId }) => {
      await opened.close(sessionId);
      return null;
    },
    'traces/opened': () => opened.list(),
  };
}
