import { useEffect, useState } from 'react';
import { z } from 'zod';
import type { Call } from '#shared/contract/calls.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { isKnownRevision, type Revision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import { cancelCall, type EndedRequest, sendRequest } from './calls.ts';
import type { SessionStatus } from './sessions.ts';

/** What a value belongs to: an argument of a prompt, or a variable of a resource template (MCP completion). */
export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompletionQuestion {
  readonly ref: CompletionRef;
  readonly argument: string;
  readonly value: string;
  /** The other values entered so far. */
  readonly others: Readonly<Record<string, string>>;
}

/** The suggestions of a server for one value, in its order. */
export interface Completion {
  readonly values: readonly string[];
  /** How many there are in all; null if the server does not say. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** The request; null if it could not be sent. */
  readonly call: Call | null;
  /** Why there are none. */
  readonly error: string | null;
}

/** Milliseconds after the last key. */
const DEBOUNCE = 200;
/** Answers kept; the oldest are forgotten. */
const MAX_KEPT = 200;

const kept = new Map<string, Completion>();
/** Sessions of the revision 2024-11-05 whose server does not know the method: that revision has no capability for it. */
const withoutCompletion = new Set<string>();

/** Whether to ask for suggestions: if the server declares them, or the revision has no capability for them. */
export function hasCompletion({ id, phase, agreement }: SessionStatus): boolean {
  if (phase !== 'ready' || agreement === null || withoutCompletion.has(id)) return false;
  const hasCapability = isSince(agreement.revision, '2025-03-26');
  return !hasCapability || agreement.serverCapabilities?.completions !== undefined;
}

/** Whether a revision has what came with this one. An unknown revision is taken for the newest. */
const isSince = (revision: string, since: Revision): boolean =>
  !isKnownRevision(revision) || revisionAtLeast(revision, since);

/**
 * Asks the server for suggestions while the user types: after a short pause, once for each question, and cancels a
 * question that is out of date. Null without a question, or before the answer.
 */
export function useCompletion(
  session: SessionStatus,
  question: CompletionQuestion | null,
): Completion | null {
  const isAsked = question !== null && hasCompletion(session);
  const params = isAsked ? paramsOf(question, session) : null;
  const key = params === null ? null : JSON.stringify([session.id, params]);
  const [settled, setSettled] = useState<{ readonly key: string; readonly completion: Completion } | null>(
    null,
  );
  const sessionId = session.id;
  useEffect(() => {
    if (key === null || params === null || kept.has(key)) return;
    let isCurrent = true;
    let cancel = () => {};
    const ask = async () => {
      const request = sendRequest({ sessionId, method: 'completion/complete', params, timeout: null });
      cancel = () => void request.started.then((one) => (one === null ? undefined : cancelCall(one)));
      const completion = readCompletion(await request.ended);
      note(sessionId, key, completion);
      if (isCurrent) setSettled({ key, completion });
    };
    const timer = setTimeout(() => void ask(), DEBOUNCE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      cancel();
    };
  }, [sessionId, key, params]);
  if (key === null) return null;
  return kept.get(key) ?? (settled?.key === key ? settled.completion : null);
}

/** Asks the server for suggestions, once for each question; null if it has none to give. */
export async function completionOf(
  session: SessionStatus,
  question: CompletionQuestion,
): Promise<Completion | null> {
  if (!hasCompletion(session)) return null;
  const params = paramsOf(question, session);
  const key = JSON.stringify([session.id, params]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const request = { sessionId: session.id, method: 'completion/complete', params, timeout: null };
  const completion = readCompletion(await sendRequest(request).ended);
  note(session.id, key, completion);
  return completion;
}

function note(sessionId: string, key: string, completion: Completion): void {
  if (completion.call?.error?.code === errorCodes.methodNotFound) withoutCompletion.add(sessionId);
  if (completion.call?.state === 'ok') keep(key, completion);
}

/** Other values are sent since 2025-06-18. */
function paramsOf(
  { ref, argument, value, others }: CompletionQuestion,
  { agreement }: SessionStatus,
): string {
  const known = Object.fromEntries(
    Object.entries(others).filter(([name, one]) => name !== argument && one !== ''),
  );
  const hasContext =
    Object.keys(known).length > 0 && agreement !== null && isSince(agreement.revision, '2025-06-18');
  return JSON.stringify({
    ref,
    argument: { name: argument, value },
    ...(hasContext && { context: { arguments: known } }),
  });
}

const resultSchema = z.object({
  completion: z.object({
    values: z.array(z.string()),
    total: z.number().nullable().default(null).catch(null),
    hasMore: z.boolean().default(false).catch(false),
  }),
});

function readCompletion({ call, text, fault }: EndedRequest): Completion {
  const none = { values: [], total: null, hasMore: false, call };
  if (call === null || text === null)
    return { ...none, error: fault?.what ?? call?.error?.message ?? 'No answer.' };
  const result = resultSchema.safeParse(JSON.parse(text));
  if (!result.success) return { ...none, error: 'The answer has no list of values.' };
  return { ...result.data.completion, call, error: null };
}

function keep(key: string, completion: Completion): void {
  kept.set(key, completion);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
