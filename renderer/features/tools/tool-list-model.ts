import { type ToolEntry, toolDisplayName } from '#shared/contract/catalog.ts';
import { entryName } from './list-changes.ts';

/** One line of the list. */
export interface ToolLine {
  /** Stays the same when the list comes again, so that a selection outlives it. */
  readonly key: string;
  /** In the list, from 0. */
  readonly place: number;
  readonly title: string;
  /** What a call names; null when the entry has no name and cannot be called. */
  readonly name: string | null;
  readonly entry: ToolEntry;
}

/** The lines of a list. Names that come twice stay apart by their order. */
export function toolLines(entries: readonly ToolEntry[]): ToolLine[] {
  const seen = new Map<string, number>();
  return entries.map((entry, place) => {
    const name = entryName(entry);
    const nth = (seen.get(name ?? '') ?? 0) + 1;
    seen.set(name ?? '', nth);
    return {
      key: JSON.stringify([name, nth]),
      place,
      title: entry.usable ? toolDisplayName(entry.tool) : (name ?? 'Entry without a name'),
      name,
      entry,
    };
  });
}

/** The lines that contain every word of the search in title, name or description, whatever its case. */
export function searchLines(lines: readonly ToolLine[], search: string): readonly ToolLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ title, name, entry }) => {
    const description = entry.usable ? entry.tool.description : entry.why;
    const text = [title, name, description].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
