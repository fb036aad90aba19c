import { useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { changeSettings, useSettings } from '#model/settings.ts';
import { reportFailure } from '#ui/toaster.tsx';
import { type ColumnLayout, type ColumnPlan, columnPlans, layOut } from './column-plan.ts';

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
