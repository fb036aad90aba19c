import type { Params } from '#shared/contract/index.ts';
import type { Timeouts } from '#shared/contract/servers.ts';
import type { CallWishes } from './calls.ts';

type Given = Omit<Params<'calls/request'>, 'sessionId' | 'method' | 'params'>;

/** What holds for one call: what was said of it, else what is set for its server. */
export const callWishes = (
  { timeout, maxTimeout, resetOnProgress, meta, task }: Given,
  { request, requestMax }: Timeouts,
): CallWishes => ({
  timeout: timeout ?? request,
  // Time that is asked for this one call may exceed what is set for all.
  maxTimeout: maxTimeout ?? Math.max(timeout ?? 0, requestMax),
  resetOnProgress: resetOnProgress ?? true,
  meta,
  task,
});
