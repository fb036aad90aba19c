import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { bytesOfBase64 } from '#ui/media/media.ts';
import { useSignal, FrameSignal, onNextFrame } from '#ui/frame-signal.ts';
import { rowsPerPage, topToCentre, trackHeight, useRowScroll } from '#ui/row-scroll.ts';
import { moveOfKey, type RowMove } from '#ui/row-keys.ts';

const LINE_HEIGHT = 20;
/** Wide enough for sixteen bytes a line; narrower views show eight. */
const WIDE_ENOUGH = 540;

/** The bytes of a unit: offset, hexadecimal, ASCII. Reads only what is visible. */
export function HexView({
  sessionId,
  row,
  size,
  badByteAt,
}: {
  readonly sessionId: string;
  readonly row: number;
  readonly size: number;
  /** The first byte that is not UTF-8. */
  readonly badByteAt: number | null;
}) {
  const bytes = useMemo(() => new HexBytes(sessionId, row, size), [sessionId, row, size]);
  useSignal(bytes.signal);
  if (bytes.error !== null) {
    return (
      <FaultCard
        fault={faultOf(bytes.error)}
        actions={<Button onClick={() => bytes.retry()}>Try again</Button>}
        className="m-2"
      />
    );
  }
  return <HexLines bytes={bytes} badByteAt={badByteAt} />;
}

function HexLines({ bytes, badByteAt }: { readonly bytes: HexBytes; readonly badByteAt: number | null }) {
  useSignal(bytes.signal);
  const [perLine, setPerLine] = useState<8 | 16>(8);
  const count = Math.ceil(bytes.total / perLine);
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({ count, rowHeight: LINE_HEIGHT });

  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (scroller === null) return;
    const measure = () => setPerLine(scroller.clientWidth >= WIDE_ENOUGH ? 16 : 8);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scrollerRef]);

  useEffect(() => bytes.want(first * perLine, end * perLine), [bytes, first, end, perLine]);

  const isBadByteShown = useRef(false);
  useEffect(() => {
    if (isBadByteShown.current || badByteAt === null || track.viewport === 0) return;
    isBadByteShown.current = true;
    moveTo(topToCentre(track, top, Math.floor(badByteAt / perLine)));
  });

  const onKeyDown = (press: KeyboardEvent) => {
    const move = moveOfKey(press);
    const lines = move && linesMoved(move, count, rowsPerPage(track));
    if (lines === null) return;
    press.preventDefault();
    moveTo(top + lines * LINE_HEIGHT);
  };

  return (
    <div
      ref={scrollerRef}
      role="region"
      aria-label="Bytes"
      // A scrolling region must be reachable by keyboard.
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="h-full overflow-x-hidden overflow-y-auto"
    >
      <div style={{ height: trackHeight(track) }}>
        <div
          className="sticky top-0 overflow-hidden px-3 font-mono text-xs"
          style={{ height: track.viewport }}
        >
          <div style={{ transform: `translateY(${first * LINE_HEIGHT - top}px)` }}>
            {Array.from({ length: end - first }, (_, order) => (
              <Line
                key={first + order}
                bytes={bytes.at((first + order) * perLine, perLine)}
                offset={(first + order) * perLine}
                perLine={perLine}
                badByteAt={badByteAt}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The distance of a move in lines; null for moves that do not scroll. */
function linesMoved(move: RowMove, count: number, linesPerPage: number): number | null {
  switch (move.to) {
    case 'by':
      return move.rows;
    case 'page':
      return move.pages * linesPerPage;
    case 'first':
      return -count;
    case 'last':
      return count;
    default:
      return null;
  }
}

function Line({
  bytes,
  offset,
  perLine,
  badByteAt,
}: {
  readonly bytes: Uint8Array | undefined;
  readonly offset: number;
  readonly perLine: number;
  readonly badByteAt: number | null;
}) {
  const line = hexLine(bytes ?? new Uint8Array(), offset);
  const bad = badByteAt === null ? -1 : badByteAt - offset;
  return (
    <div className="flex h-5 items-center gap-3 whitespace-pre">
      <span className="text-faint">{line.offset}</span>
      <span className="shrink-0" style={{ width: `${perLine * 3 - 1}ch` }}>
        <Marked parts={line.hex} place={bad} separator=" " />
      </span>
      <span className="text-mute">
        <Marked parts={line.ascii} place={bad} separator="" />
      </span>
    </div>
  );
}

/** Joins the parts, and marks the one at `place`. */
function Marked({
  parts,
  place,
  separator,
}: {
  readonly parts: readonly string[];
  readonly place: number;
  readonly separator: string;
}) {
  const marked = parts[place];
  if (marked === undefined) return parts.join(separator);
  return (
    <>
      {parts.slice(0, place).map((part) => part + separator)}
      <mark title="The first byte that is not UTF-8" className="rounded-sm bg-err text-err-ink">
        {marked}
      </mark>
      {parts.slice(place + 1).map((part) => separator + part)}
    </>
  );
}

const PAGE_BYTES = 16 * 1024;
const MAX_PAGES = 64;

/** The bytes of one unit: a bounded number of pages, read as they come into view. */
class HexBytes {
  readonly signal = new FrameSignal();
  readonly #sessionId: string;
  readonly #row: number;
  readonly #pages = new Map<number, Uint8Array>();
  readonly #requested = new Set<number>();
  #total: number;
  #error: unknown = null;
  #wanted = { from: 0, end: 0 };
  #isPlanned = false;

  constructor(sessionId: string, row: number, size: number) {
    this.#sessionId = sessionId;
    this.#row = row;
    this.#total = size;
  }

  /** Recorded bytes. Until the first page is read, the size on the wire, which replaced secrets may change. */
  get total(): number {
    return this.#total;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Up to `count` bytes of one page from `offset` on; undefined when they are not held (yet). */
  at(offset: number, count: number): Uint8Array | undefined {
    const start = offset % PAGE_BYTES;
    return this.#pages.get(Math.floor(offset / PAGE_BYTES))?.subarray(start, start + count);
  }

  /** Reads these bytes where they are missing. */
  want(from: number, end: number): void {
    this.#wanted = { from, end };
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    onNextFrame(() => {
      this.#isPlanned = false;
      this.#readWanted();
    });
  }

  retry(): void {
    this.#error = null;
    this.#readWanted();
    this.signal.notifyNow();
  }

  #readWanted(): void {
    if (this.#error !== null) return;
    const { from, end } = this.#wanted;
    for (let page = Math.floor(from / PAGE_BYTES); page * PAGE_BYTES < Math.min(end, this.#total); page++) {
      if (!this.#pages.has(page) && !this.#requested.has(page)) void this.#read(page);
    }
  }

  async #read(page: number): Promise<void> {
    this.#requested.add(page);
    try {
      const { base64, total } = await call('trace/bytes', {
        sessionId: this.#sessionId,
        row: this.#row,
        from: page * PAGE_BYTES,
        count: PAGE_BYTES,
      });
      this.#total = total;
      this.#pages.set(page, bytesOfBase64(base64));
      const [oldest] = this.#pages.keys();
      if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    } catch (error) {
      this.#error = error;
    }
    this.#requested.delete(page);
    this.signal.notify();
  }
}

interface HexLine {
  /** Eight hexadecimal digits, more where needed. */
  readonly offset: string;
  /** Two digits per byte. */
  readonly hex: readonly string[];
  /** One character per byte; a dot for bytes that are not printable ASCII. */
  readonly ascii: readonly string[];
}

/** The line of these bytes, which starts at `offset`. */
export function hexLine(bytes: Uint8Array, offset: number): HexLine {
  const line = Array.from(bytes);
  return {
    offset: offset.toString(16).padStart(8, '0'),
    hex: line.map((byte) => byte.toString(16).padStart(2, '0')),
    ascii: line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')),
  };
}
