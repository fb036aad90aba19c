import { useState } from 'react';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { VisibleText } from '#ui/plain-text.tsx';
import { type DiffLine, differingPart, type Stretch, stretchesOf } from './diff-lines.ts';

/** Lines drawn at first; each click on "Show more" doubles it. */
const FIRST_LINES = 1000;
/** Characters shown of a line; of a longer one those around its first difference. */
const LINE_CHARS = 2000;

type Texts = readonly [readonly string[], readonly string[]];

/** Two texts lined up: side by side, or one below the other where there is little room. */
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
                    {formatQuantity(stretch.count, 'equal line')} left out. Show them
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

/** One side of a line: what is the same before, what differs, what is the same after. */
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
  before: cut(text),
  own: '',
  after: '',
  differs,
});

function partedSide(text: string, start: number, tail: number): Side {
  // Of a long line only what is around the difference.
  const from = text.length > LINE_CHARS ? Math.max(0, start - LINE_CHARS / 4) : 0;
  const before = `${from > 0 ? '…' : ''}${text.slice(from, start)}`;
  const own = cut(text.slice(start, text.length - tail));
  const after = cut(text.slice(text.length - tail));
  return { before, own, after, differs: true };
}

const cut = (text: string): string => (text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text);
