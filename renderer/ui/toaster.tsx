import { Toaster as Sonner, toast } from 'sonner';
import { type Fault, FaultError } from '#shared/contract/fault.ts';

/** Where short messages appear: at the top, so that the trace is never covered. */
export function Toaster() {
  return (
    <Sonner
      position="top-right"
      offset={{ top: 46, right: 12 }}
      gap={8}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-[340px] items-start gap-2 rounded-ui border border-line bg-raise px-3 py-2 shadow-float text-text',
          title: 'font-medium',
          description: 'text-mute',
          error: 'border-l-2 border-l-err',
        },
      }}
    />
  );
}

/** Says briefly that something went wrong which has no place of its own on the screen. */
export const toastFault = (fault: Fault): void => {
  toast.error(fault.what, { description: fault.next ?? fault.why });
};

/** Hands a promise's failure to the user; for clicks, whose promises nobody awaits. */
export function reportFailure(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    if (error instanceof FaultError) toastFault(error.fault);
    else toast.error('Something went wrong in the window', { description: String(error) });
  });
}
