import { Popover } from 'radix-ui';
import { type ReactNode, Suspense, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useFloatingPlace } from './floating.ts';
import { paletteField, type TypedBefore } from './palette-field.ts';
import type { PaletteListProps } from './palette-list.tsx';
import type { PaletteEntry } from './palette-rank.ts';
import { preloadable } from './preloadable.tsx';

const { Component: LateList, load } = preloadable(async () => (await import('./palette-list.tsx')).default);

/** Loads the list, so that it is shown at once when the palette is opened. */
export const loadPalette = load;

/**
 * All commands in a searchable list below its opener. A command runs after the focus has returned, so that it can move
 * the focus.
 */
export function CommandPalette({
  open,
  onOpenChange,
  entries,
  find,
  recent = [],
  onChosen,
  opener,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly entries: () => readonly PaletteEntry[];
  /** Finds more entries for the typed text, which are shown below; for no text those that were chosen lately. */
  readonly find: (typed: string) => readonly PaletteEntry[];
  /** The ids of the entries that were chosen lately, the latest first. */
  readonly recent?: readonly string[];
  readonly onChosen?: (id: string) => void;
  /** The button that opens it; the list covers it. */
  readonly opener: ReactNode;
}) {
  const chosen = useRef<PaletteEntry | null>(null);
  const focusedBefore = useRef<Element | null>(null);
  const floatingPlace = useFloatingPlace();
  // Runs before an effect of the list moves the focus.
  useLayoutEffect(() => {
    if (open) focusedBefore.current = document.activeElement;
  }, [open]);
  // Not when the closed list hands the focus back: the user may have opened the next one by then.
  useEffect(() => {
    if (open) return;
    const entry = chosen.current;
    const before = focusedBefore.current;
    chosen.current = null;
    focusedBefore.current = null;
    if (before instanceof HTMLElement) before.focus();
    entry?.run();
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
          onCloseAutoFocus={(close) => close.preventDefault()}
        >
          <ListWhenLoaded
            entries={entries()}
            find={find}
            recent={recent}
            onChoose={(entry) => {
              onChosen?.(entry.id);
              chosen.current = entry;
              onOpenChange(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The list; until it has loaded a field in its place, whose text the list takes over. */
function ListWhenLoaded(props: Omit<PaletteListProps, 'typedBefore'>) {
  const [typed, setTyped] = useState<TypedBefore>({ text: '', isEntered: false });
  return (
    <Suspense fallback={<EarlyField typed={typed} onChange={setTyped} />}>
      <LateList {...props} typedBefore={typed} />
    </Suspense>
  );
}

function EarlyField({
  typed,
  onChange,
}: {
  readonly typed: TypedBefore;
  readonly onChange: (typed: TypedBefore) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <input
        {...paletteField}
        ref={field}
        role="combobox"
        aria-label="Commands"
        aria-expanded={false}
        aria-controls={listId}
        value={typed.text}
        onChange={({ target }) => onChange({ text: target.value, isEntered: false })}
        onKeyDown={({ key }) => {
          if (key === 'Enter') onChange({ ...typed, isEntered: true });
        }}
      />
      <div id={listId} role="listbox" aria-label="Commands" aria-busy />
    </>
  );
}
