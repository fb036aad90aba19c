import { Popover } from 'radix-ui';
import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from 'react';
import { useFloatingPlace } from './floating.ts';
import type { PaletteEntry, PaletteListProps } from './palette-list.tsx';

let LoadedList: ComponentType<PaletteListProps> | null = null;

/**
 * Loads the list, in a script of its own. To be awaited before the palette can be asked for: keys typed before the list
 * is there are lost, or go to what has the focus.
 */
export async function loadPalette(): Promise<{ default: ComponentType<PaletteListProps> }> {
  const { default: List } = await import('./palette-list.tsx');
  LoadedList = List;
  return { default: List };
}

// Only where it could not be loaded before: what fails is tried again, and told, when the palette opens.
const LateList = lazy(loadPalette);

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
  const floatingPlace = useFloatingPlace();
  const List = LoadedList ?? LateList;
  // Before any effect of the list moves the focus into it.
  useLayoutEffect(() => {
    if (!open) return;
    chosen.current = null;
    focusedBefore.current = document.activeElement;
  }, [open]);
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>{opener}</Popover.Trigger>
      <Popover.Portal container={floatingPlace}>
        <Popover.Content
          aria-label="Commands"
          align="center"
          sideOffset={-27}
          collisionPadding={8}
          className="z-50 w-[520px] max-w-[calc(100vw-16px)] overflow-hidden rounded-ui border border-line-strong bg-panel shadow-float outline-none"
          onCloseAutoFocus={(close) => {
            close.preventDefault();
            if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
            chosen.current?.run();
          }}
        >
          <Suspense fallback={<div className="h-8" />}>
            <List
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
