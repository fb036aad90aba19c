import { RefreshCw, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, memo, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useCommands } from '#model/commands.ts';
import type { ToolList as ToolListState } from '#shared/contract/catalog.ts';
import { IconButton } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { formatQuantity } from '#shared/format.ts';
import { SearchField } from '#ui/search-field.tsx';
import { visibleLine } from '#ui/visible.ts';
import { selectTool } from './drafts.ts';
import { ListNotice } from './list-notice.tsx';
import { searchLines, type ToolLine } from './tool-list-model.ts';
import type { ToolListView } from './tool-lists.ts';

interface ToolListProps {
  readonly serverId: string;
  readonly view: ToolListView;
  readonly list: ToolListState;
  readonly lines: readonly ToolLine[];
  readonly selected: ToolLine | null;
  readonly isConnected: boolean;
}

/** The list of tools with its search. Up and down move the selection, from the search too. */
export function ToolList({ serverId, view, list, lines, selected, isConnected }: ToolListProps) {
  const [search, setSearch] = useState('');
  const shown = useMemo(() => searchLines(lines, search), [lines, search]);
  const listId = useId();
  const optionId = (line: ToolLine) => `${listId}-${line.place}`;
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

  const move = (press: KeyboardEvent) => {
    const at = shown.findIndex((line) => line === selected);
    const to = moves[press.key]?.(at, shown.length);
    const line = to === undefined ? undefined : shown[Math.min(Math.max(to, 0), shown.length - 1)];
    if (line === undefined || press.altKey || press.ctrlKey || press.metaKey) return;
    press.preventDefault();
    select(line);
  };

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1 p-2">
        <SearchField
          ref={searchField}
          label="Find a tool"
          value={search}
          onChange={setSearch}
          onKeyDown={(press) => {
            // Home and End belong to the text while there is some.
            if (press.key.startsWith('Arrow')) move(press);
          }}
          className="min-w-0 flex-1"
        />
        <IconButton
          label="Ask the server for its tools again"
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
      <div
        role="listbox"
        aria-label="Tools"
        aria-activedescendant={selected !== null && shown.includes(selected) ? optionId(selected) : undefined}
        tabIndex={0}
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {shown.map((line) => (
          <Line
            key={line.key}
            id={optionId(line)}
            line={line}
            isSelected={line === selected}
            onSelect={select}
          />
        ))}
      </div>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {statusOf(list, shown.length)}
      </p>
    </div>
  );
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function statusOf({ state, entries, pages }: ToolListState, shown: number): string {
  if (state === 'loading') return pages > 0 ? `loading page ${pages + 1}…` : 'loading…';
  if (entries.length === 0) return state === 'failed' ? '' : 'The server lists no tools.';
  const bad = entries.filter(({ usable }) => !usable).length;
  const all = formatQuantity(entries.length - bad, 'tool');
  if (shown === 0) return 'Nothing matches.';
  if (shown < entries.length) return `${shown} of ${entries.length}`;
  return [all, bad > 0 ? `${bad} bad` : '', pages > 1 ? `${pages} pages` : ''].filter(Boolean).join(' · ');
}

/** Remembered: of thousands of lines two change when the selection moves. */
const Line = memo(function Line({
  id,
  line,
  isSelected,
  onSelect,
}: {
  readonly id: string;
  readonly line: ToolLine;
  readonly isSelected: boolean;
  readonly onSelect: (line: ToolLine) => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const { entry } = line;
  return (
    // The keys of an option are those of its list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={() => onSelect(line)}
      className={cx(
        'border-l-2 py-[5px] pr-2.5 pl-3 [contain-intrinsic-size:auto_47px] [content-visibility:auto]',
        isSelected ? 'border-accent bg-hover' : 'border-transparent hover:bg-hover/60',
      )}
    >
      <div className="flex items-center gap-1.5">
        {!entry.usable && <TriangleAlert aria-hidden className="size-3 shrink-0 text-warn" />}
        <span className="min-w-0 flex-1 truncate">{visibleLine(line.title)}</span>
        {!entry.usable && <Chip tone="warn">bad</Chip>}
        {entry.usable && entry.duplicate && <Chip tone="warn">duplicate</Chip>}
      </div>
      <div className={cx('mono truncate', entry.usable ? 'text-faint' : 'text-warn')}>
        {visibleLine(entry.usable ? entry.tool.name : entry.why)}
      </div>
    </div>
  );
});
