import type { KeyboardEvent } from 'react';
import type { TraceView } from '../trace-view.ts';
import { toggleMark } from '../marks/mark-row.ts';
import { rowsPerPage, topToShow } from './scroll-map.ts';
import { actionOfKey, moveOfKey, placeAfter, type TableAction } from './table-keys.ts';
import type { RowScroll } from './use-row-scroll.ts';

/** What the table does with other parts of the window. */
export interface TableActions {
  /** Focuses the detail of the selected row. */
  readonly onOpenDetail: () => void;
  readonly onClose: () => void;
  readonly onColumns: () => void;
  readonly onNote: () => void;
  readonly onCopy: () => void;
}

/** The table's keys: moving among the rows, choosing several, and what is done with them. */
export function useTableKeys({
  view,
  actions,
  scroll,
}: {
  readonly view: TraceView;
  readonly actions: TableActions;
  readonly scroll: Omit<RowScroll, 'scrollerRef'>;
}): (press: KeyboardEvent) => void {
  const { selection, navigation, window } = view;
  const { track, top, first, end, moveTo } = scroll;
  const total = window.total;

  const run: Readonly<Record<TableAction, () => void>> = {
    pair: () => navigation.go('pair'),
    exchange: () => navigation.goToExchange(),
    parent: () => navigation.go('parent'),
    child: () => navigation.go('child'),
    'next-alike': () => navigation.seekAlike(1),
    'previous-alike': () => navigation.seekAlike(-1),
    'choose-all': () => selection.chooseAll(),
    toggle: () => {
      if (selection.cursor !== null) view.choose(selection.cursor, undefined, 'toggle');
    },
    mark: () => toggleMark(view, actions.onNote),
    note: actions.onNote,
    copy: actions.onCopy,
  };

  /** Brings a place into view. Walking among the rows lets go of the end, arriving there takes hold of it. */
  const bring = (place: number) => {
    const next = topToShow(track, top, place);
    if (place < total - 1) view.setLive(false);
    else if (next !== top) view.setLive(true);
    if (next !== top) moveTo(next);
  };

  return (press) => {
    const action = actionOfKey(press);
    if (action !== null) {
      // The text that is selected is what is to be copied.
      if (action === 'copy' && globalThis.getSelection()?.isCollapsed === false) return;
      press.preventDefault();
      run[action]();
      return;
    }
    // With Mod the cursor goes alone, to a row that is then chosen beside the others.
    const isAlone = press.ctrlKey || press.metaKey;
    const move = moveOfKey({ ...keyOf(press), ctrlKey: false, metaKey: false });
    if (move === null || (isAlone && move.to !== 'by')) return;
    press.preventDefault();
    if (move.to === 'detail') {
      if (view.selected !== null) actions.onOpenDetail();
      return;
    }
    if (move.to === 'close') {
      if (selection.picks.count > 0) selection.chooseOne();
      else actions.onClose();
      return;
    }
    if (move.to === 'last') view.setLive(true);
    const { cursor } = selection;
    const place = placeAfter(move, { cursor, total, first, end, rowsPerPage: rowsPerPage(track) });
    if (place === null) return;
    bring(place);
    if (isAlone) selection.moveCursor(place);
    else view.choose(place, undefined, press.shiftKey ? 'range' : 'alone');
  };
}

const keyOf = ({ key, altKey }: KeyboardEvent) => ({ key, altKey });
