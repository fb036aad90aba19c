import type { z } from 'zod';
import { truncateFault } from '#session/session-faults.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import {
  type CatalogListName,
  promptSchema,
  resourceSchema,
  templateSchema,
  type ToolEntry,
  toolSchema,
  type PromptList,
  type ResourceList,
  type TemplateList,
  type ToolList,
  listMethods,
} from '#shared/contract/catalog.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { uriError } from './uri.ts';
import { templateError } from './uri-template.ts';

export type Unusable = Extract<ToolEntry, { usable: false }>;

/** The method and the entries of a list. */
export interface EntryKind<T, E> {
  readonly method: string;
  /** The member of the result with the list. */
  readonly member: string;
  /** The name of the list in a sentence. */
  readonly words: string;
  /** The member that identifies an entry. */
  readonly key: string;
  /** Set if the list has no capability of its own: a server that does not know the method has no such list. */
  readonly mayBeUnknown?: true;
  readonly schema: z.ZodType<T>;
  /** Why an entry with a valid schema cannot be used; null if it can. */
  readonly errorIn: (thing: T) => string | null;
  readonly entry: (thing: T, duplicate: boolean, raw: string) => E;
}

type CheckSchema = (inputSchema: Readonly<Record<string, unknown>>) => string | null;

const entryKind = <T, E>(one: EntryKind<T, E>): EntryKind<T, E> => one;

/** The lists of a server (MCP tools, resources, prompts). */
export const entryKinds = (checkSchema: CheckSchema) =>
  ({
    tools: entryKind({
      method: listMethods.tools,
      member: 'tools',
      words: 'the tools',
      key: 'name',
      schema: toolSchema,
      errorIn: ({ inputSchema }) => notAnObjectSchema(inputSchema) ?? checkSchema(inputSchema),
      entry: (tool, duplicate, raw) => ({ usable: true as const, tool, duplicate, raw }),
    }),
    resources: entryKind({
      method: listMethods.resources,
      member: 'resources',
      words: 'the resources',
      key: 'uri',
      schema: resourceSchema,
      errorIn: ({ uri }) => {
        const error = uriError(uri);
        return error === null ? null : `uri: it is no URI (RFC 3986): ${error}`;
      },
      entry: (resource, duplicate, raw) => ({ usable: true as const, resource, duplicate, raw }),
    }),
    templates: entryKind({
      method: listMethods.templates,
      member: 'resourceTemplates',
      words: 'the resource templates',
      key: 'uriTemplate',
      mayBeUnknown: true,
      schema: templateSchema,
      errorIn: ({ uriTemplate }) => {
        const error = templateError(uriTemplate);
        return error === null ? null : `uriTemplate: it is no URI template (RFC 6570): ${error}`;
      },
      entry: (template, duplicate, raw) => ({ usable: true as const, template, duplicate, raw }),
    }),
    prompts: entryKind({
      method: listMethods.prompts,
      member: 'prompts',
      words: 'the prompts',
      key: 'name',
      schema: promptSchema,
      errorIn: () => null,
      entry: (prompt, duplicate, raw) => ({ usable: true as const, prompt, duplicate, raw }),
    }),
  }) satisfies Record<CatalogListName, unknown>;

function notAnObjectSchema({ type }: Readonly<Record<string, unknown>>): string | null {
  if (type === 'object') return null;
  return `inputSchema.type must be "object", it is ${type === undefined ? 'missing' : JSON.stringify(type)}`;
}

/**
 * Reads one entry of a list on its own, so that an invalid entry never hides the others.
 *
 * @param taken keys of the entries before it; adds the key of this one
 */
export function readEntry<T, E>(
  kind: EntryKind<T, E>,
  value: unknown,
  raw: string,
  taken: Set<string>,
): E | Unusable {
  const key = stringIn(value, kind.key);
  const bad = (error: string): Unusable => ({
    usable: false,
    name: key ?? stringIn(value, 'name'),
    error,
    raw,
  });
  const parsed = kind.schema.safeParse(value);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'entry'}: ${message}`);
    return bad(errors.join('; '));
  }
  const error = kind.errorIn(parsed.data);
  if (error !== null) return bad(error);
  const duplicate = key !== null && taken.has(key);
  if (key !== null) taken.add(key);
  return kind.entry(parsed.data, duplicate, raw);
}

const stringIn = (value: unknown, member: string): string | null => {
  const found = isObject(value) ? value[member] : undefined;
  return typeof found === 'string' ? found : null;
};

/** Replaces secrets; see `SessionState.redacted`. */
type Redact = <T>(value: T) => Redacted<T>;

/** A list as the page gets it, without its entries. */
function headView({ fault, ...head }: Omit<ToolList, 'entries'>, redact: Redact) {
  const { state, pages, pageEnds, nextCursor, pageByPage, cache } = head;
  return {
    ...redact({ state, pages, pageEnds, nextCursor, pageByPage, cache }),
    // Redacted before it is truncated, so that no secret is cut in two.
    fault: fault && truncateFault(redact(fault)),
  };
}

/**
 * Lists as the page gets them: a server may repeat secrets in any description. The name or URI of an entry stays
 * as it is, because it is sent back to the server.
 */
export const toolListView = (list: ToolList, redact: Redact): Redacted<ToolList> => ({
  ...headView(list, redact),
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redact(entry), tool: { ...redact(entry.tool), name: entry.tool.name } }
      : redact(entry),
  ),
});

export const resourceListView = (list: ResourceList, redact: Redact): Redacted<ResourceList> => ({
  ...headView(list, redact),
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redact(entry), resource: { ...redact(entry.resource), uri: entry.resource.uri } }
      : redact(entry),
  ),
});

export const templateListView = (list: TemplateList, redact: Redact): Redacted<TemplateList> => ({
  ...headView(list, redact),
  entries: list.entries.map((entry) => {
    if (!entry.usable) return redact(entry);
    const { uriTemplate } = entry.template;
    return { ...redact(entry), template: { ...redact(entry.template), uriTemplate } };
  }),
});

export const promptListView = (list: PromptList, redact: Redact): Redacted<PromptList> => ({
  ...headView(list, redact),
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redact(entry), prompt: { ...redact(entry.prompt), name: entry.prompt.name } }
      : redact(entry),
  ),
});
