import type { CatalogLine } from '#model/catalog.ts';
import type { ResourceEntry } from '#shared/contract/catalog.ts';
import { type Audience, isFor } from '#ui/content/annotations.tsx';

type ResourceLine = CatalogLine<ResourceEntry>;

/** What the list of resources is sorted by. */
export const orders = {
  server: 'Server order',
  name: 'Name',
  priority: 'Priority',
  modified: 'Last modified',
  size: 'Size',
} as const;
export type Order = keyof typeof orders;

/** Names of the audiences that the list is filtered by. */
export const audiences = {
  any: 'Any audience',
  user: 'For the user',
  assistant: 'For the assistant',
} as const satisfies Record<Audience, string>;

/**
 * The resources for an audience, sorted: names ascending; the highest priority, the last change and the largest size
 * first. Those that do not state the value are at the end, in the order of the server. So are equal ones.
 */
export function orderLines(
  lines: readonly ResourceLine[],
  order: Order,
  audience: Audience,
): readonly ResourceLine[] {
  const shown =
    audience === 'any'
      ? lines
      : lines.filter(({ entry }) => isFor(entry.usable ? entry.resource.annotations : undefined, audience));
  if (order === 'server') return shown;
  if (order === 'name') {
    const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
    return [...shown].sort((a, b) => compare(a.title, b.title));
  }
  const value = values[order];
  return shown
    .map((line) => ({ line, value: value(line) ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => (a.value === b.value ? 0 : b.value - a.value))
    .map(({ line }) => line);
}

/** The value of a resource in each order; null if it states none. */
const values: Readonly<Record<Exclude<Order, 'server' | 'name'>, (line: ResourceLine) => number | null>> = {
  priority: ({ entry }) => (entry.usable ? (entry.resource.annotations?.priority ?? null) : null),
  size: ({ entry }) => (entry.usable ? (entry.resource.size ?? null) : null),
  modified: ({ entry }) => {
    const time = entry.usable ? Date.parse(entry.resource.annotations?.lastModified ?? '') : Number.NaN;
    return Number.isNaN(time) ? null : time;
  },
};

/** Whether a resource is a directory: by its MIME type, or a file URI that ends with a slash (MCP resources, common URI schemes). */
export const isDirectory = ({ name, entry }: ResourceLine): boolean =>
  (entry.usable && entry.resource.mimeType === 'inode/directory') ||
  (name !== null && /^file:\/\/[^?#]*\/$/i.test(name));
