import { useEffect, useRef } from 'react';
import { undo, useUndo } from '#model/undo.ts';
import { endToast, toastFault, toastUndo } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Shows a toast with a way back for each thing that is removed. */
export function UndoOffers() {
  const offers = useUndo((state) => state.offers);
  const fault = useUndo((state) => state.fault);
  const shown = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    for (const { id, what, isNew } of offers)
      if (isNew && !shown.current.has(id)) toastUndo(id, visibleLine(what), () => void undo(id));
    const now = new Set(offers.map(({ id }) => id));
    for (const id of shown.current) if (!now.has(id)) endToast(id);
    shown.current = now;
  }, [offers]);
  useEffect(() => {
    if (fault !== null) toastFault(fault);
  }, [fault]);
  return null;
}
