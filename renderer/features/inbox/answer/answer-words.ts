import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { type Refusal, refusalError } from '#shared/protocol/refusals.ts';

/** What is sent for a refusal, in a few words. */
export function refusalWords({ method, by }: Pick<InboxEntry, 'method' | 'by'>, kind: Refusal): string {
  if (by === 'error') return 'Nothing is sent: this came with an error';
  const error = refusalError(method, kind);
  if (error === null) return `Sends {"action":"${kind}"}`;
  // There is no form for an error among input responses (MCP 2026-07-28 multi-round-trip requests).
  if (by === 'input') return 'Ends the call: it is not repeated with an answer';
  return `Sends the error ${error.code} “${error.message}”`;
}

/** The answer as a sentence that says who gave it. */
export const saidWords: Readonly<Record<InboxAnswer['kind'], string>> = {
  result: 'answered',
  defaults: 'answered automatically',
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
      return by === 'input' ? null : errorJson({ code: said.code, message: said.message });
    case 'decline':
    case 'cancel': {
      const error = refusalError(method, said.kind);
      if (error === null) return JSON.stringify({ action: said.kind });
      return by === 'input' ? null : errorJson(error);
    }
  }
}

const errorJson = (error: { readonly code: number; readonly message: string }): string =>
  JSON.stringify({ error });
