import { RefreshCw, TriangleAlert, X } from 'lucide-react';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { useCommands } from '#model/commands.ts';
import type { Tool, ToolList as ToolListState } from '#shared/contract/catalog.ts';
import { formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { moveSelection, OptionList } from '#ui/option-list.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { visibleLine } from '#ui/visible.ts';
import { selectTool } from './drafts.ts';
import type { ListChanges } from './list-changes.ts';
import { searchLines, type ToolLine, type ToolListView } from './tool-catalog.ts';

interface ToolListProps {
  readonly serverId: string;
  readonly view: ToolListView;
  readonly list: ToolListState;
  readonly lines: readonly ToolLine[];
  readonly selected: ToolLine | null;
  readonly isConnected: boolean;
}

/** The list of tools with a search field. Up and Down move the selection, also from the search field. */
export const ToolList = memo(function ToolList({
  serverId,
  view,
  list,
  lines,
  selected,
  isConnected,
}: ToolListProps) {
  const [search, setSearch] = useState('');
  const shown = useMemo(() => searchLines(lines, search), [lines, search]);
  const select = useCallback((line: ToolLine) => selectTool(serverId, line.key), [serverId]);
  const fault = view.fault ?? list.fault;
  const searchField = useRef<HTMLInputElement>(null);
  useCommands(
    useMemo(
      () => [
        {
          id: 'tools.find',
          title: 'Find a tool',
          group: 'Tools',
          shortcut: 'Mod+Shift+F',
          run: () => searchField.current?.focus(),
        },
      ],
      [],
    ),
  );

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1 p-2">
        <SearchField
          ref={searchField}
          label="Find a tool"
          value={search}
          onChange={setSearch}
          onKeyDown={(press) => {
            // Home and End move the caret in the search field.
            if (press.key.startsWith('Arrow')) moveSelection(press, shown, selected, select);
          }}
          className="min-w-0 flex-1"
        />
        <IconButton
          label="Reload the tools"
          size="small"
          disabled={!isConnected || list.state === 'loading'}
          onClick={view.refresh}
        >
          <RefreshCw
            aria-hidden
            className={cx('size-3.5', list.state === 'loading' && 'animate-spin motion-reduce:animate-none')}
          />
        </IconButton>
      </div>
      {view.changes !== null && <ListNotice changes={view.changes} onDismiss={view.acknowledge} />}
      {fault !== null && <FaultCard fault={fault} className="mx-2 mb-2" />}
      <OptionList
        label="Tools"
        options={shown}
        idOf={idOf}
        nameOf={nameOf}
        selected={selected}
        onSelect={select}
      >
        {drawTool}
      </OptionList>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {statusOf(list, shown.length)}
      </p>
    </div>
  );
});

function statusOf({ state, entries, pages }: ToolListState, shown: number): string {
  if (state === 'loading') return pages > 0 ? `loading page ${pages + 1}…` : 'loading…';
  if (entries.length === 0) return state === 'failed' ? '' : 'The server lists no tools.';
  const bad = entries.filter(({ usable }) => !usable).length;
  const all = formatQuantity(entries.length - bad, 'tool');
  if (shown === 0) return 'Nothing matches.';
  if (shown < entries.length) return `${shown} of ${entries.length}`;
  return [all, bad > 0 ? `${bad} bad` : '', pages > 1 ? `${pages} pages` : ''].filter(Boolean).join(' · ');
}

const idOf = ({ index }: ToolLine): string => String(index);

/** The accessible name of a line. */
const nameOf = ({ title, entry }: ToolLine): string =>
  visibleLine(
    entry.usable
      ? [title, entry.tool.name !== title && entry.tool.name, entry.duplicate && 'duplicate']
          .filter(Boolean)
          .join(', ')
      : `${title}, bad`,
  );

const drawTool = ({ title, entry }: ToolLine) => (
  <>
    <div className="flex items-center gap-1.5">
      {!entry.usable && <TriangleAlert aria-hidden className="size-3 shrink-0 text-warn" />}
      <span className="min-w-0 flex-1 truncate">{visibleLine(title)}</span>
      {!entry.usable && <Chip tone="warn">bad</Chip>}
      {entry.usable && entry.duplicate && <Chip tone="warn">duplicate</Chip>}
    </div>
    {entry.usable ? <Beneath tool={entry.tool} title={title} /> : <Why text={entry.error} />}
  </>
);

/** The tool's name, or its description if the title is the name. */
function Beneath({ tool, title }: { readonly tool: Tool; readonly title: string }) {
  if (tool.name !== title || tool.description === undefined)
    return <div className="mono truncate text-faint">{visibleLine(tool.name)}</div>;
  return (
    <div className="truncate text-sm text-faint">{visibleLine(tool.description.slice(0, MAX_BENEATH))}</div>
  );
}

/** Characters; more than fit on a line. */
const MAX_BENEATH = 200;

const Why = ({ text }: { readonly text: string }) => (
  <div className="mono truncate text-warn">{visibleLine(text)}</div>
);

/** Says which tools changed since the user last looked. */
function ListNotice({
  changes,
  onDismiss,
}: {
  readonly changes: ListChanges;
  readonly onDismiss: () => void;
}) {
  const { added, removed, changed } = changes;
  const counts = [
    [added.length, 'added'],
    [removed.length, 'removed'],
    [changed.length, 'changed'],
  ] as const;
  return (
    <div
      role="status"
      aria-label="Changes to the tool list"
      className="mx-2 mb-2 flex max-h-[45%] shrink-0 items-start gap-1 overflow-y-auto rounded-ui border border-line border-l-2 border-l-warn bg-panel py-1 pr-1 pl-2 text-sm"
    >
      <details className="min-w-0 flex-1">
        <summary className="leading-6">
          Tools:{' '}
          {counts
            .filter(([count]) => count > 0)
            .map(([count, what]) => `${count} ${what}`)
            .join(', ')}
        </summary>
        <ul className="flex flex-col gap-1 pr-1 pb-1">
          {added.map((name) => (
            <Change key={name} sign="+" tone="text-in" name={name} said="added" />
          ))}
          {removed.map((name) => (
            <Change key={name} sign="−" tone="text-err" name={name} said="removed" />
          ))}
          {changed.map(({ name, members, before, after }) => (
            <li key={name}>
              <details>
                <summary className="text-mute">
                  <span className="text-warn">~</span>{' '}
                  <PlainText inline text={name} className="mono text-text" />: {members.join(', ')} changed
                </summary>
                <div className="caption mt-1">Before</div>
                <JsonText raw={before} />
                <div className="caption mt-1">Now</div>
                <JsonText raw={after} />
              </details>
            </li>
          ))}
        </ul>
      </details>
      <IconButton label="Dismiss" size="small" onClick={onDismiss}>
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}

function Change({
  sign,
  tone,
  name,
  said,
}: {
  readonly sign: string;
  readonly tone: string;
  readonly name: string;
  readonly said: string;
}) {
  return (
    <li className="text-mute">
      <span className={tone}>{sign}</span> <PlainText inline text={name} className="mono text-text" /> {said}
    </li>
  );
}
