import { PencilLine } from 'lucide-react';
import { editAndResend, resendableRow } from '#model/composer.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { reportFault } from '#ui/toaster.tsx';

/** Opens what the row sent in the composer; for a response, its request. */
export function ResendButton({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  const resendable = resendableRow(row);
  if (resendable === null) return null;
  return (
    <IconButton
      size="small"
      label="Edit and resend"
      shortcut="Alt+Shift+R"
      onClick={() => reportFault(editAndResend(sessionId, resendable))}
    >
      <PencilLine aria-hidden className="size-3.5" />
    </IconButton>
  );
}
