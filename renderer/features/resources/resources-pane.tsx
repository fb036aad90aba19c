import { Files, MousePointerClick, Unplug } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { catalogLines, useResourceList, useTemplateList } from '#model/catalog.ts';
import { useOpenedCall } from '#model/message-panes.ts';
import { useShownSession, useSelection } from '#model/selection.ts';
import { canSend, isOpen, type SessionStatus } from '#model/sessions.ts';
import { subscriptionTo, useSubscriptions } from '#model/subscriptions.ts';
import { RESOURCES_READ } from '#shared/protocol/methods.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { ResourceColumn } from './resource-column.tsx';
import { ResourceDetails, useReadDiff } from './resource-details.tsx';
import { ResourceList } from './resource-list.tsx';
import {
  readResource,
  readUpdated,
  type ResourceLine,
  showRead,
  skipUpdates,
  uriRead,
  useReads,
  useResourcesState,
} from './resources-state.ts';

/** The server's resources: find one, read it, and watch it change. */
export function ResourcesPane() {
  const session = useShownSession();
  if (session === null) return <NotConnected />;
  return <ResourcesOf key={session.serverId} session={session} />;
}

function ResourcesOf({ session }: { readonly session: SessionStatus }) {
  const { id: sessionId, serverId } = session;
  const resources = useResourceList(session);
  const templates = useTemplateList(session);
  const lines = useMemo(() => catalogLines(resources.list?.entries ?? []), [resources.list]);
  const templateLines = useMemo(() => catalogLines(templates.list?.entries ?? []), [templates.list]);
  const { subscriptions, fault } = useSubscriptions(sessionId);
  const uri = useSelection(({ resourceUri }) => resourceUri[serverId]);
  const readsOnUpdate = useResourcesState((state) => state.readsOnUpdate);

  useOpenedCall(sessionId, RESOURCES_READ, (opened) => {
    const read = uriRead(opened);
    if (read !== null) showRead(sessionId, read, opened.id);
    return true;
  });
  useEffect(() => {
    for (const subscription of subscriptions) {
      if (subscription.state !== 'active') continue;
      if (readsOnUpdate) void readUpdated(subscription);
      else skipUpdates(subscription);
    }
  }, [subscriptions, readsOnUpdate]);

  const subscribed = useMemo(
    () =>
      new Set(
        subscriptions
          .filter(({ state }) => state === 'active' || state === 'requested')
          .flatMap(({ requested }) => requested.resourceSubscriptions ?? []),
      ),
    [subscriptions],
  );
  const canRead = canSend(session);
  const onRead = useMemo(
    () => (line: ResourceLine) => {
      if (line.name !== null && canRead) void readResource(sessionId, line.name);
    },
    [sessionId, canRead],
  );

  if (resources.list === null) {
    if (resources.fault !== null) return <FaultCard fault={resources.fault} className="m-4" />;
    return <div role="group" aria-busy aria-label="Resources are loading" />;
  }
  if (resources.list.state === 'not-declared') return <NotDeclared session={session} />;
  return (
    <Split id="resources" direction="row" className="h-full">
      <SplitPanel id="resource-list" size={270} min={170} max={560} keepsPixels>
        <ResourceList
          session={session}
          resources={resources}
          templates={templates}
          lines={lines}
          templateLines={templateLines}
          shownUri={uri ?? null}
          subscribed={subscribed}
          onRead={onRead}
        />
      </SplitPanel>
      <SplitHandle label="Width of the resource list" />
      <SplitPanel id="resource" min={320}>
        {uri === undefined ? (
          <EmptyState icon={<MousePointerClick />} title="No resource selected">
            Select a resource to read it, or fill in a template.
          </EmptyState>
        ) : (
          <SelectedResource
            key={uri}
            session={session}
            uri={uri}
            line={lines.find(({ name }) => name === uri) ?? null}
            subscription={subscriptionTo(subscriptions, uri)}
            fault={fault}
          />
        )}
      </SplitPanel>
    </Split>
  );
}

function SelectedResource({
  session,
  uri,
  line,
  subscription,
  fault,
}: {
  readonly session: SessionStatus;
  readonly uri: string;
  readonly line: ResourceLine | null;
  readonly subscription: ReturnType<typeof subscriptionTo>;
  readonly fault: ReturnType<typeof useSubscriptions>['fault'];
}) {
  const { reads, shown, fault: readFault } = useReads(session.id, uri);
  const before = useMemo(() => {
    const older = shown === null ? [] : reads.slice(reads.indexOf(shown) + 1);
    return older.find(({ state }) => state === 'ok') ?? null;
  }, [reads, shown]);
  const diff = useReadDiff(shown, before);
  const changed = useMemo(
    () =>
      diff &&
      new Set(diff.lines.flatMap(({ kind, right }) => (kind !== 'same' && right !== null ? [right] : []))),
    [diff],
  );
  const column = (
    <ResourceColumn
      session={session}
      uri={uri}
      line={line}
      shown={shown}
      fault={readFault}
      subscription={subscription}
      changed={changed}
    />
  );
  if (line === null && reads.length === 0 && subscription === null && fault === null) return column;
  return (
    <Split id="resource" direction="row" className="h-full">
      <SplitPanel id="resource-contents" min={220}>
        {column}
      </SplitPanel>
      <SplitHandle label="Width of the details" />
      <SplitPanel id="resource-details" size={270} min={180} max={560} keepsPixels className="bg-panel">
        <ResourceDetails
          line={line}
          reads={reads}
          shown={shown}
          uri={uri}
          subscription={subscription}
          fault={fault}
          diff={diff}
        />
      </SplitPanel>
    </Split>
  );
}

/** Explains why there are no resources: the server has none, or is not connected. */
function NotDeclared({ session }: { readonly session: SessionStatus }) {
  if (session.agreement !== null) {
    return (
      <EmptyState icon={<Files />} title="This server offers no resources">
        It did not declare the <code className="mono">resources</code> capability.
      </EmptyState>
    );
  }
  if (isOpen(session)) {
    return (
      <EmptyState icon={<Files />} title="No resources yet">
        Resources are listed when the connection is ready.
      </EmptyState>
    );
  }
  if (session.fault !== null) return <FaultCard fault={session.fault} className="m-4" />;
  return <NotConnected />;
}

function NotConnected() {
  return (
    <EmptyState icon={<Unplug />} title="Not connected">
      Connect to the server to see its resources.
    </EmptyState>
  );
}
