/** One variable or header as it is being edited. A null value is a secret that the engine holds. */
export interface NamedValue {
  readonly key: number;
  readonly name: string;
  readonly value: string | null;
  readonly secret: boolean;
}

let lastKey = 0;
export const namedValue = (name = '', value: string | null = '', secret = false): NamedValue => ({
  key: ++lastKey,
  name,
  value,
  secret,
});

/** What the contract calls an entry: the same without its place on the screen. */
type Entry = Omit<NamedValue, 'key'>;

/** Rows as they were saved, ready to be edited. */
export const namedValues = (entries: readonly Entry[]): NamedValue[] =>
  entries.map(({ name, value, secret }) => namedValue(name, value, secret));

/** What rows amount to: those left empty are left out. */
export interface ReadRows {
  readonly entries: readonly Entry[];
  /** The place among the rows of what became this entry. */
  readonly rowOf: (entry: number) => number;
}

export function readRows(rows: readonly NamedValue[]): ReadRows {
  const filled = rows.flatMap((row, place) => (row.name !== '' || row.value !== '' ? [place] : []));
  return {
    entries: filled.flatMap((place) => {
      const row = rows[place];
      return row === undefined ? [] : [{ name: row.name, value: row.value, secret: row.secret }];
    }),
    rowOf: (entry) => filled[entry] ?? 0,
  };
}

/** The rows whose name is there already, by their place. */
export function* rowsSetTwice(
  rows: readonly NamedValue[],
  comparable: (name: string) => string = (name) => name,
): Generator<[place: number, why: string]> {
  const seen = new Set<string>();
  for (const [place, { name }] of rows.entries()) {
    if (name !== '' && seen.has(comparable(name))) yield [place, `${name} is set twice.`];
    seen.add(comparable(name));
  }
}
