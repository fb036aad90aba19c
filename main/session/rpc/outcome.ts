import type { Fault } from '#shared/contract/fault.ts';
import type { RpcError } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** What a request came to. Errors are ordinary outcomes here: the server under test may do anything. */
export type Outcome =
  | {
      readonly type: 'result';
      readonly result: unknown;
      readonly recorded: RecordedMessage;
      /** Where it stands in its message, when that is not `['result']`. */
      readonly path?: readonly string[];
    }
  | {
      readonly type: 'error';
      readonly error: RpcError;
      readonly recorded: RecordedMessage;
      /** What the server wants before it takes the request: the challenge of the HTTP response that held the error. */
      readonly challenge?: string | undefined;
    }
  /** An answer with the right id that is no valid message. */
  | { readonly type: 'invalid'; readonly problem: string; readonly recorded: RecordedMessage }
  | { readonly type: 'timeout'; readonly waited: number }
  | { readonly type: 'cancelled' }
  /** It was not taken, or no answer can come any more by the way it was sent. */
  | { readonly type: 'undelivered'; readonly fault: Fault; readonly row: number }
  /** The session ended first. */
  | { readonly type: 'closed'; readonly reason: string };

/** What an outcome without a result means to the user. */
export function outcomeFault(method: string, outcome: Exclude<Outcome, { type: 'result' }>): Fault {
  switch (outcome.type) {
    case 'error':
      return {
        code: 'protocol-error',
        what: `The server answered ${method} with error ${outcome.error.code}: ${outcome.error.message}`,
        ...(outcome.challenge !== undefined && { quote: outcome.challenge }),
        ...(outcome.error.data !== undefined && { evidence: JSON.stringify(outcome.error.data, null, 2) }),
      };
    case 'invalid':
      return {
        code: 'invalid-answer',
        what: `The server's answer to ${method} is no JSON-RPC message: ${outcome.problem}.`,
        next: 'Look at the answer in the trace.',
      };
    case 'timeout':
      return {
        code: 'timed-out',
        what: `The server did not answer ${method} within ${Math.round(outcome.waited) / 1000} s; the request was cancelled.`,
        why: 'It hangs, it is slow, or its answer was not a message that could be matched.',
        next: 'Look at the trace for what came meanwhile, or allow it more time.',
      };
    case 'cancelled':
      return { code: 'cancelled', what: `${method} was cancelled.` };
    case 'undelivered':
      return outcome.fault;
    case 'closed':
      return {
        code: 'session-ended',
        what: `The session ended before ${method} was answered.`,
        why: outcome.reason,
      };
  }
}
