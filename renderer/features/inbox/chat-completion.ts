import { z } from 'zod';
import { readJson } from '#ui/schema-form/exact-json.ts';
import { type Schema } from '#shared/json-schema/schema.ts';
import type { Sampling, SamplingMessage } from './read-question.ts';
import { type SamplingAnswer, writeSamplingAnswer } from './sampling-answer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * The request to an OpenAI-compatible API for a sampling request, as a value for JSON
 * (https://platform.openai.com/docs/api-reference/chat/create).
 *
 * @param context what the user adds to the system prompt; empty for nothing
 */
export function chatRequest(sampling: Sampling, model: string, context: string): object {
  const { systemPrompt = '', messages, maxTokens, temperature, stopSequences = [], tools = [] } = sampling;
  const system = [systemPrompt, context].filter((text) => text !== '').join('\n\n');
  const functions = tools.filter(isObject).map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: inputSchema ?? {} },
  }));
  const mode = isObject(sampling.toolChoice) ? sampling.toolChoice.mode : undefined;
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.flatMap(chatMessages),
    ],
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences.length > 0 && { stop: stopSequences }),
    ...(functions.length > 0 && { tools: functions }),
    ...(functions.length > 0 && typeof mode === 'string' && { tool_choice: mode }),
  };
}

/** Results of tools are messages of their own there. */
function chatMessages({ role, content }: SamplingMessage): object[] {
  const blocks = content.filter(isObject);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const parts = blocks.flatMap(partOf);
  const [only] = parts;
  const said = parts.length === 1 && only?.type === 'text' ? only.text : parts;
  return [
    ...results.map(({ toolUseId, content: result }) => ({
      role: 'tool',
      tool_call_id: toolUseId,
      content: textOf(result),
    })),
    ...(parts.length > 0 || uses.length > 0
      ? [
          {
            role,
            content: parts.length > 0 ? said : null,
            ...(uses.length > 0 && {
              tool_calls: uses.map(({ id, name, input }) => ({
                id,
                type: 'function',
                function: { name, arguments: JSON.stringify(input ?? {}) },
              })),
            }),
          },
        ]
      : []),
  ];
}

type Part =
  | { readonly type: 'text'; readonly text: unknown }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: unknown; readonly format: string };
    };

function partOf({ type, text, data, mimeType }: Schema): Part[] {
  switch (type) {
    case 'text':
      return [{ type, text }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: `data:${String(mimeType)};base64,${String(data)}` } }];
    case 'audio': {
      const format = String(mimeType).replace(/^audio\/(x-)?/, '');
      return [{ type: 'input_audio', input_audio: { data, format } }];
    }
    default:
      return [];
  }
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content
        .map((block: unknown) =>
          isObject(block) && typeof block.text === 'string' ? block.text : JSON.stringify(block),
        )
        .join('\n')
    : JSON.stringify(content ?? null);

const completionSchema = z.object({
  model: z.string().optional().catch(undefined),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish().catch(null),
        message: z.object({
          content: z.string().nullish().catch(null),
          tool_calls: z
            .array(
              z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .nullish()
            .catch(null),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().optional().catch(undefined),
      completion_tokens: z.number().optional().catch(undefined),
      /** Some APIs report what the request cost, in US dollars. */
      cost: z.number().optional().catch(undefined),
    })
    .nullish()
    .catch(null),
});

export interface Completion {
  /** JSON text of the result that would answer the server. */
  readonly answer: string;
  /** Tokens and cost as the API reports them, in words; null if it reports none. */
  readonly usage: string | null;
}

/** Reads a chat completion. Null if it is none. @param model the model that was asked */
export function readCompletion(text: string, model: string): Completion | null {
  const read = completionSchema.safeParse(parsed(text));
  if (!read.success) return null;
  const { choices, usage, model: used = model } = read.data;
  const [choice] = choices;
  if (choice === undefined) return null;
  const { message, finish_reason: reason } = choice;
  const answer: SamplingAnswer = {
    role: 'assistant',
    text: message.content ?? '',
    model: used,
    stopReason: stopReasons.get(reason ?? '') ?? reason ?? '',
    toolUses: (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input: exactOr(input),
    })),
  };
  const counts = [
    usage?.prompt_tokens === undefined ? null : `${usage.prompt_tokens} tokens in`,
    usage?.completion_tokens === undefined ? null : `${usage.completion_tokens} out`,
    usage?.cost === undefined ? null : `$${usage.cost}`,
  ].filter((part) => part !== null);
  return { answer: writeSamplingAnswer(answer), usage: counts.length === 0 ? null : counts.join(', ') };
}

/** `finish_reason` there, `stopReason` here. */
const stopReasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
  ['tool_calls', 'toolUse'],
]);

/** The input that a model wrote as JSON text, with numbers as written; the text itself if it is not JSON. */
function exactOr(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with the tool results in a conversation, which a model must not get unchecked (MCP 2025-11-25 sampling, tool
 * use: each use is followed by its result, and a message with results has nothing else).
 */
export function toolResultErrors(messages: readonly SamplingMessage[]): string[] {
  const errors: string[] = [];
  let open = new Set<unknown>();
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = content.filter(isObject);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const where = `message ${at + 1}`;
    if (results.length > 0 && role !== 'user')
      errors.push(`The results in ${where} are not of the role user.`);
    if (results.length > 0 && results.length < content.length)
      errors.push(`The message with results, ${where}, has other content too.`);
    for (const { toolUseId, content: result } of results) {
      if (!open.delete(toolUseId))
        errors.push(`The result for ${JSON.stringify(toolUseId)} in ${where} belongs to no use of a tool.`);
      if (
        !Array.isArray(result) ||
        !result.every((block) => isObject(block) && typeof block.type === 'string')
      )
        errors.push(`The result for ${JSON.stringify(toolUseId)} in ${where} is not a list of content.`);
    }
    for (const id of open) errors.push(`The use ${JSON.stringify(id)} has no result in ${where}.`);
    open = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  }
  return errors;
}
