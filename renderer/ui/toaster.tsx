import { lazy, Suspense } from 'react';
import { type Fault, FaultError } from '#shared/contract/fault.ts';

// Not needed for the first picture.
const ToastStack = lazy(() => import('./toast-stack.tsx'));

/** Where short messages appear. */
export function Toaster() {
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
