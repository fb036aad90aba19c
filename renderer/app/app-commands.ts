import { useLayoutEffect } from 'react';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { type Command, currentCommands } from '#model/commands.ts';
import { connect, disconnect } from '#model/connection.ts';
import { openExport } from '#model/exports.ts';
import {
  focusPane,
  maximize,
  maximizedOf,
  openEditor,
  openSettings,
  openShortcuts,
  selectPane,
  selectServer,
  useSelection,
} from '#model/selection.ts';
import { rebuildNow } from '#model/rebuilds.ts';
import { compareWithFile } from '#model/replay.ts';
import { isOpen } from '#model/sessions.ts';
import { closeTrace } from '#model/traces.ts';
import { placeOfFocus } from '#ui/place-of-focus.ts';
import { isTypedKey, matchesShortcut, typesText } from '#ui/shortcut.ts';
import { reportFault } from '#ui/toaster.tsx';
import { panesOf, recordedPanesOf } from './panes.tsx';

/** Shortcuts shown in several places. */
export const shortcuts = {
  palette: 'Mod+K',
  connect: 'Alt+R',
  disconnect: 'Alt+X',
  rebuild: 'Alt+B',
  maximizePane: 'Alt+Shift+P',
  maximizeTrace: 'Alt+Shift+T',
  settings: 'Mod+,',
  sheet: '?',
} as const;

const toggle = (part: 'top' | 'bottom') => (): void =>
  maximize(maximizedOf(useSelection.getState()) === part ? null : part);

/** Give all the room to the pane or the trace, or take it back. */
const sizeCommands: readonly Command[] = [
  {
    id: 'size.pane',
    title: 'Maximize or restore the pane',
    group: 'Go to',
    shortcut: shortcuts.maximizePane,
    keywords: ['full height', 'hide the trace', 'bigger', 'zoom'],
    run: toggle('top'),
  },
  {
    id: 'size.trace',
    title: 'Maximize or restore the trace',
    group: 'Go to',
    shortcut: shortcuts.maximizeTrace,
    keywords: ['full height', 'hide the pane', 'bigger', 'zoom'],
    run: toggle('bottom'),
  },
];

/** The shell's own commands; each is listed only while it works. */
export function appCommands({
  servers,
  server,
  session,
  trace,
  before = null,
}: {
  readonly servers: readonly Server[];
  /** The selected server. */
  readonly server: Server | null;
  readonly session: SessionStatus | null;
  /** The opened trace file on screen; it replaces the server. */
  readonly trace: OpenedTrace | null;
  /** The trace file of the session before the one on screen; null if there is none. */
  readonly before?: string | null;
}): Command[] {
  const recorded = trace?.sessionId ?? session?.id ?? null;
  const isConnected = session !== null && isOpen(session);
  return [
    ...(server
      ? [
          {
            id: 'session.connect',
            title: session ? 'Reconnect' : 'Connect',
            group: 'Session' as const,
            shortcut: shortcuts.connect,
            keywords: [server.name, 'start', 'restart'],
            run: () => void connect(server.id),
          },
        ]
      : []),
    ...(server && session
      ? [
          {
            id: 'session.rebuild',
            title: 'Restart and compare',
            group: 'Session' as const,
            shortcut: shortcuts.rebuild,
            keywords: [server.name, 'rebuild', 'reload', 'reconnect', 'run again', 'diff'],
            run: () => reportFault(rebuildNow(server.id)),
          },
        ]
      : []),
    ...(isConnected
      ? [
          {
            id: 'session.disconnect',
            title: 'Disconnect',
            group: 'Session' as const,
            shortcut: shortcuts.disconnect,
            keywords: ['stop', 'close', 'kill'],
            run: () => void disconnect(session),
          },
        ]
      : []),
    ...(recorded === null
      ? []
      : [
          {
            id: 'trace.export',
            title: 'Export trace…',
            group: 'Trace' as const,
            keywords: ['save', 'share', 'har', 'json', 'jsonl', 'mcptrace', 'redact'],
            run: () => openExport(recorded),
          },
        ]),
    ...(recorded === null || before === null
      ? []
      : [
          {
            id: 'replay.session-before',
            title: 'Compare with the session before',
            group: 'Trace' as const,
            keywords: ['diff', 'previous', 'last', 'recording', 'changes'],
            run: () => void compareWithFile(recorded, before),
          },
        ]),
    ...(trace
      ? [
          {
            id: 'trace.close',
            title: 'Close trace',
            group: 'Trace' as const,
            keywords: [trace.name],
            run: () => reportFault(closeTrace(trace.sessionId)),
          },
        ]
      : []),
    ...(server || trace ? sizeCommands : []),
    ...shownPanes(server, trace).map(({ id, label, shortcut }) => ({
      id: `pane.${id}`,
      title: `Show ${label}`,
      group: 'Go to' as const,
      shortcut,
      run: () => selectPane(id),
    })),
    ...servers.map(({ id, name }, index) => ({
      id: `server.${id}`,
      title: name,
      group: 'Go to' as const,
      keywords: ['server', 'select'],
      ...(index < 9 && { shortcut: `Alt+${index + 1}` }),
      run: () => {
        selectServer(id);
        focusPane();
      },
    })),
    {
      id: 'app.settings',
      title: 'Settings…',
      group: 'Sightglass',
      shortcut: shortcuts.settings,
      keywords: ['preferences', 'options', 'theme', 'dark', 'light', 'about', 'version', 'diagnostics'],
      run: openSettings,
    },
    {
      id: 'app.shortcuts',
      title: 'Keyboard shortcuts…',
      group: 'Sightglass',
      shortcut: shortcuts.sheet,
      keywords: ['keys', 'keyboard', 'help', 'rebind', 'change'],
      run: () => openShortcuts(true),
    },
    {
      id: 'server.add',
      title: 'Add a server…',
      group: 'Servers',
      shortcut: 'Alt+N',
      keywords: ['new', 'create'],
      run: () => openEditor(null),
    },
  ];
}

/** The panes on screen: those of the server, else of the opened trace. */
function shownPanes(server: Server | null, trace: OpenedTrace | null): ReturnType<typeof panesOf> {
  if (server !== null) return panesOf(server.transport.kind, server.source === 'mock');
  return trace === null ? [] : recordedPanesOf(trace.header.server.transport);
}

/** Runs commands by their keys, from the moment when the window is shown: wherever the focus is, or where they belong. */
export function useCommandKeys(): void {
  useLayoutEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      if (press.defaultPrevented || press.repeat) return;
      const place = placeOfFocus();
      const command = currentCommands().find(
        ({ shortcut, within }) =>
          shortcut !== undefined &&
          matchesShortcut(press, shortcut) &&
          !(isTypedKey(shortcut) && typesText(press.target)) &&
          (within === undefined || within()?.contains(place) === true),
      );
      if (!command) return;
      press.preventDefault();
      command.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
