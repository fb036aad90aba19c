import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { ServerEnd } from '#shared/contract/trace.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** What the outcome of its last request says about a call. */
type CallEnd = Pick<Call, 'state' | 'error' | 'fault'>;

/** How a call ends with this outcome. @param end how the server ended, if that ended the session */
export function callEnd(method: string, outcome: Outcome, end: ServerEnd | null = null): CallEnd {
  switch (outcome.type) {
    case 'result': {
      const isError = isObject(outcome.result) && outcome.result.isError === true;
      return { state: isError ? 'tool-error' : 'ok', error: null, fault: null };
    }
    case 'error': {
      const { code, message, data } = outcome.error;
      const error = { code, message, data: data ?? null };
      const fault = outcome.challenge === undefined ? null : outcomeFault(method, outcome);
      return { state: 'protocol-error', error, fault };
    }
    case 'invalid':
      return { state: 'protocol-error', error: null, fault: outcomeFault(method, outcome) };
    case 'timeout':
      return { state: 'timed-out', error: null, fault: outcomeFault(method, outcome) };
    case 'cancelled':
      return { state: 'cancelled', error: null, fault: null };
    case 'failed':
    case 'closed':
      return { state: 'lost', error: null, fault: outcomeFault(method, outcome, end) };
  }
}
