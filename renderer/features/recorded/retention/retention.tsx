import { Settings2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { IconButton } from '#ui/button.tsx';
import { Popover } from '#ui/popover.tsx';
import { ask, endAsking, useAsked } from '../asked.ts';
import { RetentionForm } from './retention-form.tsx';

/** How long traces are kept: a button, and the form at it. */
export function Retention({ files }: { readonly files: readonly TraceFileView[] }) {
  const isOpen = useAsked(({ asked }) => asked?.what === 'keep');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Asked for by the palette, it may be out of view.
    if (isOpen) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <Popover
      label="Keep traces"
      open={isOpen}
      onOpenChange={(isNowOpen) => {
        if (isNowOpen) ask({ what: 'keep' });
        else endAsking('keep');
      }}
      side="right"
      align="end"
      className="w-[360px]"
      trigger={
        <IconButton ref={button} size="small" label="Keep traces…">
          <Settings2 aria-hidden className="size-3.5" />
        </IconButton>
      }
    >
      <RetentionForm files={files} onDone={() => endAsking('keep')} />
    </Popover>
  );
}
