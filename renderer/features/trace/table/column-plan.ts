import { useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { changeSettings, useSettings } from '#model/settings.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { reportFailure } from '#ui/toaster.tsx';

/** Columns of the message table as the user wants them, and how they share the table's width. */

export const columnNames = [
  'number',
  'time',
  'gap',
  'direction',
  'method',
  'name',
  'id',
  'status',
  'duration',
  'size',
  'transport',
  'finding',
  'mark',
  'waterfall',
] as const;
export type ColumnName = (typeof columnNames)[number];

/** What the columns are laid out for. */
export interface TableFrame {
  /** Pixels. */
  readonly width: number;
  /** Rows of calls tell of their answers too. */
  readonly foldsAnswers: boolean;
}

interface ColumnSize {
  /** Pixels, unless the user set a width. */
  readonly width: (table: TableFrame) => number;
  readonly min: number;
  /** Takes what the others leave, and at least its width. */
  readonly grows?: true;
  /** When there is no room for all, the column with the lowest number goes first; without one it stays. */
  readonly goes?: number;
  readonly isHiddenAtFirst?: true;
}

/** From this width on, columns have room to spare; pixels. */
const ROOMY = 960;
const stepped = (narrow: number, roomy: number) => (table: TableFrame) =>
  table.width > ROOMY ? roomy : narrow;
const fixed = (width: number) => () => width;

const sizes: Readonly<Record<ColumnName, ColumnSize>> = {
  number: { width: fixed(60), min: 32 },
  time: { width: stepped(74, 96), min: 48, goes: 7 },
  gap: { width: fixed(80), min: 40, goes: 2, isHiddenAtFirst: true },
  direction: { width: fixed(18), min: 18 },
  method: {
    width: ({ width }) => (width > ROOMY ? Math.round(Math.min(248, width * 0.22)) : 168),
    min: 60,
  },
  name: { width: fixed(120), min: 60, grows: true },
  id: { width: stepped(48, 52), min: 24, goes: 6 },
  status: { width: fixed(96), min: 40 },
  duration: { width: stepped(78, 84), min: 40 },
  size: { width: ({ foldsAnswers }) => (foldsAnswers ? 140 : 70), min: 40, goes: 4 },
  transport: { width: fixed(112), min: 40, goes: 1, isHiddenAtFirst: true },
  finding: { width: fixed(20), min: 20 },
  mark: { width: fixed(20), min: 20, goes: 5 },
  waterfall: { width: stepped(88, 100), min: 40, goes: 3 },
};

export interface ColumnPlan {
  readonly name: ColumnName;
  readonly isShown: boolean;
  /** Pixels; null for what suits the table's width. */
  readonly width: number | null;
}

/** As they come. */
const firstPlans: readonly ColumnPlan[] = columnNames.map((name) => ({
  name,
  isShown: sizes[name].isHiddenAtFirst !== true,
  width: null,
}));

/**
 * Every column once, in the order of the settings. Those that the settings do not know stand after the column they
 * follow at first; what the settings know and this app does not is left out.
 */
export function columnPlans(settings: Settings['traceColumns']): readonly ColumnPlan[] {
  if (settings.length === 0) return firstPlans;
  const plans: ColumnPlan[] = [];
  for (const { name, isShown, width } of settings) {
    const known = columnNames.find((one) => one === name);
    if (known && !plans.some((plan) => plan.name === known)) plans.push({ name: known, isShown, width });
  }
  firstPlans.forEach((plan, order) => {
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
  const place = before === null ? -1 : others.findIndex((one) => one.name === before);
  return place === -1 ? [...others, plan] : [...others.slice(0, place), plan, ...others.slice(place)];
}

/** The plans with one column changed. A width is kept at what the column needs at least. */
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
  /** The columns there is room for, from left to right. */
  readonly names: readonly ColumnName[];
  /** For `grid-template-columns`. */
  readonly template: string;
  /** Shown columns for which there is no room. */
  readonly left: ReadonlySet<ColumnName>;
  /** A time of day is shown with its hour. */
  readonly showsHours: boolean;
}

/** Width of the time column from which the hour fits; pixels. */
const HOURS_FROM = 92;
/** Pixels at both ends of a row. */
const EDGES = 20;

/** How the columns share a table; those that can be missed most easily give way to the others. */
export function layOut(plans: readonly ColumnPlan[], table: TableFrame): ColumnLayout {
  let shown = plans.filter(({ isShown }) => isShown);
  const widthOf = (plan: ColumnPlan) => widthIn(plan, table);
  const needed = () => shown.reduce((sum, plan) => sum + widthOf(plan), EDGES);
  const left = new Set<ColumnName>();
  while (needed() > table.width) {
    const [next] = shown
      .filter(({ name }) => sizes[name].goes !== undefined)
      .sort((a, b) => (sizes[a.name].goes ?? 0) - (sizes[b.name].goes ?? 0));
    if (next === undefined) break;
    left.add(next.name);
    shown = shown.filter((plan) => plan !== next);
  }
  const names = shown.map(({ name }) => name);
  const time = shown.find(({ name }) => name === 'time');
  const showsHours = time !== undefined && widthOf(time) >= HOURS_FROM;
  return { names, left, showsHours, template: templateOf(shown, widthOf, needed() > table.width) };
}

/** In the last resort the two columns of text shrink; where none grows, the last one takes the rest. */
function templateOf(
  shown: readonly ColumnPlan[],
  widthOf: (plan: ColumnPlan) => number,
  isTight: boolean,
): string {
  const grows = (plan: ColumnPlan) => sizes[plan.name].grows === true && plan.width === null;
  const hasGrowing = shown.some(grows);
  const tracks = shown.map((plan) => {
    const width = widthOf(plan);
    if (isTight && (plan.name === 'method' || plan.name === 'name')) return `minmax(0, ${width}fr)`;
    return grows(plan) ? `minmax(${width}px, 1fr)` : `${width}px`;
  });
  return hasGrowing || isTight ? tracks.join(' ') : [...tracks, 'minmax(0, 1fr)'].join(' ');
}

/** How wide a column is in this table; pixels. */
export const widthIn = ({ name, width }: ColumnPlan, table: TableFrame): number =>
  width ?? sizes[name].width(table);

/** Keeps the columns as they are now. */
export const keepPlans = (plans: readonly ColumnPlan[]): void =>
  reportFailure(changeSettings({ traceColumns: [...plans] }));

/** The columns as the user set them. */
export function useColumnPlans(): readonly ColumnPlan[] {
  const kept = useSettings(({ traceColumns }) => traceColumns);
  return useMemo(() => columnPlans(kept), [kept]);
}

export interface Columns extends ColumnLayout {
  readonly plans: readonly ColumnPlan[];
  /** Shows plans that are not kept yet, while an edge is dragged; null for those that are. */
  readonly preview: (plans: readonly ColumnPlan[] | null) => void;
}

/** The columns for the width that the table has. */
export function useColumns(element: () => HTMLElement | null, foldsAnswers: boolean): Columns {
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
  const layout = useMemo(() => layOut(plans, { width, foldsAnswers }), [plans, width, foldsAnswers]);
  const preview = useCallback((next: readonly ColumnPlan[] | null) => setDraft(next), []);
  // Whatever is kept takes over from what was shown meanwhile.
  const [lastKept, setLastKept] = useState(kept);
  if (lastKept !== kept) {
    setLastKept(kept);
    setDraft(null);
  }
  return useMemo(() => ({ ...layout, plans, preview }), [layout, plans, preview]);
}
