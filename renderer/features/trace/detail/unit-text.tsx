import { Pilcrow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '#bridge';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { wireBytesOf } from '#shared/trace/sse-frame.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { VisibleText, PlainText } from '#ui/plain-text.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { ShowMore } from '#ui/show-more.tsx';
import { JsonView, type RevealRequest } from '../json/json-view.tsx';
import { type PointerNote, useOutline } from '../json/json-outline.ts';
import { bytesOfBase64 } from './hex-view.tsx';

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

/** Bytes of a cut text to go on to with the first click; each further click doubles it. */
const FIRST_STEP = 2 * 1024 * 1024;
/** More of a text than this is no use to a reader, and too much for a page; hex shows every byte. */
const MOST_LOADED = 8 * 1024 * 1024;

interface UnitText {
  readonly text: string;
  /** The end is missing. */
  readonly isCut: boolean;
  /** Bytes that `text` stands for; null when it is the engine's first part. */
  readonly loaded: number | null;
  readonly state: 'idle' | 'loading' | 'failed';
  /** Loads more of the bytes; null when it cannot: the bytes hold other messages too, or it is enough. */
  readonly loadMore: (() => void) | null;
}

/** The text of a unit: what the detail brought of it, and more on demand. */
export function useUnitText(sessionId: string, detail: RowDetail): UnitText {
  const [longer, setLonger] = useState<{ text: string; loaded: number; total: number } | null>(null);
  const [state, setState] = useState<UnitText['state']>('idle');
  const { row, batch } = detail.row;

  const load = async (goal: number) => {
    setState('loading');
    try {
      setLonger(await readText(sessionId, row, goal));
      setState('idle');
    } catch {
      // The button says so, and stays to try again.
      setState('failed');
    }
  };
  const mayLoad = batch === 1 && (longer?.loaded ?? 0) < MOST_LOADED;
  return {
    text: longer?.text ?? detail.text ?? '',
    isCut: longer ? longer.loaded < longer.total : detail.truncated,
    loaded: longer?.loaded ?? null,
    state,
    loadMore: mayLoad ? () => void load(longer ? longer.loaded * 2 : FIRST_STEP) : null,
  };
}

/** The first `goal` bytes of a unit as text. A character that the end cuts in two is left out. */
async function readText(sessionId: string, row: number, goal: number) {
  const decoder = new TextDecoder();
  let text = '';
  let loaded = 0;
  let total = goal;
  while (loaded < Math.min(goal, total)) {
    const count = Math.min(MAX_BYTES_PER_READ, goal - loaded);
    const answer = await call('trace/bytes', { sessionId, row, from: loaded, count });
    const bytes = bytesOfBase64(answer.base64);
    total = answer.total;
    loaded += bytes.length;
    text += decoder.decode(bytes, { stream: loaded < total });
    if (bytes.length === 0) break;
  }
  return { text, loaded, total };
}

/** Whether the event of a stream can be shown as it was written, from the data that `text` holds. */
const isFramed = ({ sse, row }: RowDetail): boolean =>
  // The frame is that of the whole unit, of which one message of a batch is but a part.
  sse !== null && sse.frame.length > 0 && sse.unframed === undefined && row.batch === 1;

/** The unit as it was on the wire: the data of an event together with the lines around it. */
export function useWireText(unit: UnitText, detail: RowDetail): UnitText {
  const { text, isCut } = unit;
  const frame = isFramed(detail) ? detail.sse?.frame : undefined;
  const wire = useMemo(() => (frame === undefined ? text : framed(text, isCut, frame)), [text, isCut, frame]);
  return { ...unit, text: wire };
}

function framed(text: string, isCut: boolean, frame: string[]): string {
  // Of data whose end is missing, only what stands before that end is known to be around it.
  const parts = isCut ? [...frame.slice(0, text.split('\n').length), ''] : frame;
  const bytes = wireBytesOf(new TextEncoder().encode(text), { frame: parts });
  return bytes === null ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Characters in a piece: what a browser lays out in a few milliseconds. */
export const PIECE_CHARS = 10_000;

/**
 * Cuts the first `limit` characters of a text into pieces that can be laid out apart from each other; at line
 * ends where there are any, never within a character.
 */
export function textPieces(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < Math.min(limit, text.length); ) {
    const end = endOfPiece(text, from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_CHARS;
  if (end >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
  if (lineEnd > from + PIECE_CHARS / 2) return lineEnd;
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The message over lines and in colour, to fold and to search; as it was sent when it is no JSON. */
export function MessageText({
  unit,
  notes,
  isFinding,
  onFind,
  revealed,
}: {
  readonly unit: UnitText;
  /** What was found wrong with it. */
  readonly notes: readonly PointerNote[];
  readonly isFinding: boolean;
  readonly onFind: (isFinding: boolean) => void;
  readonly revealed: RevealRequest | null;
}) {
  const outline = useOutline(unit.text, unit.isCut, notes);
  if (!outline.lines.isJson) {
    return (
      <div
        role="region"
        aria-label="Message"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="h-full overflow-auto"
      >
        <PlainText text={unit.text} className="mono p-3" />
      </div>
    );
  }
  return <JsonView outline={outline} isFinding={isFinding} onFind={onFind} revealed={revealed} />;
}
