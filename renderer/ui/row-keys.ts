/** What a key does in a list of rows. */
export type RowMove =
  | { readonly to: 'by'; readonly rows: number }
  | { readonly to: 'page'; readonly pages: 1 | -1 }
  | { readonly to: 'first' | 'last' | 'detail' | 'close' };

const moveKeys: Readonly<Record<string, RowMove>> = {
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

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey?: boolean;
}

/** The move for a key; null for other keys. */
export function moveOfKey({ key, ctrlKey, metaKey, altKey }: Key): RowMove | null {
  if (ctrlKey || metaKey || altKey) return null;
  return Object.hasOwn(moveKeys, key) ? (moveKeys[key] ?? null) : null;
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
export function placeAfter(move: RowMove, { cursor, total, first, end, pageRows }: Standing): number | null {
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
