import { errorCodes } from './jsonrpc.ts';

/** How a user refuses to answer: with a decline, or by cancelling. */
export type Rejection = 'decline' | 'cancel';

/** The error code of a request that the user rejects (MCP 2025-06-18 sampling, error handling). */
const REJECTED = -1;

const participles: Readonly<Record<Rejection, string>> = { decline: 'rejected', cancel: 'cancelled' };

/** What each request is called in the error that refuses it; elicitation is refused with a result. */
const names: ReadonlyMap<string, string | null> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
  ['elicitation/create', null],
]);

/**
 * The error that refuses a request of the server (MCP 2025-06-18 sampling, error handling); -32601 for methods that clients
 * do not have. Null where a result does that: elicitation has one for each way.
 */
export function rejectionError(
  method: string,
  rejection: Rejection,
): { code: number; message: string } | null {
  const name = names.get(method);
  if (name === undefined) return methodNotFound(method);
  return name === null ? null : { code: REJECTED, message: `User ${participles[rejection]} ${name} request` };
}

/** The error for a method that is not supported (JSON-RPC 2.0 section 5.1). */
export const methodNotFound = (method: string): { code: number; message: string } => ({
  code: errorCodes.methodNotFound,
  message: `Method not found: ${method}`,
});
