import { Pilcrow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '#bridge';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { formatBytes, formatCount, formatQuantity } from '#shared/format.ts';
import { wireBytesOf } from '#shared/trace/sse-frame.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { VisibleText, PlainText } from '#ui/plain-text.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { ShowMore } from '#ui/show-more.tsx';
import { JsonView, type RevealRequest } from '#ui/json-view/json-view.tsx';
import { type PointerNote, useOutline } from '#ui/json-view/json-outline.ts';
import type { UnknownKeys } from './unknown-keys.ts';
import { bytesOfBase64 } from '#ui/media/media.ts';

interface UnitText {
  readonly text: string;
  /** Whether the end of the text is missing. */
  readonly isTruncated: boolean;
  /** Bytes of `text`; null for the first part, which comes with the detail. */
  readonly loaded: number | null;
  readonly state: 'idle' | 'loading' | 'failed';
  /** Loads more bytes; null for a message of a batch, and at the limit. */
  readonly loadMore: (() => void) | null;
}

/** The text of a unit: the first part comes with the detail, more on demand. */
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
      // The button says so and allows a retry.
      setState('failed');
    }
  };
  const mayLoad = batch === 1 && (longer?.loaded ?? 0) < MAX_LOADED;
  return {
    text: longer?.text ?? detail.text ?? '',
    isTruncated: longer ? longer.loaded < longer.total : detail.truncated,
    loaded: longer?.loaded ?? null,
    state,
    loadMore: mayLoad ? () => void load(longer ? longer.loaded * 2 : FIRST_STEP) : null,
  };
}

/** The unit as it was on the wire: the data of an event with the lines around it. */
export function useWireText(unit: UnitText, detail: RowDetail): UnitText {
  const { text, isTruncated } = unit;
  const frame = isFramed(detail) ? detail.sse?.frame : undefined;
  const wire = useMemo(
    () => (frame === undefined ? text : framed(text, isTruncated, frame)),
    [text, isTruncated, frame],
  );
  return { ...unit, text: wire };
}

/** The message pretty-printed, with folding and search; as it was sent when it is not JSON. */
export function MessageText({
  unit,
  notes,
  unknown,
  isFinding,
  onFind,
  revealed,
}: {
  readonly unit: UnitText;
  /** The findings. */
  readonly notes: readonly PointerNote[];
  readonly unknown: UnknownKeys;
  readonly isFinding: boolean;
  readonly onFind: (isFinding: boolean) => void;
  readonly revealed: RevealRequest | null;
}) {
  const outline = useOutline(unit.text, unit.isTruncated, notes, unknown.pointers);
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
  const view = <JsonView outline={outline} isFinding={isFinding} onFind={onFind} revealed={revealed} />;
  const { pointers, revision } = unknown;
  if (pointers.length === 0) return view;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <p role="note" className="px-3 pt-1 text-sm text-mute" title={pointers.join('\n')}>
        <span className="italic">Dimmed</span>: {formatQuantity(pointers.length, 'key')} unknown to MCP{' '}
        {revision}, which is allowed
      </p>
      <div className="min-h-0 flex-1">{view}</div>
    </div>
  );
}

/** The text exactly as it was sent. Control characters are made visible unless the user turns that off. */
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
        {pieces.map((piece, index) => (
          // Off-screen pieces are not laid out. Guessing their width would widen the whole page.
          <div key={index} className="[contain-intrinsic-height:auto_800px] [content-visibility:auto]">
            {showsControls ? <VisibleText text={piece} /> : piece}
          </div>
        ))}
      </div>
      {shown < text.length && <ShowMore hidden={text.length - shown} onClick={() => setLimit(limit * 4)} />}
    </div>
  );
}

/** Says that the text is truncated, and loads more of it. */
export function TruncatedNote({ unit, size }: { readonly unit: UnitText; readonly size: number }) {
  const { text, loaded, state, loadMore } = unit;
  const part = loaded === null ? `${formatCount(text.length)} characters` : formatBytes(loaded);
  return (
    <div role="note" className="flex items-center gap-2 border-b border-line bg-raise px-3 py-1.5 text-mute">
      <p className="min-w-0 flex-1">
        Only the first {part} of {formatBytes(size)} are shown. The Hex tab shows every byte.
      </p>
      {loadMore && (
        <Button size="small" disabled={state === 'loading'} onClick={loadMore}>
          {{ idle: 'Load more', loading: 'Loading…', failed: 'Failed, try again' }[state]}
        </Button>
      )}
    </div>
  );
}

/** The message pretty-printed, for the clipboard; as it was sent when it is not JSON. */
export const prettyText = ({ text, isTruncated }: UnitText): string =>
  prettyJson(text, isTruncated)
    ?.map((piece) => piece.text)
    .join('') ?? text;

/** Characters rendered at first; each click on "Show more" quadruples them. */
const FIRST_CHARS = 50_000;

/** Bytes after the first click on "Load more"; each further click doubles them. */
const FIRST_STEP = 2 * 1024 * 1024;

/** Limit of "Load more"; bytes. The Hex tab shows every byte. */
const MAX_LOADED = 8 * 1024 * 1024;

/** The first `goal` bytes of a unit as text, without a character that the end cuts in two. */
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

/** Whether the raw stream event can be rebuilt from its data. */
const isFramed = ({ sse, row }: RowDetail): boolean =>
  // The frame belongs to the whole unit, of which a message of a batch is only a part.
  sse !== null && sse.frame.length > 0 && sse.unframed === undefined && row.batch === 1;

function framed(text: string, isTruncated: boolean, frame: string[]): string {
  // For truncated data, only the frame of its first lines is known.
  const parts = isTruncated ? [...frame.slice(0, text.split('\n').length), ''] : frame;
  const bytes = wireBytesOf(new TextEncoder().encode(text), { frame: parts });
  return bytes === null ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Characters per piece: what a browser lays out in a few milliseconds. */
export const PIECE_CHARS = 10_000;

/**
 * Cuts the first `limit` characters of a text into pieces that are laid out independently: at line ends where possible,
 * never within a character.
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
