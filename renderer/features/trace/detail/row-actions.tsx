import { PencilLine, SquareArrowOutUpRight } from 'lucide-react';
import { editAndResend, resendableRow } from '#model/composer.ts';
import { OPEN_KEYS, openInPane, openInPaneLabel, paneOfMessage } from '#model/message-panes.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { IconButton } from '#ui/button.tsx';
import { reportFault } from '#ui/toaster.tsx';

/** Opens the message of a row in its pane, and what was sent in the composer; of a response, its request. */
export function RowActions({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  const inPane = paneOfMessage(row);
  const resendable = resendableRow(row);
  return (
    <>
      {inPane !== null && (
        <IconButton
          size="small"
          label={openInPaneLabel(inPane)}
          shortcut={OPEN_KEYS}
          onClick={() => reportFault(openInPane(sessionId, inPane))}
        >
          <SquareArrowOutUpRight aria-hidden className="size-3.5" />
        </IconButton>
      )}
      {resendable !== null && (
        <IconButton
          size="small"
          label="Edit and resend"
          shortcut="Alt+Shift+R"
          onClick={() => reportFault(editAndResend(sessionId, resendable))}
        >
          <PencilLine aria-hidden className="size-3.5" />
        </IconButton>
      )}
    </>
  );
}
