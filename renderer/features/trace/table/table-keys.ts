import type { KeyboardEvent } from 'react';
import { toggleMark } from '../selection/marks.tsx';
import type { TraceView } from '../trace-view.ts';
import { rowsPerPage, topToShow, type RowScroll } from './row-scroll.ts';

/** What the table's keys do outside the table. */
export interface TableActions {
  /** Focuses the detail of the selected row. */
  readonly onOpenDetail: () => void;
  readonly onClose: () => void;
  readonly onColumns: () => void;
  readonly onNote: () => void;
  readonly onCopy: () => void;
}

/** The table's keys: move between rows, select several, and act on them. */
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
    'select-all': () => selection.selectAll(),
    toggle: () => {
      if (selection.cursor !== null) view.select(selection.cursor, undefined, 'toggle');
    },
    mark: () => toggleMark(view, actions.onNote),
    note: actions.onNote,
    copy: actions.onCopy,
  };

  /** Scrolls a place into view. Leaving the last row stops following the end; reaching it starts again. */
  const reveal = (place: number) => {
    const next = topToShow(track, top, place);
    if (place < total - 1) view.setLive(false);
    else if (next !== top) view.setLive(true);
    if (next !== top) moveTo(next);
  };

  return (press) => {
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
    if (move.to === 'last') view.setLive(true);
    const { cursor } = selection;
    const place = placeAfter(move, { cursor, total, first, end, pageRows: rowsPerPage(track) });
    if (place === null) return;
    reveal(place);
    if (movesCursor) selection.moveCursor(place);
    else view.select(place, undefined, press.shiftKey ? 'range' : 'single');
  };
}

const keyOf = ({ key, altKey }: KeyboardEvent) => ({ key, altKey });

/** What a key does in the table. */
export type TableMove =
  | { readonly to: 'by'; readonly rows: number }
  | { readonly to: 'page'; readonly pages: 1 | -1 }
  | { readonly to: 'first' | 'last' | 'detail' | 'close' };

const moveKeys: Readonly<Record<string, TableMove>> = {
  ArrowUp: { to: 'by', rows: -1 },
  ArrowDown: { to: 'by', rows: 1 },
  PageUp: { to: 'page', pages: -1 },
  PageDown: { to: 'page', pages: 1 },
  ' ': { to: 'page', pages: 1 },
  Home: { to: 'first' },
  End: { to: 'last' },
  Enter: { to: 'detail' },
  Escape: { to: 'close' },
};

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
  | 'mark'
  | 'note'
  | 'copy';

/** By key, with its modifiers in the order `Mod+`, `Alt+`, `Shift+`. */
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
  m: 'mark',
  'Shift+m': 'note',
  'Mod+c': 'copy',
};

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey?: boolean;
}

/** The move for a key; null for other keys. */
export function moveOfKey({ key, ctrlKey, metaKey, altKey }: Key): TableMove | null {
  if (ctrlKey || metaKey || altKey) return null;
  return Object.hasOwn(moveKeys, key) ? (moveKeys[key] ?? null) : null;
}

/** The action for a key; null for other keys. */
export function actionOfKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Key): TableAction | null {
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const name = `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${letter}`;
  return Object.hasOwn(actionKeys, name) ? (actionKeys[name] ?? null) : null;
}

export interface Standing {
  /** The selected place, or the last one. */
  readonly cursor: number | null;
  readonly total: number;
  readonly first: number;
  readonly end: number;
  readonly pageRows: number;
}

/** The place a move leads to; null when it leads to none. */
export function placeAfter(
  move: TableMove,
  { cursor, total, first, end, pageRows }: Standing,
): number | null {
  if (total === 0) return null;
  const within = (place: number) => Math.min(total - 1, Math.max(0, place));
  switch (move.to) {
    case 'first':
      return 0;
    case 'last':
      return total - 1;
    case 'by':
      // Nothing was selected yet: start with a visible row.
      if (cursor === null) return within(move.rows > 0 ? first : end - 1);
      return within(cursor + move.rows);
    case 'page':
      return within((cursor ?? (move.pages > 0 ? first : end - 1)) + move.pages * pageRows);
    case 'detail':
    case 'close':
      return null;
  }
}
