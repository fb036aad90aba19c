import { copyText } from '#ui/clipboard.ts';
import type { JsonLines } from '#ui/json-lines.ts';
import type { MenuEntries } from '#ui/menu.tsx';
import { encodedKindOf } from './encoded.ts';
import { encodedLabels } from './json-line.tsx';
import type { JsonOutline } from './json-outline.ts';
import { pointerTo } from './line-pointers.ts';

/** What a key does in the JSON view. */
type OutlineMove =
  | { readonly to: 'line'; readonly line: number }
  | { readonly to: 'fold' | 'unfold' | 'toggle' }
  | { readonly to: 'fold-all' | 'unfold-all' | 'next-match' | 'previous-match' };

type Move = (outline: JsonOutline, linesPerPage: number) => OutlineMove | null;

/** The keys of a tree (WAI-ARIA Authoring Practices, tree view). */
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

/** The move for a key; null for other keys. */
export function moveOfKey(
  { key, ctrlKey, metaKey, altKey }: Key,
  outline: JsonOutline,
  linesPerPage: number,
): OutlineMove | null {
  if (ctrlKey || metaKey || altKey || !Object.hasOwn(moves, key)) return null;
  return moves[key]?.(outline, linesPerPage) ?? null;
}

/** Moves by a number of visible lines, skipping closing brackets. */
function by({ layout, lines, cursor }: JsonOutline, count: number): OutlineMove {
  const last = layout.count - 1;
  const from = Math.min(last, Math.max(0, layout.placeOf(cursor) + count));
  const isPlace = (place: number) => !lines.isClose(layout.lineAt(place));
  let place = from;
  if (count > 0) while (place < last && !isPlace(place)) place++;
  // Above a closing bracket there is always its opening one.
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

/** The unescaped text of a string; null for other values. */
function textOf(lines: JsonLines, line: number): string | null {
  if (lines.kind(line) !== 'string') return null;
  try {
    return String(JSON.parse(sourceOf(lines, line)));
  } catch {
    // Truncated.
    return null;
  }
}

/** The context menu of the value at the cursor. */
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
            label: 'Copy the unescaped text',
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
