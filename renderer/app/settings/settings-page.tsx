import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAppInfo } from '#model/app-info.ts';
import { closeSettings, openShortcuts } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { removeFromSettings } from '#model/removed-settings.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { useTraces } from '#model/traces.ts';
import { RetentionForm } from '#features/recorded/retention.tsx';
import {
  newDraft,
  type PatternDraft,
  PatternFields,
  patternsOf,
} from '#features/sharing/redaction-fields.tsx';
import type { Theme } from '#shared/contract/settings.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FormHeader } from '#ui/form-header.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { CopyDiagnostics } from './copy-diagnostics.tsx';

interface Setting {
  readonly title: string;
  readonly text: string;
  /** Further words that find it. */
  readonly words?: string;
  readonly Content: () => ReactNode;
}

const settings: readonly Setting[] = [
  {
    title: 'Theme',
    text: 'The colours of the window.',
    words: 'dark light appearance system',
    Content: ThemeChoice,
  },
  {
    title: 'Keyboard shortcuts',
    text: 'The keys of every command, and yours in their place.',
    words: 'keys rebind',
    Content: () => <Button onClick={() => openShortcuts(true)}>Keyboard shortcuts…</Button>,
  },
  {
    title: 'Times in the trace',
    text: 'As the time of day, or since the first row.',
    words: 'clock relative wall',
    Content: TimesChoice,
  },
  {
    title: 'Columns of the trace',
    text: 'Which columns the table has, their order and widths. Change them in its heading.',
    words: 'table reset',
    Content: ColumnsReset,
  },
  {
    title: 'Saved filters',
    text: 'Filters of the trace that you named.',
    words: 'search',
    Content: SavedFilters,
  },
  {
    title: 'Recorded traces',
    text: 'Every session is recorded. Old traces can be deleted automatically.',
    words: 'retention delete disk days size keep',
    Content: Retention,
  },
  {
    title: 'What exports leave out',
    text: 'Exports replace known secrets, and what these patterns match.',
    words: 'redact redaction secrets regular expression',
    Content: Patterns,
  },
  {
    title: 'Tools that run without a question',
    text: 'Destructive tools that you allowed. Which others ask is set for each server in its Overview.',
    words: 'consent confirm allow destructive revoke',
    Content: AllowedTools,
  },
  {
    title: 'About Sightglass',
    text: 'Its version, where its data lies, and what a report about it needs.',
    words: 'version folder diagnostics bug report',
    Content: About,
  },
];

/** The settings that are not about one server. Replaces the pane. */
export function SettingsPage() {
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = settings.filter(({ title, text, words: more = '' }) => {
    const all = `${title} ${text} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <section
      aria-label="Settings"
      className="flex h-full min-h-0 flex-col"
      onKeyDown={(press) => {
        if (press.key === 'Escape' && !press.defaultPrevented) closeSettings();
      }}
    >
      <FormHeader
        title="Settings"
        beside={
          <SearchField
            label="Find a setting"
            value={search}
            onChange={setSearch}
            ref={field}
            className="w-[260px]"
          />
        }
      >
        <Button variant="quiet" size="small" onClick={closeSettings}>
          Close
        </Button>
      </FormHeader>
      <div className="hides-when-collapsed min-h-0 flex-1 overflow-auto px-4">
        {found.map(({ title, text, Content }) => (
          <section
            key={title}
            aria-label={title}
            className="grid max-w-[880px] gap-x-6 gap-y-2 border-b border-line py-3 last:border-b-0 min-[900px]:grid-cols-[260px_minmax(0,1fr)]"
          >
            <div>
              <h3 className="font-medium">{title}</h3>
              <p className="text-xs text-faint">{text}</p>
            </div>
            <div>
              <Content />
            </div>
          </section>
        ))}
        {found.length === 0 && <p className="py-6 text-center text-mute">No setting is called that.</p>}
      </div>
    </section>
  );
}

const themeOptions: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
  { id: 'high-contrast', label: 'High contrast' },
];

function ThemeChoice() {
  const theme = useSettings((all) => all.theme);
  return (
    <Segmented
      label="Theme"
      value={theme}
      options={themeOptions}
      onChange={(chosen) => reportFault(changeSettings({ theme: chosen }))}
    />
  );
}

function TimesChoice() {
  const times = useSettings((all) => all.traceTimes);
  return (
    <Segmented
      label="Times in the trace"
      value={times}
      options={[
        { id: 'wall', label: 'Time of day' },
        { id: 'relative', label: 'Since the first row' },
      ]}
      onChange={(traceTimes) => reportFault(changeSettings({ traceTimes }))}
    />
  );
}

function ColumnsReset() {
  const columns = useSettings(({ traceColumns }) => traceColumns);
  return (
    <Button
      disabled={columns.length === 0}
      onClick={() =>
        reportFault(removeFromSettings('traceColumns', columns, 'Reset the columns of the trace'))
      }
    >
      Reset columns
    </Button>
  );
}

function SavedFilters() {
  const filters = useSettings((all) => all.savedFilters);
  if (filters.length === 0) return <p className="text-mute">None.</p>;
  return (
    <ul className="flex flex-col gap-1">
      {filters.map((filter) => (
        <li key={filter.name} className="flex items-center gap-3">
          <span className="min-w-0 flex-1 truncate">
            {visibleLine(filter.name)}{' '}
            <code className="mono text-xs text-mute">{visibleLine(filter.text)}</code>
          </span>
          <Button
            size="small"
            onClick={() =>
              reportFault(removeFromSettings('savedFilters', [filter], `Removed the filter “${filter.name}”`))
            }
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Retention() {
  const files = useTraces((traces) => traces.files);
  return <RetentionForm files={files ?? []} />;
}

function Patterns() {
  const [drafts, setDrafts] = useState<readonly PatternDraft[]>(() =>
    useSettings.getState().redactionPatterns.map(newDraft),
  );
  return (
    <PatternFields
      drafts={drafts}
      onChange={setDrafts}
      onCommit={(now) => {
        const redactionPatterns = patternsOf(now);
        if (redactionPatterns !== null) reportFault(changeSettings({ redactionPatterns }));
      }}
    />
  );
}

function AllowedTools() {
  const allowed = useSettings((all) => all.allowedTools);
  const servers = useServers((state) => state.servers);
  if (allowed.length === 0) return <p className="text-mute">None.</p>;
  return (
    <ul className="flex flex-col gap-1">
      {allowed.map((one) => (
        <li key={`${one.serverId} ${one.tool}`} className="flex items-center gap-3">
          <span className="min-w-0 flex-1 truncate">
            <code className="mono">
              <VisibleText text={one.tool} />
            </code>{' '}
            <span className="text-mute">
              of {visibleLine(servers.find(({ id }) => id === one.serverId)?.name ?? 'a removed server')}
            </span>
          </span>
          <Button
            size="small"
            onClick={() =>
              reportFault(
                removeFromSettings('allowedTools', [one], `Revoked running “${one.tool}” without a question`),
              )
            }
          >
            Ask again
          </Button>
        </li>
      ))}
    </ul>
  );
}

function About() {
  const info = useAppInfo((state) => state.info);
  const servers = useServers((state) => state.servers.length);
  if (info === null) return null;
  return (
    <div className="flex flex-col items-start gap-2">
      <p>
        Sightglass {info.version}, {formatQuantity(servers, 'server')}. Secrets are{' '}
        {info.keepsSecrets ? 'in the key store of the system.' : 'in memory until it quits.'}
      </p>
      <p className="flex max-w-full items-center gap-1">
        <span className="text-mute">Data folder</span>
        <code className="mono truncate">{visibleLine(info.dataFolder)}</code>
        <CopyButton text={info.dataFolder} label="Copy the path of the data folder" />
      </p>
      <CopyDiagnostics />
    </div>
  );
}
