import { useMemo } from 'react';
import { ExportForm } from '#features/sharing/export-form.tsx';
import { useSignal } from '#ui/frame-signal.ts';
import { traceViews } from '#features/trace/trace-views.ts';
import type { OpenExport } from '#model/selection.ts';

/** The form for an export, with the current filter of the trace, or that of the pane that opened it. */
export function Exporting({ exporting }: { readonly exporting: OpenExport }) {
  const view = useMemo(() => traceViews.of(exporting.sessionId), [exporting.sessionId]);
  useSignal(view.signal);
  // The rows of a filter that has not started yet would be all rows.
  if (view.isStarting) return <div role="group" aria-busy aria-label="The form is loading" />;
  const { filterId, filterText, filterProgress } = view;
  const filter =
    filterId === null || filterText === '' || filterProgress === null
      ? null
      : { filterId, matches: filterProgress.matches, isDone: filterProgress.isDone };
  const own = exporting.filter && { ...exporting.filter, isDone: true };
  return <ExportForm exporting={exporting} filter={own ?? filter} />;
}
