import { z } from 'zod';
import { defineArea } from './area.ts';

/** The answer of the user, or of a rule, to a request of the server. */
export const inboxAnswerSchema = z.discriminatedUnion('kind', [
  /** A result: JSON text of an object, sent as written. */
  z.object({ kind: z.literal('result'), json: z.string() }),
  /** A JSON-RPC error. */
  z.object({ kind: z.literal('error'), code: z.number().int(), message: z.string() }),
  /** The `suggestion` of the entry. */
  z.object({ kind: z.literal('defaults') }),
  /** The user declined. */
  z.object({ kind: z.literal('decline') }),
  /** The user dismissed it without an answer. */
  z.object({ kind: z.literal('cancel') }),
]);
export type InboxAnswer = z.infer<typeof inboxAnswerSchema>;

/** Requests of a server that the user answers (MCP client features). */
export const inboxMethods = ['sampling/createMessage', 'elicitation/create', 'roots/list'] as const;
export type InboxMethod = (typeof inboxMethods)[number];

/** Limit of milliseconds that a rule may wait before it answers. */
export const MAX_ANSWER_DELAY = 600_000;

/** Answers requests of one method without asking the user. */
export const inboxRuleSchema = z.object({
  method: z.enum(inboxMethods),
  /** Only requests with this text in a string of their params, as `mentions` finds it; any, if left out. */
  contains: z.string().min(1).exactOptional(),
  answer: inboxAnswerSchema,
  /** Milliseconds to wait before answering. */
  delay: z.number().int().nonnegative().max(MAX_ANSWER_DELAY).default(0),
});
export type InboxRule = z.infer<typeof inboxRuleSchema>;

/** Whether a rule answers a request. @param params JSON text of an object */
export const ruleApplies = (
  { method, contains }: Pick<InboxRule, 'method' | 'contains'>,
  request: { readonly method: string; readonly params: string },
): boolean =>
  method === request.method && (contains === undefined || mentions(JSON.parse(request.params), contains));

/** Whether a text is part of any string in a JSON value. */
function mentions(value: unknown, text: string): boolean {
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string' && one.includes(text)) return true;
    if (typeof one === 'object' && one !== null)
      open.push(...Object.values(one).filter((part) => part !== null));
  }
  return false;
}

export const inboxStates = [
  /** Waits for the user, or for a rule with a delay. */
  'waiting',
  'answered',
  /** The server cancelled it, or the call it belongs to ended. */
  'withdrawn',
  /** The session ended before it was answered. */
  'lost',
] as const;

/** A request of the server for the user. All of it is untrusted. */
export const inboxEntrySchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** One of `inboxMethods`; or any other, if the user wants to answer unknown requests. */
  method: z.string(),
  /** The params as JSON text, as the server wrote them; `{}` if there are none. */
  params: z.string(),
  /**
   * `request`: a JSON-RPC request. `input`: part of a result or task that requires input (MCP 2026-07-28).
   * `error`: required by an error before the call is repeated (-32042, MCP 2025-11-25 elicitation); its
   * answer is not sent.
   */
  by: z.enum(['request', 'input', 'error']),
  /** Its key in `inputRequests`; null for a request. */
  key: z.string().nullable(),
  /** The row that carried it. */
  row: z.number().int(),
  /** The call it belongs to, if known. */
  callId: z.string().nullable(),
  /** Milliseconds since the Unix epoch. */
  receivedAt: z.number(),
  state: z.enum(inboxStates),
  /** The result that `defaults` would send, as JSON text; null if the request implies none. */
  suggestion: z.string().nullable(),
  /**
   * The answer, and who gave it; null while it waits. `declining`: the user declines everything of this session.
   * `closing`: the session is closing. `limit`: too many were waiting already. `rate`: more came within a minute than the
   * settings of the server allow. `recorded`: in a
   * trace, which does not hold whether the user or a rule gave it.
   */
  answer: z
    .object({
      content: inboxAnswerSchema,
      by: z.enum(['user', 'rule', 'declining', 'closing', 'limit', 'rate', 'recorded']),
    })
    .nullable(),
  /** Row of the response; null until it is sent. */
  responseRow: z.number().int().nullable(),
  /** Row of `notifications/elicitation/complete` for a URL; null before it, and for everything else. */
  completedRow: z.number().int().nullable(),
});
export type InboxEntry = z.infer<typeof inboxEntrySchema>;

const ofSession = z.object({ sessionId: z.string() });

export const inboxArea = defineArea({
  commands: {
    /** All entries of a session, oldest first. */
    'inbox/list': { params: ofSession, result: z.array(inboxEntrySchema) },
    'inbox/answer': {
      params: ofSession.extend({ entryId: z.string(), answer: inboxAnswerSchema }),
      result: z.null(),
    },
    /** Declines everything that waits, and from now on everything that comes; or ends that. */
    'inbox/decline-all': { params: ofSession.extend({ isOn: z.boolean() }), result: z.null() },
  },
  events: {
    'inbox/changed': inboxEntrySchema,
  },
});
