import { Plug, ShieldX } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { currentLinkState, onLinkState, call } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import { rememberAppInfo } from '#model/app-info.ts';
import { keepExport } from '#model/exports.ts';
import { followMocks } from '#model/mocks.ts';
import { followRecent } from '#model/recent.ts';
import { followRebuilds } from '#model/rebuilds.ts';
import { followRoots } from '#model/roots.ts';
import { followApprovals, followServers, useServers } from '#model/servers.ts';
import { faultOf } from '#model/faults.ts';
import { keepSelection, keptSizes, reopen } from '#model/kept-selection.ts';
import { readPlace } from '#model/place.ts';
import { awaitTools, selectOpened, selectServer, useSelection } from '#model/selection.ts';
import { followSessions, isOpen, latestSession, useSessions } from '#model/sessions.ts';
import { followRemovals } from '#model/undo.ts';
import { followSettings } from '#model/settings.ts';
import { followTraces, useTraces } from '#model/traces.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { keepSizesIn } from '#ui/split.tsx';
import { Toaster, reportFault } from '#ui/toaster.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { loadOverview } from './panes.tsx';
import { Shell } from './shell.tsx';
import { UndoOffers } from './undo-offers.tsx';

let started: Promise<void> | undefined;

type Progress =
  | { readonly state: 'starting' | 'started' }
  | { readonly state: 'failed'; readonly fault: Fault };

/** The window: the shell once the engine has answered, or a fault if it does not. */
export function App() {
  const link = useSyncExternalStore(onLinkState, currentLinkState);
  const [progress, setProgress] = useState<Progress>({ state: 'starting' });
  useEffect(() => {
    // Only once per page: in development React mounts twice.
    started ??= start();
    started.then(
      () => setProgress({ state: 'started' }),
      (error: unknown) => setProgress({ state: 'failed', fault: faultOf(error) }),
    );
  }, []);

  if (link === 'lost' || link === 'refused') return <LinkScreen link={link} />;
  if (progress.state === 'failed') {
    return (
      <main className="mx-auto max-w-[640px] p-8">
        <FaultCard fault={progress.fault} />
      </main>
    );
  }
  if (progress.state === 'starting') return <main aria-busy aria-label="Sightglass is starting" />;
  return (
    <ErrorBoundary>
      <Shell />
      <Toaster />
      <UndoOffers />
    </ErrorBoundary>
  );
}

/** Loads the initial state and selects the server to show. Rejects when the engine cannot be reached. */
async function start(): Promise<void> {
  const settings = followSettings();
  const [info, isOfThisRun] = await Promise.all([
    call('app/info', {}),
    readPlace(),
    followServers(),
    followSessions(),
    followTraces(),
    // A view of a trace begins with what they say. Without them the defaults apply.
    Promise.allSettled([settings]),
  ]);
  rememberAppInfo(info);
  keepSizesIn(keptSizes);
  const before = keepSelection();
  const form = keepExport();
  // The app works without these.
  reportFault(settings.then(followRecent));
  reportFault(followApprovals());
  reportFault(followRoots());
  reportFault(followRebuilds());
  reportFault(followMocks());
  reportFault(followRemovals());
  const { servers } = useServers.getState();
  const { sessions } = useSessions.getState();
  const running = servers.find(({ id }) => {
    const session = latestSession(sessions, id);
    return session !== null && isOpen(session);
  });
  const named = servers.find(({ id }) => id === info.initialServerId);
  const kept = servers.find(({ id }) => id === before?.serverId);
  // A new start shows what it was started with.
  const first = (isOfThisRun ? (kept ?? named) : (named ?? kept)) ?? running ?? servers[0];
  if (first) selectServer(first.id);
  if (first && first === named && !isOfThisRun) {
    useSelection.setState({ pane: 'overview' });
    awaitTools(first.id);
  }
  // The trace that the app was opened with.
  const namedId = isOfThisRun ? null : info.initialTraceId;
  if (namedId !== null && namedId in useTraces.getState().opened) selectOpened(namedId);
  else if (isOfThisRun || !named) void reopen(before?.openedPath ?? null, form);
  // A failure is retried and reported when the Overview is shown.
  if (first) await loadOverview().catch(() => undefined);
}

const screens = {
  lost: {
    icon: <Plug />,
    title: 'Sightglass has stopped',
    text: 'This window has lost the process that talks to your servers. The traces are on disk; only their last milliseconds may be missing.',
    next: 'Start Sightglass again; if it is running, reload this page.',
  },
  refused: {
    icon: <ShieldX />,
    title: 'This page is not let in',
    text: 'The address that Sightglass prints works once, in one tab. This tab was opened without it, or with one that was used before.',
    next: 'Open the address that Sightglass printed last, or start it again for a new one.',
  },
} as const;

/** Replaces the window while the engine cannot be reached. */
function LinkScreen({ link }: { readonly link: keyof typeof screens }) {
  const { icon, title, text, next } = screens[link];
  return (
    <main className="h-full">
      <h1 className="sr-only">Sightglass</h1>
      <div role="alert" className="h-full">
        <EmptyState
          icon={icon}
          title={title}
          actions={link === 'lost' && <Button onClick={() => location.reload()}>Reload</Button>}
        >
          <p>{text}</p>
          <p className="mt-2 text-text">{next}</p>
        </EmptyState>
      </div>
    </main>
  );
}
