import { type ComponentType, lazy, Suspense, useCallback } from 'react';
import { OverviewPane } from '#features/overview/overview-pane.tsx';
import {
  maximize,
  type PaneName,
  paneNames,
  selectPane,
  showResource,
  useSelection,
} from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import { ShowResource } from '#ui/content/show-resource.ts';
import { MaximizeButton } from '#ui/maximize-button.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

interface PaneProps {
  readonly server: Server;
  readonly session: SessionStatus | null;
}

interface Pane {
  readonly label: string;
  readonly shortcut: string;
  readonly Content: ComponentType<PaneProps>;
  /** Shown beside the label. */
  readonly count?: (session: SessionStatus) => number | null;
  /** What waits for the user. */
  readonly badge?: (session: SessionStatus) => number;
}

/** Every pane with a tab, in their order. Forms and editors are large and not needed for the first paint. */
const paneTable: Readonly<Record<PaneName, Pane>> = {
  overview: { label: 'Overview', shortcut: 'Mod+1', Content: OverviewPane },
  tools: {
    label: 'Tools',
    shortcut: 'Mod+2',
    Content: lazy(async () => ({ default: (await import('#features/tools/tools-pane.tsx')).ToolsPane })),
    count: ({ toolCount }) => toolCount,
  },
  resources: {
    label: 'Resources',
    shortcut: 'Mod+3',
    Content: lazy(async () => ({
      default: (await import('#features/resources/resources-pane.tsx')).ResourcesPane,
    })),
    count: ({ resourceCount }) => resourceCount,
  },
  prompts: {
    label: 'Prompts',
    shortcut: 'Mod+4',
    Content: lazy(async () => ({
      default: (await import('#features/prompts/prompts-pane.tsx')).PromptsPane,
    })),
    count: ({ promptCount }) => promptCount,
  },
  inbox: {
    label: 'Inbox',
    shortcut: 'Mod+5',
    Content: lazy(async () => ({ default: (await import('#features/inbox/inbox-pane.tsx')).InboxPane })),
    badge: ({ waiting }) => waiting,
  },
};

export const panes = paneNames.map((id) => ({ id, ...paneTable[id] }));

/** The panes of a server, one tab each. */
export function Panes({ server, session }: PaneProps) {
  const selected = useSelection(({ pane }) => pane);
  const maximized = useSelection((selection) => selection.maximized);
  const openResource = useCallback(
    (uri: string) => {
      showResource(server.id, uri);
      selectPane('resources');
    },
    [server.id],
  );
  return (
    <Tabs
      label="Panes"
      tabs={panes.map(({ id, label, count, badge }) => ({
        id,
        label,
        count: (session && count?.(session)) ?? null,
        badge: (session && badge?.(session)) ?? 0,
      }))}
      value={selected}
      onChange={selectPane}
      trailing={
        <MaximizeButton
          of="pane"
          shortcut="Alt+P"
          isMaximized={maximized === 'top'}
          onChange={(isMaximized) => maximize(isMaximized ? 'top' : null)}
        />
      }
      className="h-full"
    >
      {panes.map(({ id, label, Content }) => (
        <TabPanel key={id} id={id} className="hides-when-collapsed">
          <ErrorBoundary of={label}>
            <Suspense fallback={<div aria-busy aria-label={`${label} is loading`} />}>
              <ShowResource value={openResource}>
                <Content server={server} session={session} />
              </ShowResource>
            </Suspense>
          </ErrorBoundary>
        </TabPanel>
      ))}
    </Tabs>
  );
}
