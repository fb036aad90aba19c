/** A part of a text, in offsets of the text before, and what takes its place. */
export interface TextEdit {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly text: string;
}

/**
 * The edits that make one text of another: in each line that differs the part that differs, so that a caret elsewhere stays. If
 * the texts have different numbers of lines it is one edit.
 */
export function textEdits(before: string, after: string): readonly TextEdit[] {
  const lines = before.split('\n');
  const newLines = after.split('\n');
  if (lines.length !== newLines.length) return partEdit(before, after, 0);
  let at = 0;
  return lines.flatMap((line, place) => {
    const edits = partEdit(line, newLines[place] ?? '', at);
    at += line.length + 1;
    return edits;
  });
}

/** The part that differs; none if the texts are equal. @param at where the text begins */
function partEdit(before: string, after: string, at: number): readonly TextEdit[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  // Half of a surrogate pair is no character: the editor would widen the edit, and lose what it widens it by.
  if (isHighSurrogate(before.charCodeAt(start - 1))) start--;
  if (isLowSurrogate(before.charCodeAt(before.length - same))) same--;
  return [
    { start: at + start, end: at + before.length - same, text: after.slice(start, after.length - same) },
  ];
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc_00 && unit <= 0xdf_ff;
