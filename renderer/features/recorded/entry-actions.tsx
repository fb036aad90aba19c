import { Copy, FileDown, FolderSearch, Pencil, SquareArrowOutUpRight, Trash2, X } from 'lucide-react';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { openExport } from '#model/exports.ts';
import { selectOpened, selectServer } from '#model/selection.ts';
import { closeTrace, useTraces } from '#model/traces.ts';
import { copyText } from '#ui/clipboard.ts';
import type { MenuEntries, MenuEntry } from '#ui/menu.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { ask } from './asked.ts';
import type { Entry } from './entries.ts';
import { openPath } from './opening.ts';

/** Shows an entry: its running session, or what was recorded. Never rejects. */
export async function showEntry({ file, session, opened }: Entry): Promise<boolean> {
  if (session !== null) selectServer(session.serverId);
  else if (opened !== null) selectOpened(opened.sessionId);
  else return openPath(file.path);
  return true;
}

/** What can be done with an entry right now, for its menu. */
export function entryActions(entry: Entry): MenuEntries {
  const { file, session, opened, isOurs } = entry;
  const { path } = file;
  const canChange = isOurs && session === null;
  const entries: readonly (MenuEntry | null | false)[] = [
    file.fault === null && {
      label: session === null ? 'Open' : 'Show its session',
      icon: <SquareArrowOutUpRight />,
      onSelect: () => void showEntry(entry),
    },
    opened !== null && {
      label: 'Close',
      icon: <X />,
      onSelect: () => reportFailure(closeTrace(opened.sessionId)),
    },
    file.fault === null && {
      label: 'Export…',
      icon: <FileDown />,
      onSelect: () => void exportEntry(entry),
    },
    file.fault === null && null,
    canChange && {
      label: 'Rename…',
      icon: <Pencil />,
      shortcut: 'F2',
      onSelect: () => ask({ what: 'rename', path }),
    },
    isOnDesktop() && {
      label: 'Show in folder',
      icon: <FolderSearch />,
      onSelect: () => reportFailure(showInFolder(path)),
    },
    { label: 'Copy the path', icon: <Copy />, onSelect: () => void copyText(path) },
    canChange && null,
    canChange && {
      label: 'Delete…',
      icon: <Trash2 />,
      tone: 'danger',
      shortcut: 'Delete',
      onSelect: () => ask({ what: 'delete', path }),
    },
  ];
  return entries.filter((one) => one !== false);
}

async function exportEntry(entry: Entry): Promise<void> {
  if (!(await showEntry(entry))) return;
  const sessionId = entry.session?.id ?? openedFrom(entry.file.path);
  if (sessionId !== null) openExport(sessionId);
}

const openedFrom = (path: string): string | null =>
  Object.values(useTraces.getState().opened).find((trace) => trace.path === path)?.sessionId ?? null;
