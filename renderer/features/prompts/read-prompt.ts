import { elementTexts, memberText } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Block, readBlock } from '#ui/content/read-content.ts';

/** One message of a prompt (MCP prompts, PromptMessage). All of it is untrusted. */
export interface PromptMessage {
  /** The role as the server wrote it; null if the message has none. */
  readonly role: string | null;
  readonly block: Block;
  /** What breaks the specification. */
  readonly error: string | null;
}

export interface PromptResult {
  readonly description: string | null;
  readonly messages: readonly PromptMessage[];
  /** Errors of the result as a whole. */
  readonly errors: readonly string[];
}

/** Parses the result of a `prompts/get`. Null if the text is not a JSON object. */
export function readPrompt(text: string): PromptResult | null {
  const result = parseOrUndefined(text);
  if (!isObject(result)) return null;
  const { description, messages } = result;
  const errors: string[] = [];
  if (!Array.isArray(messages)) {
    errors.push(
      messages === undefined ? 'It has no "messages", which is required.' : '"messages" is not a list.',
    );
  }
  const raws = Array.isArray(messages) ? elementTexts(memberText(text, ['messages']) ?? '') : [];
  return {
    description: typeof description === 'string' ? description : null,
    messages: Array.isArray(messages)
      ? messages.map((message, index) => messageOf(message, raws[index] ?? ''))
      : [],
    errors,
  };
}

function messageOf(value: unknown, raw: string): PromptMessage {
  if (!isObject(value)) {
    return { role: null, block: { kind: 'other', error: 'A message is not an object.', raw }, error: null };
  }
  const role = typeof value.role === 'string' ? value.role : null;
  return {
    role,
    block: readBlock(value.content, () => memberText(raw, ['content']) ?? raw),
    error: role === 'user' || role === 'assistant' ? null : 'The role must be "user" or "assistant".',
  };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The messages as text to copy: the role of each, and its content. */
export const promptText = ({ messages }: PromptResult): string =>
  messages.map(({ role, block }) => `${role ?? 'unknown'}:\n${blockText(block)}`).join('\n\n');

function blockText(block: Block): string {
  if (block.kind === 'other') return block.raw;
  const known = block.block;
  switch (known.type) {
    case 'text':
      return known.text;
    case 'image':
    case 'audio':
      return `[${known.type} ${known.mimeType}]`;
    case 'resource_link':
      return known.uri;
    case 'resource':
      return 'text' in known.resource ? known.resource.text : `[${known.resource.uri}]`;
  }
}
