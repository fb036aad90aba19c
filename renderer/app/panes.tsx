import { lazy, type ReactNode, Suspense } from 'react';
import { selectPane, useSelection } from '#model/selection.ts';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import type { SessionView } from '#shared/contract/sessions.ts';
import { panes } from './app-commands.ts';
import { ErrorBoundary } from './error-boundary.tsx';

// Forms and editors are heavy and not needed for the first picture.
const ToolsPane = lazy(async () => ({
  default: (await import('#features/tools/tools-pane.tsx')).ToolsPane,
}));

export function Panes({
  session,
  overview,
}: {
  readonly session: SessionView | null;
  readonly overview: ReactNode;
}) {
  const pane = useSelection((selection) => selection.pane);
  const toolCount = session?.toolCount ?? null;
  const counts = { overview: null, tools: toolCount };
  return (
    <Tabs
      label="Panes"
      tabs={panes.map(({ id, label }) => ({ id, label, count: counts[id] }))}
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
    </Tabs>
  );
}
