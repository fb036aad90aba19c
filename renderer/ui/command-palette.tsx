import { Command } from 'cmdk';
import { Popover } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { Kbd } from './kbd.tsx';
import type { Shortcut } from './shortcut.ts';

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
      <Popover.Portal>
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
          <PaletteList
            entries={entries()}
            onChoose={(entry) => {
              chosen.current = entry;
              onOpenChange(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function PaletteList({
  entries,
  onChoose,
}: {
  readonly entries: readonly PaletteEntry[];
  readonly onChoose: (entry: PaletteEntry) => void;
}) {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <Command label="Commands" loop>
      <Command.Input
        placeholder="Search commands…"
        className="h-8 w-full border-b border-line bg-transparent px-3 text-text outline-none focus-visible:outline-none"
      />
      <Command.List className="max-h-[340px] overflow-auto p-1">
        <Command.Empty className="px-2 py-3 text-center text-mute">No command is called that.</Command.Empty>
        {groups.map((group) => (
          <Command.Group
            key={group}
            heading={group}
            className="[&_[cmdk-group-heading]]:caption [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1"
          >
            {entries
              .filter((entry) => entry.group === group)
              .map((entry) => (
                <Command.Item
                  key={entry.id}
                  value={entry.id}
                  keywords={[entry.title, entry.group, ...(entry.keywords ?? [])]}
                  onSelect={() => onChoose(entry)}
                  className="flex h-[26px] cursor-default items-center justify-between gap-3 rounded-sm px-2 data-[selected=true]:bg-sel"
                >
                  <span className="truncate">{entry.title}</span>
                  {entry.shortcut && <Kbd keys={entry.shortcut} />}
                </Command.Item>
              ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}
