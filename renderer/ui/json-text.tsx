import { useMemo, useState } from 'react';
import { cx } from './cx.ts';
import { PlainText, VisibleText } from './plain-text.tsx';
import { type JsonPiece, prettyJson } from './pretty-json.ts';
import { ShowMore } from './show-more.tsx';

/** Characters shown initially; each click on "Show more" quadruples them. */
const FIRST_CHARS = 40_000;

const colours: Readonly<Record<JsonPiece['kind'], string | null>> = {
  key: 'text-key',
  string: 'text-str',
  number: 'text-num',
  literal: 'text-num',
  plain: null,
};

/**
 * Pretty-printed, coloured JSON from raw text: every number, escape and key stays as sent. Other text is shown
 * unchanged. Huge text is shown in parts, on demand.
 */
export function JsonText({
  raw,
  isCut = false,
  className,
}: {
  readonly raw: string;
  /** Whether the text is truncated. */
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
            <VisibleText text={text} isName={kind === 'key'} />
          </span>
        );
      })}
      {isPart && <ShowMore hidden={raw.length - limit} onClick={() => setLimit(limit * 4)} />}
    </div>
  );
}
