import { lazy, type ReactNode, Suspense } from 'react';
import { selectPane, useSelection } from '#model/selection.ts';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import type { SessionStatus } from '#model/sessions.ts';
import { panes } from './app-commands.ts';
import { ErrorBoundary } from './error-boundary.tsx';

// Forms and editors are large and not needed for the first paint.
const ToolsPane = lazy(async () => ({
  default: (await import('#features/tools/tools-pane.tsx')).ToolsPane,
}));

const InboxPane = lazy(async () => ({
  default: (await import('#features/inbox/inbox-pane.tsx')).InboxPane,
}));

export function Panes({
  session,
  overview,
}: {
  readonly session: SessionStatus | null;
  readonly overview: ReactNode;
}) {
  const pane = useSelection((selection) => selection.pane);
  const toolCount = session?.toolCount ?? null;
  const counts = { overview: null, tools: toolCount, inbox: null };
  const badges = { overview: 0, tools: 0, inbox: session?.waiting ?? 0 };
  return (
    <Tabs
      label="Panes"
      tabs={panes.map(({ id, label }) => ({ id, label, count: counts[id], badge: badges[id] }))}
      value={pane}
      onChange={selectPane}
      className="h-full"
    >
      <TabPanel id="overview">{overview}</TabPanel>
      <TabPanel id="tools">
        <ErrorBoundary of="Tools">
          <Suspense fallback={<div aria-busy aria-label="Tools are loading" />}>
            <ToolsPane />
          </Suspense>
        </ErrorBoundary>
      </TabPanel>
      <TabPanel id="inbox">
        <ErrorBoundary of="The Inbox">
          <Suspense fallback={<div aria-busy aria-label="The Inbox is loading" />}>
            <InboxPane />
          </Suspense>
        </ErrorBoundary>
      </TabPanel>
    </Tabs>
  );
}
