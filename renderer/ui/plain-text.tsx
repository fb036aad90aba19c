import { Fragment, useState } from 'react';
import { cx } from './cx.ts';
import { ShowMore } from './show-more.tsx';
import { visiblePieces } from './visible.ts';
import { wordsOf } from './word-breaks.ts';

/** Characters shown initially; each click on "Show more" quadruples them. */
const FIRST_CHARS = 50_000;

/** Untrusted text with its line breaks. Makes characters visible that would hide or reorder it. */
export function PlainText({
  text,
  inline,
  isName = false,
  className,
}: {
  readonly text: string;
  /** Whether the text is a name or a key, which is broken between its words. */
  readonly isName?: boolean;
  /** Whether the text is inline instead of a block. */
  readonly inline?: boolean;
  readonly className?: string;
}) {
  const [limit, setLimit] = useState(FIRST_CHARS);
  const shown = text.length > limit ? text.slice(0, limit) : text;
  const Element = inline ? 'span' : 'div';
  return (
    <Element className={cx('[overflow-wrap:anywhere] whitespace-pre-wrap', className)}>
      <VisibleText text={shown} isName={isName} />
      {shown.length < text.length && (
        <ShowMore hidden={text.length - shown.length} onClick={() => setLimit(limit * 4)} />
      )}
    </Element>
  );
}

/** The text without a wrapping element. */
export function VisibleText({ text, isName = false }: { readonly text: string; readonly isName?: boolean }) {
  const pieces = visiblePieces(text);
  if (!isName && pieces.every(({ control }) => control === null)) return text;
  return pieces.map(({ text: piece, control }, index) =>
    control === null ? (
      isName ? (
        <BrokenName key={index} name={piece} />
      ) : (
        piece
      )
    ) : (
      <span key={index} title={control} className="rounded-sm bg-warn/12 text-warn">
        {piece}
      </span>
    ),
  );
}

const BrokenName = ({ name }: { readonly name: string }) =>
  wordsOf(name).map((word, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ));
