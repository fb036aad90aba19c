import type { z } from 'zod';
import {
  type CatalogListName,
  promptSchema,
  resourceSchema,
  templateSchema,
  type ToolEntry,
  toolSchema,
} from '#shared/contract/catalog.ts';
import { templateProblem } from './uri-template.ts';

export type Unusable = Extract<ToolEntry, { usable: false }>;

/** What a list of the server holds, and how to ask for it. */
export interface EntryKind<T, E> {
  readonly method: string;
  /** The member of the result that is the list. */
  readonly member: string;
  /** What to call the list in a sentence. */
  readonly words: string;
  /** The member that identifies an entry. */
  readonly key: string;
  /** No capability of its own says that the server has it: one that does not know the method has none. */
  readonly mayBeUnknown?: true;
  readonly schema: z.ZodType<T>;
  /** Why something of the right form is no entry all the same; null when it is one. */
  readonly problemOf: (thing: T) => string | null;
  readonly entry: (thing: T, duplicate: boolean, raw: string) => E;
}

type WhyUnusable = (inputSchema: Readonly<Record<string, unknown>>) => string | null;

/** A scheme and a colon begin every URI (RFC 3986 section 3). */
const uriStart = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const kind = <T, E>(one: EntryKind<T, E>): EntryKind<T, E> => one;

/** The lists a server can have (MCP tools, resources, prompts). */
export const entryKinds = (whyUnusable: WhyUnusable) =>
  ({
    tools: kind({
      method: 'tools/list',
      member: 'tools',
      words: 'the tools',
      key: 'name',
      schema: toolSchema,
      problemOf: ({ inputSchema }) => notAnObjectSchema(inputSchema) ?? whyUnusable(inputSchema),
      entry: (tool, duplicate, raw) => ({ usable: true as const, tool, duplicate, raw }),
    }),
    resources: kind({
      method: 'resources/list',
      member: 'resources',
      words: 'the resources',
      key: 'uri',
      schema: resourceSchema,
      problemOf: ({ uri }) => (uriStart.test(uri) ? null : 'uri: it is no URI, because it has no scheme'),
      entry: (resource, duplicate, raw) => ({ usable: true as const, resource, duplicate, raw }),
    }),
    templates: kind({
      method: 'resources/templates/list',
      member: 'resourceTemplates',
      words: 'the resource templates',
      key: 'uriTemplate',
      mayBeUnknown: true,
      schema: templateSchema,
      problemOf: ({ uriTemplate }) => {
        const problem = templateProblem(uriTemplate);
        return problem === null ? null : `uriTemplate: it is no URI template (RFC 6570): ${problem}`;
      },
      entry: (template, duplicate, raw) => ({ usable: true as const, template, duplicate, raw }),
    }),
    prompts: kind({
      method: 'prompts/list',
      member: 'prompts',
      words: 'the prompts',
      key: 'name',
      schema: promptSchema,
      problemOf: () => null,
      entry: (prompt, duplicate, raw) => ({ usable: true as const, prompt, duplicate, raw }),
    }),
  }) satisfies Record<CatalogListName, unknown>;

function notAnObjectSchema({ type }: Readonly<Record<string, unknown>>): string | null {
  if (type === 'object') return null;
  return `inputSchema.type must be "object", it is ${type === undefined ? 'missing' : JSON.stringify(type)}`;
}
