import { type ComponentType, useEffect, useState } from 'react';
import { type Fault, FaultError } from '#shared/contract/fault.ts';

/** Milliseconds from the start of a frame until it is surely painted. */
const UNTIL_PAINTED = 300;

/**
 * Where toasts appear. The stack and its library are loaded after the first paint. The library queues earlier toasts.
 */
export function Toaster() {
  const [Stack, setStack] = useState<ComponentType | null>(null);
  useEffect(() => {
    const cancel = afterFirstPicture(async () => {
      const loaded = await ifServed(import('./toast-stack.tsx'));
      if (loaded !== null) setStack(() => loaded.default);
    });
    return cancel;
  }, []);
  return Stack && <Stack />;
}

/** Shows a fault as a toast, if it has no place of its own on the screen. */
export const toastFault = (fault: Fault): void => showError(fault.what, fault.next ?? fault.why);

/** Shows a note as a toast, if nothing else on the screen shows the outcome. */
export const toastNote = (what: string): void => {
  void ifServed(import('sonner')).then((sonner) => sonner?.toast(what));
};

/** Milliseconds for which a toast offers to undo; the palette offers it for longer. */
const UNDO_SHOWN = 20_000;

/** Says what was removed, with a button that brings it back. @param id for `endToast` */
export const toastUndo = (id: string, what: string, onUndo: () => void): void => {
  void ifServed(import('sonner')).then((sonner) =>
    sonner?.toast(what, { id, duration: UNDO_SHOWN, action: { label: 'Undo', onClick: onUndo } }),
  );
};

/** Takes a toast away. */
export const endToast = (id: string): void => {
  void ifServed(import('sonner')).then((sonner) => sonner?.toast.dismiss(id));
};

/** Shows a rejected promise as a toast. For event handlers, whose promises nobody awaits. */
export function reportFault(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    if (error instanceof FaultError) toastFault(error.fault);
    else showError('Something went wrong in the window', String(error));
  });
}

function showError(what: string, description: string | undefined): void {
  void ifServed(import('sonner')).then((sonner) => sonner?.toast.error(what, { description }));
}

/** Resolves to null if the file cannot be fetched: the engine that serves it has ended, and the window says so. */
const ifServed = <T,>(loading: Promise<T>): Promise<T | null> => loading.catch(() => null);

/** Runs a callback after the current frame is painted; returns a function to cancel it. */
function afterFirstPicture(run: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // No event says when a frame is on screen, so wait.
  const frame = requestAnimationFrame(() => (timer = setTimeout(() => void run(), UNTIL_PAINTED)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
