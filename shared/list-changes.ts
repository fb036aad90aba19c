import { type CatalogEntry, entryName } from './contract/catalog.ts';
import type { ListChanges } from './contract/definitions.ts';
import { isNestedDeeper } from './json/tokens.ts';

/** Compares entries by name, ignoring the order of the list and of keys. Null if nothing differs. */
export const listChanges = (
  before: readonly CatalogEntry[],
  after: readonly CatalogEntry[],
): ListChanges | null => changesBetween(textsByName(before), textsByName(after));

/** Compares JSON texts by name, ignoring the order of names and of keys. Null if nothing differs. */
export function changesBetween(
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): ListChanges | null {
  const changed: ListChanges['changed'] = [];
  for (const [name, raw] of now) {
    const was = old.get(name);
    const members = was === undefined ? [] : differingMembers(was, raw);
    if (was !== undefined && members.length > 0) changed.push({ name, members, before: was, after: raw });
  }
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  return added.length + removed.length + changed.length === 0 ? null : { added, removed, changed };
}

/** The JSON text of each entry that has a name; of duplicates the first. */
export function textsByName(entries: readonly CatalogEntry[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const entry of entries) {
    const name = entryName(entry);
    if (name !== null && !named.has(name)) named.set(name, entry.raw);
  }
  return named;
}

function differingMembers(before: string, after: string): string[] {
  if (before === after) return [];
  const old = membersOf(before);
  const now = membersOf(after);
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => old.get(key) !== now.get(key));
}

/** Nesting levels that are compared. */
const DEEPEST = 500;

/** The members of an entry, each as JSON with sorted keys. */
function membersOf(raw: string): Map<string, string> {
  // An entry nested too deeply is compared as text.
  if (isNestedDeeper(raw, DEEPEST)) return new Map([['entry', raw]]);
  const value: unknown = JSON.parse(raw);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([['entry', raw]]);
  return new Map(Object.entries(value).map(([key, member]) => [key, JSON.stringify(sorted(member))]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
