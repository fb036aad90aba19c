import { useCallback, useEffect, useState } from 'react';
import { call } from '#bridge';
import { selectPane, selectServer } from '#model/selection.ts';
import { catalogLines } from '#model/catalog.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import type { PaletteEntry } from '#ui/palette-list.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Tools that one search shows; a server may list thousands. */
const MAX_FOUND = 50;

interface FoundTool {
  readonly entry: PaletteEntry;
  /** What is searched, in lower case. */
  readonly text: string;
}

/**
 * Searches the tools of all connected servers, which are loaded while the palette is open. Equal names are told apart
 * by the name that the user gave to the server (MCP tools, name conflicts).
 */
export function useToolSearch(isOpen: boolean): (typed: string) => readonly PaletteEntry[] {
  const [tools, setTools] = useState<readonly FoundTool[]>([]);
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    // A list that cannot be read has a fault in its own pane.
    void Promise.allSettled(connected().map(toolsOf)).then((lists) => {
      if (!isCurrent) return;
      setTools(lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])));
    });
    return () => {
      isCurrent = false;
    };
  }, [isOpen]);
  return useCallback(
    (typed) => {
      const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length === 0) return [];
      const found: PaletteEntry[] = [];
      for (const { entry, text } of tools) {
        if (words.every((word) => text.includes(word))) found.push(entry);
        if (found.length === MAX_FOUND) break;
      }
      return found;
    },
    [tools],
  );
}

const connected = () =>
  Object.values(useSessions.getState().sessions).filter(({ phase }) => phase === 'ready');

async function toolsOf({
  id: sessionId,
  serverId,
  serverName,
}: {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
}): Promise<FoundTool[]> {
  const { entries } = await call('catalog/tools', { sessionId });
  // The server may have been renamed since it was connected.
  const label = useServers.getState().servers.find(({ id }) => id === serverId)?.name ?? serverName;
  return catalogLines(entries).map(({ key, title, name }) => {
    const named = name === null || name === title ? title : `${title} (${name})`;
    return {
      text: `tool ${named} ${label}`.toLowerCase(),
      entry: {
        id: `tool.${sessionId}.${key}`,
        title: `Tool: ${visibleLine(named)} — ${visibleLine(label)}`,
        group: 'Tools of connected servers',
        run: () => {
          selectServer(serverId);
          selectPane('tools');
          void import('#features/tools/drafts.ts').then(({ selectTool }) => selectTool(serverId, key));
        },
      },
    };
  });
}
