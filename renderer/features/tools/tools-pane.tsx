import { MousePointerClick, Unplug, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import { useCurrentSession } from '#model/selection.ts';
import { isOpen } from '#model/sessions.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { useToolsState } from './drafts.ts';
import { ToolBoundary } from './form-boundary.tsx';
import { SelectedTool } from './selected-tool.tsx';
import { ToolList } from './tool-list.tsx';
import { toolLines } from './tool-list-model.ts';
import { useToolList } from './tool-lists.ts';

/** The server's tools: find one, fill in its arguments, call it, read what came back. */
export function ToolsPane() {
  const session = useCurrentSession();
  if (session === null) return <NotConnected />;
  return <ToolsOf key={session.serverId} session={session} />;
}

export default ToolsPane;

function ToolsOf({ session }: { readonly session: SessionView }) {
  const view = useToolList(session);
  const { list, fault } = view;
  const lines = useMemo(() => toolLines(list?.entries ?? []), [list]);
  const selectedKey = useToolsState(({ selected }) => selected[session.serverId]);
  const selected = selectedKey === undefined ? lines[0] : lines.find(({ key }) => key === selectedKey);
  const isConnected = session.phase === 'ready';

  if (list === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div aria-busy aria-label="Tools are loading" />;
  }
  if (list.state === 'not-offered') return <NotOffered session={session} />;
  return (
    <Split id="tools" direction="row" className="h-full">
      <SplitPanel id="tool-list" size={250} min={160} max={520} keepsPixels>
        <ToolList
          serverId={session.serverId}
          view={view}
          list={list}
          lines={lines}
          selected={selected ?? null}
          isConnected={isConnected}
        />
      </SplitPanel>
      <SplitHandle label="Width of the tool list" />
      <SplitPanel id="tool" min={320}>
        {selected !== undefined ? (
          <ToolBoundary key={selected.key} raw={selected.entry.raw}>
            <SelectedTool
              sessionId={session.id}
              serverId={session.serverId}
              isConnected={isConnected}
              line={selected}
            />
          </ToolBoundary>
        ) : selectedKey === undefined ? null : (
          <EmptyState icon={<MousePointerClick />} title="This tool is no longer listed">
            The server took it out of its list. What you wrote for it is kept. Select another tool.
          </EmptyState>
        )}
      </SplitPanel>
    </Split>
  );
}

/** Why there are no tools: the server has none, is not there yet, or never was. */
function NotOffered({ session }: { readonly session: SessionView }) {
  if (session.agreement !== null) {
    return (
      <EmptyState icon={<Wrench />} title="This server offers no tools">
        It did not announce the <code className="mono">tools</code> capability.
      </EmptyState>
    );
  }
  if (isOpen(session)) {
    return (
      <EmptyState icon={<Wrench />} title="No tools yet">
        They are listed once the connection is ready.
      </EmptyState>
    );
  }
  if (session.fault !== null) return <FaultCard fault={session.fault} className="m-4" />;
  return <NotConnected />;
}

function NotConnected() {
  return (
    <EmptyState icon={<Unplug />} title="Not connected">
      Connect to the server to see its tools.
    </EmptyState>
  );
}
