import { type KeyboardEvent, type Ref, useState } from 'react';
import type { MockExchange } from '#shared/contract/mocks.ts';
import { formatClock } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { moveOfKey, placeAfter } from '#ui/row-keys.ts';
import { RowListbox } from '#ui/row-listbox.tsx';
import { maxTop, rowsPerPage, topToShow, useRowScroll } from '#ui/row-scroll.ts';
import { visibleLine } from '#ui/visible.ts';
import { OutcomeChips } from './outcome-labels.tsx';

const ROW_HEIGHT = 24;

/**
 * What a mock was asked, in the order the exchanges ended, of which only the visible ones are rendered. One tab stop; the arrow
 * keys move the selection, Enter goes to the detail. Follows the newest until the user scrolls up or selects another.
 */
export function ExchangeList({
  exchanges,
  selected,
  onSelect,
  onEnter,
  ref,
}: {
  readonly exchanges: readonly MockExchange[];
  /** Number of the selected exchange; null for none. */
  readonly selected: number | null;
  readonly onSelect: (exchange: number | null) => void;
  /** Focuses the detail. */
  readonly onEnter: () => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  const [isLive, setLive] = useState(true);
  const count = exchanges.length;
  const found = exchanges.findIndex(({ number }) => number === selected);
  const cursor = found === -1 ? null : found;
  const scroll = useRowScroll({
    count,
    rowHeight: ROW_HEIGHT,
    pinnedEnd: isLive ? () => count : null,
    onUserScroll: setLive,
  });
  const { track, top, first, end, moveTo } = scroll;

  const onKeyDown = (press: KeyboardEvent) => {
    const move = moveOfKey(press);
    if (move === null) return;
    press.preventDefault();
    if (move.to === 'detail') {
      if (cursor !== null) onEnter();
      return;
    }
    if (move.to === 'close') return onSelect(null);
    const place = placeAfter(move, { cursor, total: count, first, end, pageRows: rowsPerPage(track) });
    if (place === null) return;
    const next = topToShow(track, top, place);
    setLive(place === count - 1 && next >= maxTop(track));
    if (next !== top) moveTo(next);
    onSelect(exchanges[place]?.number ?? null);
  };
  return (
    <RowListbox
      ref={ref}
      label="Requests to the mock"
      scroll={scroll}
      cursor={cursor}
      onKeyDown={onKeyDown}
      onPress={(place) => {
        setLive(isLive && place === count - 1);
        onSelect(exchanges[place]?.number ?? null);
      }}
      className="focus-visible:[&_[aria-selected=true]]:shadow-[inset_2px_0_var(--accent)]"
    >
      {({ place, slot, id }) => {
        const exchange = exchanges[place];
        return (
          exchange && (
            <ExchangeLine
              key={slot}
              id={id}
              place={place}
              count={count}
              exchange={exchange}
              isSelected={exchange.number === selected}
            />
          )
        );
      }}
    </RowListbox>
  );
}

function ExchangeLine({
  id,
  place,
  count,
  exchange,
  isSelected,
}: {
  readonly id: string;
  readonly place: number;
  readonly count: number;
  readonly exchange: MockExchange;
  readonly isSelected: boolean;
}) {
  const { at, client, clientName, method, target, match } = exchange;
  return (
    <div
      role="option"
      id={id}
      aria-selected={isSelected}
      aria-posinset={place + 1}
      aria-setsize={count}
      data-place={place}
      className="grid h-row grid-cols-[92px_minmax(0,140px)_minmax(0,1fr)_auto] items-center gap-x-2 px-2.5 whitespace-nowrap [contain:strict] hover:bg-hover aria-selected:bg-sel @max-[640px]:grid-cols-[92px_24px_minmax(0,1fr)_auto] @max-[440px]:grid-cols-[16px_minmax(0,1fr)_auto]"
    >
      <span className={cx('tabular-nums @max-[440px]:hidden', isSelected ? 'text-mute' : 'text-faint')}>
        {formatClock(at)}
      </span>
      <span className="truncate text-mute" title={visibleLine(clientText(exchange))}>
        {client}
        {clientName !== null && <span className="@max-[640px]:hidden"> · {visibleLine(clientName)}</span>}
      </span>
      <span className={cx('truncate', match === 'miss' && 'text-err')}>
        {visibleLine(method)}
        {target !== null && <span className="text-mute"> {visibleLine(target)}</span>}
      </span>
      <OutcomeChips exchange={exchange} />
    </div>
  );
}

/** `1 · claude-code`: the number of the client, and what it calls itself. */
export const clientText = ({ client, clientName }: MockExchange): string =>
  [String(client), ...(clientName === null ? [] : [clientName])].join(' · ');
