import { File, Folder, List, ListTree, TriangleAlert } from 'lucide-react';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { type CatalogView, searchLines } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { showResource } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type {
  ResourceList as ResourceListState,
  TemplateList as TemplateListState,
} from '#shared/contract/catalog.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { ListHead, listStatus } from '#ui/list-head.tsx';
import { moveSelection, OptionList } from '#ui/option-list.tsx';
import { Tree } from '#ui/tree.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type TreeNode, treeNodes } from './resource-tree.ts';
import {
  folderKey,
  type ResourceLine,
  setFolder,
  type TemplateLine,
  useResourcesState,
} from './resources-state.ts';
import { TemplateForm } from './template-form.tsx';

interface ResourceListProps {
  readonly session: SessionStatus;
  readonly resources: CatalogView<ResourceListState>;
  readonly templates: CatalogView<TemplateListState>;
  readonly lines: readonly ResourceLine[];
  readonly templateLines: readonly TemplateLine[];
  readonly shownUri: string | null;
  /** URIs with a subscription. */
  readonly subscribed: ReadonlySet<string>;
  readonly onRead: (line: ResourceLine) => void;
}

/** The resources as a tree of their URIs or as a list, and the templates below. */
export const ResourceList = memo(function ResourceList({
  session,
  resources,
  templates,
  lines,
  templateLines,
  shownUri,
  subscribed,
  onRead,
}: ResourceListProps) {
  const { serverId } = session;
  const [search, setSearch] = useState('');
  const layout = useResourcesState((state) => state.layout);
  const searchField = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => searchLines(lines, search), [lines, search]);
  const shownTemplates = useMemo(() => searchLines(templateLines, search), [templateLines, search]);
  const selected = lines.find(({ name }) => name !== null && name === shownUri) ?? null;
  const select = useCallback(
    (line: ResourceLine) => {
      if (line.name !== null) showResource(serverId, line.name);
    },
    [serverId],
  );
  useCommands(
    useMemo(
      () => [
        {
          id: 'resources.find',
          title: 'Find a resource',
          group: 'Resources',
          shortcut: 'Mod+Shift+F',
          run: () => searchField.current?.focus(),
        },
      ],
      [],
    ),
  );
  const isTree = layout === 'tree';
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ListHead
        of="resource"
        search={search}
        onSearch={setSearch}
        onKeyDown={(press) => {
          if (press.key.startsWith('Arrow')) moveSelection(press, shown, selected, select);
          if (press.key === 'Enter' && selected !== null) onRead(selected);
        }}
        fieldRef={searchField}
        isLoading={resources.list?.state === 'loading' || templates.list?.state === 'loading'}
        isConnected={session.phase === 'ready'}
        onReload={() => {
          resources.refresh();
          templates.refresh();
        }}
        changes={resources.changes}
        onDismissChanges={resources.acknowledge}
        fault={resources.fault ?? resources.list?.fault ?? templates.fault ?? templates.list?.fault ?? null}
      >
        <IconButton
          label={isTree ? 'Show as a list' : 'Show as a tree'}
          size="small"
          onClick={() => useResourcesState.setState({ layout: isTree ? 'list' : 'tree' })}
        >
          {isTree ? <List aria-hidden className="size-3.5" /> : <ListTree aria-hidden className="size-3.5" />}
        </IconButton>
      </ListHead>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {isTree ? (
          <ResourceTree
            serverId={serverId}
            lines={shown}
            isSearch={search.trim() !== ''}
            selected={selected}
            subscribed={subscribed}
            onSelect={select}
            onRead={onRead}
          />
        ) : (
          <div className="flex min-h-40 flex-1 flex-col">
            <OptionList
              label="Resources"
              options={shown}
              idOf={idOf}
              nameOf={nameOf}
              selected={selected}
              onSelect={select}
              onEnter={() => selected !== null && onRead(selected)}
              folds
            >
              {drawLine}
            </OptionList>
          </div>
        )}
        <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
          {resources.list && listStatus('resource', resources.list, shown.length)}
        </p>
        {shownTemplates.length > 0 && (
          <section aria-label="Templates" className="shrink-0 pb-2">
            <h3 className="caption px-3.5 pt-1 pb-0.5">Templates</h3>
            {shownTemplates.map((line) => (
              <TemplateForm key={line.key} session={session} line={line} />
            ))}
          </section>
        )}
      </div>
    </div>
  );
});

const idOf = ({ index }: ResourceLine): string => String(index);

/** The accessible name of a resource. */
const nameOf = ({ title, name, entry }: ResourceLine): string =>
  visibleLine(
    [title, name !== title && name, !entry.usable && 'bad', entry.usable && entry.duplicate && 'duplicate']
      .filter(Boolean)
      .join(', '),
  );

const drawLine = ({ title, name, entry }: ResourceLine) => (
  <>
    <div className="flex items-center gap-1.5">
      <span className="min-w-0 flex-1 truncate">{visibleLine(title)}</span>
      <Mark entry={entry} />
    </div>
    <div className="unfolds mono truncate text-faint">
      {visibleLine(entry.usable ? (name ?? '') : entry.error)}
    </div>
  </>
);

function ResourceTree({
  serverId,
  lines,
  isSearch,
  selected,
  subscribed,
  onSelect,
  onRead,
}: {
  readonly serverId: string;
  readonly lines: readonly ResourceLine[];
  /** Every folder is open while searching. */
  readonly isSearch: boolean;
  readonly selected: ResourceLine | null;
  readonly subscribed: ReadonlySet<string>;
  readonly onSelect: (line: ResourceLine) => void;
  readonly onRead: (line: ResourceLine) => void;
}) {
  const folders = useResourcesState((state) => state.folders);
  const [folder, setSelectedFolder] = useState<string | null>(null);
  const nodes = useMemo(
    () => treeNodes(lines, (path) => (isSearch ? true : folders[folderKey(serverId, path)])),
    [lines, isSearch, folders, serverId],
  );
  return (
    <Tree
      label="Resources"
      nodes={nodes}
      openState={openState}
      nameOf={({ label, line, count }) =>
        line === null ? `${visibleLine(label)}, ${formatCount(count)}` : nameOf(line)
      }
      selected={folder ?? selected?.key ?? null}
      onSelect={({ path, line }) => {
        setSelectedFolder(line === null ? path : null);
        if (line !== null) onSelect(line);
      }}
      onToggle={({ path }, isOpen) => setFolder(serverId, path, isOpen)}
      onChoose={({ line }) => {
        if (line !== null) onRead(line);
      }}
    >
      {({ label, line, count }) => (
        <>
          {line === null ? (
            <Folder aria-hidden className="size-3.5 shrink-0 text-faint" />
          ) : (
            <File aria-hidden className="size-3.5 shrink-0 text-faint" />
          )}
          <span className="mono min-w-0 flex-1 truncate">{visibleLine(label)}</span>
          {line === null ? (
            <span className="text-xs text-faint">{formatCount(count)}</span>
          ) : (
            <>
              {line.name !== null && subscribed.has(line.name) && <Chip tone="accent">subscribed</Chip>}
              <Mark entry={line.entry} />
            </>
          )}
        </>
      )}
    </Tree>
  );
}

const openState = ({ line, isOpen }: TreeNode): boolean | null => (line === null ? isOpen : null);

/** What is wrong with an entry, or its size. */
function Mark({ entry }: { readonly entry: ResourceLine['entry'] }) {
  if (!entry.usable) {
    return (
      <Chip tone="warn">
        <TriangleAlert aria-hidden className="size-3" /> bad
      </Chip>
    );
  }
  if (entry.duplicate) return <Chip tone="warn">duplicate</Chip>;
  const { size } = entry.resource;
  return size === undefined ? null : <span className="text-xs text-faint">{formatBytes(size)}</span>;
}
