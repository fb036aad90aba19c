import { Ban, Unplug } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react';
import {
  maximize,
  maximizedOf,
  selectPane,
  selectTab,
  showAwaitedAuthorization,
  showAwaitedTools,
  stopAwaitingTools,
  showResource,
  useSelection,
} from '#model/selection.ts';
import { type PaneName, paneNames } from '#model/pane-names.ts';
import { showNewestFlow, useFlowFindings, useWaitingFlow } from '#model/authorization.ts';
import { useShortcut } from '#model/commands.ts';
import { isOpen, type SessionStatus } from '#model/sessions.ts';
import { useRecordedSession } from '#model/traces.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { ShowResource } from '#ui/content/show-resource.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { mainControlOf } from '#ui/main-control.ts';
import { MaximizeButton } from '#ui/maximize-button.tsx';
import { preloadable } from '#ui/preloadable.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { toastNote } from '#ui/toaster.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

interface Pane {
  readonly label: string;
  readonly shortcut: string;
  /** Shows the session on screen. Null for the Overview, because that of a server differs from that of a recorded trace. */
  readonly Content: ComponentType | null;
  /** Whether the pane has something to show for a recorded session that never became ready; false by default. */
  readonly showsUnready?: true;
  /** Whether the pane sends to the server, which a recorded session does not have; false by default. */
  readonly isLiveOnly?: true;
  /** Shown beside the label. */
  readonly count?: (session: SessionStatus) => number | null;
  /** How many things in the pane wait for the user. */
  readonly badge?: (session: SessionStatus) => number;
  /** Whether the pane is shown only for servers over HTTP, or for mocks; false by default. */
  readonly isForHttp?: true;
  readonly isForMocks?: true;
}

/**
 * What each pane is; the order of the tabs is that of `paneNames`. Forms and editors are large and not needed for the first
 * paint, so the panes are loaded lazily.
 */
const paneTable: Readonly<Record<PaneName, Pane>> = {
  overview: { label: 'Overview', shortcut: 'Mod+1', Content: null },
  mock: {
    label: 'Mock',
    shortcut: 'Alt+K',
    Content: lazy(async () => ({ default: (await import('#features/mock/mock-pane.tsx')).MockPane })),
    isForMocks: true,
  },
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
  composer: {
    label: 'Composer',
    shortcut: 'Mod+5',
    Content: lazy(async () => ({
      default: (await import('#features/composer/composer-pane.tsx')).ComposerPane,
    })),
    isLiveOnly: true,
  },
  inbox: {
    label: 'Inbox',
    shortcut: 'Mod+6',
    Content: lazy(async () => ({ default: (await import('#features/inbox/inbox-pane.tsx')).InboxPane })),
    badge: ({ waiting }) => waiting,
  },
  logs: {
    label: 'Logs',
    shortcut: 'Mod+7',
    Content: lazy(async () => ({ default: (await import('#features/logs/logs-pane.tsx')).LogsPane })),
    showsUnready: true,
  },
  tests: {
    label: 'Tests',
    shortcut: 'Mod+9',
    Content: lazy(async () => ({ default: (await import('#features/testing/tests-pane.tsx')).TestsPane })),
    isLiveOnly: true,
  },
  replay: {
    label: 'Replay',
    shortcut: 'Alt+Y',
    Content: lazy(async () => ({ default: (await import('#features/replay/replay-pane.tsx')).ReplayPane })),
    showsUnready: true,
  },
  tasks: {
    label: 'Tasks',
    shortcut: 'Mod+8',
    Content: lazy(async () => ({ default: (await import('#features/tasks/tasks-pane.tsx')).TasksPane })),
    count: ({ taskCount }) => (taskCount === 0 ? null : taskCount),
    badge: ({ resumableTasks }) => resumableTasks,
  },
  authorization: {
    label: 'Auth',
    shortcut: 'Alt+A',
    Content: lazy(async () => ({
      default: (await import('#features/authorization/authorization-pane.tsx')).AuthorizationPane,
    })),
    showsUnready: true,
    isForHttp: true,
  },
};

const allPanes = paneNames.map((id) => ({ id, ...paneTable[id] }));

type Transport = Server['transport']['kind'];

/** The panes of a server with this transport. @param isMock whether this app serves it */
export const panesOf = (transport: Transport, isMock = false): typeof allPanes =>
  allPanes.filter(
    ({ isForHttp, isForMocks }) =>
      (isForHttp !== true || transport === 'http') && (isForMocks !== true || isMock),
  );

const { Component: OverviewPane, load } = preloadable(
  async () => (await import('#features/overview/overview-pane.tsx')).OverviewPane,
);

/** Loads the Overview of a server. Await it before a server is shown first, so that nothing flashes. */
export const loadOverview = load;

/** The panes of a server, one tab each. */
export function Panes({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const selected = useSelection(({ pane }) => pane);
  const isAwaited = useSelection(({ awaitsTools }) => awaitsTools === server.id);
  const hasTools = session?.phase === 'ready' && (session.toolCount ?? 0) > 0;
  useEffect(() => {
    if (isAwaited && hasTools) showAwaitedTools();
  }, [isAwaited, hasTools]);
  const authorizing = server.transport.kind === 'http' ? (session?.id ?? null) : null;
  const waitingFlow = useWaitingFlow(authorizing);
  useEffect(() => {
    if (waitingFlow === null || authorizing === null) return;
    showNewestFlow(authorizing);
    if (useSelection.getState().pane === 'authorization') return;
    if (useSelection.getState().awaitsTools === server.id) showAwaitedAuthorization();
    else toastNote('The authorization waits for you in the Auth pane.');
  }, [waitingFlow, authorizing, server.id]);
  useEffect(() => {
    if (!isAwaited) return;
    // A press on the tab of the pane on screen selects nothing, but the user wants that pane.
    const stopInPane = ({ target }: Event) => {
      if (target instanceof Element && target.closest('[role=tabpanel], [role=tablist]')) stopAwaitingTools();
    };
    const events = ['pointerdown', 'keydown'];
    for (const name of events) document.addEventListener(name, stopInPane, true);
    return () => {
      for (const name of events) document.removeEventListener(name, stopInPane, true);
    };
  }, [isAwaited]);
  return (
    <>
      {session?.promptCount ? (
        <Suspense>
          <PromptCommands session={session} />
        </Suspense>
      ) : null}
      <PaneTabs
        panes={panesOf(server.transport.kind, server.source === 'mock')}
        session={session}
        selected={selected}
        resourcesOf={server.id}
      >
        {({ Content }) => (Content ? <Content /> : <OverviewPane server={server} session={session} />)}
      </PaneTabs>
    </>
  );
}

const PromptCommands = lazy(async () => ({
  default: (await import('#features/prompts/prompt-commands.tsx')).PromptCommands,
}));

/** The panes of a recorded session with this transport. */
export const recordedPanesOf = (transport: Transport): typeof allPanes =>
  panesOf(transport).filter(({ isLiveOnly = false }) => !isLiveOnly);

const OpenedPane = lazy(async () => ({
  default: (await import('#features/recorded/opened-pane.tsx')).OpenedPane,
}));

const RecordedSession = lazy(async () => ({
  default: (await import('#features/overview/recorded-session.tsx')).RecordedSession,
}));

/** The panes of an opened trace: its file, and its session as it was when it ended. */
export function RecordedPanes({ trace }: { readonly trace: OpenedTrace }) {
  const { session, fault } = useRecordedSession(trace);
  const selected = useSelection(({ openedPane }) => openedPane);
  return (
    <PaneTabs
      panes={recordedPanesOf(trace.header.server.transport)}
      session={session}
      selected={selected}
      resourcesOf={trace.sessionId}
    >
      {({ Content, showsUnready = false }) => {
        if (Content === null) {
          return (
            <OpenedPane trace={trace}>
              {fault !== null && <FaultCard fault={fault} />}
              {session !== null && <RecordedSession session={session} />}
            </OpenedPane>
          );
        }
        if (session === null) return <div role="group" aria-busy aria-label="The session is loading" />;
        if (session.agreement === null && !showsUnready) return <NeverReady />;
        return <Content />;
      }}
    </PaneTabs>
  );
}

function NeverReady() {
  return (
    <EmptyState icon={<Unplug />} title="This session never became ready">
      The recording holds no handshake that succeeded, so nothing was listed.
    </EmptyState>
  );
}

/** The panel of the pane on screen. */
function shownPanel(): HTMLElement | null {
  const tab = document.querySelector('[role=tablist][aria-label=Panes] [role=tab][aria-selected=true]');
  return document.getElementById(tab?.getAttribute('aria-controls') ?? '');
}

/**
 * The main control of a pane: the first field of its form, or the button of a form without fields; else its list. Null until
 * the pane is loaded.
 */
function mainControl(panel: HTMLElement): HTMLElement | null {
  if (panel.querySelector('[aria-busy=true]') !== null) return null;
  const form = panel.querySelector<HTMLElement>('[data-main]');
  if (form === null) return panel.querySelector<HTMLElement>('[role=listbox], [role=tree]');
  return mainControlOf(form);
}

/** Moves the focus into the pane that was shown by a key, a command or a link: to the panel at once, to its main control when it is there. */
function usePaneFocus(): void {
  const isRequested = useSelection(({ focusesPane }) => focusesPane);
  const observer = useRef<MutationObserver | null>(null);
  useEffect(() => () => observer.current?.disconnect(), []);
  useEffect(() => {
    if (!isRequested) return;
    useSelection.setState({ focusesPane: false });
    observer.current?.disconnect();
    const panel = shownPanel();
    if (panel === null) return;
    let isInside = false;
    const moveFocus = () => {
      if (!isInside) {
        // What the pane has just focused keeps the focus. A panel that is still hidden cannot take it yet.
        if (!panel.contains(document.activeElement)) panel.focus({ preventScroll: true });
        isInside = panel.contains(document.activeElement);
        if (!isInside) return;
      }
      const control = document.activeElement === panel ? mainControl(panel) : panel;
      if (control === null) return;
      observer.current?.disconnect();
      if (control !== panel) control.focus();
    };
    observer.current = new MutationObserver(moveFocus);
    observer.current.observe(panel, { childList: true, subtree: true, attributes: true });
    moveFocus();
  }, [isRequested]);
}

/** The label of the Inbox while it declines everything. */
const DecliningLabel = ({ label }: { readonly label: string }) => (
  <>
    {label}
    <Ban aria-hidden className="size-3 text-warn" />
    <span className="sr-only">, declines all</span>
  </>
);

function PaneTabs({
  panes: shown,
  session,
  selected,
  resourcesOf,
  children: draw,
}: {
  readonly panes: typeof allPanes;
  readonly session: SessionStatus | null;
  /** The Overview replaces a pane that is not among them. */
  readonly selected: PaneName;
  /** Whose resources a link in a result leads to: a server, or an opened trace. */
  readonly resourcesOf: string;
  readonly children: (pane: (typeof allPanes)[number]) => ReactNode;
}) {
  const maximized = useSelection(maximizedOf);
  const maximizeKeys = useShortcut('size.pane', 'Alt+Shift+P');
  usePaneFocus();
  const flowFindings = useFlowFindings(
    shown.some(({ id }) => id === 'authorization') ? (session?.id ?? null) : null,
  );
  const openResource = useCallback(
    (uri: string) => {
      showResource(resourcesOf, uri);
      selectPane('resources');
    },
    [resourcesOf],
  );
  return (
    <Tabs
      label="Panes"
      tabs={shown.map(({ id, label, count, badge }) => ({
        id,
        label:
          id === 'inbox' && session?.isDecliningAll === true && isOpen(session) ? (
            <DecliningLabel label={label} />
          ) : (
            label
          ),
        count: (session && count?.(session)) ?? null,
        badge: id === 'authorization' ? flowFindings : ((session && badge?.(session)) ?? 0),
        ...(id === 'authorization' && { badgeTone: 'warn' as const }),
      }))}
      value={shown.some(({ id }) => id === selected) ? selected : 'overview'}
      onChange={selectTab}
      trailing={
        <MaximizeButton
          of="pane"
          shortcut={maximizeKeys}
          isMaximized={maximized === 'top'}
          onChange={(isMaximized) => maximize(isMaximized ? 'top' : null)}
        />
      }
      className="h-full"
    >
      {shown.map((pane) => (
        <TabPanel key={pane.id} id={pane.id} className="hides-when-collapsed">
          <ErrorBoundary of={pane.label}>
            <Suspense fallback={<div role="group" aria-busy aria-label={`${pane.label} is loading`} />}>
              <ShowResource value={openResource}>{draw(pane)}</ShowResource>
            </Suspense>
          </ErrorBoundary>
        </TabPanel>
      ))}
    </Tabs>
  );
}
