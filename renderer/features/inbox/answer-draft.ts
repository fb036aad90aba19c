import { useMemo, useState } from 'react';
import { create } from 'zustand';
import { answerEntry } from '#model/inbox.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import { useTextValidation } from '#model/use-validation.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { firstAnswer } from './first-answer.ts';
import type { Question } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The answer to one question while it is edited. The text is what is sent; a form is a view of it. */
export interface AnswerDraft {
  readonly text: string;
  readonly write: (text: string) => void;
  /** Whether the answer is edited in fields, where it has them, or as JSON. */
  readonly mode: AnswerMode;
  readonly setMode: (mode: AnswerMode) => void;
  readonly schema: Schema;
  /** Why the text cannot be sent as a result; null if it can. */
  readonly invalidReason: string | null;
  /** Validation against the schema of answers; null until the user has changed the answer or tried to send it. */
  readonly validation: Validation | null;
  /** Sends the text; null if it is not a valid result. Shows errors of its schema first. */
  readonly send: (() => void) | null;
  /** Sends the text although it violates its schema; null while no such error is shown. */
  readonly sendInvalid: (() => void) | null;
  /** Sends any other answer. */
  readonly say: (answer: InboxAnswer) => void;
  /** An answer that may contain a secret and awaits confirmation; null if there is none. */
  readonly unconfirmed: InboxAnswer | null;
  readonly confirm: () => void;
  readonly cancelConfirm: () => void;
  readonly isSending: boolean;
}

export type AnswerMode = 'form' | 'json';

export function useAnswerDraft(
  entry: InboxEntry,
  question: Question,
  { mayContainSecrets, onAnswered }: { readonly mayContainSecrets: boolean; readonly onAnswered: () => void },
): AnswerDraft {
  const first = useMemo(() => firstAnswer(entry, question), [entry, question]);
  const kept = useDrafts((drafts) => drafts[entry.id]);
  const { text, mode, isTouched } = { ...untouched, text: first, ...kept };
  const schema = useMemo(() => answerSchema(question), [question]);
  const invalidReason = useMemo(() => invalidReasonOf(text), [text]);
  const checked = useTextValidation(schema, invalidReason === null ? text : null, isTouched);
  const validation = isTouched ? checked.validation : null;
  const [unconfirmed, setUnconfirmed] = useState<InboxAnswer | null>(null);
  const [isSending, setSending] = useState(false);
  const change = (part: Partial<Draft>) => changeDraft(entry.id, { ...untouched, text: first }, part);

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
  const sendText = () => say({ kind: 'result', json: text });
  /** Sends the answer if it is valid: both sides must validate content (MCP 2025-06-18 elicitation, security considerations). */
  const sendIfValid = async () => {
    if (isSending) return;
    let current = checked.validateNow?.() ?? null;
    if (current instanceof Promise) {
      setSending(true);
      current = await current;
      setSending(false);
    }
    if (current?.state === 'invalid') change({ isTouched: true });
    else sendText();
  };
  return {
    text,
    write: (typed) => {
      setUnconfirmed(null);
      change({ text: typed, isTouched: true });
    },
    mode,
    setMode: (chosen) => change({ mode: chosen }),
    schema,
    invalidReason,
    validation,
    send: invalidReason === null ? () => void sendIfValid() : null,
    sendInvalid: invalidReason === null && validation?.state === 'invalid' ? sendText : null,
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
    return isObject(JSON.parse(text)) ? null : 'A result must be a JSON object.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether an answer has any content. */
function hasContent(answer: InboxAnswer, { suggestion }: InboxEntry): boolean {
  const json = answer.kind === 'result' ? answer.json : answer.kind === 'defaults' ? suggestion : null;
  const result: unknown = json === null ? null : JSON.parse(json);
  return isObject(result) && isObject(result.content) && Object.keys(result.content).length > 0;
}

interface Draft {
  readonly text: string;
  readonly mode: AnswerMode;
  /** Whether the user has changed it or tried to send it: its errors are shown from then on. */
  readonly isTouched: boolean;
}

const untouched = { mode: 'form', isTouched: false } as const;

/** Unsent answers by entry id. */
const useDrafts = create<Readonly<Record<string, Draft>>>()(() => ({}));

/** Changes the draft as it is now, which may be newer than the one on screen. */
const changeDraft = (entryId: string, initial: Draft, part: Partial<Draft>): void =>
  useDrafts.setState(({ [entryId]: draft = initial }) => ({ [entryId]: { ...draft, ...part } }));

const dropDraft = (entryId: string): void =>
  useDrafts.setState(({ [entryId]: _, ...others }) => others, true);

const text = { type: 'string' };

/** A content block of a message (MCP 2025-11-25 schema, SamplingMessageContentBlock). */
const contentBlock = {
  type: 'object',
  properties: { type: text },
  required: ['type'],
  allOf: [
    { if: { properties: { type: { const: 'text' } } }, then: { properties: { text }, required: ['text'] } },
    {
      if: { properties: { type: { enum: ['image', 'audio'] } } },
      then: { properties: { data: text, mimeType: text }, required: ['data', 'mimeType'] },
    },
    {
      if: { properties: { type: { const: 'tool_use' } } },
      then: {
        properties: { id: text, name: text, input: { type: 'object' } },
        required: ['id', 'name', 'input'],
      },
    },
  ],
};

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
          content: { anyOf: [contentBlock, { type: 'array', minItems: 1, items: contentBlock }] },
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
    case 'unknown':
      return { type: 'object' };
  }
}
