import { z } from 'zod';
import { formatBytes, formatCount } from '#shared/format.ts';
import { memberText } from './member-text.ts';

/** The content blocks a tool can return (MCP 2025-06-18, tools, tool result). */
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    mimeType: z.string().optional(),
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
]);
type Block = z.infer<typeof blockSchema>;

const resultSchema = z.object({ content: z.array(z.unknown()).min(1) });

/**
 * A result as text for a person: text as it is, everything else described in a line. A result without content
 * is shown as the JSON it is, or by its structured content.
 *
 * @param json the `result` of the answer, as the server wrote it
 */
export function resultText(json: string): string {
  const result = resultSchema.safeParse(JSON.parse(json));
  if (!result.success) return memberText(json, 'structuredContent') ?? json;
  return result.data.content.map(describeBlock).join('\n');
}

function describeBlock(value: unknown): string {
  const block = blockSchema.safeParse(value);
  return block.success ? describe(block.data) : `[unreadable content: ${cut(JSON.stringify(value))}]`;
}

function describe(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return bracketed(block.type, block.mimeType, sizeOf(block.data));
    case 'resource_link':
      return bracketed('resource link', block.name, block.uri, block.mimeType);
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      const size = text === undefined ? blob && sizeOf(blob) : `${formatCount(text.length)} characters`;
      return bracketed('resource', uri, mimeType, size);
    }
  }
}

const bracketed = (kind: string, ...facts: readonly (string | undefined)[]): string =>
  `[${kind}: ${facts.filter(Boolean).join(', ')}]`.replaceAll(/\s+/g, ' ');

const sizeOf = (base64: string): string => formatBytes(Buffer.byteLength(base64, 'base64'));

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
