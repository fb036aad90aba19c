import type { JsonLines } from '#ui/json-lines.ts';
import { copyText } from '#ui/clipboard.ts';
import type { MenuEntries } from '#ui/menu.tsx';
import { encodedKindOf } from './encoded.ts';
import { encodedWords } from './json-line.tsx';
import type { JsonOutline } from './json-outline.ts';
import { pointerTo } from './json-pointer.ts';

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
    ...(encoded === null ? [] : [{ label: encodedWords[encoded].hint, onSelect: onDecode }]),
    null,
    ...(lines.isOpen(cursor)
      ? [{ label: isFolded ? 'Unfold' : 'Fold', onSelect: () => outline.setFolded(cursor, !isFolded) }]
      : []),
    { label: 'Fold all', shortcut: '-', onSelect: () => outline.foldAll() },
    { label: 'Unfold all', shortcut: '*', onSelect: () => outline.unfoldAll() },
  ];
}
