import type { InboxAnswer, InboxEntry, InboxMethod } from '#shared/contract/inbox.ts';

/** The code that a refusal goes out with (MCP 2025-06-18 sampling, error handling). */
const REJECTED = -1;

type Spoken = Pick<InboxEntry, 'method' | 'by'>;

/** What each question is called in the error that refuses it; elicitation is refused with a result. */
const named: Readonly<Record<InboxMethod, string | null>> = {
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
  'elicitation/create': null,
};

const participles = { decline: 'rejected', cancel: 'cancelled' } as const;

type Refusal = keyof typeof participles;

const refusalMessage = (name: string, kind: Refusal): string => `User ${participles[kind]} ${name} request`;

/** What is sent for a refusal, in a few words. */
export function refusalWords({ method, by }: Spoken, kind: Refusal): string {
  if (by === 'error') return 'Nothing is sent: this came with an error';
  const name = named[method];
  if (name === null) return `Sends {"action":"${kind}"}`;
  // There is no form for an error among input responses (MCP 2026-07-28 multi-round-trip requests).
  if (by === 'input') return 'Ends the call: it is not repeated with an answer';
  return `Sends the error ${REJECTED} “${refusalMessage(name, kind)}”`;
}

/** What was said, as a sentence about whoever said it. */
export const saidWords: Readonly<Record<InboxAnswer['kind'], string>> = {
  result: 'answered',
  defaults: 'answered with what followed from the question',
  error: 'answered with an error',
  decline: 'declined',
  cancel: 'cancelled',
};

export const speakers: Readonly<Record<NonNullable<InboxEntry['answer']>['by'], string>> = {
  user: 'You',
  rule: 'A rule of this server’s settings',
  closing: 'Sightglass, on leaving the session,',
  limit: 'Sightglass, because too many questions waited already,',
};

/** The result or error that an answer was, as JSON text; null when nothing was sent. */
export function sentJson(entry: InboxEntry): string | null {
  const said = entry.answer?.said;
  const { method, by } = entry;
  if (said === undefined || by === 'error') return null;
  switch (said.kind) {
    case 'result':
      return said.json;
    case 'defaults':
      return entry.suggestion;
    case 'error':
      return by === 'input' ? null : errorJson(said.code, said.message);
    case 'decline':
    case 'cancel': {
      const name = named[method];
      if (name === null) return JSON.stringify({ action: said.kind });
      return by === 'input' ? null : errorJson(REJECTED, refusalMessage(name, said.kind));
    }
  }
}

const errorJson = (code: number, message: string): string => JSON.stringify({ error: { code, message } });
