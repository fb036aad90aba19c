import { useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { changeSettings, useSettings } from '#model/settings.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { type SortColumn, sortColumns } from '#shared/contract/trace.ts';
import { reportFault } from '#ui/toaster.tsx';

/** The columns of the message table as the user set them, and how they share the table's width. */

/** A gap is not sorted by: it is one to the row before, in the order of the trace. */
export type ColumnName = SortColumn | 'gap';
export const columnNames: readonly ColumnName[] = sortColumns.flatMap((column) =>
  column === 'time' ? [column, 'gap'] : [column],
);

/** The table that the columns are laid out in. */
export interface TableFrame {
  /** Pixels. */
  readonly width: number;
  /** Whether the row of a call shows its response, too. */
  readonly foldsResponses: boolean;
  /** Characters of the longest method. */
  readonly methodLength: number;
  /** Of the longest one of a row with a name. The others go on in the column of the name where it is the next one. */
  readonly namedMethodLength: number;
}

interface ColumnSize {
  /** Pixels, unless the user set a width. */
  readonly width: (table: TableFrame) => number;
  readonly min: number;
  /** Set for columns that take the width that the others leave, up to so many pixels; its own width is the minimum. */
  readonly growsTo?: number;
  /** Order in which columns are dropped when the table is too narrow, lowest first. Absent: never. */
  readonly dropOrder?: number;
  readonly isHiddenAtFirst?: true;
}

/** Tables wider than this get wider columns; pixels. */
const ROOMY = 960;
/** Tables wider than this show both sizes of a call; pixels. */
const SPACIOUS = 1200;
/** Pixels. */
const NARROW_WATERFALL = 88;
const stepped = (narrow: number, roomy: number) => (table: TableFrame) =>
  table.width > ROOMY ? roomy : narrow;
const fixed = (width: number) => () => width;

/** Width of a character of a row, and what a cell has beside its text; pixels. */
const CHARACTER = 7.25;
const BESIDE_METHOD = 10;
/** No method that has a name is much shorter than `tools/call`. */
const SHORTEST_METHOD = 10;
/** What the method needs; the longest ones are cut. */
function methodWidth({ width, methodLength }: TableFrame): number {
  const most = width > ROOMY ? Math.round(Math.min(248, width * 0.18)) : 168;
  return Math.min(most, Math.ceil(Math.max(SHORTEST_METHOD, methodLength) * CHARACTER) + BESIDE_METHOD);
}

const sizes: Readonly<Record<ColumnName, ColumnSize>> = {
  number: { width: stepped(52, 60), min: 32 },
  time: { width: stepped(74, 96), min: 48, dropOrder: 6 },
  gap: { width: fixed(80), min: 40, dropOrder: 2, isHiddenAtFirst: true },
  direction: { width: fixed(18), min: 18 },
  method: { width: methodWidth, min: 60 },
  name: { width: fixed(100), min: 60, growsTo: 440 },
  id: { width: stepped(52, 60), min: 24, dropOrder: 3 },
  status: { width: stepped(84, 88), min: 40 },
  duration: { width: stepped(78, 80), min: 40 },
  size: {
    width: ({ foldsResponses, width }) => (foldsResponses && width > SPACIOUS ? 140 : 70),
    min: 40,
    dropOrder: 4,
  },
  transport: { width: fixed(112), min: 40, dropOrder: 1, isHiddenAtFirst: true },
  finding: { width: fixed(20), min: 20 },
  mark: { width: fixed(20), min: 20 },
  waterfall: {
    width: ({ width }) => Math.max(NARROW_WATERFALL, Math.floor(width * 0.2)),
    min: 40,
    dropOrder: 5,
    growsTo: Infinity,
  },
};

export interface ColumnPlan {
  readonly name: ColumnName;
  readonly isShown: boolean;
  /** Pixels; null for automatic. */
  readonly width: number | null;
}

const defaultPlans: readonly ColumnPlan[] = columnNames.map((name) => ({
  name,
  isShown: sizes[name].isHiddenAtFirst !== true,
  width: null,
}));

/**
 * Every column once, in the order of the settings. Columns missing from the settings follow their default neighbour;
 * unknown columns are ignored.
 */
export function columnPlans(settings: Settings['traceColumns']): readonly ColumnPlan[] {
  if (settings.length === 0) return defaultPlans;
  const plans: ColumnPlan[] = [];
  for (const { name, isShown, width } of settings) {
    const known = columnNames.find((one) => one === name);
    if (known && !plans.some((plan) => plan.name === known)) plans.push({ name: known, isShown, width });
  }
  defaultPlans.forEach((plan, order) => {
    if (plans.some(({ name }) => name === plan.name)) return;
    const before = plans.findIndex(({ name }) => name === columnNames[order - 1]);
    plans.splice(before + 1, 0, plan);
  });
  return plans;
}

/** The plans with a column moved before another one, or to the end. */
export function moved(
  plans: readonly ColumnPlan[],
  name: ColumnName,
  before: ColumnName | null,
): readonly ColumnPlan[] {
  const plan = plans.find((one) => one.name === name);
  if (plan === undefined || name === before) return plans;
  const others = plans.filter((one) => one !== plan);
  const index = before === null ? -1 : others.findIndex((one) => one.name === before);
  return index === -1 ? [...others, plan] : [...others.slice(0, index), plan, ...others.slice(index)];
}

/** The plans with one column changed, at least as wide as its minimum. */
export const changed = (
  plans: readonly ColumnPlan[],
  name: ColumnName,
  change: Partial<Omit<ColumnPlan, 'name'>>,
): readonly ColumnPlan[] =>
  plans.map((plan) => {
    if (plan.name !== name) return plan;
    const next = { ...plan, ...change };
    return next.width === null ? next : { ...next, width: Math.max(sizes[name].min, Math.round(next.width)) };
  });

interface ColumnLayout {
  /** The columns that fit, from left to right. */
  readonly names: readonly ColumnName[];
  /** The value of `grid-template-columns`. */
  readonly template: string;
  /** Columns that were dropped because they do not fit. */
  readonly dropped: ReadonlySet<ColumnName>;
  /** Whether times of day include the milliseconds. */
  readonly showsMilliseconds: boolean;
  /** Whether sizes have room for both halves of a call. */
  readonly showsBothSizes: boolean;
  /** What the columns are sized by: the table, with the length of the methods that must fit. */
  readonly sizing: TableFrame;
}

/** Minimum width of the time column that fits the milliseconds; pixels. */
const MILLISECONDS_FROM = 95;
/** Minimum width of the size column that fits what was sent and what was received; pixels. */
const BOTH_SIZES_FROM = 110;
/** Minimum width of the name column beside those of `dropsForName`; pixels. */
const NAME_FROM = 130;
/** A name, and what a call was made with, say more than these, which the detail shows. */
const dropsForName: readonly ColumnName[] = ['id', 'size'];
/** Padding of a row, both sides together; pixels. */
const EDGES = 20;

/** Lays the columns out, and drops the least important ones when they do not all fit. */
export function layOut(plans: readonly ColumnPlan[], table: TableFrame): ColumnLayout {
  let shown = plans.filter(({ isShown }) => isShown);
  const byImportance = (a: ColumnPlan, b: ColumnPlan) =>
    (sizes[a.name].dropOrder ?? Infinity) - (sizes[b.name].dropOrder ?? Infinity);
  let waterfallWidth = sizes.waterfall.width(table);
  const widthOf = (plan: ColumnPlan, frame = table) =>
    plan.name === 'waterfall' ? (plan.width ?? waterfallWidth) : widthIn(plan, frame);
  // The room that short methods leave is for names, and which columns there are must not depend on the rows on screen.
  const widest = { ...table, methodLength: Number.POSITIVE_INFINITY };
  const needed = (frame = widest) => shown.reduce((sum, plan) => sum + widthOf(plan, frame), EDGES);
  const dropped = new Set<ColumnName>();
  while (needed() > table.width) {
    const [next] = shown.filter(({ name }) => sizes[name].dropOrder !== undefined).sort(byImportance);
    if (next === undefined) break;
    dropped.add(next.name);
    shown = shown.filter((plan) => plan !== next);
  }
  const hasCrampedName = () =>
    shown.some(({ name, width }) => name === 'name' && width === null) &&
    sizes.name.width(table) + table.width - needed() < NAME_FROM;
  // The last one dropped may have left room for others, and the waterfall can do with less than its share.
  if (dropped.has('waterfall')) waterfallWidth = NARROW_WATERFALL;
  for (const plan of plans.filter(({ name }) => dropped.has(name)).sort((a, b) => byImportance(b, a))) {
    const before = shown;
    shown = plans.filter((one) => one === plan || before.includes(one));
    if (needed() <= table.width && !hasCrampedName()) dropped.delete(plan.name);
    else shown = before;
  }
  for (const less of dropsForName) {
    if (!hasCrampedName() || !shown.some(({ name }) => name === less)) continue;
    dropped.add(less);
    shown = shown.filter(({ name }) => name !== less);
  }
  const names = shown.map(({ name }) => name);
  const isNameBeside = names[names.indexOf('method') + 1] === 'name';
  const sizing = isNameBeside ? { ...table, methodLength: table.namedMethodLength } : table;
  const time = shown.find(({ name }) => name === 'time');
  const showsMilliseconds = time !== undefined && widthOf(time) >= MILLISECONDS_FROM;
  const size = shown.find(({ name }) => name === 'size');
  const showsBothSizes = size !== undefined && widthOf(size) >= BOTH_SIZES_FROM;
  return {
    names,
    dropped,
    showsMilliseconds,
    showsBothSizes,
    sizing,
    template: templateOf(shown, (plan) => widthOf(plan, sizing), needed(sizing) > table.width),
  };
}

/**
 * The tracks of the columns. As a last resort the two text columns shrink. The rest goes to the growing columns, else to
 * an empty track.
 */
function templateOf(
  shown: readonly ColumnPlan[],
  widthOf: (plan: ColumnPlan) => number,
  isTight: boolean,
): string {
  const growthOf = ({ name, width }: ColumnPlan) => (width === null ? sizes[name].growsTo : undefined);
  const takesRest = shown.some((plan) => growthOf(plan) === Number.POSITIVE_INFINITY);
  const hasGrowing = takesRest || shown.some((plan) => growthOf(plan) !== undefined);
  const tracks = shown.map((plan) => {
    const width = widthOf(plan);
    if (isTight && (plan.name === 'method' || plan.name === 'name')) return `minmax(0, ${width}fr)`;
    const growth = growthOf(plan);
    if (growth === undefined) return `${width}px`;
    // Grid gives a track with a limit its room before it gives any to one without.
    return `minmax(${width}px, ${takesRest && Number.isFinite(growth) ? `${growth}px` : '1fr'})`;
  });
  return hasGrowing || isTight ? tracks.join(' ') : [...tracks, 'minmax(0, 1fr)'].join(' ');
}

/** How wide a column is in this table; pixels. */
export const widthIn = ({ name, width }: ColumnPlan, table: TableFrame): number =>
  width ?? sizes[name].width(table);

/** Saves the columns in the settings. */
export const savePlans = (plans: readonly ColumnPlan[]): void =>
  reportFault(changeSettings({ traceColumns: [...plans] }));

/** The columns as the user set them. */
export function useColumnPlans(): readonly ColumnPlan[] {
  const kept = useSettings(({ traceColumns }) => traceColumns);
  return useMemo(() => columnPlans(kept), [kept]);
}

export interface Columns extends ColumnLayout {
  readonly plans: readonly ColumnPlan[];
  readonly frame: TableFrame;
  /** Shows unsaved plans while an edge is dragged; null shows the saved ones. */
  readonly preview: (plans: readonly ColumnPlan[] | null) => void;
}

/** The columns, laid out for the current width of the table. */
export function useColumns(
  element: () => HTMLElement | null,
  { foldsResponses, methodLength, namedMethodLength }: Omit<TableFrame, 'width'>,
): Columns {
  const kept = useColumnPlans();
  const [draft, setDraft] = useState<readonly ColumnPlan[] | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const table = element();
    if (table === null) return;
    const measure = () => setWidth(table.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(table);
    return () => observer.disconnect();
  }, [element]);
  const plans = draft ?? kept;
  const frame = useMemo(
    () => ({ width, foldsResponses, methodLength, namedMethodLength }),
    [width, foldsResponses, methodLength, namedMethodLength],
  );
  const layout = useMemo(() => layOut(plans, frame), [plans, frame]);
  const preview = useCallback((next: readonly ColumnPlan[] | null) => setDraft(next), []);
  // Saved plans replace the preview.
  const [lastKept, setLastKept] = useState(kept);
  if (lastKept !== kept) {
    setLastKept(kept);
    setDraft(null);
  }
  return useMemo(() => ({ ...layout, plans, frame, preview }), [layout, plans, frame, preview]);
}
