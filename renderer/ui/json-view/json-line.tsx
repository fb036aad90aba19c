import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '#shared/format.ts';
import type { FindingSeverity } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import type { JsonPiece } from '#ui/pretty-json.ts';
import { VisibleText } from '#ui/plain-text.tsx';
import { SeverityIcon, severityLabels } from '../severity.tsx';
import type { EncodedKind } from './encoded.ts';
import { HANGING, type LineNote, type LineRow, type RowPiece } from './json-layout.ts';
import { type Match, matchesWithin } from './find.tsx';

/** Pixels. */
export const ROW_HEIGHT = 19;
export const GUTTER = 18;

const colours: Readonly<Record<JsonPiece['kind'], string>> = {
  key: 'text-key',
  string: 'text-str',
  number: 'text-num',
  literal: 'text-num',
  plain: '',
};

const waves: Readonly<Record<FindingSeverity, string>> = {
  error: 'underline decoration-err decoration-wavy underline-offset-2',
  warning: 'underline decoration-warn decoration-wavy underline-offset-2',
  info: 'underline decoration-mute decoration-dotted underline-offset-2',
};

export const encodedLabels: Readonly<Record<EncodedKind, { readonly word: string; readonly hint: string }>> =
  {
    jwt: { word: 'JWT', hint: 'Decode the JWT' },
    image: { word: 'image', hint: 'Show the image' },
    audio: { word: 'audio', hint: 'Show the sound' },
    base64: { word: 'base64', hint: 'Decode the base64' },
    'data-uri': { word: 'data', hint: 'Show what the data URI holds' },
  };

export interface LineProps {
  readonly id: string;
  readonly depth: number;
  /** Columns. */
  readonly indent: number;
  /** Its visible rows. */
  readonly rows: readonly LineRow[];
  readonly isClose: boolean;
  /** Whether the line is folded; null if it cannot be folded. */
  readonly isFolded: boolean | null;
  readonly isCursor: boolean;
  /** Whether the line has no colours, because the schema does not define its key. */
  readonly isDimmed: boolean;
  readonly notes: readonly LineNote[];
  readonly encoded: EncodedKind | null;
  readonly matches: readonly Match[];
  readonly currentMatch: Match | null;
  readonly onSelect: () => void;
  readonly onFold: () => void;
  readonly onShowAll: (isAll: boolean) => void;
  readonly onDecode: () => void;
}

/** One line of JSON with its visible rows and notes. */
export function JsonLineView(props: LineProps) {
  const { id, depth, rows, isClose, isFolded, isCursor, onSelect } = props;
  const content = rows.map((row, index) => <Row key={index} row={row} {...props} />);
  // A closing bracket is not a value.
  if (isClose) return <div>{content}</div>;
  return (
    <div
      id={id}
      role="treeitem"
      // The tree handles the keys.
      tabIndex={-1}
      aria-level={depth + 1}
      aria-expanded={isFolded === null ? undefined : !isFolded}
      aria-selected={isCursor}
      onMouseDown={onSelect}
      className={cx('group/line outline-none', isCursor && 'bg-hover')}
    >
      {content}
    </div>
  );
}

function Row({ row, ...line }: LineProps & { readonly row: LineRow }) {
  const { indent, isFolded, onFold } = line;
  const isFirst = row.what === 'text' && row.order === 0;
  const hanging = isFirst ? 0 : HANGING;
  return (
    <div className="relative flex whitespace-pre" style={{ height: ROW_HEIGHT, paddingLeft: GUTTER }}>
      {isFirst && isFolded !== null && (
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          onClick={onFold}
          className="absolute left-0 grid h-full w-4.5 place-items-center text-faint hover:text-text"
        >
          <ChevronRight aria-hidden className={cx('size-3', !isFolded && 'rotate-90')} />
        </button>
      )}
      <span style={{ paddingLeft: `${indent + hanging}ch` }}>
        <RowContent row={row} {...line} />
      </span>
    </div>
  );
}

function RowContent({
  row,
  encoded,
  onShowAll,
  onDecode,
  ...line
}: LineProps & { readonly row: LineRow }): ReactNode {
  const decode = encoded !== null && <DecodeButton kind={encoded} onClick={onDecode} />;
  switch (row.what) {
    case 'text':
      return (
        <>
          {row.pieces.map((piece, index) => (
            <Piece key={index} piece={piece} {...line} />
          ))}
          {row.isLast && !line.rows.some(({ what }) => what === 'rest') && decode}
        </>
      );
    case 'rest':
      return (
        <>
          <button
            type="button"
            tabIndex={-1}
            onClick={() => onShowAll(row.hidden > 0)}
            className="rounded-sm border border-line bg-raise px-1.5 font-sans text-xs text-mute hover:border-line-strong hover:text-text"
          >
            {row.hidden > 0 ? `Show all (${formatCount(row.hidden)} more characters)` : 'Show less'}
          </button>
          {decode}
        </>
      );
    case 'note':
      return (
        <span className={cx('inline-flex h-full items-center', toneOf[row.note.severity])}>
          {row.isFirst && (
            <>
              <SeverityIcon severity={row.note.severity} className="-ml-4 mr-1 size-3" />
              <span className="sr-only">{severityLabels[row.note.severity]}: </span>
            </>
          )}
          {row.text}
        </span>
      );
  }
}

const toneOf: Readonly<Record<FindingSeverity, string>> = {
  error: 'text-err',
  warning: 'text-warn',
  info: 'text-mute',
};

function DecodeButton({ kind, onClick }: { readonly kind: EncodedKind; readonly onClick: () => void }) {
  const { word, hint } = encodedLabels[kind];
  return (
    <button
      type="button"
      tabIndex={-1}
      title={hint}
      aria-label={hint}
      onClick={onClick}
      className="ml-1.5 rounded-full border border-accent bg-panel px-1.5 font-sans text-xs leading-[15px] text-text hover:bg-raise"
    >
      {word}
    </button>
  );
}

/** Keys and values of a line with a finding are underlined. */
function Piece({
  piece,
  isDimmed,
  notes,
  matches,
  currentMatch,
}: Pick<LineProps, 'isDimmed' | 'notes' | 'matches' | 'currentMatch'> & { readonly piece: RowPiece }) {
  const worst = notes[0];
  const isMarked = worst !== undefined && (piece.kind !== 'plain' || piece.from >= 0);
  const className = cx(
    isDimmed ? 'text-mute italic' : colours[piece.kind],
    isMarked && waves[worst.severity],
  );
  const content = <Highlighted piece={piece} matches={matches} current={currentMatch} />;
  if (className === '') return content;
  return (
    <span className={className} title={isMarked ? notes.map(({ text }) => text).join('\n') : undefined}>
      {content}
    </span>
  );
}

function Highlighted({
  piece: { text, from },
  matches,
  current,
}: {
  readonly piece: RowPiece;
  readonly matches: readonly Match[];
  readonly current: Match | null;
}) {
  if (from < 0 || matches.length === 0) return <VisibleText text={text} />;
  const { first, end } = matchesWithin(matches, from, from + text.length);
  const parts: ReactNode[] = [];
  let shown = 0;
  for (const match of matches.slice(first, end)) {
    const start = Math.max(0, match.from - from);
    const stop = Math.min(text.length, match.end - from);
    if (start > shown) parts.push(<VisibleText key={shown} text={text.slice(shown, start)} />);
    parts.push(
      <mark
        key={`match-${start}`}
        className={cx(
          'rounded-[2px]',
          match === current ? 'bg-accent text-accent-ink' : 'bg-warn/30 text-inherit',
        )}
      >
        <VisibleText text={text.slice(start, stop)} />
      </mark>,
    );
    shown = stop;
  }
  if (shown < text.length) parts.push(<VisibleText key={shown} text={text.slice(shown)} />);
  return parts;
}
