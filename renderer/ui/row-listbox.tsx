import { type KeyboardEvent, type MouseEvent, type ReactNode, type Ref, useId, useState } from 'react';
import { cx } from './cx.ts';
import { type RowScroll, RowSlots, trackHeight } from './row-scroll.ts';

/** A row to draw. `slot`: its React key, by which rows that stay on screen keep their elements. */
export interface DrawnRow {
  readonly place: number;
  readonly slot: number;
  readonly id: string;
}

/**
 * A listbox over any number of rows of the same height, of which only the visible ones are rendered. One tab stop. Each row
 * is an option with the given id and `data-place`.
 */
export function RowListbox({
  label,
  scroll: { scrollerRef, track, top, first, end },
  cursor,
  onKeyDown,
  onPress,
  className,
  ref,
  children: draw,
}: {
  readonly label: string;
  readonly scroll: RowScroll;
  /** Place of the selected row; null for none. */
  readonly cursor: number | null;
  readonly onKeyDown: (press: KeyboardEvent) => void;
  /** The user pressed on a row. */
  readonly onPress: (place: number) => void;
  readonly className?: string;
  readonly ref: Ref<HTMLDivElement>;
  readonly children: (row: DrawnRow) => ReactNode;
}) {
  const baseId = useId();
  const { rowHeight, viewport, count } = track;
  const [slots] = useState(() => new RowSlots());
  const slotOf = slots.of({ first, end }, Math.ceil(viewport / rowHeight) + 1);
  const idOf = (place: number) => `${baseId}-${place}`;
  const isCursorDrawn = cursor !== null && cursor >= first && cursor < end;
  const onMouseDown = (press: MouseEvent) => {
    // On press, not on click: a moving list has another row there at release.
    const line = press.target instanceof Element ? press.target.closest('[data-place]') : null;
    if (press.button === 0 && line instanceof HTMLElement) onPress(Number(line.dataset.place));
  };
  const places = Array.from({ length: end - first }, (_, order) => first + order);
  return (
    <div
      ref={(element) => {
        scrollerRef.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      role="listbox"
      aria-label={label}
      aria-activedescendant={isCursorDrawn ? idOf(cursor) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      className={cx(
        '@container h-full overflow-x-hidden overflow-y-auto bg-panel outline-none [overflow-anchor:none]',
        className,
      )}
    >
      <div role="presentation" style={{ height: trackHeight(track) }}>
        <div
          role="presentation"
          className="mono sticky top-0 cursor-default overflow-hidden [contain:strict]"
          style={{ height: Math.min(viewport, count * rowHeight) }}
        >
          <div role="presentation" style={{ transform: `translateY(${first * rowHeight - top}px)` }}>
            {places.map((place) => draw({ place, slot: slotOf(place), id: idOf(place) }))}
          </div>
        </div>
      </div>
    </div>
  );
}
