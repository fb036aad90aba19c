import { type CallClass, callClasses, differingClasses } from '#shared/contract/comparison.ts';

/** A line of the table: a call, or calls that are folded into one line. */
export type TableLine =
  | { readonly of: 'call'; readonly place: number }
  | {
      readonly of: 'group';
      readonly class: CallClass;
      /** Calls that the line stands for while it is folded. */
      readonly count: number;
      readonly isOpen: boolean;
      /** The first call of the group. */
      readonly place: number;
    };

/** Which calls are listed. */
export interface TableChoice {
  /** Null for all. */
  readonly class: CallClass | null;
  /** Rows of recorded requests, such as those that prove a change; null for all. */
  readonly rows: ReadonlySet<number> | null;
  /** By class, the worst first, or in the order of the recording. */
  readonly order: 'class' | 'recording';
  /** Classes whose groups are unfolded. */
  readonly opened: ReadonlySet<CallClass>;
}

/** Calls of a class that stay listed when the rest is folded. */
const shownOfClass: Readonly<Partial<Record<CallClass, number>>> = { skipped: 0, noise: 3 };

/** A class with one folded call more is not worth folding. */
const LEAST_FOLDED = 2;

/** The lines of the table. By class, skipped calls and those that differ by noise only are folded. */
export function tableLines(
  {
    classes,
    recordedRows,
  }: { readonly classes: readonly CallClass[]; readonly recordedRows: readonly (number | null)[] },
  choice: TableChoice,
): TableLine[] {
  const isListed = (place: number): boolean => {
    const row = recordedRows[place] ?? null;
    if (choice.rows !== null && (row === null || !choice.rows.has(row))) return false;
    return choice.class === null || classes[place] === choice.class;
  };
  if (choice.order === 'recording') {
    return classes.flatMap((_, place): TableLine[] => (isListed(place) ? [{ of: 'call', place }] : []));
  }
  const places = new Map<CallClass, number[]>(callClasses.map((name) => [name, []]));
  for (const [place, name] of classes.entries()) if (isListed(place)) places.get(name)?.push(place);
  return [...places].flatMap(([name, listed]) => {
    const isChosen = choice.class === name || choice.rows !== null;
    return linesOfClass(name, listed, isChosen ? null : choice.opened.has(name));
  });
}

/** @param isOpen whether its group is unfolded; null for no group */
function linesOfClass(name: CallClass, places: readonly number[], isOpen: boolean | null): TableLine[] {
  const calls = places.map((place): TableLine => ({ of: 'call', place }));
  const shown = shownOfClass[name] ?? Number.POSITIVE_INFINITY;
  const first = places[shown];
  if (isOpen === null || first === undefined || places.length - shown < LEAST_FOLDED) return calls;
  const group: TableLine = { of: 'group', class: name, count: places.length - shown, isOpen, place: first };
  return [...calls.slice(0, shown), group, ...(isOpen ? calls.slice(shown) : [])];
}

/** The next line of a call that differs, after a line or (step -1) before it, around the end; null if none does. */
export function nextDifference(
  lines: readonly TableLine[],
  classes: readonly CallClass[],
  from: number | null,
  step: 1 | -1,
): number | null {
  const count = lines.length;
  const start = from ?? (step === 1 ? -1 : count);
  for (let distance = 1; distance <= count; distance++) {
    const at = (((start + step * distance) % count) + count) % count;
    const line = lines[at];
    const name = line?.of === 'call' ? classes[line.place] : undefined;
    if (name !== undefined && differingClasses.includes(name)) return at;
  }
  return null;
}
