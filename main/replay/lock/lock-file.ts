import { z } from 'zod';
import { type CatalogEntry, entryName } from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { testFileFault } from '#shared/contract/saved-calls.ts';
import { elementTexts, memberText, memberTexts } from '#shared/json/members.ts';
import { compactJson, indentedJson } from '#shared/json/tokens.ts';
import type { Catalog } from '#replay/compare/catalog-changes.ts';
import type { ListedKind } from '#replay/compare/entry-changes.ts';
import { readPlacedJson } from '#replay/placed-json.ts';
import { withoutReferences } from './resolve-references.ts';

/** The version of the format; a file of another one is refused. */
export const LOCK_VERSION = 1;

const entries = (name: string) => z.array(z.looseObject({ [name]: z.string() })).nullable();

/** A lock file (docs/comparing.md): what a server declares and lists. A list that the server did not give is null. */
export const lockFileShape = z.strictObject({
  version: z.literal(LOCK_VERSION),
  revision: z.string().nullable(),
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  tools: entries('name'),
  resources: entries('uri'),
  resourceTemplates: entries('uriTemplate'),
  prompts: entries('name'),
});

/** The member of each list, and the member that names an entry of it. */
const lists = {
  tool: { member: 'tools', key: 'name' },
  resource: { member: 'resources', key: 'uri' },
  template: { member: 'resourceTemplates', key: 'uriTemplate' },
  prompt: { member: 'prompts', key: 'name' },
} as const satisfies Record<ListedKind, { readonly member: string; readonly key: string }>;

const kinds = ['tool', 'resource', 'template', 'prompt'] as const satisfies readonly ListedKind[];

/**
 * The text of a lock file: the same for the same catalog, whatever the order in which the server lists it. Members and
 * entries are sorted, local references in schemas resolved, numbers as the server wrote them.
 */
export function lockText({ revision, capabilities, lists: all }: Catalog): string {
  const members = [
    `"version":${LOCK_VERSION}`,
    `"revision":${JSON.stringify(revision)}`,
    `"capabilities":${canonical(JSON.stringify(capabilities))}`,
    ...kinds.map((kind) => `"${lists[kind].member}":${listText(kind, all[kind])}`),
  ];
  const text = `{${members.join(',')}}`;
  return `${indentedJson(text) ?? text}\n`;
}

function listText(kind: ListedKind, entriesOfList: readonly CatalogEntry[] | null): string {
  if (entriesOfList === null) return 'null';
  const named = entriesOfList.map((entry) => [entryName(entry) ?? '', entryText(kind, entry.raw)] as const);
  return `[${named
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',')}]`;
}

function entryText(kind: ListedKind, raw: string): string {
  if (kind !== 'tool') return canonical(raw);
  const members = [...memberTexts(raw)].map(([name, text]) => {
    const resolved = name === 'inputSchema' || name === 'outputSchema' ? withoutReferences(text) : text;
    return `${JSON.stringify(name)}:${resolved}`;
  });
  return canonical(`{${members.join(',')}}`);
}

const canonical = (json: string): string => compactJson(json, { sortsKeys: true }) ?? json;

/** The catalog of a lock file. @param name of the file, for its errors @throws FaultError if it is no lock file */
export function readLock(name: string, text: string): Catalog {
  const version = newerVersion(text);
  if (version !== null) throw new FaultError(tooNew(name, version));
  const read = readPlacedJson(text, lockFileShape);
  if (!read.ok) throw new FaultError(badLock(name, testFileFault(name, read.errors)));
  const { revision, capabilities } = read.value;
  const entriesOf = (kind: ListedKind): CatalogEntry[] | null => {
    const { member, key } = lists[kind];
    if (read.value[member] === null) return null;
    return elementTexts(memberText(text, [member]) ?? '[]').map((raw) => {
      const written: unknown = JSON.parse(memberText(raw, [key]) ?? '""');
      return { usable: false, name: String(written), error: 'from a lock file', raw };
    });
  };
  return {
    revision,
    capabilities,
    lists: {
      tool: entriesOf('tool'),
      resource: entriesOf('resource'),
      template: entriesOf('template'),
      prompt: entriesOf('prompt'),
    },
  };
}

/** The version of a lock file of a later Sightglass; null for any other text. */
function newerVersion(text: string): number | null {
  const read = readPlacedJson(text, z.looseObject({ version: z.number().int() }));
  return read.ok && read.value.version > LOCK_VERSION ? read.value.version : null;
}

const badLock = (name: string, fault: Fault): Fault => ({
  ...fault,
  code: 'bad-lock-file',
  next: `Write it again with sightglass lock, or check that ${name} is the file you meant.`,
});

const tooNew = (name: string, version: number): Fault => ({
  code: 'bad-lock-file',
  what: `${name} has version ${version} of the format; this Sightglass reads version ${LOCK_VERSION}.`,
  next: 'Update Sightglass, or write the file again.',
});
