import { ClipboardList } from 'lucide-react';
import { call } from '#bridge';
import { Button } from '#ui/button.tsx';
import { copyText } from '#ui/clipboard.ts';
import { reportFault, toastNote } from '#ui/toaster.tsx';

/** Copies what a report about Sightglass itself needs, without secrets. @param notes such as the error on screen */
export function CopyDiagnostics({ notes = '' }: { readonly notes?: string }) {
  const copy = async () => {
    const { text } = await call('app/diagnostics', { notes });
    await copyText(text);
    toastNote('The diagnostics are in the clipboard.');
  };
  return (
    <Button icon={<ClipboardList aria-hidden className="size-3.5" />} onClick={() => reportFault(copy())}>
      Copy diagnostics
    </Button>
  );
}
