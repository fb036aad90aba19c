import type { Fault } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxMethod } from '#shared/contract/inbox.ts';
import type { Answer } from '#session/rpc/peer.ts';
import { objectOnOneLine } from '#session/rpc/request-text.ts';

/** The code a user's refusal goes out with (MCP 2025-06-18 sampling, error handling). */
const REJECTED = -1;

/** What each question is called in an error. */
const names: Readonly<Record<InboxMethod, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/**
 * What an answer of the user means on the wire. Only elicitation has results for declining and cancelling; any other
 * question is then answered with an error.
 *
 * @param suggestion the result that follows from the question by itself, if any does
 * @returns the answer, or why it cannot be sent
 */
export function wireAnswer(
  method: InboxMethod,
  said: InboxAnswer,
  suggestion: string | null,
): Answer | { readonly fault: Fault } {
  switch (said.kind) {
    case 'result':
      return resultOf(said.json);
    case 'error':
      return { error: { code: said.code, message: said.message } };
    case 'defaults':
      return suggestion === null ? { fault: nothingFollows } : { result: suggestion };
    case 'decline':
      return refusal(method, 'decline', 'rejected');
    case 'cancel':
      return refusal(method, 'cancel', 'cancelled');
  }
}

function refusal(method: InboxMethod, action: string, word: string): Answer {
  if (method === 'elicitation/create') return { result: JSON.stringify({ action }) };
  return { error: { code: REJECTED, message: `User ${word} ${names[method]} request` } };
}

function resultOf(json: string): Answer | { readonly fault: Fault } {
  const written = objectOnOneLine(json);
  return 'why' in written ? { fault: badAnswer(written.why) } : { result: written.text };
}

const badAnswer = (why: string): Fault => ({
  code: 'bad-answer',
  what: 'The answer is not a JSON object, so it was not sent.',
  why,
  next: 'Write the result as an object, for example {"action": "accept", "content": {}}.',
});

const nothingFollows: Fault = {
  code: 'no-defaults',
  what: 'This question has no answer that follows from it by itself.',
  why: 'A required field has no default, or the question asks what only a person or a model can say.',
  next: 'Write the answer, decline or cancel.',
};
