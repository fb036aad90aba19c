import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { z } from 'zod';

/** What a tool's result holds, block by block: a bad block never hides the others. All of it is untrusted. */

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
  /** A type that no revision defines, or a known one whose members are not as they must be. */
  | { readonly kind: 'other'; readonly why: string; readonly raw: string };

export interface ToolResult {
  readonly blocks: readonly Block[];
  /** What is wrong with the result as a whole. */
  readonly problems: readonly string[];
  /** JSON text; null when there is none. */
  readonly structured: string | null;
}

const resultSchema = z.object({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
});

/** Reads the `result` of a `tools/call` (MCP tools, tool result). Null when the text is no JSON object. */
export function readResult(text: string): ToolResult | null {
  const parsed = resultSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return null;
  const { content, structuredContent, isError } = parsed.data;
  const raw = rawTexts(text);
  const problems: string[] = [];
  if (!Array.isArray(content)) {
    problems.push(
      content === undefined ? 'It has no "content", which is required.' : '"content" is not a list.',
    );
  }
  if (structuredContent !== undefined && !isPlainObject(structuredContent)) {
    problems.push('"structuredContent" is not an object.');
  }
  if (isError !== undefined && typeof isError !== 'boolean') problems.push('"isError" is not true or false.');
  return {
    blocks: Array.isArray(content)
      ? content.map((block, index) => readBlock(block, () => raw(['content', index])))
      : [],
    problems,
    structured: structuredContent === undefined ? null : raw(['structuredContent']),
  };
}

function readBlock(value: unknown, raw: () => string): Block {
  const type = isPlainObject(value) && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return { kind: 'other', why: 'A content block without a type.', raw: raw() };
  if (!isKnown(type)) return { kind: 'other', why: `Content of the unknown type "${type}".`, raw: raw() };
  const parsed = blockSchemas[type].safeParse(value);
  if (parsed.success) return { kind: 'known', block: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return {
    kind: 'other',
    why: `A "${type}" block that is not as it must be: ${problems.join('; ')}.`,
    raw: raw(),
  };
}

const isKnown = (type: string): type is KnownType => Object.hasOwn(blockSchemas, type);

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts parts out of the text as they were written; the text is taken apart only when a part is asked for. */
function rawTexts(text: string): (path: (string | number)[]) => string {
  let tree: Node | undefined;
  return (path) => {
    tree ??= parseTree(text);
    const node = tree && findNodeAtLocation(tree, path);
    return node ? text.slice(node.offset, node.offset + node.length) : '';
  };
}
