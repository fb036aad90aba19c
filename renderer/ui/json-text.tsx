import { useMemo, useState } from 'react';
import { cx } from './cx.ts';
import { PlainText, VisibleText } from './plain-text.tsx';
import { type JsonPiece, prettyJson } from './pretty-json.ts';
import { ShowMore } from './show-more.tsx';

/** Characters laid out at first; each click on "Show more" quadruples it. */
const FIRST_CHARS = 40_000;

const colours: Readonly<Record<JsonPiece['kind'], string | null>> = {
  key: 'text-key',
  string: 'text-str',
  number: 'text-num',
  literal: 'text-num',
  plain: null,
};

/**
 * JSON over lines and in colour, from its raw text: every number, escape and key stays as it was sent. Text
 * that is no JSON is shown as it is. Of huge text only a part is laid out, and more on demand.
 */
export function JsonText({
  raw,
  isCut = false,
  className,
}: {
  readonly raw: string;
  /** The text was cut before it came here, so that its end is missing. */
  readonly isCut?: boolean;
  readonly className?: string;
}) {
  const [limit, setLimit] = useState(FIRST_CHARS);
  const isPart = raw.length > limit;
  const pieces = useMemo(
    () => prettyJson(isPart ? raw.slice(0, limit) : raw, isCut || isPart),
    [raw, limit, isPart, isCut],
  );
  if (pieces === null) return <PlainText text={raw} className={cx('mono', className)} />;
  return (
    <div className={cx('mono leading-[1.5] [overflow-wrap:anywhere] whitespace-pre-wrap', className)}>
      {pieces.map(({ kind, text }, index) => {
        const colour = colours[kind];
        return colour === null ? (
          text
        ) : (
          <span key={index} className={colour}>
            <VisibleText text={text} />
          </span>
        );
      })}
      {isPart && <ShowMore hidden={raw.length - limit} onClick={() => setLimit(limit * 4)} />}
    </div>
  );
}
