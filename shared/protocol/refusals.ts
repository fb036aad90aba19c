/** How a user refuses to answer: with a decline, or by cancelling. */
export type Refusal = 'decline' | 'cancel';

const participles: Readonly<Record<Refusal, string>> = { decline: 'rejected', cancel: 'cancelled' };

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
export function refusalError(
  method: keyof typeof names,
  refusal: Refusal,
): { code: number; message: string } | null {
  const name = names[method];
  return name === null ? null : { code: -1, message: `User ${participles[refusal]} ${name} request` };
}
