import type { KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { toggleMark } from '../selection/marks.tsx';
import type { TraceView } from '../trace-view.ts';
import { canWrap } from './row-labels.ts';
import { type Key, moveOfKey, placeAfter } from '#ui/row-keys.ts';
import { rowsPerPage, topToShow, type RowScroll } from '#ui/row-scroll.ts';

/** What the table's keys do outside the table. */
export interface TableActions {
  /** Focuses the detail of the selected row. */
  readonly onOpenDetail: () => void;
  readonly onClose: () => void;
  readonly onColumns: () => void;
  readonly onNote: () => void;
  readonly onCopy: () => void;
  /** Compares the two selected rows. */
  readonly onCompare: () => void;
}

/** The table's keys: move between rows, select several, and act on them. */
export function useTableKeys({
  view,
  actions,
  scroll,
}: {
  readonly view: TraceView;
  readonly actions: TableActions & { readonly onMenu: () => void };
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
    'select-all': () => selection.selectAll(),
    toggle: () => {
      if (selection.cursor !== null) view.select(selection.cursor, undefined, 'toggle');
    },
    fold: () => {
      if (selection.selectedRow !== null) view.toggleFold(selection.selectedRow);
    },
    wrap: () => {
      if (selection.selectedRow !== null && canWrap(selection.selectedRow)) view.toggleWrap();
    },
    mark: () => toggleMark(view, actions.onNote),
    note: actions.onNote,
    copy: actions.onCopy,
    menu: () => {
      const { cursor } = selection;
      if (cursor === null) return;
      const row = window.at(cursor)?.row;
      // The menu opens at the cursor's row, which must be on screen and be the row that it acts on.
      flushSync(() => {
        reveal(cursor);
        if (row === undefined || !selection.isSelected(row)) view.select(cursor);
      });
      actions.onMenu();
    },
  };

  /** Scrolls a place into view. Leaving the last row stops following the end; reaching it starts again. */
  const reveal = (place: number) => {
    const next = topToShow(track, top, place);
    if (place < total - 1) view.position.setLive(false);
    else if (next !== top) view.position.setLive(true);
    if (next !== top) moveTo(next);
  };

  return (press) => {
    // The keys of the head, and of a wrapped text, are their own.
    if (press.target !== press.currentTarget) return;
    const action = actionOfKey(press);
    if (action !== null) {
      // The browser copies the selected text.
      if (action === 'copy' && globalThis.getSelection()?.isCollapsed === false) return;
      press.preventDefault();
      run[action]();
      return;
    }
    // With Mod only the cursor moves, to a row that can then be added to the selection.
    const movesCursor = press.ctrlKey || press.metaKey;
    const move = moveOfKey({ ...keyOf(press), ctrlKey: false, metaKey: false });
    if (move === null || (movesCursor && move.to !== 'by')) return;
    press.preventDefault();
    if (move.to === 'detail') {
      if (view.selected !== null) actions.onOpenDetail();
      return;
    }
    if (move.to === 'close') {
      if (selection.picks.count > 0) selection.clearPicks();
      else actions.onClose();
      return;
    }
    if (move.to === 'last') view.position.setLive(true);
    const { cursor } = selection;
    const place = placeAfter(move, { cursor, total, first, end, pageRows: rowsPerPage(track) });
    if (place === null) return;
    reveal(place);
    if (movesCursor) selection.moveCursor(place);
    else view.select(place, undefined, press.shiftKey ? 'range' : 'single');
  };
}

const keyOf = ({ key, altKey }: KeyboardEvent) => ({ key, altKey });

/** What a key does with the selected rows. */
type TableAction =
  | 'pair'
  | 'exchange'
  | 'parent'
  | 'child'
  | 'next-alike'
  | 'previous-alike'
  | 'select-all'
  | 'toggle'
  | 'fold'
  | 'wrap'
  | 'mark'
  | 'note'
  | 'copy'
  | 'menu';

/** The actions by key, with its modifiers in the order `Mod+`, `Alt+`, `Shift+`. */
const actionKeys: Readonly<Record<string, TableAction>> = {
  p: 'pair',
  e: 'exchange',
  ArrowLeft: 'parent',
  ArrowRight: 'child',
  'Alt+ArrowDown': 'next-alike',
  'Alt+ArrowUp': 'previous-alike',
  'Mod+a': 'select-all',
  'Mod+ ': 'toggle',
  x: 'toggle',
  f: 'fold',
  w: 'wrap',
  m: 'mark',
  'Shift+m': 'note',
  'Mod+c': 'copy',
  ContextMenu: 'menu',
  'Shift+F10': 'menu',
};

/** The action for a key; null for other keys. */
export function actionOfKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Key): TableAction | null {
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const name = `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${letter}`;
  return Object.hasOwn(actionKeys, name) ? (actionKeys[name] ?? null) : null;
}
