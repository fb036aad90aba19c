import { lazy, Suspense, useMemo } from 'react';
import { OverviewPane } from '#features/overview/overview-pane.tsx';
import { ServerList } from '#features/servers/server-list.tsx';
import { Welcome } from '#features/servers/welcome.tsx';
import { TraceDock } from '#features/trace/trace-dock.tsx';
import { useCommands } from '#model/commands.ts';
import { type OpenEditor, useCurrentServer, useCurrentSession, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { appCommands } from './app-commands.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { useCommandKeys } from './keyboard.ts';
import { Panes } from './panes.tsx';
import { StatusBar } from './status-bar.tsx';

// A form is not needed for the first picture.
const ServerEditor = lazy(async () => ({
  default: (await import('#features/servers/server-editor.tsx')).ServerEditor,
}));

/** The window: servers at the left, the pane over the trace, the status below. */
export function Shell() {
  const servers = useServers((known) => known.servers);
  const server = useCurrentServer();
  const session = useCurrentSession();
  const editor = useSelection((selection) => selection.editor);
  useCommands(useMemo(() => appCommands({ servers, server, session }), [servers, server, session]));
  useCommandKeys();

  return (
    <div className="grid h-full grid-rows-[38px_minmax(0,1fr)_24px]">
      <Header server={server} session={session} />
      <main className="min-h-0">
        <Split id="window" direction="row">
          <SplitPanel id="servers" size={216} min={150} max={480} keepsPixels className="bg-panel">
            <ServerList />
          </SplitPanel>
          <SplitHandle label="Width of the server list" />
          <SplitPanel id="work" min={420}>
            <div className="min-h-0 flex-1">
              {server === null ? (
                <ErrorBoundary of="This pane">
                  {editor ? <Editor editor={editor} /> : <Welcome />}
                </ErrorBoundary>
              ) : (
                <Split id="work" direction="column">
                  <SplitPanel id="pane" size="50%" min={96}>
                    <ErrorBoundary of="This pane" key={editor ? 'editor' : server.id}>
                      {editor ? (
                        <Editor editor={editor} />
                      ) : (
                        <Panes
                          session={session}
                          overview={<OverviewPane server={server} session={session} />}
                        />
                      )}
                    </ErrorBoundary>
                  </SplitPanel>
                  <SplitHandle label="Height of the trace" />
                  <SplitPanel id="trace" min={96}>
                    <ErrorBoundary of="The trace" key={session?.id ?? server.id}>
                      <TraceDock />
                    </ErrorBoundary>
                  </SplitPanel>
                </Split>
              )}
            </div>
          </SplitPanel>
        </Split>
      </main>
      <StatusBar server={server} session={session} />
    </div>
  );
}

function Editor({ editor }: { readonly editor: OpenEditor }) {
  return (
    <Suspense>
      <ServerEditor key={`${editor.serverId} ${editor.part}`} editor={editor} />
    </Suspense>
  );
}
