import { type ComponentProps, lazy, Suspense, useEffect, useMemo } from 'react';
import { mockCommands } from '#features/mock/mock-commands.ts';
import { RecordedList } from '#features/recorded/recorded-list.tsx';
import { ServerList } from '#features/servers/server-list.tsx';
import { Welcome } from '#features/servers/welcome.tsx';
import { loadTrace, TraceDock } from '#features/trace/trace-dock.tsx';
import { useCommands, useShortcut } from '#model/commands.ts';
import { useOpenExport } from '#model/exports.ts';
import {
  maximize,
  maximizedOf,
  useCurrentServer,
  useLiveSession,
  useShownSession,
  useSelection,
} from '#model/selection.ts';
import { followMenus } from '#model/menus.ts';
import { useMock, useMockForm } from '#model/mocks.ts';
import { useSessionBefore } from '#model/session-before.ts';
import { useServers } from '#model/servers.ts';
import { useSettings } from '#model/settings.ts';
import { useCurrentTrace } from '#model/traces.ts';
import { loadPalette } from '#ui/command-palette.tsx';
import { MaximizeForm } from '#ui/form-header.tsx';
import { showCutTexts } from '#ui/tooltip.tsx';
import { Split, SplitHandle, SplitPanel, StackedSplit } from '#ui/split.tsx';
import { appCommands, shortcuts, useCommandKeys } from './app-commands.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { FileDrop } from './file-drop.tsx';
import { Header } from './header.tsx';
import { loadOverview, Panes, RecordedPanes } from './panes.tsx';
import { usePastedConfiguration } from './pasted-configuration.ts';
import { recentCommands } from './recent-commands.ts';
import { StatusBar } from './status-bar.tsx';

// Forms are not needed for the first paint.
const ServerEditor = lazy(async () => ({
  default: (await import('#features/servers/editor/server-editor.tsx')).ServerEditor,
}));

const Transfer = lazy(async () => ({
  default: (await import('#features/servers/transfer/transfer.tsx')).Transfer,
}));

const SettingsPage = lazy(async () => ({
  default: (await import('./settings/settings-page.tsx')).SettingsPage,
}));

const ShortcutSheet = lazy(async () => ({
  default: (await import('./settings/shortcut-sheet.tsx')).ShortcutSheet,
}));

const MockForm = lazy(async () => ({
  default: (await import('#features/mock/mock-form.tsx')).MockForm,
}));

const Exporting = lazy(async () => ({
  default: (await import('./exporting.tsx')).Exporting,
}));

/** Milliseconds after the first paint. */
const LOAD_AFTER = 100;

/** The window: servers and recorded traces at the left, the pane over the trace, the status below. */
export function Shell() {
  const servers = useServers((known) => known.servers);
  const trace = useCurrentTrace();
  const currentServer = useCurrentServer();
  const currentSession = useShownSession();
  // An opened trace file replaces the server.
  const server = trace === null ? currentServer : null;
  const session = trace === null ? currentSession : null;
  const before = useSessionBefore(trace?.sessionId ?? session?.id ?? null);
  const editor = useSelection((selection) => selection.editor);
  const transfer = useSelection((selection) => selection.transfer);
  const exporting = useOpenExport();
  const isInSettings = useSelection((selection) => selection.isInSettings);
  const hasShortcuts = useSelection((selection) => selection.hasShortcuts);
  const selectedPane = useSelection(({ pane }) => pane);
  const openedPane = useSelection((selection) => selection.openedPane);
  const recent = useSettings((settings) => settings.recent);
  const mock = useMock(server?.id ?? null);
  const hasMockForm = useMockForm(({ path }) => path !== null);
  const maximized = useSelection(maximizedOf);
  useCommands(
    useMemo(
      () => [
        ...appCommands({ servers, server, session, trace, before }),
        ...mockCommands(trace?.path ?? null, mock),
        ...recentCommands(recent, servers),
      ],
      [servers, server, session, trace, before, mock, recent],
    ),
  );
  useCommandKeys();
  usePastedConfiguration();
  useEffect(followMenus, []);
  useEffect(showCutTexts, []);
  // Preload soon after the first paint what is shown without delay then: a server, a trace, the commands.
  useEffect(() => {
    let loading: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // A failure is retried and reported when they are shown.
      loading = setTimeout(
        () => void Promise.allSettled([loadPalette(), loadOverview(), loadTrace()]),
        LOAD_AFTER,
      );
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(loading);
    };
  }, []);

  const shownPane = exporting
    ? 'export'
    : editor
      ? 'editor'
      : transfer
        ? 'transfer'
        : isInSettings
          ? 'settings'
          : (trace?.sessionId ?? server?.id);
  const shownId = trace?.sessionId ?? session?.id ?? server?.id;
  const pane = exporting ? (
    <Suspense>
      <Exporting key={exporting.sessionId} exporting={exporting} />
    </Suspense>
  ) : editor ? (
    <Suspense>
      <ServerEditor key={`${editor.serverId} ${editor.part}`} editor={editor} />
    </Suspense>
  ) : transfer ? (
    <Suspense>
      <Transfer transfer={transfer} />
    </Suspense>
  ) : isInSettings ? (
    <Suspense>
      <SettingsPage />
    </Suspense>
  ) : trace ? (
    <RecordedPanes key={trace.sessionId} trace={trace} />
  ) : server ? (
    <Panes server={server} session={session} />
  ) : (
    <Welcome />
  );
  const hasTrace = server !== null || trace !== null;
  const maximizeKeys = useShortcut('size.pane', shortcuts.maximizePane);
  const maximizeForm = useMemo(
    () =>
      hasTrace
        ? {
            shortcut: maximizeKeys,
            isMaximized: maximized === 'top',
            onChange: (isMaximized: boolean) => maximize(isMaximized ? 'top' : null),
          }
        : null,
    [hasTrace, maximizeKeys, maximized],
  );
  const top = (
    <ErrorBoundary of="This pane" key={shownPane}>
      <MaximizeForm value={maximizeForm}>{pane}</MaximizeForm>
    </ErrorBoundary>
  );

  return (
    // Whatever a server sends, the window never grows beyond the screen.
    <div className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[38px_minmax(0,1fr)_24px] overflow-clip">
      <Header server={server} session={session} trace={trace} />
      <main className="min-h-0">
        <Split id="window" direction="row">
          <SplitPanel id="servers" size={216} min={150} max={480} keepsPixels className="bg-panel">
            <div className="min-h-0 flex-1 overflow-y-auto">
              <ServerList />
              <RecordedList />
            </div>
          </SplitPanel>
          <SplitHandle label="Width of the server list" />
          <SplitPanel id="work" min={420}>
            <div className="min-h-0 flex-1">
              {hasTrace ? (
                <StackedSplit
                  id="work"
                  sizeId={
                    exporting
                      ? 'export'
                      : editor || transfer || isInSettings
                        ? 'editor'
                        : trace
                          ? `opened ${openedPane}`
                          : selectedPane
                  }
                  // Forms need the room more than the trace does.
                  share={exporting || editor || transfer || isInSettings ? 75 : undefined}
                  label="Height of the trace"
                  maximized={maximized}
                  onMaximize={maximize}
                  top={top}
                  bottom={
                    <ErrorBoundary of="The trace" key={shownId}>
                      <TraceDock />
                    </ErrorBoundary>
                  }
                />
              ) : (
                top
              )}
            </div>
          </SplitPanel>
        </Split>
        <FileDrop />
      </main>
      <CurrentStatusBar server={server} trace={trace} />
      {hasMockForm && (
        <Suspense>
          <MockForm />
        </Suspense>
      )}
      {hasShortcuts && (
        <Suspense>
          <ShortcutSheet />
        </Suspense>
      )}
    </div>
  );
}

/** The status bar, rendered apart because its figures change with every message, and the rest of the window does not. */
function CurrentStatusBar({ server, trace }: Omit<ComponentProps<typeof StatusBar>, 'session'>) {
  const session = useLiveSession();
  return <StatusBar server={server} session={trace === null ? session : null} trace={trace} />;
}
