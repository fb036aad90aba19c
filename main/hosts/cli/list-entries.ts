import type { CatalogListName, Prompt, Resource, Template, Tool } from '#shared/contract/catalog.ts';
import type { Finding } from '#shared/contract/checks.ts';
import type { Result } from '#shared/contract/index.ts';
import { formatBytes } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { findingJson } from './findings.ts';
import { kindsOf } from './schema-kinds.ts';
import { visibleText } from './visible-text.ts';

export type AnyList = Result<`catalog/${CatalogListName}`>;
type AnyEntry = AnyList['entries'][number];

/** What a list holds: what an entry is called in JSON, and the capability by which a server announces it. */
export const listFacts: Readonly<Record<CatalogListName, { entry: string; capability: string }>> = {
  tools: { entry: 'tool', capability: 'tools' },
  resources: { entry: 'resource', capability: 'resources' },
  templates: { entry: 'template', capability: 'resources' },
  prompts: { entry: 'prompt', capability: 'prompts' },
};

/** A list as JSON; the entries stand as they were written, so that numbers and the order of keys survive. */
export function listJson(
  what: CatalogListName,
  { state, pages, fault, cache, entries }: AnyList,
  findings: readonly Finding[],
): string {
  const head = JSON.stringify({ state, pages, fault, cache }).slice(1, -1);
  const { entry } = listFacts[what];
  const list = entries.map((one) => `\n${entryJson(entry, one)}`).join(',');
  return `{${head},"findings":${JSON.stringify(findings.map(findingJson))},"${what}":[${list}\n]}`;
}

function entryJson(name: string, entry: AnyEntry): string {
  if (entry.usable) return `{"usable":true,"duplicate":${entry.duplicate},"${name}":${entry.raw}}`;
  const facts = JSON.stringify({ usable: false, name: entry.name, why: entry.why }).slice(0, -1);
  return `${facts},"${name}":${entry.raw}}`;
}

/** An entry as it would be used, and below it what it is; or what is bad about it. */
export function entryText(entry: AnyEntry): string {
  if (!entry.usable) return lines([entry.name ?? '(no name)', `bad: ${entry.why}`]);
  const [first, ...others] = describe(entry);
  const twice = entry.duplicate ? ['bad: an entry before it is called the same'] : [];
  return lines([first, ...twice, ...others]);
}

function describe(entry: AnyEntry & { usable: true }): [string, ...string[]] {
  if ('tool' in entry) return toolLines(entry.tool);
  if ('resource' in entry) return resourceLines(entry.resource.uri, entry.resource);
  if ('template' in entry) return resourceLines(entry.template.uriTemplate, entry.template);
  return promptLines(entry.prompt);
}

function toolLines({ name, inputSchema, description }: Tool): [string, ...string[]] {
  return [[name, ...argumentWords(inputSchema)].join(' '), ...paragraphs(description)];
}

function argumentWords(inputSchema: Record<string, unknown>): string[] {
  const { properties, required } = inputSchema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([key, schema]) => {
    const word = `${key}=<${kindsOf(schema, inputSchema).join('|') || 'any'}>`;
    return Array.isArray(required) && required.includes(key) ? word : `[${word}]`;
  });
}

function resourceLines(address: string, facts: Omit<Resource, 'uri'> | Template): [string, ...string[]] {
  const { name, title, mimeType, description } = facts;
  const size = 'size' in facts && facts.size !== undefined ? formatBytes(facts.size) : undefined;
  const about = [title ?? name, mimeType, size].filter((fact) => fact !== undefined).join(', ');
  return [address, about, ...paragraphs(description)];
}

/** Values of the arguments are strings. */
function promptLines({ name, arguments: args = [], description }: Prompt): [string, ...string[]] {
  const words = args.map((one) =>
    one.required === true ? `${one.name}=<string>` : `[${one.name}=<string>]`,
  );
  return [[name, ...words].join(' '), ...paragraphs(description)];
}

const paragraphs = (text: string | undefined): string[] => text?.trim().split('\n') ?? [];

/** Nothing of an entry can look like another one. */
const lines = (texts: readonly string[]): string => texts.map(visibleText).join('\n    ');
