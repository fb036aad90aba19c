import { copyText } from '#ui/clipboard.ts';
import type { JsonLines } from '#ui/json-lines.ts';
import type { MenuEntries } from '#ui/menu.tsx';
import { encodedKindOf } from './encoded.ts';
import { encodedLabels } from './json-line.tsx';
import type { JsonOutline } from './json-outline.ts';
import { pointerTo } from './json-pointer.ts';

/** What a key does in the outline of a message. */
type OutlineMove =
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

/** The value of a line, as it was sent. */
export function sourceOf(lines: JsonLines, line: number): string {
  const { from, end } = lines.line(line);
  if (!lines.isOpen(line)) return lines.raw.slice(from, end);
  const mate = lines.mate(line);
  return lines.raw.slice(from, mate === line ? undefined : lines.line(mate).end);
}

/** What a string means, escapes resolved; null for every other value. */
function textOf(lines: JsonLines, line: number): string | null {
  if (lines.kind(line) !== 'string') return null;
  try {
    return String(JSON.parse(sourceOf(lines, line)));
  } catch {
    // It is cut off.
    return null;
  }
}

/** What can be done with the value that the reader stands on. */
export function lineMenu({
  outline,
  onDecode,
}: {
  readonly outline: JsonOutline;
  readonly onDecode: () => void;
}): MenuEntries {
  const { lines, cursor } = outline;
  const copy = (text: string) => void copyText(text);
  const encoded = encodedKindOf(lines, cursor);
  const isText = lines.kind(cursor) === 'string';
  const isFolded = outline.isFolded(cursor);
  return [
    { label: 'Copy the value', shortcut: 'Mod+C', onSelect: () => copy(sourceOf(lines, cursor)) },
    ...(isText
      ? [
          {
            label: 'Copy the text it stands for',
            onSelect: () => copy(textOf(lines, cursor) ?? sourceOf(lines, cursor)),
          },
        ]
      : []),
    { label: 'Copy the JSON pointer', onSelect: () => copy(pointerTo(lines, cursor)) },
    ...(encoded === null ? [] : [{ label: encodedLabels[encoded].hint, onSelect: onDecode }]),
    null,
    ...(lines.isOpen(cursor)
      ? [{ label: isFolded ? 'Unfold' : 'Fold', onSelect: () => outline.setFolded(cursor, !isFolded) }]
      : []),
    { label: 'Fold all', shortcut: '-', onSelect: () => outline.foldAll() },
    { label: 'Unfold all', shortcut: '*', onSelect: () => outline.unfoldAll() },
  ];
}
