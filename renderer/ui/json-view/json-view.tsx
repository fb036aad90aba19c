import { ChevronsDownUp, ChevronsUpDown, Search } from 'lucide-react';
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type RefObject,
  useLayoutEffect,
} from 'react';
import { IconButton } from '#ui/button.tsx';
import { copyText } from '#ui/clipboard.ts';
import { cx } from '#ui/cx.ts';
import { ContextMenu } from '#ui/menu.tsx';
import { matchesShortcut } from '#ui/shortcut.ts';
import { rowsPerPage, topToCentre, topToShow, trackHeight, useRowScroll } from '../row-scroll.ts';
import { DecodedPanel } from './decoded-panel.tsx';
import { encodedKindOf, type EncodedValue, encodedValueOf } from './encoded.ts';
import { FindBar, type Match, useFind } from './find.tsx';
import { GUTTER, JsonLineView, ROW_HEIGHT } from './json-line.tsx';
import type { JsonOutline } from './json-outline.ts';
import { lineAtPointer, pointerTo } from './line-pointers.ts';
import { lineMenu, sourceOf, moveOfKey } from './line-actions.ts';

/** Asks to scroll a value into view; a new object is a new request. */
export interface RevealRequest {
  readonly pointer: string;
}

/** Space on the right for the scroll bar and some padding; pixels. */
const RIGHT = 14;

interface Decoded extends EncodedValue {
  readonly pointer: string;
}

/**
 * A JSON text with folding, search, copying and decoding. Only visible rows are rendered. One tab stop; the arrow keys
 * move through it as through a tree.
 */
export function JsonView({
  outline,
  label = 'Message',
  maxRows,
  isFinding,
  onFind,
  revealed,
}: {
  readonly outline: JsonOutline;
  /** Accessible name. */
  readonly label?: string;
  /** The most rows by which the view grows; without it, the view is as high as its frame. */
  readonly maxRows?: number;
  /** Whether the search bar is open. */
  readonly isFinding: boolean;
  readonly onFind: (isFinding: boolean) => void;
  readonly revealed: RevealRequest | null;
}) {
  const { lines, layout, cursor } = outline;
  const baseId = useId();
  const probeRef = useRef<HTMLSpanElement>(null);
  const [decoded, setDecoded] = useState<Decoded | null>(null);
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({
    count: layout.rows,
    rowHeight: ROW_HEIGHT,
  });
  useColumns(
    scrollerRef,
    probeRef,
    GUTTER + RIGHT,
    useCallback((columns) => outline.setColumns(columns), [outline]),
  );

  const [reveal, setReveal] = useState<{ readonly row: number } | null>(null);
  const revealOffset = useCallback((offset: number) => setReveal({ row: outline.reveal(offset) }), [outline]);
  useEffect(() => {
    // The track includes the unfolded rows only after the next render.
    if (reveal === null || track.viewport === 0) return;
    setReveal(null);
    moveTo(topToCentre(track, top, reveal.row));
  }, [reveal, track, top, moveTo]);

  // The panel of the decoded value must not push the cursor out of view.
  const hasDecoded = decoded !== null;
  const seenViewport = useRef(track.viewport);
  useEffect(() => {
    const before = seenViewport.current;
    seenViewport.current = track.viewport;
    if (!hasDecoded || track.viewport >= before) return;
    moveTo(topToShow(track, top, layout.startOf(layout.placeOf(cursor))));
  }, [hasDecoded, track, top, layout, cursor, moveTo]);

  const { isDone } = lines;
  const served = useRef<RevealRequest | null>(null);
  useEffect(() => {
    if (revealed === null || revealed === served.current || !isDone) return;
    served.current = revealed;
    revealOffset(startOf(outline, lineAtPointer(outline.lines, revealed.pointer)));
    scrollerRef.current?.focus();
  }, [revealed, isDone, outline, revealOffset, scrollerRef]);

  const find = useFind(
    lines.raw,
    () => startOf(outline, cursor),
    useCallback(({ from }: Match) => revealOffset(from), [revealOffset]),
  );
  const closeFind = () => {
    find.setText('');
    onFind(false);
    scrollerRef.current?.focus();
  };

  const goTo = (line: number) => {
    outline.moveCursor(line);
    moveTo(topToShow(track, top, layout.startOf(layout.placeOf(line))));
  };
  const decode = (line: number) => {
    const kind = encodedKindOf(lines, line);
    if (kind !== null) setDecoded({ ...encodedValueOf(lines, line, kind), pointer: pointerTo(lines, line) });
  };
  const toggle = (line: number) => {
    if (lines.isOpen(line)) outline.setFolded(line, !outline.isFolded(line));
    else if (layout.rowsOf(line).some((row) => row.what === 'rest' && row.hidden > 0))
      outline.setUnabridged(line, true);
    else decode(line);
  };

  const onKeyDown = (press: KeyboardEvent) => {
    const isSelecting = window.getSelection()?.isCollapsed === false;
    if (matchesShortcut(press.nativeEvent, 'Mod+C') && !isSelecting) {
      press.preventDefault();
      void copyText(sourceOf(lines, cursor));
      return;
    }
    const move = moveOfKey(press, outline, rowsPerPage(track));
    if (move === null) return;
    press.preventDefault();
    switch (move.to) {
      case 'line':
        goTo(move.line);
        break;
      case 'fold':
      case 'unfold':
        outline.setFolded(cursor, move.to === 'fold');
        break;
      case 'toggle':
        toggle(cursor);
        break;
      case 'fold-all':
        outline.foldAll();
        break;
      case 'unfold-all':
        outline.unfoldAll();
        break;
      case 'next-match':
      case 'previous-match':
        find.step(move.to === 'next-match' ? 1 : -1);
    }
  };

  const idOf = (line: number) => `${baseId}-${line}`;
  const currentMatch = find.current === null ? null : (find.matches[find.current] ?? null);
  const drawn: { readonly line: number; readonly start: number }[] = [];
  for (let place = layout.placeOfRow(first); place < layout.count && layout.startOf(place) < end; place++) {
    drawn.push({ line: layout.lineAt(place), start: layout.startOf(place) });
  }
  const isCursorDrawn = drawn.some(({ line }) => line === cursor);
  const menu = lineMenu({ outline, onDecode: () => decode(cursor) });

  return (
    <div className="flex h-full min-h-0 flex-col">
      {isFinding && <FindBar find={find} onClose={closeFind} />}
      <div
        className={cx('relative min-h-0', maxRows === undefined ? 'flex-1' : 'shrink-0')}
        style={maxRows === undefined ? undefined : { height: Math.min(layout.rows, maxRows) * ROW_HEIGHT }}
      >
        <span ref={probeRef} aria-hidden className="mono invisible absolute whitespace-pre">
          {PROBE}
        </span>
        <ContextMenu entries={menu}>
          <div
            ref={scrollerRef}
            role="tree"
            aria-label={label}
            // A scrolling region must be reachable by keyboard.
            tabIndex={0}
            aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
            onKeyDown={onKeyDown}
            className="h-full overflow-x-hidden overflow-y-auto [overflow-anchor:none]"
          >
            <div role="presentation" style={{ height: trackHeight(track) }}>
              <div
                role="presentation"
                className="mono sticky top-0 overflow-hidden [contain:strict] [font-variant-ligatures:none]"
                style={{ height: track.viewport }}
              >
                <div
                  role="presentation"
                  style={{
                    transform: `translateY(${(drawn[0] ? Math.max(first, drawn[0].start) : first) * ROW_HEIGHT - top}px)`,
                  }}
                >
                  {drawn.map(({ line, start }) => (
                    <JsonLineView
                      key={line}
                      id={idOf(line)}
                      depth={lines.depth(line)}
                      indent={layout.indentOf(line)}
                      rows={layout.rowsOf(line, Math.max(0, first - start), end - start)}
                      isClose={lines.isClose(line)}
                      isFolded={lines.isOpen(line) ? outline.isFolded(line) : null}
                      isCursor={line === cursor}
                      isDimmed={outline.isDimmed(line)}
                      notes={outline.notesOf(line)}
                      encoded={encodedKindOf(lines, line)}
                      matches={find.matches}
                      currentMatch={currentMatch}
                      onSelect={() => outline.moveCursor(line)}
                      onFold={() => outline.setFolded(line, !outline.isFolded(line))}
                      onShowAll={(isAll) => outline.setUnabridged(line, isAll)}
                      onDecode={() => decode(line)}
                    />
                  ))}
                </div>
              </div>
            </div>
          </div>
        </ContextMenu>
        <Tools outline={outline} onFind={() => (isFinding ? closeFind() : onFind(true))} />
      </div>
      {decoded && (
        <DecodedPanel
          key={decoded.pointer}
          value={decoded}
          pointer={decoded.pointer}
          onClose={() => {
            setDecoded(null);
            scrollerRef.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** The buttons in the upper right corner of the text. */
function Tools({ outline, onFind }: { readonly outline: JsonOutline; readonly onFind: () => void }) {
  return (
    <div className="absolute top-0.5 right-3 flex rounded-ui border border-line bg-panel">
      <IconButton label="Find in the message" shortcut="/" size="small" onClick={onFind}>
        <Search aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton label="Fold all" shortcut="-" size="small" onClick={() => outline.foldAll()}>
        <ChevronsDownUp aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton label="Unfold all" shortcut="*" size="small" onClick={() => outline.unfoldAll()}>
        <ChevronsUpDown aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}

/** Where a line starts in the raw text. */
function startOf({ lines }: JsonOutline, line: number): number {
  const { keyFrom, from } = lines.line(line);
  return keyFrom < 0 ? from : keyFrom;
}

/** The text whose width is measured. */
const PROBE = '0'.repeat(50);
/** Width of a character before the font has loaded; pixels. */
const DEFAULT_WIDTH = 7.2;

/** Reports how many columns fit into a scroller, whenever that changes. */
function useColumns(
  scrollerRef: RefObject<HTMLElement | null>,
  probeRef: RefObject<HTMLElement | null>,
  reserved: number,
  onChange: (columns: number) => void,
): void {
  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    const probe = probeRef.current;
    if (scroller === null || probe === null) return;
    const measure = () => {
      const width = probe.getBoundingClientRect().width / PROBE.length || DEFAULT_WIDTH;
      onChange(Math.max(10, Math.floor((scroller.clientWidth - reserved) / width)));
    };
    measure();
    // The font loads after the page.
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    observer.observe(probe);
    return () => observer.disconnect();
  }, [scrollerRef, probeRef, reserved, onChange]);
}
