import { z } from 'zod';
import { defineArea } from './area.ts';

/** The answer of the user, or of a rule, to a request of the server. */
export const inboxAnswerSchema = z.discriminatedUnion('kind', [
  /** This result: JSON text of an object, sent as written. */
  z.object({ kind: z.literal('result'), json: z.string() }),
  /** This JSON-RPC error. */
  z.object({ kind: z.literal('error'), code: z.number().int(), message: z.string() }),
  /** The result that follows from the question by itself: `suggestion` of the entry. */
  z.object({ kind: z.literal('defaults') }),
  /** The user says no. */
  z.object({ kind: z.literal('decline') }),
  /** The user does not say anything. */
  z.object({ kind: z.literal('cancel') }),
]);
export type InboxAnswer = z.infer<typeof inboxAnswerSchema>;

/** The questions that a server can have for the user (MCP client features). */
export const inboxMethods = ['sampling/createMessage', 'elicitation/create', 'roots/list'] as const;
export type InboxMethod = (typeof inboxMethods)[number];

/** How questions of one kind are answered without asking the user. */
export const inboxRuleSchema = z.object({
  method: z.enum(inboxMethods),
  answer: inboxAnswerSchema,
  /** Milliseconds to wait before. */
  delay: z.number().int().nonnegative().max(600_000).default(0),
});
export type InboxRule = z.infer<typeof inboxRuleSchema>;

export const inboxStates = [
  /** For an answer of the user, or for a rule whose delay runs. */
  'waiting',
  'answered',
  /** The server took it back, or what it was asked for came to an end. */
  'withdrawn',
  /** The session ended first. */
  'lost',
] as const;

/** One question of the server. All of it is untrusted. */
export const inboxEntrySchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  method: z.enum(inboxMethods),
  /** The params as JSON text, as the server wrote them; `{}` when there were none. */
  params: z.string(),
  /**
   * `request`: a request of its own. `input`: part of a result, or of a task, that asks for input (MCP 2026-07-28).
   * `error`: what an error wants to be done before the call is repeated (-32042, MCP 2025-11-25 elicitation); an
   * answer to it is not sent.
   */
  by: z.enum(['request', 'input', 'error']),
  /** Its key among those of the same result; null for a request. */
  key: z.string().nullable(),
  /** Row that it came in. */
  row: z.number().int(),
  /** The call in whose course it is asked, where that is known. */
  callId: z.string().nullable(),
  /** Milliseconds since the Unix epoch. */
  receivedAt: z.number(),
  state: z.enum(inboxStates),
  /** What `defaults` would answer, as JSON text; null when nothing follows from the question. */
  suggestion: z.string().nullable(),
  /**
   * What was said, and by whom; null while it waits. `closing`: the session is being left. `limit`: too many waited
   * already.
   */
  answer: z
    .object({ content: inboxAnswerSchema, by: z.enum(['user', 'rule', 'closing', 'limit']) })
    .nullable(),
  /** Row of the answer; null while there is none on the wire. */
  responseRow: z.number().int().nullable(),
  /** Row of the notice that what the user did at the URL is complete; null before, and for all else. */
  completedRow: z.number().int().nullable(),
});
export type InboxEntry = z.infer<typeof inboxEntrySchema>;

const ofSession = z.object({ sessionId: z.string() });

export const inboxArea = defineArea({
  commands: {
    /** All questions of a session, oldest first. */
    'inbox/list': { params: ofSession, result: z.array(inboxEntrySchema) },
    'inbox/answer': {
      params: ofSession.extend({ entryId: z.string(), answer: inboxAnswerSchema }),
      result: z.null(),
    },
  },
  events: {
    'inbox/changed': inboxEntrySchema,
  },
});
