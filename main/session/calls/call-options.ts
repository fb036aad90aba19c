import type { Params } from '#shared/contract/index.ts';
import type { Timeouts } from '#shared/contract/servers.ts';
import type { CallOptions } from './calls.ts';

type Given = Omit<Params<'calls/request'>, 'sessionId' | 'method' | 'params'>;

/** The options of one call: its own, or else those of its server. */
export const callOptions = (
  { timeout, maxTimeout, resetOnProgress, meta, task }: Given,
  { request, requestMax }: Timeouts,
): CallOptions => ({
  timeout: timeout ?? request,
  // A timeout given for this one call may exceed the maximum set for the server.
  maxTimeout: maxTimeout ?? Math.max(timeout ?? 0, requestMax),
  resetOnProgress: resetOnProgress ?? true,
  meta,
  task,
});
