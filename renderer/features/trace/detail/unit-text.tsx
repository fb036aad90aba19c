import { Pilcrow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '#ui/button.tsx';
import { formatBytes, formatCount } from '#shared/format.ts';
import { VisibleText } from '#ui/plain-text.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { ShowMore } from '#ui/show-more.tsx';
import { textPieces } from './text-pieces.ts';
import type { UnitText } from './use-unit-text.ts';

/** Characters laid out at first; each click on "Show more" quadruples it. */
const FIRST_CHARS = 50_000;

/** The message over lines, for the clipboard; as it was sent when it is no JSON. */
export const prettyText = ({ text, isCut }: UnitText): string =>
  prettyJson(text, isCut)
    ?.map((piece) => piece.text)
    .join('') ?? text;

/** The text exactly as it was sent. Control characters are made visible until the user wants them as they are. */
export function RawText({ unit: { text } }: { readonly unit: UnitText }) {
  const [showsControls, setShowsControls] = useState(true);
  const [limit, setLimit] = useState(FIRST_CHARS);
  const pieces = useMemo(() => textPieces(text, limit), [text, limit]);
  const shown = pieces.reduce((length, piece) => length + piece.length, 0);
  return (
    <div className="relative p-3 pr-9">
      <div className="absolute top-2 right-2">
        <IconButton
          label="Make control characters visible"
          size="small"
          pressed={showsControls}
          onClick={() => setShowsControls(!showsControls)}
        >
          <Pilcrow aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div className="mono leading-[1.5] [overflow-wrap:anywhere] whitespace-pre-wrap [unicode-bidi:isolate]">
        {pieces.map((piece, place) => (
          // Pieces out of sight are not laid out. A width guessed for them would widen the whole page.
          <div key={place} className="[contain-intrinsic-height:auto_800px] [content-visibility:auto]">
            {showsControls ? <VisibleText text={piece} /> : piece}
          </div>
        ))}
      </div>
      {shown < text.length && <ShowMore hidden={text.length - shown} onClick={() => setLimit(limit * 4)} />}
    </div>
  );
}

/** Says that the end of the text is missing, and gets more of it. */
export function CutNote({ unit, size }: { readonly unit: UnitText; readonly size: number }) {
  const { text, loaded, state, loadMore } = unit;
  const part = loaded === null ? `${formatCount(text.length)} characters` : formatBytes(loaded);
  return (
    <div role="note" className="flex items-center gap-2 border-b border-line bg-raise px-3 py-1.5 text-mute">
      <p className="min-w-0 flex-1">
        Only the first {part} of {formatBytes(size)} are here. Hex shows every byte.
      </p>
      {loadMore && (
        <Button size="small" disabled={state === 'loading'} onClick={loadMore}>
          {{ idle: 'Load more', loading: 'Loading…', failed: 'Failed, try again' }[state]}
        </Button>
      )}
    </div>
  );
}
