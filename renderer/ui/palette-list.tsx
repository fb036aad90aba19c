import { Command } from 'cmdk';
import { useEffect, useMemo, useRef, useState } from 'react';
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

export interface PaletteListProps {
  readonly entries: readonly PaletteEntry[];
  /** Finds more entries for the typed text. */
  readonly find: (typed: string) => readonly PaletteEntry[];
  readonly onChoose: (entry: PaletteEntry) => void;
}

/** Ranks a command against the typed text; 0 hides it. Every typed word must occur in the command. */
export function rank(_id: string, typed: string, texts: readonly string[] = []): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [title = '', ...others] = texts.map((text) => text.toLowerCase());
  let score = 1;
  for (const word of words) {
    if (title.startsWith(word)) continue;
    if (title.includes(` ${word}`)) score *= 0.9;
    else if (others.some((text) => text.startsWith(word))) score *= 0.6;
    else if (title.includes(word)) score *= 0.5;
    else return 0;
  }
  return score;
}

/** A search field over the commands it finds. */
export default function PaletteList({ entries: commands, find, onChoose }: PaletteListProps) {
  const search = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState('');
  const typed = useRef('');
  const [text, setText] = useState('');
  /** The user has moved to a command by key or pointer. */
  const hasMoved = useRef(false);
  // The list renders after the popover has set the focus.
  useEffect(() => search.current?.focus(), []);
  const entries = useMemo(() => [...commands, ...find(text)], [commands, find, text]);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <Command
      label="Commands"
      loop
      filter={rank}
      value={selected}
      onValueChange={(id) => {
        // Select nothing before the user types or moves, so that Enter alone runs nothing.
        if (typed.current !== '' || hasMoved.current) setSelected(id);
      }}
      onKeyDownCapture={({ key }) => {
        if (key !== 'Enter') hasMoved.current = true;
      }}
      onPointerMoveCapture={() => {
        hasMoved.current = true;
      }}
    >
      <Command.Input
        ref={search}
        onValueChange={(now) => {
          typed.current = now.trim();
          setText(typed.current);
          hasMoved.current = false;
          if (typed.current === '') setSelected('');
        }}
        placeholder="Search commands and tools…"
        className="h-8 w-full border-b border-line bg-transparent px-3 text-text outline-none focus-visible:outline-none"
      />
      <Command.List className="max-h-[340px] overflow-auto p-1">
        <Command.Empty className="px-2 py-3 text-center text-mute">
          No command or tool is called that.
        </Command.Empty>
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
                  {entry.shortcut && (
                    <span className="text-mute">
                      <Kbd keys={entry.shortcut} tone="inherit" />
                    </span>
                  )}
                </Command.Item>
              ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}
