import { diffArrays } from 'diff';

/** One line of a comparison: numbers of the lines it shows, from 0; null where one side has none. */
export interface DiffLine {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  readonly left: number | null;
  readonly right: number | null;
}

/** Texts that have less in common than can be found in this time are not worth lining up; milliseconds. */
const TIMEOUT_MS = 4000;

/**
 * Lines two texts up. What was removed stands beside what was added in its place. It is looked for in small steps, so
 * that the window stays alive; null when the texts have too little in common for it.
 */
export function diffLines(left: readonly string[], right: readonly string[]): Promise<DiffLine[] | null> {
  return new Promise((resolve) => {
    diffArrays([...left], [...right], {
      timeout: TIMEOUT_MS,
      callback: (changes) => resolve(changes === undefined ? null : linedUp(changes)),
    });
  });
}

interface Change {
  readonly added: boolean;
  readonly removed: boolean;
  readonly count: number;
}

function linedUp(changes: readonly Change[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  let [removed, added] = [0, 0];
  const endBlock = () => {
    for (let order = 0; order < Math.max(removed, added); order++) {
      const hasLeft = order < removed;
      const hasRight = order < added;
      lines.push({
        kind: hasLeft && hasRight ? 'changed' : hasLeft ? 'removed' : 'added',
        left: hasLeft ? left + order : null,
        right: hasRight ? right + order : null,
      });
    }
    left += removed;
    right += added;
    removed = 0;
    added = 0;
  };
  for (const change of changes) {
    if (change.removed) removed += change.count;
    else if (change.added) added += change.count;
    else {
      endBlock();
      for (let order = 0; order < change.count; order++)
        lines.push({ kind: 'same', left: left++, right: right++ });
    }
  }
  endBlock();
  return lines;
}

/** A stretch of a comparison: lines to show, or how many equal ones are left out. */
export type Stretch =
  | { readonly of: 'lines'; readonly lines: readonly DiffLine[] }
  | { readonly of: 'equal'; readonly from: number; readonly count: number };

/** Equal lines shown around a difference. */
const CONTEXT = 3;

/** Leaves out long stretches of equal lines, but for those that were opened. */
export function stretchesOf(lines: readonly DiffLine[], opened: ReadonlySet<number>): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  while (from < lines.length) {
    const isSame = lines[from]?.kind === 'same';
    let end = from + 1;
    while (end < lines.length && (lines[end]?.kind === 'same') === isSame) end++;
    const [first, last] = [from === 0 ? 0 : from + CONTEXT, end === lines.length ? end : end - CONTEXT];
    if (!isSame || last - first < 2 || opened.has(first)) stretches.push(linesOf(lines, from, end));
    else {
      if (first > from) stretches.push(linesOf(lines, from, first));
      stretches.push({ of: 'equal', from: first, count: last - first });
      if (end > last) stretches.push(linesOf(lines, last, end));
    }
    from = end;
  }
  return stretches;
}

const linesOf = (lines: readonly DiffLine[], from: number, end: number): Stretch => ({
  of: 'lines',
  lines: lines.slice(from, end),
});

/** Where two lines begin to differ, and how many characters at their ends are the same again. */
export function differingPart(a: string, b: string): { readonly start: number; readonly tail: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < most - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { start, tail };
}
