import { isObject } from '#shared/protocol/jsonrpc.ts';
import { z } from 'zod';
import { memberText } from '#shared/json/members.ts';
import { type Block, readBlocks } from '#ui/content/read-content.ts';

export interface ToolResult {
  readonly blocks: readonly Block[];
  /** Errors of the result as a whole. */
  readonly errors: readonly string[];
  /** JSON text; null if absent. */
  readonly structured: string | null;
  /** Whether the tool says that it failed. */
  readonly isError: boolean;
}

const resultSchema = z.object({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
});

/** Parses the `result` of a `tools/call` (MCP tools, tool result). Null if the text is not a JSON object. */
export function readResult(text: string): ToolResult | null {
  const parsed = resultSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return null;
  const { content, structuredContent, isError } = parsed.data;
  const errors: string[] = [];
  if (!Array.isArray(content)) {
    errors.push(
      content === undefined ? 'It has no "content", which is required.' : '"content" is not a list.',
    );
  }
  if (structuredContent !== undefined && !isObject(structuredContent)) {
    errors.push('"structuredContent" is not an object.');
  }
  if (isError !== undefined && typeof isError !== 'boolean') errors.push('"isError" is not true or false.');
  return {
    blocks: Array.isArray(content) ? readBlocks(content, () => memberText(text, ['content']) ?? '') : [],
    errors,
    structured: structuredContent === undefined ? null : memberText(text, ['structuredContent']),
    isError: isError === true,
  };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
