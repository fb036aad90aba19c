import { lazy, Suspense, useEffect, useState } from 'react';
import { type Fault, FaultError } from '#shared/contract/fault.ts';

/** Milliseconds from the start of a frame until it is surely painted. */
const UNTIL_PAINTED = 300;

const ToastStack = lazy(() => import('./toast-stack.tsx'));

/**
 * Where toasts appear. The stack and its library are loaded after the first paint. The library queues earlier toasts.
 */
export function Toaster() {
  const [isFirstPictureShown, setFirstPictureShown] = useState(false);
  useEffect(() => afterFirstPicture(() => setFirstPictureShown(true)), []);
  if (!isFirstPictureShown) return null;
  return (
    <Suspense>
      <ToastStack />
    </Suspense>
  );
}

/** Shows a fault as a toast, if it has no place of its own on the screen. */
export const toastFault = (fault: Fault): void => showError(fault.what, fault.next ?? fault.why);

/** Shows a note as a toast, if nothing else on the screen shows the outcome. */
export const toastNote = (what: string): void => {
  void import('sonner').then(({ toast }) => toast(what));
};

/** Shows a rejected promise as a toast. For event handlers, whose promises nobody awaits. */
export function reportFault(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    if (error instanceof FaultError) toastFault(error.fault);
    else showError('Something went wrong in the window', String(error));
  });
}

function showError(what: string, description: string | undefined): void {
  void import('sonner').then(({ toast }) => toast.error(what, { description }));
}

/** Runs a callback after the current frame is painted; returns a function to cancel it. */
function afterFirstPicture(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // No event says when a frame is on screen, so wait.
  const frame = requestAnimationFrame(() => (timer = setTimeout(run, UNTIL_PAINTED)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
