import { Popover } from 'radix-ui';
import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { floatingPlace } from './floating.ts';
import type { Shortcut } from './shortcut.ts';

// The search is not needed for the first picture.
const PaletteList = lazy(() => import('./palette-list.tsx'));

export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly shortcut?: Shortcut;
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

/**
 * Every command in one searchable list, dropping from its opener. What is chosen runs after the focus is
 * back where it was, so that a command may move it.
 */
export function CommandPalette({
  open,
  onOpenChange,
  entries,
  opener,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly entries: () => readonly PaletteEntry[];
  /** The button that opens it; the list covers it. */
  readonly opener: ReactNode;
}) {
  const chosen = useRef<PaletteEntry | null>(null);
  const focusedBefore = useRef<Element | null>(null);
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>{opener}</Popover.Trigger>
      <Popover.Portal container={floatingPlace()}>
        <Popover.Content
          aria-label="Commands"
          align="center"
          sideOffset={-27}
          collisionPadding={8}
          className="z-50 w-[520px] max-w-[calc(100vw-16px)] overflow-hidden rounded-ui border border-line-strong bg-panel shadow-float outline-none"
          onOpenAutoFocus={() => {
            chosen.current = null;
            focusedBefore.current = document.activeElement;
          }}
          onCloseAutoFocus={(close) => {
            close.preventDefault();
            if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
            chosen.current?.run();
          }}
        >
          <Suspense fallback={<div className="h-8" />}>
            <PaletteList
              entries={entries()}
              onChoose={(entry) => {
                chosen.current = entry;
                onOpenChange(false);
              }}
            />
          </Suspense>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
