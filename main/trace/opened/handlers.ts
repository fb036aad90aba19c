import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { notOpened } from './faults.ts';
import type { OpenedTraces } from './opened-traces.ts';

type OpenedCommand = Extract<
  keyof Handlers,
  'traces/open' | 'traces/close' | 'traces/opened' | 'traces/session'
>;

/** Handles the commands about traces opened from files. */
export function openedHandlers(opened: OpenedTraces): Pick<Handlers, OpenedCommand> {
  return {
    'traces/open': ({ path }) => opened.open(path),
    'traces/close': async ({ sessionId }) => {
      await opened.close(sessionId);
      return null;
    },
    'traces/opened': () => opened.list(),
    'traces/session': (params) => {
      const recorded = opened.recordedOf(params.sessionId);
      if (recorded === undefined) throw new FaultError(notOpened(params.sessionId));
      return recorded['traces/session'](params);
    },
  };
}
