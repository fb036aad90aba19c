import { lazy, Suspense, useEffect, useState } from 'react';
import { type Fault, FaultError } from '#shared/contract/fault.ts';

/** Milliseconds from the beginning of a frame. */
const UNTIL_PAINTED = 300;

const ToastStack = lazy(() => import('./toast-stack.tsx'));

/**
 * Where short messages appear. The stack and its library are fetched when the first picture is on screen, which does
 * not need them. The library keeps what is raised before that, and shows it then.
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

/** Says briefly that something went wrong which has no place of its own on the screen. */
export const toastFault = (fault: Fault): void => showError(fault.what, fault.next ?? fault.why);

/** Says briefly what came of something, where nothing else on the screen does. */
export const toastNote = (what: string): void => {
  void import('sonner').then(({ toast }) => toast(what));
};

/** Hands a promise's failure to the user; for clicks, whose promises nobody awaits. */
export function reportFailure(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    if (error instanceof FaultError) toastFault(error.fault);
    else showError('Something went wrong in the window', String(error));
  });
}

function showError(what: string, description: string | undefined): void {
  void import('sonner').then(({ toast }) => toast.error(what, { description }));
}

/** Runs something once what is drawn now is on the screen; returns how to call that off. */
function afterFirstPicture(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A frame is on the screen some time after it began: how long after, no one tells.
  const frame = requestAnimationFrame(() => (timer = setTimeout(run, UNTIL_PAINTED)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
