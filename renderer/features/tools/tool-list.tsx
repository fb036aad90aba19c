import { TriangleAlert } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CatalogView, searchLines } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { takesToolFocus } from '#model/selection.ts';
import type { Tool, ToolList as ToolListState } from '#shared/contract/catalog.ts';
import { Chip } from '#ui/chip.tsx';
import { ListHead, listStatus } from '#ui/list-head.tsx';
import { moveSelection, OptionList } from '#ui/option-list.tsx';
import { PageBar, pageBorders } from '#ui/page-bar.tsx';
import { visibleLine } from '#ui/visible.ts';
import { enterTool, selectTool, type ToolLine } from './drafts.ts';

interface ToolListProps {
  readonly serverId: string;
  readonly view: CatalogView<ToolListState>;
  readonly list: ToolListState;
  readonly lines: readonly ToolLine[];
  readonly selected: ToolLine | null;
  readonly isConnected: boolean;
}

/**
 * The list of tools with a search field. Up and Down move the selection, also from the search field, where Enter goes on to the
 * first field of the tool.
 */
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
  const borders = useMemo(() => pageBorders(list), [list]);
  const borderOf = search.trim() === '' ? ({ index }: ToolLine) => borders.get(index) ?? null : undefined;
  const select = useCallback((line: ToolLine) => selectTool(serverId, line.key), [serverId]);
  const searchField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesToolFocus()) searchField.current?.focus();
  }, []);
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
      <ListHead
        of="tool"
        search={search}
        onSearch={setSearch}
        onKeyDown={(press) => {
          // Home and End move the caret in the search field.
          if (press.key.startsWith('Arrow')) moveSelection(press, shown, selected, select);
          const found = shown.find((line) => line === selected) ?? shown[0];
          if (press.key !== 'Enter' || found === undefined) return;
          press.preventDefault();
          enterTool(serverId, found.key);
        }}
        fieldRef={searchField}
        isLoading={list.state === 'loading'}
        isConnected={isConnected}
        onReload={view.refresh}
        changes={view.changes}
        onDismissChanges={view.acknowledge}
        fault={view.fault ?? list.fault}
      />
      <OptionList
        label="Tools"
        options={lines}
        matches={shown}
        idOf={idOf}
        nameOf={nameOf}
        selected={selected}
        onSelect={select}
        folds
        borderOf={borderOf}
      >
        {drawTool}
      </OptionList>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {listStatus('tool', list, shown.length)}
      </p>
      <PageBar of="tool" list={list} isConnected={isConnected} {...view.paging} />
    </div>
  );
});

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
    return <div className="unfolds mono truncate text-faint">{visibleLine(tool.name)}</div>;
  return (
    <div className="unfolds truncate text-sm text-faint">
      {visibleLine(tool.description.slice(0, MAX_BENEATH))}
    </div>
  );
}

/** Characters; more than fit on a line. */
const MAX_BENEATH = 200;

const Why = ({ text }: { readonly text: string }) => (
  <div className="unfolds mono truncate text-warn">{visibleLine(text)}</div>
);
