import { z } from 'zod';
import { type ContentAnnotations, contentAnnotationsSchema } from '#shared/contract/catalog.ts';
import { elementTexts } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Parses content blocks one by one, so that a bad block never hides the others. All of it is untrusted. */

const common = { annotations: contentAnnotationsSchema };
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
export type Block =
  | { readonly kind: 'known'; readonly block: KnownBlock }
  /** An unknown type, or a known type with invalid members. */
  | { readonly kind: 'other'; readonly error: string; readonly raw: string };

/** The annotations of a block; undefined if it has none. */
export const annotationsOf = (block: Block): ContentAnnotations | undefined =>
  block.kind === 'known' ? block.block.annotations : undefined;

/**
 * Parses a list of content blocks (MCP tools, prompts).
 *
 * @param readText returns the JSON text of the list, for blocks that are shown as written
 */
export function readBlocks(content: readonly unknown[], readText: () => string): Block[] {
  const readRaws = once(() => elementTexts(readText()));
  return content.map((block, index) => readBlock(block, () => readRaws()[index] ?? ''));
}

/** Parses one content block. @param raw returns its JSON text */
export function readBlock(value: unknown, raw: () => string): Block {
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

/** Returns a function that computes a value on first use. */
function once<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}
