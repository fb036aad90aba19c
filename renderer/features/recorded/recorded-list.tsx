import { useMemo, useRef, useState } from 'react';
import { useCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { formatCount } from '#shared/format.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';
import { openPrompt, usePrompt, entriesOf, foundEntries, groupsOf } from './entries.ts';
import { OpenTrace } from './open-trace.tsx';
import { askForTrace, useOpening } from './opening.ts';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { RecordedRow } from './recorded-row.tsx';
import { Retention } from './retention.tsx';

/** Entries shown at first, and with each further click. */
const FIRST = 10;
const MORE = 50;
/** With more entries there is a search. */
const SEARCH_FROM = 10;

/** The place each key leads to. */
const steps: Readonly<Record<string, (from: number, count: number) => number>> = {
  ArrowDown: (from, count) => Math.min(from + 1, count - 1),
  ArrowUp: (from) => Math.max(from - 1, 0),
  Home: () => 0,
  End: (_from, count) => count - 1,
};

/** Recorded traces by server and day, newest first, and the button to open others. */
export function RecordedList() {
  const { files, fault, opened } = useTraces();
  const sessions = useSessions((known) => known.sessions);
  const openedId = useSelection((selection) => selection.openedId);
  const prompt = usePrompt((now) => now.prompt);
  const [shown, setShown] = useState(FIRST);
  const [search, setSearch] = useState('');
  const [stop, setStop] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  // For the change of day.
  const now = useNow(60_000, true);

  useCommands(
    useMemo(
      () => [
        {
          id: 'trace.open',
          title: 'Open trace…',
          group: 'Trace' as const,
          shortcut: 'Mod+O',
          keywords: ['file', 'mcptrace', 'recorded', 'load', 'import'],
          run: () => void askForTrace(),
        },
        {
          id: 'trace.keep',
          title: 'Keep traces…',
          group: 'Trace' as const,
          keywords: ['retention', 'delete', 'old', 'days', 'size', 'disk', 'settings'],
          run: () => openPrompt({ what: 'keep' }),
        },
      ],
      [],
    ),
  );

  const entries = useMemo(
    () => entriesOf(files ?? [], Object.values(opened), sessions),
    [files, opened, sessions],
  );
  const hasSearch = entries.length > SEARCH_FROM;
  const found = useMemo(
    () => (hasSearch ? foundEntries(entries, search, now) : entries),
    [entries, hasSearch, search, now],
  );
  const groups = useMemo(() => groupsOf(found.slice(0, shown), now), [found, shown, now]);
  // In the order on screen.
  const visible = groups.flatMap((group) => group.entries);
  const hidden = found.length - visible.length;
  const currentPath = openedId === null ? null : (opened[openedId]?.path ?? null);
  const tabStop = [stop, currentPath, visible[0]?.file.path].find((path) =>
    visible.some(({ file }) => file.path === path),
  );

  const focusOn = (path: string | undefined): void => {
    if (path === undefined) return;
    setStop(path);
    list.current?.querySelector<HTMLElement>(`[data-trace="${CSS.escape(path)}"]`)?.focus();
  };

  const onKey = (key: string, path: string): boolean => {
    const place = visible.findIndex(({ file }) => file.path === path);
    const entry = visible[place];
    const step = steps[key];
    if (step) focusOn(visible[step(place, visible.length)]?.file.path);
    else if (entry === undefined || !entry.isOurs) return false;
    else if (key === 'Delete') openPrompt({ what: 'delete', path });
    else if (key === 'F2') openPrompt({ what: 'rename', path });
    else return false;
    return true;
  };

  return (
    <nav aria-label="Recorded" className="flex flex-col pb-3">
      <h2 className="caption px-3.5 pt-3 pb-1">Recorded</h2>
      {fault && <FaultCard fault={fault} className="mx-2 my-1" />}
      {hasSearch && (
        <SearchField label="Find a trace" value={search} onChange={setSearch} className="mx-2 mt-0.5 mb-1" />
      )}
      {hasSearch && found.length === 0 && <p className="px-3.5 py-1 text-sm text-faint">No trace matches.</p>}
      {files?.length === 0 && entries.length === 0 && (
        <p className="px-3.5 py-1 text-sm text-faint">
          Every session is recorded from its first byte and listed here.
        </p>
      )}
      <ul
        ref={list}
        onKeyDown={(press) => {
          const path = press.target instanceof HTMLElement ? press.target.dataset.trace : undefined;
          if (path !== undefined && onKey(press.key, path)) press.preventDefault();
        }}
      >
        {groups.map(({ server, day, entries: ofDay }) => (
          <li key={`${server} ${day}`}>
            <h3 className="flex flex-wrap items-baseline gap-x-2 px-3.5 pt-1.5 pb-0.5 text-sm text-mute">
              <span className="min-w-0 wrap-anywhere">{visibleLine(server)}</span>
              <span className="ml-auto shrink-0 text-xs text-faint">{day}</span>
            </h3>
            <ul>
              {ofDay.map((entry) => (
                <RecordedRow
                  key={entry.file.path}
                  entry={entry}
                  isSelected={entry.file.path === currentPath}
                  hasOther={currentPath !== null && entry.file.path !== currentPath}
                  isTabStop={entry.file.path === tabStop}
                  prompt={prompt?.what !== 'keep' && prompt?.path === entry.file.path ? prompt.what : null}
                  onFocus={() => setStop(entry.file.path)}
                  onRenamed={focusOn}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => setShown(shown + MORE)}
          className="flex h-7 shrink-0 items-center px-3.5 text-faint hover:bg-hover hover:text-text"
        >
          Show {formatCount(Math.min(hidden, MORE))} more
        </button>
      )}
      <UploadRows />
      <div className="relative">
        <OpenTrace />
        <div className="absolute top-0.5 right-1.5">
          <Retention files={files ?? []} />
        </div>
      </div>
    </nav>
  );
}

/** Files that are being uploaded. */
function UploadRows() {
  const uploads = useOpening((opening) => opening.uploads);
  return uploads.map(({ id, name, share }) => (
    <div key={id} className="px-3.5 py-1.5">
      <div className="flex gap-2">
        <span className="min-w-0 flex-1 truncate text-mute">{visibleLine(name)}</span>
        <span className="shrink-0 text-xs text-faint tabular-nums">{Math.floor(share * 100)} %</span>
      </div>
      <ProgressBar label={`Uploading ${name}`} share={share} className="mt-1" />
    </div>
  ));
}
