import { useMemo, useState } from 'react';
import { create } from 'zustand';
import { answerEntry } from '#model/inbox.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { isSchema, type Schema } from '#ui/schema-form/schema.ts';
import { useValidation } from '#model/use-validation.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { firstAnswer } from './first-answer.ts';
import type { Question } from './read-question.ts';

/** The answer to one question while it is edited. */
export interface AnswerDraft {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly schema: Schema;
  /** Why the text cannot be sent as a result; null if it can. */
  readonly invalidReason: string | null;
  /** Validation against the schema of answers. Never prevents sending. */
  readonly validation: Validation | null;
  /** Sends the text; null if it is not a valid result. */
  readonly send: (() => void) | null;
  /** Sends any other answer. */
  readonly say: (answer: InboxAnswer) => void;
  /** An answer that may contain a secret and awaits confirmation; null if there is none. */
  readonly unconfirmed: InboxAnswer | null;
  readonly confirm: () => void;
  readonly cancelConfirm: () => void;
  readonly isSending: boolean;
}

export function useAnswerDraft(
  entry: InboxEntry,
  question: Question,
  { mayContainSecrets, onAnswered }: { readonly mayContainSecrets: boolean; readonly onAnswered: () => void },
): AnswerDraft {
  const first = useMemo(() => firstAnswer(entry, question), [entry, question]);
  const text = useDraft(entry.id, first);
  const schema = useMemo(() => answerSchema(question), [question]);
  const invalidReason = useMemo(() => invalidReasonOf(text), [text]);
  const validation = useValidation(schema, invalidReason === null ? text : null);
  const [unconfirmed, setUnconfirmed] = useState<InboxAnswer | null>(null);
  const [isSending, setSending] = useState(false);

  const give = async (answer: InboxAnswer) => {
    setUnconfirmed(null);
    setSending(true);
    const isSent = await answerEntry(entry, answer);
    setSending(false);
    if (!isSent) return;
    dropDraft(entry.id);
    onAnswered();
  };
  const say = (answer: InboxAnswer) => {
    if (isSending) return;
    if (mayContainSecrets && hasContent(answer, entry)) setUnconfirmed(answer);
    else void give(answer);
  };
  return {
    text,
    write: (typed) => {
      setUnconfirmed(null);
      keepDraft(entry.id, typed);
    },
    schema,
    invalidReason,
    validation,
    send: invalidReason === null ? () => say({ kind: 'result', json: text }) : null,
    say,
    unconfirmed,
    confirm: () => {
      if (unconfirmed !== null) void give(unconfirmed);
    },
    cancelConfirm: () => setUnconfirmed(null),
    isSending,
  };
}

function invalidReasonOf(text: string): string | null {
  try {
    return isSchema(JSON.parse(text)) ? null : 'A result must be a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether an answer has any content. */
function hasContent(answer: InboxAnswer, { suggestion }: InboxEntry): boolean {
  const json = answer.kind === 'result' ? answer.json : answer.kind === 'defaults' ? suggestion : null;
  const result: unknown = json === null ? null : JSON.parse(json);
  return isSchema(result) && isSchema(result.content) && Object.keys(result.content).length > 0;
}

/** Unsent answers by entry id. */
const useDrafts = create<Readonly<Record<string, string>>>()(() => ({}));

/** The text of an answer: the user's, or the initial one. */
const useDraft = (entryId: string, first: string): string => useDrafts((drafts) => drafts[entryId] ?? first);

const keepDraft = (entryId: string, text: string): void => useDrafts.setState({ [entryId]: text });

const dropDraft = (entryId: string): void =>
  useDrafts.setState(({ [entryId]: _, ...others }) => others, true);

const text = { type: 'string' };

/**
 * The JSON Schema of the result that answers a question, for completion and validation in the editor (MCP 2025-11-25
 * schema: CreateMessageResult, ElicitResult, ListRootsResult).
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
        // `$schema` selects the dialect of the whole document, so it moves to the root.
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
