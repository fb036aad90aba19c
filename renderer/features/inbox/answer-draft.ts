import { useMemo, useState } from 'react';
import { create } from 'zustand';
import { answerEntry } from '#model/inbox.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { isSchema, type Schema } from '#ui/schema-form/schema.ts';
import { useValidation } from '#model/use-validation.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { firstAnswer } from './first-answer.ts';
import type { Question } from './read-question.ts';

/** The answer to one question as it is being made. */
export interface AnswerDraft {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly schema: Schema;
  /** Why the text cannot be sent as a result; null when it can. */
  readonly invalidReason: string | null;
  /** What the schema of answers says of it. Information, never a gate. */
  readonly validation: Validation | null;
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

export function useAnswerDraft(
  entry: InboxEntry,
  question: Question,
  { mayGiveSecrets, onAnswered }: { readonly mayGiveSecrets: boolean; readonly onAnswered: () => void },
): AnswerDraft {
  const first = useMemo(() => firstAnswer(entry, question), [entry, question]);
  const text = useDraft(entry.id, first);
  const schema = useMemo(() => answerSchema(question), [question]);
  const invalidReason = useMemo(() => invalidReasonOf(text), [text]);
  const validation = useValidation(schema, invalidReason === null ? text : null);
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
    validation,
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

/** What the user has written for an answer and not sent, by entry. */
const useDrafts = create<Readonly<Record<string, string>>>()(() => ({}));

/** The text of an answer: what was written, or what it begins with. */
const useDraft = (entryId: string, first: string): string => useDrafts((drafts) => drafts[entryId] ?? first);

const keepDraft = (entryId: string, text: string): void => useDrafts.setState({ [entryId]: text });

const dropDraft = (entryId: string): void =>
  useDrafts.setState(({ [entryId]: _, ...others }) => others, true);

const text = { type: 'string' };

/**
 * The results that answer a question, as JSON Schema: what the editor suggests from, and what is said of an answer
 * before it is sent (MCP 2025-11-25 schema: CreateMessageResult, ElicitResult, ListRootsResult).
 */
function answerSchema(question: Question): Schema {
  switch (question.kind) {
    case 'sampling':
      return {
        type: 'object',
        properties: {
          role: { enum: ['assistant', 'user'] },
          content: { type: ['object', 'array'] },
          model: text,
          stopReason: { anyOf: [{ enum: ['endTurn', 'stopSequence', 'maxTokens', 'toolUse'] }, text] },
        },
        required: ['role', 'content', 'model'],
      };
    case 'form': {
      const { schema } = question;
      return {
        // Its `$schema` says how all of it is to be read; its own parts have no other place to be named from.
        ...(typeof schema?.$schema === 'string' && { $schema: schema.$schema }),
        type: 'object',
        properties: {
          action: { enum: ['accept', 'decline', 'cancel'] },
          content: schema === null ? { type: 'object' } : { type: 'object', ...schema },
        },
        required: ['action'],
      };
    }
    case 'url':
      return {
        type: 'object',
        properties: { action: { enum: ['accept', 'decline', 'cancel'] } },
        required: ['action'],
      };
    case 'roots':
      return {
        type: 'object',
        properties: {
          roots: {
            type: 'array',
            items: {
              type: 'object',
              properties: { uri: { type: 'string', pattern: '^file://' }, name: text },
              required: ['uri'],
            },
          },
        },
        required: ['roots'],
      };
  }
}
