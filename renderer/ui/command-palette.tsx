import { Popover } from 'radix-ui';
import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from 'react';
import { useFloatingPlace } from './floating.ts';
import type { PaletteEntry, PaletteListProps } from './palette-list.tsx';

let LoadedList: ComponentType<PaletteListProps> | null = null;

/**
 * Loads the list, a separate script. Await it before the palette can be opened: keys typed before the list has loaded
 * are lost or go to the focused element.
 */
export async function loadPalette(): Promise<{ default: ComponentType<PaletteListProps> }> {
  const { default: List } = await import('./palette-list.tsx');
  LoadedList = List;
  return { default: List };
}

// Used only if loading failed at start: opening the palette tries again and reports the error.
const LateList = lazy(loadPalette);

/**
 * All commands in a searchable list below its opener. A command runs after the focus has returned, so that it can move
 * the focus.
 */
export function CommandPalette({
  open,
  onOpenChange,
  entries,
  find,
  opener,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly entries: () => readonly PaletteEntry[];
  /** Finds more entries for the typed text; they are shown below. */
  readonly find: (typed: string) => readonly PaletteEntry[];
  /** The button that opens it; the list covers it. */
  readonly opener: ReactNode;
}) {
  const chosen = useRef<PaletteEntry | null>(null);
  const focusedBefore = useRef<Element | null>(null);
  const floatingPlace = useFloatingPlace();
  const List = LoadedList ?? LateList;
  // Runs before an effect of the list moves the focus.
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
              find={find}
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
