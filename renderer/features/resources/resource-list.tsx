import { ArrowDownWideNarrow, File, Folder, FolderOpen, List, ListTree, TriangleAlert } from 'lucide-react';
import { Fragment, memo, useCallback, useMemo, useRef, useState } from 'react';
import { type CatalogView, searchLines } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { showResource } from '#model/selection.ts';
import { canSend, type SessionStatus } from '#model/sessions.ts';
import type {
  ResourceList as ResourceListState,
  TemplateList as TemplateListState,
} from '#shared/contract/catalog.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { annotationWords, type Audience } from '#ui/content/annotations.tsx';
import { cx } from '#ui/cx.ts';
import { ListHead, listStatus } from '#ui/list-head.tsx';
import { Menu } from '#ui/menu.tsx';
import { Border, moveSelection, OptionList } from '#ui/option-list.tsx';
import { PageBar, pageBorders } from '#ui/page-bar.tsx';
import { Tree } from '#ui/tree.tsx';
import { visibleLine } from '#ui/visible.ts';
import { audiences, isDirectory, type Order, orderLines, orders } from './resource-order.ts';
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
  const order = useResourcesState((state) => state.order);
  const audience = useResourcesState((state) => state.audience);
  const shown = useMemo(
    () => orderLines(searchLines(lines, search), order, audience),
    [lines, search, order, audience],
  );
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
  const isConnected = canSend(session);
  const borders = useMemo(
    () => (resources.list === null ? null : pageBorders(resources.list)),
    [resources.list],
  );
  const templateBorders = useMemo(
    () => (templates.list === null ? new Map<number, string>() : pageBorders(templates.list)),
    [templates.list],
  );
  // In another order, or when some are left out, the pages are mixed.
  const borderOf =
    search.trim() === '' && order === 'server' && audience === 'any'
      ? ({ index }: ResourceLine) => borders?.get(index) ?? null
      : undefined;
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
        isConnected={isConnected}
        onReload={() => {
          resources.refresh();
          templates.refresh();
        }}
        changes={resources.changes}
        onDismissChanges={resources.acknowledge}
        fault={resources.fault ?? resources.list?.fault ?? templates.fault ?? templates.list?.fault ?? null}
      >
        <OrderMenu />
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
              borderOf={borderOf}
            >
              {drawLine}
            </OptionList>
          </div>
        )}
        <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
          {[
            resources.list && listStatus('resource', resources.list, shown.length),
            audience === 'any' ? null : audiences[audience].toLowerCase(),
            order === 'server' ? null : `by ${orders[order].toLowerCase()}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {resources.list !== null && (
          <PageBar of="resource" list={resources.list} isConnected={isConnected} {...resources.paging} />
        )}
        {shownTemplates.length > 0 && (
          <section aria-label="Templates" className="shrink-0 pb-2">
            <h3 className="caption px-3.5 pt-1 pb-0.5">Templates</h3>
            {shownTemplates.map((line) => {
              const border = search.trim() === '' ? templateBorders.get(line.index) : undefined;
              return (
                <Fragment key={line.key}>
                  {border !== undefined && <Border text={border} />}
                  <TemplateForm session={session} line={line} />
                </Fragment>
              );
            })}
          </section>
        )}
        {templates.list !== null && (
          <PageBar of="template" list={templates.list} isConnected={isConnected} {...templates.paging} />
        )}
      </div>
    </div>
  );
});

/** Chooses the order of the resources, and whose are shown. */
function OrderMenu() {
  const order = useResourcesState((state) => state.order);
  const audience = useResourcesState((state) => state.audience);
  return (
    <Menu
      trigger={
        <IconButton
          label="Sort and filter"
          size="small"
          className={cx((order !== 'server' || audience !== 'any') && 'text-accent')}
        >
          <ArrowDownWideNarrow aria-hidden className="size-3.5" />
        </IconButton>
      }
      entries={[
        ...orderNames.map((one) => ({
          label: orders[one],
          isChecked: one === order,
          onSelect: () => useResourcesState.setState({ order: one }),
        })),
        null,
        ...audienceNames.map((one) => ({
          label: audiences[one],
          isChecked: one === audience,
          onSelect: () => useResourcesState.setState({ audience: one }),
        })),
      ]}
    />
  );
}

const orderNames = ['server', 'name', 'priority', 'modified', 'size'] as const satisfies readonly Order[];
const audienceNames = ['any', 'user', 'assistant'] as const satisfies readonly Audience[];

const idOf = ({ index }: ResourceLine): string => String(index);

/** The accessible name of a resource. */
const nameOf = (line: ResourceLine): string => {
  const { title, name, entry } = line;
  return visibleLine(
    [
      title,
      name !== title && name,
      isDirectory(line) && 'directory',
      !entry.usable && 'bad',
      entry.usable && entry.duplicate && 'duplicate',
    ]
      .filter(Boolean)
      .join(', '),
  );
};

const drawLine = (line: ResourceLine) => {
  const { name, entry } = line;
  return (
    <>
      <div className="flex items-center gap-1.5">
        {isDirectory(line) && <FolderOpen aria-label="Directory" className="size-3.5 shrink-0 text-faint" />}
        <span className="min-w-0 flex-1 truncate">{visibleLine(line.title)}</span>
        <Mark entry={entry} />
      </div>
      <div className="unfolds mono truncate text-faint">
        {visibleLine(entry.usable ? (name ?? '') : entry.error)}
      </div>
      {entry.usable && entry.resource.annotations !== undefined && (
        <div className="unfolds truncate text-sm text-faint">
          {annotationWords(entry.resource.annotations).join(' · ')}
        </div>
      )}
    </>
  );
};

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
  /** Whether the user is searching, which opens every folder. */
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
          ) : isDirectory(line) ? (
            <FolderOpen aria-hidden className="size-3.5 shrink-0 text-faint" />
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
