import { FileDown, FolderSearch, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { openExport } from '#model/exports.ts';
import { closeTrace, useTraces } from '#model/traces.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { Button } from '#ui/button.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { DeletionConfirmation } from '../deletion.tsx';

/** What can be done with an opened trace. */
export function TraceActions({ trace }: { readonly trace: OpenedTrace }) {
  const { sessionId, path, name, size, counts, isRead } = trace;
  const isOurs = useTraces(({ files }) => files?.some((file) => file.path === path) ?? false);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        icon={<FileDown aria-hidden className="size-3.5" />}
        onClick={() => openExport(sessionId)}
      >
        Export…
      </Button>
      {isOnDesktop() && (
        <Button
          size="small"
          icon={<FolderSearch aria-hidden className="size-3.5" />}
          onClick={() => reportFailure(showInFolder(path))}
        >
          Show in folder
        </Button>
      )}
      <Button
        size="small"
        icon={<X aria-hidden className="size-3.5" />}
        onClick={() => reportFailure(closeTrace(sessionId))}
      >
        Close
      </Button>
      {isOurs && (
        <DeletionConfirmation
          file={{ path, name, size, rows: isRead ? counts.rows : null }}
          open={isDeleting}
          onClose={() => setDeleting(false)}
          side="bottom"
          anchor={
            <Button
              size="small"
              icon={<Trash2 aria-hidden className="size-3.5" />}
              onClick={() => setDeleting(true)}
            >
              Delete…
            </Button>
          }
        />
      )}
    </div>
  );
}
