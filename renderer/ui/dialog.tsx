import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { useFloatingPlace } from './floating.ts';

/** A dialog over the window. Escape, an outside click and its close button close it, and the focus returns. */
export function Dialog({
  title,
  size = 'usual',
  open,
  onOpenChange,
  onEscape,
  children,
}: {
  readonly title: string;
  /** `wide` for two things side by side. */
  readonly size?: 'usual' | 'wide';
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Called instead of closing, if Escape means something else now. */
  readonly onEscape?: (() => void) | undefined;
  readonly children: ReactNode;
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal container={floatingPlace}>
        <Radix.Overlay className="fixed inset-0 z-40 bg-bg/60" />
        <Radix.Content
          aria-describedby={undefined}
          onEscapeKeyDown={(press) => {
            if (onEscape === undefined) return;
            press.preventDefault();
            onEscape();
          }}
          className={cx(
            'fixed top-[10vh] left-1/2 z-50 flex max-h-[80vh] max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col rounded-lg border border-line-strong bg-panel shadow-float outline-none',
            size === 'wide' ? 'w-[1080px]' : 'w-[640px]',
          )}
        >
          <Radix.Title className="px-4 pt-3 pb-2 font-semibold">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
