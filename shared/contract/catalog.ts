import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** A tool as the server described it (MCP tools). All of it is untrusted. */
export const toolSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z
    .object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
});
export type Tool = z.infer<typeof toolSchema>;

/** One entry of `tools/list`: a tool, or what came instead of one and why it cannot be used. */
export const toolEntrySchema = z.discriminatedUnion('usable', [
  z.object({ usable: z.literal(true), tool: toolSchema, duplicate: z.boolean(), raw: z.string() }),
  z.object({ usable: z.literal(false), name: z.string().nullable(), why: z.string(), raw: z.string() }),
]);
export type ToolEntry = z.infer<typeof toolEntrySchema>;

export const toolListSchema = z.object({
  /** `not-offered`: the server did not announce tools. */
  state: z.enum(['not-offered', 'loading', 'ready', 'failed']),
  entries: z.array(toolEntrySchema),
  /** Pages read so far. */
  pages: z.number().int(),
  /** Why it failed, or why paging stopped early. */
  fault: faultSchema.nullable(),
});
export type ToolList = z.infer<typeof toolListSchema>;

/** The name to show: title, then the annotation's title, then the name (MCP 2025-06-18 schema, Tool). */
export const toolDisplayName = (tool: Tool): string => tool.title ?? tool.annotations?.title ?? tool.name;

const ofSession = z.object({ sessionId: z.string() });

export const catalogArea = defineArea({
  commands: {
    'catalog/tools': { params: ofSession, result: toolListSchema },
    /** Asks the server for its tools again. */
    'catalog/refresh-tools': { params: ofSession, result: z.null() },
  },
  events: {
    /** The tools of a session are other ones now; ask with `catalog/tools`. */
    'catalog/tools-changed': ofSession,
  },
});
