import { Command } from 'cmdk';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Kbd } from './kbd.tsx';
import { paletteField, type TypedBefore } from './palette-field.ts';
import { type PaletteEntry, type rank, rankWithRecent, searchedTexts } from './palette-rank.ts';
import { visibleLine } from './visible.ts';

export interface PaletteListProps {
  readonly entries: readonly PaletteEntry[];
  /** Finds more entries for the typed text; for no text those that were chosen lately. */
  readonly find: (typed: string) => readonly PaletteEntry[];
  /** The ids of the entries that were chosen lately, the latest first. */
  readonly recent: readonly string[];
  readonly onChoose: (entry: PaletteEntry) => void;
  /** What was typed before the list had loaded. */
  readonly typedBefore: TypedBefore;
}

/** What Enter runs for a typed text: the first entry that removes nothing; undefined if all of them do, or nothing was typed. */
function bestOf(
  entries: readonly PaletteEntry[],
  typed: string,
  rankOf: typeof rank,
): PaletteEntry | undefined {
  if (typed === '') return undefined;
  const ranked = entries
    .filter(({ isDestructive }) => isDestructive !== true)
    .map((entry) => ({ entry, score: rankOf(entry.id, typed, searchedTexts(entry)) }));
  const [best] = ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return best?.entry;
}

/** The heading of what was chosen lately. */
const RECENT = 'Recent';
/** Entries below it. */
const MAX_SHOWN_RECENT = 5;

/** While nothing is typed, what was chosen lately comes first. */
function recentFirst(
  entries: readonly PaletteEntry[],
  found: readonly PaletteEntry[],
  recent: readonly string[],
): readonly PaletteEntry[] {
  const all = [...entries, ...found];
  const first = recent.flatMap((id) => all.find((entry) => entry.id === id) ?? []).slice(0, MAX_SHOWN_RECENT);
  if (first.length === 0) return entries;
  const others = entries.filter((entry) => !first.includes(entry));
  return [...first.map((entry) => ({ ...entry, group: RECENT })), ...others];
}

/** A search field over the commands it finds. */
export default function PaletteList({
  entries: commands,
  find,
  recent,
  onChoose,
  typedBefore,
}: PaletteListProps) {
  const search = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState('');
  const [taken, setTaken] = useState(typedBefore.text === '' ? null : typedBefore.text);
  const typed = useRef(typedBefore.text.trim());
  const [text, setText] = useState(typed.current);
  /** The user has moved to a command by key or pointer. */
  const hasMoved = useRef(false);
  const entries = useMemo(
    () => (text === '' ? recentFirst(commands, find(text), recent) : [...commands, ...find(text)]),
    [commands, find, recent, text],
  );
  const rankOf = useMemo(() => rankWithRecent(recent), [recent]);
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
    const best = typedBefore.isEntered ? bestOf(entries, typed.current, rankOf) : undefined;
    if (best) onChoose(best);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only once
  }, []);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <Command
      label="Commands"
      loop
      filter={rankOf}
      value={selected}
      onValueChange={(id) => {
        // Select nothing before the user types or moves, so that Enter alone runs nothing.
        if (typed.current === '' && !hasMoved.current) return;
        const isUnsafe = entries.some((entry) => entry.id === id && entry.isDestructive === true);
        if (!isUnsafe || hasMoved.current) return setSelected(id);
        // What removes something is selected by the user only. The list trims the value, and takes one that has changed.
        const safe = bestOf(entries, typed.current, rankOf)?.id ?? '';
        setSelected((now) => (now === safe ? `${safe} ` : safe));
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
        <Command.Empty className="px-2 py-3 text-center text-mute">Nothing is called that.</Command.Empty>
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
                  <span className="truncate">{visibleLine(entry.title)}</span>
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
