import { isObject } from '#shared/protocol/jsonrpc.ts';
import { z } from 'zod';
import { elementTexts, memberText } from '#shared/json/members.ts';

/** Parses a tool's result block by block, so that a bad block never hides the others. All of it is untrusted. */

const annotationsSchema = z
  .object({
    audience: z.array(z.string()).optional().catch(undefined),
    priority: z.number().optional().catch(undefined),
    lastModified: z.string().optional().catch(undefined),
  })
  .optional()
  .catch(undefined);

const common = { annotations: annotationsSchema };
const optionalText = z.string().optional().catch(undefined);

const blockSchemas = {
  text: z.object({ type: z.literal('text'), text: z.string(), ...common }),
  image: z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string(), ...common }),
  audio: z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), ...common }),
  resource_link: z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: optionalText,
    title: optionalText,
    description: optionalText,
    mimeType: optionalText,
    size: z.number().optional().catch(undefined),
    ...common,
  }),
  resource: z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ uri: z.string(), mimeType: optionalText, text: z.string() }),
      z.object({ uri: z.string(), mimeType: optionalText, blob: z.string() }),
    ]),
    ...common,
  }),
} as const;

type KnownType = keyof typeof blockSchemas;
export type KnownBlock = { readonly [T in KnownType]: z.infer<(typeof blockSchemas)[T]> }[KnownType];
export type Annotations = NonNullable<z.infer<typeof annotationsSchema>>;

export type Block =
  | { readonly kind: 'known'; readonly block: KnownBlock }
  /** An unknown type, or a known type with invalid members. */
  | { readonly kind: 'other'; readonly error: string; readonly raw: string };

export interface ToolResult {
  readonly blocks: readonly Block[];
  /** Errors of the result as a whole. */
  readonly errors: readonly string[];
  /** JSON text; null if absent. */
  readonly structured: string | null;
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
  const readRaws = once(() => elementTexts(memberText(text, ['content']) ?? ''));
  return {
    blocks: Array.isArray(content)
      ? content.map((block, index) => readBlock(block, () => readRaws()[index] ?? ''))
      : [],
    errors,
    structured: structuredContent === undefined ? null : memberText(text, ['structuredContent']),
  };
}

function readBlock(value: unknown, raw: () => string): Block {
  const type = isObject(value) && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return { kind: 'other', error: 'A content block has no type.', raw: raw() };
  if (!isKnown(type)) return { kind: 'other', error: `Unknown content type "${type}".`, raw: raw() };
  const parsed = blockSchemas[type].safeParse(value);
  if (parsed.success) return { kind: 'known', block: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return {
    kind: 'other',
    error: `Invalid "${type}" block: ${issues.join('; ')}.`,
    raw: raw(),
  };
}

const isKnown = (type: string): type is KnownType => Object.hasOwn(blockSchemas, type);

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a function that computes a value on first use. */
function once<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}
