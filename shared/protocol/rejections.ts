/** How a user refuses to answer: with a decline, or by cancelling. */
export type Rejection = 'decline' | 'cancel';

const participles: Readonly<Record<Rejection, string>> = { decline: 'rejected', cancel: 'cancelled' };

/** What each question is called in the error that refuses it; elicitation is refused with a result. */
const names = {
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
  'elicitation/create': null,
} as const;

/**
 * The error that refuses a question of the server (MCP 2025-06-18 sampling, error handling); null where a result does
 * that: elicitation has one for each way.
 */
export function rejectionError(
  method: keyof typeof names,
  rejection: Rejection,
): { code: number; message: string } | null {
  const name = names[method];
  return name === null ? null : { code: -1, message: `User ${participles[rejection]} ${name} request` };
}
