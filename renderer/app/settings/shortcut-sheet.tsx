import { useEffect, useState } from 'react';
import { type Command, currentCommands, setShortcut } from '#model/commands.ts';
import { openShortcuts, useSelection } from '#model/selection.ts';
import { removeFromSettings } from '#model/removed-settings.ts';
import { useSettings } from '#model/settings.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { Kbd } from '#ui/kbd.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { type Shortcut, shortcutLabel, shortcutOfPress } from '#ui/shortcut.ts';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { RotateCcw, X } from 'lucide-react';

/** Keys that belong to lists, tables and trees and cannot be changed. */
const fixedKeys: readonly (readonly [keys: readonly Shortcut[], what: string])[] = [
  [['ArrowUp', 'ArrowDown'], 'Move in a list, a table or a tree'],
  [['ArrowLeft', 'ArrowRight'], 'Fold and unfold; in the trace, the parent row and the first child row'],
  [['Enter', 'Escape'], 'Open and close the detail of a row'],
  [['P', 'E'], 'In the trace, the other half of the call and its HTTP exchange'],
  [['Mod+A', 'Mod+C'], 'In the trace, select all rows and copy the selected ones'],
  [['/'], 'Find in a message'],
  [['-', '*'], 'Fold and unfold all of a message'],
];

/** The list of keyboard shortcuts, where the user changes them. */
export function ShortcutSheet() {
  const isOpen = useSelection(({ hasShortcuts }) => hasShortcuts);
  const [recording, setRecording] = useState<string | null>(null);
  return (
    <Dialog
      title="Keyboard shortcuts"
      open={isOpen}
      onOpenChange={(open) => {
        setRecording(null);
        openShortcuts(open);
      }}
      onEscape={recording === null ? undefined : () => setRecording(null)}
    >
      <Shortcuts recording={recording} onRecord={setRecording} />
    </Dialog>
  );
}

interface Taken {
  readonly command: Command;
  readonly keys: Shortcut;
  readonly by: Command;
}

function Shortcuts({
  recording,
  onRecord,
}: {
  /** The id of the command whose new keys are awaited. */
  readonly recording: string | null;
  readonly onRecord: (id: string | null) => void;
}) {
  const own = useSettings(({ shortcuts }) => shortcuts);
  const [search, setSearch] = useState('');
  const [taken, setTaken] = useState<Taken | null>(null);
  const commands = currentCommands();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const shown = commands.filter(({ title, group, shortcut, keywords = [] }) =>
    isFound([title, group, shortcut && shortcutLabel(shortcut), ...keywords].join(' ')),
  );
  const fixed = fixedKeys.filter(([keys, what]) => isFound([...keys.map(shortcutLabel), what].join(' ')));
  useEffect(() => {
    const command = commands.find(({ id }) => id === recording);
    if (command === undefined) return;
    const onKeyDown = (press: KeyboardEvent) => {
      const keys = shortcutOfPress(press);
      if (press.key === 'Escape' || press.key === 'Tab') return;
      press.preventDefault();
      press.stopPropagation();
      // A key that is still held from the click on Change.
      if (keys === null || press.repeat) return;
      const by = currentCommands().find(({ id, shortcut }) => shortcut === keys && id !== command.id);
      onRecord(null);
      if (by === undefined) reportFault(setShortcut(command.id, keys));
      else setTaken({ command, keys, by });
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  });
  return (
    <>
      <div className="flex items-center gap-2 px-4 pb-2">
        <SearchField label="Find a command" value={search} onChange={setSearch} className="flex-1" />
        <Button
          size="small"
          disabled={own.length === 0}
          onClick={() => reportFault(removeFromSettings('shortcuts', own, 'Reset all keyboard shortcuts'))}
        >
          Reset all
        </Button>
      </div>
      {taken !== null && (
        <div role="alert" className="flex items-center gap-2 border-y border-line bg-raise px-4 py-1.5">
          <span className="min-w-0 flex-1">
            <Kbd keys={taken.keys} /> already belongs to “{visibleLine(taken.by.title)}”.
          </span>
          <Button
            size="small"
            onClick={() => {
              setTaken(null);
              reportFault(take(taken));
            }}
          >
            Use it for “{visibleLine(taken.command.title)}”
          </Button>
          <Button size="small" variant="quiet" onClick={() => setTaken(null)}>
            Keep
          </Button>
        </div>
      )}
      <div className="min-h-0 flex-1 overflow-auto px-4 pb-3">
        {[...new Set(shown.map(({ group }) => group))].map((group) => (
          <section key={group} aria-label={group}>
            <h3 className="caption pt-2 pb-1">{group}</h3>
            <ul>
              {shown
                .filter((command) => command.group === group)
                .map((command) => (
                  <ShortcutRow
                    key={command.id}
                    command={command}
                    isOwn={own.some((one) => one.command === command.id)}
                    isRecording={recording === command.id}
                    onRecord={() => {
                      setTaken(null);
                      onRecord(recording === command.id ? null : command.id);
                    }}
                  />
                ))}
            </ul>
          </section>
        ))}
        {fixed.length > 0 && (
          <section aria-label="Everywhere">
            <h3 className="caption pt-2 pb-1">In lists, tables and messages</h3>
            <ul>
              {fixed.map(([keys, what]) => (
                <li key={what} className="flex min-h-[26px] items-center gap-2">
                  <span className="min-w-0 flex-1">{what}</span>
                  {keys.map((one) => (
                    <Kbd key={one} keys={one} />
                  ))}
                </li>
              ))}
            </ul>
          </section>
        )}
        {shown.length + fixed.length === 0 && (
          <p className="py-4 text-center text-mute">No command or key is called that.</p>
        )}
      </div>
      <p className="border-t border-line px-4 py-2 text-xs text-faint">
        Commands that apply now. Those of another pane are listed while it is shown.
      </p>
    </>
  );
}

/** Gives keys to a command that belonged to another one. */
async function take({ command, keys, by }: Taken): Promise<void> {
  await setShortcut(by.id, null);
  await setShortcut(command.id, keys);
}

function ShortcutRow({
  command: { id, title, shortcut },
  isOwn,
  isRecording,
  onRecord,
}: {
  readonly command: Command;
  /** Whether the user has changed the shortcut. */
  readonly isOwn: boolean;
  readonly isRecording: boolean;
  readonly onRecord: () => void;
}) {
  const name = visibleLine(title);
  return (
    <li className="group flex min-h-[26px] items-center gap-1">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {isOwn && (
        <IconButton
          label={`Reset the shortcut of ${name}`}
          size="small"
          onClick={() => reportFault(setShortcut(id, undefined))}
        >
          <RotateCcw aria-hidden className="size-3" />
        </IconButton>
      )}
      {shortcut !== undefined && !isRecording && (
        <IconButton
          label={`Remove the shortcut of ${name}`}
          size="small"
          onClick={() => reportFault(setShortcut(id, null))}
          className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
        >
          <X aria-hidden className="size-3" />
        </IconButton>
      )}
      <button
        type="button"
        aria-label={`Change the shortcut of ${name}`}
        aria-pressed={isRecording}
        onClick={onRecord}
        className="flex h-[22px] min-w-[92px] items-center justify-end rounded-sm px-1 text-xs text-faint hover:bg-hover aria-pressed:bg-sel aria-pressed:text-text"
      >
        {isRecording ? 'Press keys…' : shortcut === undefined ? 'none' : <Kbd keys={shortcut} />}
      </button>
    </li>
  );
}
