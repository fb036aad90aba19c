import { Command } from 'cmdk';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Kbd } from './kbd.tsx';
import { paletteField, type TypedBefore } from './palette-field.ts';
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
  /** What was typed before the list had loaded. */
  readonly typedBefore: TypedBefore;
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

/** The command that is listed first for a typed text; undefined if none is found or nothing was typed. */
function bestOf(entries: readonly PaletteEntry[], typed: string): PaletteEntry | undefined {
  if (typed === '') return undefined;
  const ranked = entries.map((entry) => ({ entry, score: rank(entry.id, typed, searchedTexts(entry)) }));
  const [best] = ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return best?.entry;
}

const searchedTexts = ({ title, group, keywords = [] }: PaletteEntry): string[] => [
  title,
  group,
  ...keywords,
];

/** A search field over the commands it finds. */
export default function PaletteList({ entries: commands, find, onChoose, typedBefore }: PaletteListProps) {
  const search = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState('');
  const [taken, setTaken] = useState(typedBefore.text === '' ? null : typedBefore.text);
  const typed = useRef(typedBefore.text.trim());
  const [text, setText] = useState(typed.current);
  /** The user has moved to a command by key or pointer. */
  const hasMoved = useRef(false);
  const entries = useMemo(() => [...commands, ...find(text)], [commands, find, text]);
  // The field of before is gone: the next key belongs to this one, behind the text.
  useLayoutEffect(() => {
    const end = typedBefore.text.length;
    if (end === 0) return;
    search.current?.focus();
    search.current?.setSelectionRange(end, end);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only once
  }, []);
  useEffect(() => {
    // The list renders after the popover has set the focus.
    search.current?.focus();
    // The list knows the text by now.
    setTaken(null);
    const best = typedBefore.isEntered ? bestOf(entries, typed.current) : undefined;
    if (best) onChoose(best);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only once
  }, []);
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
        {...paletteField}
        ref={search}
        {...(taken !== null && { value: taken })}
        onValueChange={(now) => {
          typed.current = now.trim();
          setText(typed.current);
          hasMoved.current = false;
          if (typed.current === '') setSelected('');
        }}
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
                  keywords={searchedTexts(entry)}
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
