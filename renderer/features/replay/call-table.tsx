import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type Ref, useEffect, useId, useRef, useState } from 'react';
import type { ComparedSides } from '#model/replay.ts';
import { selectTraceRow } from '#model/selection.ts';
import {
  type CallClass,
  type CallComparison,
  differingClasses,
  type OpenComparison,
} from '#shared/contract/comparison.ts';
import { ContextMenu, type MenuEntries } from '#ui/menu.tsx';
import { cx } from '#ui/cx.ts';
import { moveOfKey, placeAfter } from '#ui/row-keys.ts';
import { RowSlots, rowsPerPage, topToCentre, topToShow, trackHeight, useRowScroll } from '#ui/row-scroll.ts';
import { CallLine, columns } from './call-line.tsx';
import type { ComparedCalls } from './compared-calls.ts';
import type { SideNames } from './side-names.ts';
import type { TableLine } from './table-lines.ts';

const ROW_HEIGHT = 24;
/** Lines read ahead beyond both edges. */
const READ_AHEAD = 40;

/**
 * The calls of a comparison, of which only the visible ones are rendered. One tab stop, and one for the order; the arrow keys
 * move the selection, Enter goes to the responses, or unfolds a group; `N` and `P` lead to the next and the previous difference.
 */
export function CallTable({
  comparison,
  calls,
  lines,
  cursor,
  order,
  onOrder,
  onSelect,
  onToggle,
  onDifference,
  onEnter,
  compared,
  sides,
  sideNames,
  onIgnore,
  onAccept,
  ref,
}: {
  readonly comparison: OpenComparison;
  readonly calls: ComparedCalls;
  readonly lines: readonly TableLine[];
  /** The selected line; null for none. */
  readonly cursor: number | null;
  readonly order: 'class' | 'recording';
  readonly onOrder: () => void;
  readonly onSelect: (line: number) => void;
  /** Folds or unfolds a group. */
  readonly onToggle: (of: CallClass) => void;
  readonly onDifference: (step: 1 | -1) => void;
  /** Focuses the responses. */
  readonly onEnter: () => void;
  /** The selected call; undefined if none is, or it is not read yet. */
  readonly compared: CallComparison | undefined;
  readonly sides: ComparedSides;
  readonly sideNames: SideNames;
  readonly onIgnore: (path: string) => void;
  readonly onAccept: (isAccepted: boolean) => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  const baseId = useId();
  const count = lines.length;
  const { scrollerRef, track, top, first, end, moveTo } = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    headHeight: ROW_HEIGHT,
  });
  const selected = cursor === null ? undefined : lines[cursor]?.place;
  useEffect(() => {
    const near = lines.slice(Math.max(0, first - READ_AHEAD), end + READ_AHEAD).map(({ place }) => place);
    // Its responses are shown, wherever the table is scrolled to.
    calls.want(selected === undefined ? near : [...near, selected]);
  }, [calls, lines, first, end, selected]);
  /** The line that was scrolled to. */
  const shown = useRef(cursor);
  useEffect(() => {
    if (shown.current === cursor || track.viewport === 0) return;
    shown.current = cursor;
    // Selected elsewhere, or its call has moved: by a rule, by an accepted response.
    if (cursor === null) return;
    const next = topToCentre(track, top, cursor);
    if (next !== top) moveTo(next);
  });

  const toggleAt = (at: number): boolean => {
    const line = lines[at];
    if (line?.of !== 'group') return false;
    onToggle(line.class);
    return true;
  };
  const onKeyDown = (press: KeyboardEvent) => {
    // These press the button of the head.
    if (press.target instanceof HTMLButtonElement && (press.key === 'Enter' || press.key === ' ')) return;
    const step = stepOfKey(press);
    if (step !== null) {
      press.preventDefault();
      onDifference(step);
      return;
    }
    const move = moveOfKey(press);
    if (move === null) return;
    press.preventDefault();
    if (move.to === 'close') return;
    if (move.to === 'detail') {
      if (cursor !== null && !toggleAt(cursor)) onEnter();
      return;
    }
    const next = placeAfter(move, { cursor, total: count, first, end, pageRows: rowsPerPage(track) });
    if (next === null) return;
    const nextTop = topToShow(track, top, next);
    if (nextTop !== top) moveTo(nextTop);
    onSelect(next);
  };
  const onMouseDown = (press: MouseEvent) => {
    const line = press.target instanceof Element ? press.target.closest('[data-line]') : null;
    if (press.button === 1 || !(line instanceof HTMLElement)) return;
    const at = Number(line.dataset.line);
    onSelect(at);
    if (press.button === 0) toggleAt(at);
  };

  const [slots] = useState(() => new RowSlots());
  const slotOf = slots.of({ first, end }, Math.ceil(track.viewport / ROW_HEIGHT) + 1);
  const idOf = (line: number) => `${baseId}-${line}`;
  const isCursorDrawn = cursor !== null && cursor >= first && cursor < end;
  return (
    <ContextMenu entries={menuOf(compared, sides, sideNames.heads, { onIgnore, onAccept })}>
      <div
        ref={(element) => {
          scrollerRef.current = element;
          if (typeof ref === 'function') ref(element);
          else if (ref) ref.current = element;
        }}
        role="grid"
        aria-label="Compared calls"
        aria-rowcount={count + 1}
        aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseDown={onMouseDown}
        className="@container min-h-0 flex-1 overflow-x-hidden overflow-y-auto bg-panel [overflow-anchor:none] focus-visible:outline-none focus-visible:[&_[aria-selected=true]]:shadow-[inset_2px_0_var(--accent)]"
      >
        <TableHead order={order} onOrder={onOrder} sideNames={sideNames} />
        <div role="rowgroup" style={{ height: trackHeight(track) }}>
          <div
            role="presentation"
            className="mono sticky top-(--row) cursor-default overflow-hidden [contain:strict]"
            style={{ height: Math.min(track.viewport, count * ROW_HEIGHT) }}
          >
            <div role="presentation" style={{ transform: `translateY(${first * ROW_HEIGHT - top}px)` }}>
              {Array.from({ length: end - first }, (_, index) => {
                const at = first + index;
                const line = lines[at];
                if (line === undefined) return null;
                return (
                  <CallLine
                    key={slotOf(at)}
                    id={idOf(at)}
                    at={at}
                    line={line}
                    name={comparison.classes[line.place] ?? 'same'}
                    call={calls.at(line.place)}
                    isSelected={at === cursor}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </div>
    </ContextMenu>
  );
}

/** The step to the next or the previous difference; null for other keys. */
function stepOfKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): 1 | -1 | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === 'n') return 1;
  return key === 'p' ? -1 : null;
}

function TableHead({
  order,
  onOrder,
  sideNames: { heads, names },
}: {
  readonly order: 'class' | 'recording';
  readonly onOrder: () => void;
  readonly sideNames: SideNames;
}) {
  return (
    <div
      role="rowgroup"
      className="sticky top-0 z-1 border-b border-line bg-panel text-xs text-faint select-none"
    >
      <div role="row" aria-rowindex={1} className={cx(columns, 'h-[23px]')}>
        <div role="columnheader" aria-sort={order === 'class' ? 'descending' : 'none'}>
          <button
            type="button"
            title={order === 'class' ? 'Sort by the recording' : 'Sort by class'}
            onClick={onOrder}
            className="flex items-center gap-1 hover:text-text"
          >
            class {order === 'class' && <ChevronDown aria-hidden className="size-3" />}
          </button>
        </div>
        <div role="columnheader">call</div>
        <div role="columnheader">rows</div>
        <div role="columnheader">difference</div>
        {heads.map((head, side) => (
          <div
            key={side === 0 ? 'left' : 'right'}
            role="columnheader"
            title={names[side]}
            className="truncate text-right @max-[560px]:hidden"
          >
            {head}
          </div>
        ))}
        <div role="columnheader" className="@max-[820px]:text-right @max-[560px]:hidden">
          latency
        </div>
      </div>
    </div>
  );
}

/** What can be done with the selected call. */
function menuOf(
  compared: CallComparison | undefined,
  sides: ComparedSides,
  [left, right]: SideNames['heads'],
  {
    onIgnore,
    onAccept,
  }: {
    readonly onIgnore: (path: string) => void;
    readonly onAccept: (isAccepted: boolean) => void;
  },
): MenuEntries {
  if (compared === undefined)
    return [{ label: 'No call selected', disabled: true, onSelect: () => undefined }];
  const { recorded, other, isAccepted } = compared;
  const paths = compared.differences.map(({ path }) => path).slice(0, 8);
  const rows = [
    [left, recorded, sides.recorded],
    [right, other, sides.other],
  ] as const;
  return [
    ...paths.map((path) => ({ label: 'Ignore', detail: path, onSelect: () => onIgnore(path) })),
    isAccepted
      ? { label: 'Take back the accepted response', onSelect: () => onAccept(false) }
      : {
          label: 'Accept as baseline',
          disabled: recorded === null || other === null || !differingClasses.includes(compared.class),
          onSelect: () => onAccept(true),
        },
    null,
    ...rows.map(([head, side, sessionId]) => ({
      label: 'Show the row',
      detail: head,
      disabled: side === null,
      onSelect: () => selectTraceRow(sessionId, side?.row ?? null),
    })),
  ];
}
