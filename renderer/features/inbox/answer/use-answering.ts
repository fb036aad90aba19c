import { useMemo, useState } from 'react';
import { answerEntry } from '#model/inbox.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { isSchema, type Schema } from '#ui/schema-form/schema.ts';
import { useVerdict } from '#ui/schema-form/use-verdict.ts';
import type { Verdict } from '#ui/schema-form/validate.ts';
import type { Question } from '../question/read-question.ts';
import { answerSchema } from './answer-schema.ts';
import { dropDraft, keepDraft, useDraft } from './drafts.ts';
import { firstAnswer } from './first-answer.ts';

/** The answer to one question as it is being made. */
export interface Answering {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly schema: Schema;
  /** Why the text cannot be sent as a result; null when it can. */
  readonly invalidReason: string | null;
  /** What the schema of answers says of it. Information, never a gate. */
  readonly verdict: Verdict | null;
  /** Sends the text; null when it cannot be sent. */
  readonly send: (() => void) | null;
  /** Says anything else. */
  readonly say: (answer: InboxAnswer) => void;
  /** What waits for a second click because a secret may be in it; null when nothing does. */
  readonly doubtful: InboxAnswer | null;
  readonly confirm: () => void;
  readonly reconsider: () => void;
  /** An answer is on its way. */
  readonly isSending: boolean;
}

export function useAnswering(
  entry: InboxEntry,
  question: Question,
  { mayGiveSecrets, onAnswered }: { readonly mayGiveSecrets: boolean; readonly onAnswered: () => void },
): Answering {
  const first = useMemo(() => firstAnswer(entry, question), [entry, question]);
  const text = useDraft(entry.id, first);
  const schema = useMemo(() => answerSchema(question), [question]);
  const invalidReason = useMemo(() => invalidReasonOf(text), [text]);
  const verdict = useVerdict(schema, invalidReason === null ? text : null);
  const [doubtful, setDoubtful] = useState<InboxAnswer | null>(null);
  const [isSending, setSending] = useState(false);

  const give = async (answer: InboxAnswer) => {
    setDoubtful(null);
    setSending(true);
    const isGiven = await answerEntry(entry, answer);
    setSending(false);
    if (!isGiven) return;
    dropDraft(entry.id);
    onAnswered();
  };
  const say = (answer: InboxAnswer) => {
    if (isSending) return;
    if (mayGiveSecrets && givesContent(answer, entry)) setDoubtful(answer);
    else void give(answer);
  };
  return {
    text,
    write: (typed) => {
      setDoubtful(null);
      keepDraft(entry.id, typed);
    },
    schema,
    invalidReason,
    verdict,
    send: invalidReason === null ? () => say({ kind: 'result', json: text }) : null,
    say,
    doubtful,
    confirm: () => {
      if (doubtful !== null) void give(doubtful);
    },
    reconsider: () => setDoubtful(null),
    isSending,
  };
}

function invalidReasonOf(text: string): string | null {
  try {
    return isSchema(JSON.parse(text)) ? null : 'A result is a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether an answer carries anything that was filled in. */
function givesContent(answer: InboxAnswer, { suggestion }: InboxEntry): boolean {
  const json = answer.kind === 'result' ? answer.json : answer.kind === 'defaults' ? suggestion : null;
  const result: unknown = json === null ? null : JSON.parse(json);
  return isSchema(result) && isSchema(result.content) && Object.keys(result.content).length > 0;
}
