import { z } from 'zod';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** A question of a server, as far as it can be parsed. All of it is untrusted. */
export type Question =
  | { readonly kind: 'sampling'; readonly sampling: Sampling }
  | { readonly kind: 'form'; readonly message: string | null; readonly schema: Schema | null }
  | { readonly kind: 'url'; readonly message: string | null; readonly url: string | null }
  | { readonly kind: 'roots' }
  /** A request that clients do not support. */
  | { readonly kind: 'unknown'; readonly method: string };

/** Parses the params of a question. Invalid parts are left out. */
export function readQuestion({ method, params }: Pick<InboxEntry, 'method' | 'params'>): Question {
  const read = parsed(params);
  switch (method) {
    case 'roots/list':
      return { kind: 'roots' };
    case 'sampling/createMessage':
      return { kind: 'sampling', sampling: samplingSchema.parse(read) };
    case 'elicitation/create': {
      const { mode, message = null, url = null, requestedSchema } = elicitationSchema.parse(read);
      if (mode === 'url') return { kind: 'url', message, url };
      return { kind: 'form', message, schema: isSchema(requestedSchema) ? requestedSchema : null };
    }
    default:
      return { kind: 'unknown', method };
  }
}

function parsed(params: string): Schema {
  try {
    const value: unknown = JSON.parse(params);
    return isObject(value) ? value : {};
  } catch {
    // The raw params are shown anyway.
    return {};
  }
}

/** The question in one line, for the list. */
export function summaryOf(question: Question): string {
  switch (question.kind) {
    case 'roots':
      return 'Which folders may the server work in?';
    case 'form':
    case 'url':
      return firstLine(question.message) ?? (question.kind === 'url' ? question.url : null) ?? 'No message';
    case 'unknown':
      return 'A request that clients do not know';
    case 'sampling':
      return firstLine(lastTextOf(question.sampling)) ?? 'Requests a message from the model';
  }
}

const firstLine = (text: string | null): string | null =>
  text
    ?.split('\n')
    .find((line) => line.trim() !== '')
    ?.slice(0, 300) ?? null;

/** The last text of a conversation, which the model would answer. */
function lastTextOf({ messages }: Sampling): string | null {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    ),
  );
  return texts.at(-1) ?? null;
}

/** Treats a member that violates the specification as absent. The raw params show it. */
const or = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const messageSchema = z.object({
  role: z.string().catch('no role'),
  /** One block, or several since MCP 2025-11-25. */
  content: z
    .unknown()
    .optional()
    .transform((content) => (Array.isArray(content) ? content : [content])),
});

export type SamplingMessage = z.output<typeof messageSchema>;

const preferencesSchema = z.object({
  hints: or(z.array(z.object({ name: or(z.string()) }))),
  costPriority: or(z.number()),
  speedPriority: or(z.number()),
  intelligencePriority: or(z.number()),
});

export type ModelPreferences = z.output<typeof preferencesSchema>;

const samplingSchema = z.object({
  messages: z.array(messageSchema).catch([]),
  systemPrompt: or(z.string()),
  maxTokens: or(z.number()),
  temperature: or(z.number()),
  stopSequences: or(z.array(z.string())),
  includeContext: or(z.string()),
  modelPreferences: or(preferencesSchema),
  tools: or(z.array(z.unknown())),
  toolChoice: z.unknown().optional(),
});

export type Sampling = z.output<typeof samplingSchema>;

const elicitationSchema = z.object({
  mode: or(z.string()),
  message: or(z.string()),
  url: or(z.string()),
  requestedSchema: z.unknown().optional(),
});
