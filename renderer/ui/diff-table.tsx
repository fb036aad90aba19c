import { diffArrays } from 'diff';
import { useState } from 'react';
import { formatCount, formatQuantity, truncate } from '#shared/format.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { VisibleText } from './plain-text.tsx';

/** Lines rendered at first; each click on "Show more" doubles them. */
const FIRST_LINES = 1000;
/** Characters shown of a line: those around its first difference. */
const LINE_CHARS = 2000;

type Texts = readonly [readonly string[], readonly string[]];

/** Two texts aligned: side by side, or stacked when there is little room. */
export function DiffTable({
  texts,
  lines,
  isSplit,
}: {
  readonly texts: Texts;
  readonly lines: readonly DiffLine[];
  readonly isSplit: boolean;
}) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [limit, setLimit] = useState(FIRST_LINES);
  let room = limit;
  const shown = stretchesOf(lines, opened).flatMap((stretch): Stretch[] => {
    if (stretch.of === 'equal') return room > 0 ? [stretch] : [];
    const part = stretch.lines.slice(0, room);
    room -= part.length;
    return part.length > 0 ? [{ ...stretch, lines: part }] : [];
  });
  const Line = isSplit ? SplitLine : StackedLines;
  return (
    <>
      <table className="mono w-full table-fixed leading-[1.5]">
        <colgroup>
          {isSplit ? (
            <>
              <col className="w-12" />
              <col />
              <col className="w-12" />
              <col />
            </>
          ) : (
            <>
              <col className="w-10" />
              <col className="w-10" />
              <col />
            </>
          )}
        </colgroup>
        <tbody>
          {shown.map((stretch) =>
            stretch.of === 'equal' ? (
              <tr key={`equal-${stretch.from}`}>
                <td colSpan={4} className="border-y border-line bg-raise px-3 py-0.5">
                  <button
                    type="button"
                    onClick={() => setOpened(new Set(opened).add(stretch.from))}
                    className="font-sans text-xs text-mute hover:text-text"
                  >
                    {formatQuantity(stretch.count, 'equal line')} hidden. Show them
                  </button>
                </td>
              </tr>
            ) : (
              stretch.lines.map((line) => (
                <Line key={`${line.left} ${line.right}`} line={line} texts={texts} />
              ))
            ),
          )}
        </tbody>
      </table>
      {room <= 0 && (
        <Button size="small" className="m-3" onClick={() => setLimit(limit * 2)}>
          Show more than {formatCount(limit)} lines
        </Button>
      )}
    </>
  );
}

interface LineProps {
  readonly line: DiffLine;
  readonly texts: Texts;
}

function SplitLine({ line, texts }: LineProps) {
  const [left, right] = sidesOf(line, texts);
  return (
    <tr className="align-top">
      <NumberCell number={line.left} />
      <TextCell side={left} sign="−" />
      <NumberCell number={line.right} className="border-l border-line" />
      <TextCell side={right} sign="+" />
    </tr>
  );
}

function StackedLines({ line, texts }: LineProps) {
  const [left, right] = sidesOf(line, texts);
  return (
    <>
      {left !== null && (
        <tr className="align-top">
          <NumberCell number={line.left} />
          <NumberCell number={line.kind === 'same' ? line.right : null} />
          <TextCell side={left} sign="−" />
        </tr>
      )}
      {right !== null && line.kind !== 'same' && (
        <tr className="align-top">
          <NumberCell number={null} />
          <NumberCell number={line.right} />
          <TextCell side={right} sign="+" />
        </tr>
      )}
    </>
  );
}

const NumberCell = ({
  number,
  className,
}: {
  readonly number: number | null;
  readonly className?: string;
}) => (
  <td className={cx('pr-2 text-right text-faint select-none', className)}>{number !== null && number + 1}</td>
);

/** One side of a line: the common start, the different middle, the common end. */
interface Side {
  readonly before: string;
  readonly own: string;
  readonly after: string;
  readonly differs: boolean;
}

function TextCell({ side, sign }: { readonly side: Side | null; readonly sign: '+' | '−' }) {
  if (side === null) return <td className="bg-raise" aria-label="no such line" />;
  const { before, own, after, differs } = side;
  const isLeft = sign === '−';
  return (
    <td
      className={cx(
        'relative py-px pr-2 pl-4 [overflow-wrap:anywhere] whitespace-pre-wrap',
        differs && (isLeft ? 'bg-err/10' : 'bg-in/10'),
      )}
    >
      {differs && (
        <span className={cx('absolute left-1', isLeft ? 'text-err' : 'text-in')}>
          <span aria-hidden>{sign}</span>
          <span className="sr-only">{isLeft ? 'only left:' : 'only right:'}</span>
        </span>
      )}
      <VisibleText text={before} />
      {own !== '' && (
        <span className={cx(differs && 'rounded-sm', differs && (isLeft ? 'bg-err/25' : 'bg-in/25'))}>
          <VisibleText text={own} />
        </span>
      )}
      <VisibleText text={after} />
    </td>
  );
}

function sidesOf({ kind, left, right }: DiffLine, texts: Texts): [Side | null, Side | null] {
  const [a, b] = [
    left === null ? null : (texts[0][left] ?? ''),
    right === null ? null : (texts[1][right] ?? ''),
  ];
  if (a === null || b === null || kind === 'same') {
    const differs = kind !== 'same';
    return [a === null ? null : plainSide(a, differs), b === null ? null : plainSide(b, differs)];
  }
  const { start, tail } = differingPart(a, b);
  return [partedSide(a, start, tail), partedSide(b, start, tail)];
}

const plainSide = (text: string, differs: boolean): Side => ({
  before: truncate(text, LINE_CHARS),
  own: '',
  after: '',
  differs,
});

function partedSide(text: string, start: number, tail: number): Side {
  // Only the surroundings of the difference of a long line.
  const from = text.length > LINE_CHARS ? Math.max(0, start - LINE_CHARS / 4) : 0;
  const before = `${from > 0 ? '…' : ''}${text.slice(from, start)}`;
  const own = truncate(text.slice(start, text.length - tail), LINE_CHARS);
  const after = truncate(text.slice(text.length - tail), LINE_CHARS);
  return { before, own, after, differs: true };
}

/** One line of a comparison. Line numbers count from 0; null when a side has no line. */
export interface DiffLine {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  readonly left: number | null;
  readonly right: number | null;
}

/** Texts that cannot be aligned in this time have too little in common; milliseconds. */
const TIMEOUT_MS = 4000;

/**
 * Aligns two texts; removed lines are paired with the lines added in their place. Works in small steps, so that the
 * window stays responsive. Resolves to null when the texts have too little in common.
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

/** A section of a comparison: lines to show, or the number of hidden equal ones. */
type Stretch =
  | { readonly of: 'lines'; readonly lines: readonly DiffLine[] }
  | { readonly of: 'equal'; readonly from: number; readonly count: number };

/** Equal lines shown around a difference. */
const CONTEXT = 3;

/** Hides long runs of equal lines, except for those that were opened. */
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

/** Length of the common start and the common end of two lines. */
export function differingPart(a: string, b: string): { readonly start: number; readonly tail: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < most - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { start, tail };
}
