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
  /** Whether it may, must or must not be called as a task (MCP 2025-11-25 tasks). */
  execution: z.object({ taskSupport: z.enum(['forbidden', 'optional', 'required']).optional() }).optional(),
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

/**
 * Who content or a resource is meant for, how important it is, and when it changed (MCP resources, annotations).
 * Members of a wrong type count as missing.
 */
export const contentAnnotationsSchema = z
  .object({
    audience: z.array(z.string()).optional().catch(undefined),
    priority: z.number().optional().catch(undefined),
    lastModified: z.string().optional().catch(undefined),
  })
  .optional()
  .catch(undefined);
export type ContentAnnotations = NonNullable<z.infer<typeof contentAnnotationsSchema>>;

/** A resource (MCP resources). */
export const resourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
  annotations: contentAnnotationsSchema,
});
export type Resource = z.infer<typeof resourceSchema>;

/** A resource template (MCP resources, resource templates). */
export const templateSchema = z.object({
  uriTemplate: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type Template = z.infer<typeof templateSchema>;

/** A prompt (MCP prompts). Values of its arguments are strings. */
export const promptSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.object({
        name: z.string(),
        title: z.string().optional(),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .optional(),
});
export type Prompt = z.infer<typeof promptSchema>;

/** An entry that cannot be used, and why. */
const unusable = z.object({
  usable: z.literal(false),
  /** Its name or URI, if it has one. */
  name: z.string().nullable(),
  error: z.string(),
  raw: z.string(),
});

/** How long, and by whom, a list may be cached (MCP 2026-07-28 caching). */
export const cacheHintSchema = z.object({
  /** Milliseconds. */
  ttl: z.number(),
  scope: z.string(),
  /** When the last page was received: milliseconds since the Unix epoch. */
  readAt: z.number(),
});
export type CacheHint = z.infer<typeof cacheHintSchema>;

const listFacts = {
  /**
   * `not-declared`: the server did not declare the capability, so the list was not requested. `waiting`: the user requested
   * it while the session was being opened; it is read once the session is ready.
   */
  state: z.enum(['not-declared', 'waiting', 'loading', 'ready', 'failed']),
  /** Pages read so far. */
  pages: z.number().int(),
  /** The number of entries up to the end of each page that was read. */
  pageEnds: z.array(z.number().int()),
  /** The cursor of the next page if there is one that was not read; null at the end of the list. */
  nextCursor: z.string().nullable(),
  /** Whether the list is read one page at a time, as the user chose. */
  pageByPage: z.boolean(),
  /** Why it failed, or why paging stopped early. */
  fault: faultSchema.nullable(),
  /** Null if the server gave none. */
  cache: cacheHintSchema.nullable(),
};

/** One entry of `tools/list`. */
export const toolEntrySchema = z.discriminatedUnion('usable', [
  z.object({ usable: z.literal(true), tool: toolSchema, duplicate: z.boolean(), raw: z.string() }),
  unusable,
]);
export type ToolEntry = z.infer<typeof toolEntrySchema>;
export const toolListSchema = z.object({ ...listFacts, entries: z.array(toolEntrySchema) });
export type ToolList = z.infer<typeof toolListSchema>;

export const resourceEntrySchema = z.discriminatedUnion('usable', [
  z.object({ usable: z.literal(true), resource: resourceSchema, duplicate: z.boolean(), raw: z.string() }),
  unusable,
]);
export type ResourceEntry = z.infer<typeof resourceEntrySchema>;
export const resourceListSchema = z.object({ ...listFacts, entries: z.array(resourceEntrySchema) });
export type ResourceList = z.infer<typeof resourceListSchema>;

export const templateEntrySchema = z.discriminatedUnion('usable', [
  z.object({ usable: z.literal(true), template: templateSchema, duplicate: z.boolean(), raw: z.string() }),
  unusable,
]);
export type TemplateEntry = z.infer<typeof templateEntrySchema>;
export const templateListSchema = z.object({ ...listFacts, entries: z.array(templateEntrySchema) });
export type TemplateList = z.infer<typeof templateListSchema>;

export const promptEntrySchema = z.discriminatedUnion('usable', [
  z.object({ usable: z.literal(true), prompt: promptSchema, duplicate: z.boolean(), raw: z.string() }),
  unusable,
]);
export type PromptEntry = z.infer<typeof promptEntrySchema>;
export const promptListSchema = z.object({ ...listFacts, entries: z.array(promptEntrySchema) });
export type PromptList = z.infer<typeof promptListSchema>;

/** The lists of a server. */
export const catalogLists = ['tools', 'resources', 'templates', 'prompts'] as const;
export type CatalogListName = (typeof catalogLists)[number];

/** Each list by its name. */
export interface CatalogLists {
  readonly tools: ToolList;
  readonly resources: ResourceList;
  readonly templates: TemplateList;
  readonly prompts: PromptList;
}

/** An entry of any list. */
export type CatalogEntry = CatalogLists[CatalogListName]['entries'][number];

/** What identifies an entry: the name of a tool or prompt, the URI of a resource or template; null if it has none. */
export function entryName(entry: CatalogEntry): string | null {
  if (!entry.usable) return entry.name;
  if ('tool' in entry) return entry.tool.name;
  if ('resource' in entry) return entry.resource.uri;
  return 'template' in entry ? entry.template.uriTemplate : entry.prompt.name;
}

/** The code of the fault of a list whose method the server does not know. */
export const UNKNOWN_METHOD = 'unknown-method';

/** The request that reads each list (MCP tools, resources, prompts). */
export const listMethods = {
  tools: 'tools/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const satisfies Record<CatalogListName, string>;

/** The name to show: title, then the annotation's title, then the name (MCP 2025-06-18 schema, Tool). */
export const toolDisplayName = (tool: Tool): string => tool.title ?? tool.annotations?.title ?? tool.name;

/** The title of an entry to show; its name if it has no title. */
export function entryTitle(entry: CatalogEntry): string {
  if (!entry.usable) return entry.name ?? 'Unnamed entry';
  if ('tool' in entry) return toolDisplayName(entry.tool);
  const described =
    'resource' in entry ? entry.resource : 'template' in entry ? entry.template : entry.prompt;
  return described.title ?? described.name;
}

/** The description of an entry; of one that cannot be used, why. */
export function entryDescription(entry: CatalogEntry): string | undefined {
  if (!entry.usable) return entry.error;
  if ('tool' in entry) return entry.tool.description;
  return 'resource' in entry
    ? entry.resource.description
    : 'template' in entry
      ? entry.template.description
      : entry.prompt.description;
}

const ofSession = z.object({ sessionId: z.string() });
const ofList = ofSession.extend({ list: z.enum(catalogLists) });

export const catalogArea = defineArea({
  commands: {
    'catalog/tools': { params: ofSession, result: toolListSchema },
    'catalog/resources': { params: ofSession, result: resourceListSchema },
    'catalog/templates': { params: ofSession, result: templateListSchema },
    'catalog/prompts': { params: ofSession, result: promptListSchema },
    /** Reads a list again, even without the declared capability; resolves when it was read. */
    'catalog/refresh': { params: ofList, result: z.null() },
    /** Reads the next page, or all that are left; resolves when they were read. Does nothing at the end of a list. */
    'catalog/read-more': { params: ofList.extend({ pages: z.enum(['next', 'all']) }), result: z.null() },
    /** Stops reading a list. What was read stays, and the rest can be read later. */
    'catalog/stop': { params: ofList, result: z.null() },
    /** Whether lists are read one page at a time, in this and later sessions of its server, until the app quits. */
    'catalog/set-page-by-page': { params: ofSession.extend({ pageByPage: z.boolean() }), result: z.null() },
  },
  events: {
    /** A list of a session has changed. */
    'catalog/changed': ofList,
  },
});
