import type { JsonOutline } from './json-outline.ts';

/** What a key does in the outline of a message. */
export type OutlineMove =
  | { readonly to: 'line'; readonly line: number }
  | { readonly to: 'fold' | 'unfold' | 'toggle' }
  | { readonly to: 'fold-all' | 'unfold-all' | 'next-match' | 'previous-match' };

type Move = (outline: JsonOutline, linesPerPage: number) => OutlineMove | null;

/** As the arrow keys move in a tree (WAI-ARIA Authoring Practices, tree view). */
const moves: Readonly<Record<string, Move>> = {
  ArrowDown: (outline) => by(outline, 1),
  ArrowUp: (outline) => by(outline, -1),
  PageDown: (outline, page) => by(outline, page),
  PageUp: (outline, page) => by(outline, -page),
  Home: () => ({ to: 'line', line: 0 }),
  End: (outline) => by(outline, outline.layout.count),
  ArrowRight: (outline) => {
    const { lines, cursor } = outline;
    if (outline.isFolded(cursor)) return { to: 'unfold' };
    return lines.isOpen(cursor) ? by(outline, 1) : null;
  },
  ArrowLeft: (outline) => {
    const { lines, cursor } = outline;
    if (lines.isOpen(cursor) && !outline.isFolded(cursor)) return { to: 'fold' };
    const parent = lines.parent(cursor);
    return parent === null ? null : { to: 'line', line: parent };
  },
  Enter: () => ({ to: 'toggle' }),
  ' ': () => ({ to: 'toggle' }),
  '*': () => ({ to: 'unfold-all' }),
  '-': () => ({ to: 'fold-all' }),
  '+': () => ({ to: 'unfold-all' }),
  n: () => ({ to: 'next-match' }),
  N: () => ({ to: 'previous-match' }),
};

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The move a key stands for; null for a key that is not the outline's. */
export function moveOfKey(
  { key, ctrlKey, metaKey, altKey }: Key,
  outline: JsonOutline,
  linesPerPage: number,
): OutlineMove | null {
  if (ctrlKey || metaKey || altKey || !Object.hasOwn(moves, key)) return null;
  return moves[key]?.(outline, linesPerPage) ?? null;
}

/** So many shown lines on. A closing bracket is no place to stand. */
function by({ layout, lines, cursor }: JsonOutline, count: number): OutlineMove {
  const last = layout.count - 1;
  const from = Math.min(last, Math.max(0, layout.placeOf(cursor) + count));
  const isPlace = (place: number) => !lines.isClose(layout.lineAt(place));
  let place = from;
  if (count > 0) while (place < last && !isPlace(place)) place++;
  // Before a bracket there is always what it closes.
  while (!isPlace(place)) place--;
  return { to: 'line', line: layout.lineAt(place) };
}
