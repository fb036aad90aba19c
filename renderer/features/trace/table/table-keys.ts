/** What a key does in the table. */
export type TableMove =
  | { readonly to: 'by'; readonly rows: number }
  | { readonly to: 'page'; readonly pages: 1 | -1 }
  | { readonly to: 'first' | 'last' | 'detail' | 'close' };

const moves: Readonly<Record<string, TableMove>> = {
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

/** What a key does with the chosen rows, beside moving among them. */
export type TableAction =
  | 'pair'
  | 'exchange'
  | 'parent'
  | 'child'
  | 'next-alike'
  | 'previous-alike'
  | 'choose-all'
  | 'toggle'
  | 'mark'
  | 'note'
  | 'copy';

/** By key, with the modifiers in front in this order: `Mod+`, `Alt+`, `Shift+`. */
const actions: Readonly<Record<string, TableAction>> = {
  p: 'pair',
  e: 'exchange',
  ArrowLeft: 'parent',
  ArrowRight: 'child',
  'Alt+ArrowDown': 'next-alike',
  'Alt+ArrowUp': 'previous-alike',
  'Mod+a': 'choose-all',
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

/** The move a key stands for, or null for a key that is not the table's. */
export function moveOfKey({ key, ctrlKey, metaKey, altKey }: Key): TableMove | null {
  if (ctrlKey || metaKey || altKey) return null;
  return Object.hasOwn(moves, key) ? (moves[key] ?? null) : null;
}

/** The action a key stands for, or null for a key that is not the table's. */
export function actionOfKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Key): TableAction | null {
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const name = `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${letter}`;
  return Object.hasOwn(actions, name) ? (actions[name] ?? null) : null;
}

export interface Standing {
  /** The place that is chosen, or was last. */
  readonly cursor: number | null;
  readonly total: number;
  readonly first: number;
  readonly end: number;
  readonly rowsPerPage: number;
}

/** Where a move along the list ends, or null when there is nothing to go to. */
export function placeAfter(
  move: TableMove,
  { cursor, total, first, end, rowsPerPage }: Standing,
): number | null {
  if (total === 0) return null;
  const within = (place: number) => Math.min(total - 1, Math.max(0, place));
  switch (move.to) {
    case 'first':
      return 0;
    case 'last':
      return total - 1;
    case 'by':
      // Nothing was chosen yet: begin with what can be seen.
      if (cursor === null) return within(move.rows > 0 ? first : end - 1);
      return within(cursor + move.rows);
    case 'page':
      return within((cursor ?? (move.pages > 0 ? first : end - 1)) + move.pages * rowsPerPage);
    case 'detail':
    case 'close':
      return null;
  }
}
