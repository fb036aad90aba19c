import { useCallback, useEffect, useMemo, useState } from 'react';
import { call } from '#bridge';
import { labelOf } from '#features/recorded/entries.ts';
import { openPath } from '#features/recorded/opening.ts';
import { catalogLines } from '#model/catalog.ts';
import { selectPane, selectServer, showResource, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { latestSession, useSessions } from '#model/sessions.ts';
import { useSettings } from '#model/settings.ts';
import { useTraces } from '#model/traces.ts';
import { type PaletteEntry, rankWithRecent, searchedTexts } from '#ui/palette-rank.ts';
import { formatMinute } from '#shared/format.ts';
import { visibleLine } from '#ui/visible.ts';

/** Entries of a group that one search shows; a server may list thousands. */
const MAX_FOUND = 50;

/** The beginning of the ids of resources. */
const RESOURCE = 'resource.';

/** Whether an entry may be remembered as chosen lately: the id of a resource holds its URI, which may hold a token. */
export const isRemembered = (id: string): boolean => !id.startsWith(RESOURCE);

/**
 * Searches what is no command: tools, resources and prompts of all connected servers, which are loaded while the palette is open,
 * recorded traces and saved filters. For no text it finds those that were chosen lately.
 *
 * @param recent the ids of the entries that were chosen lately, the latest first
 */
export function usePaletteSearch(
  isOpen: boolean,
  recent: readonly string[],
): (typed: string) => readonly PaletteEntry[] {
  const [listed, setListed] = useState<readonly PaletteEntry[]>([]);
  const files = useTraces((traces) => traces.files);
  const savedFilters = useSettings((settings) => settings.savedFilters);
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    // A list that cannot be read has a fault in its own pane.
    void Promise.allSettled(
      connected().flatMap((session) => [toolsOf(session), resourcesOf(session), promptsOf(session)]),
    ).then((lists) => {
      if (!isCurrent) return;
      setListed(lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])));
    });
    return () => {
      isCurrent = false;
    };
  }, [isOpen]);
  const all = useMemo(
    (): readonly PaletteEntry[] => [
      ...listed,
      ...(files ?? [])
        .filter(({ fault, sessionId }) => fault === null && sessionId === null)
        .map((file) => ({
          id: `trace-file.${file.path}`,
          title: `Trace: ${visibleLine(labelOf(file))} — ${formatMinute(file.createdAt)}`,
          group: 'Recorded traces',
          keywords: [visibleLine(file.server ?? ''), visibleLine(file.name)],
          run: () => void openPath(file.path),
        })),
      ...savedFilters.map(({ name, text }) => ({
        id: `filter.${name}`,
        title: `Filter: ${visibleLine(name)}`,
        group: 'Saved filters',
        keywords: [visibleLine(text)],
        run: () => applyFilter(text),
      })),
    ],
    [listed, files, savedFilters],
  );
  return useCallback(
    (typed) => {
      if (typed.trim() === '') return all.filter(({ id }) => recent.includes(id));
      const rank = rankWithRecent(recent);
      const counts = new Map<string, number>();
      return all
        .map((entry) => ({ entry, score: rank(entry.id, typed, searchedTexts(entry)) }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
        .flatMap(({ entry }) => {
          const count = (counts.get(entry.group) ?? 0) + 1;
          counts.set(entry.group, count);
          return count > MAX_FOUND ? [] : [entry];
        });
    },
    [all, recent],
  );
}

/** Filters the trace on screen. */
function applyFilter(text: string): void {
  const { openedId, serverId } = useSelection.getState();
  const sessionId = openedId ?? latestSession(useSessions.getState().sessions, serverId)?.id;
  if (sessionId === undefined) return;
  void import('#features/trace/trace-views.ts').then(({ traceViews }) =>
    traceViews.of(sessionId).setFilter(text),
  );
}

interface Connected {
  readonly id: string;
  readonly serverId: string;
  readonly serverName: string;
}

const connected = (): readonly Connected[] =>
  Object.values(useSessions.getState().sessions).filter(({ phase }) => phase === 'ready');

/** The name that the user gave to the server, which tells equal names apart (MCP tools, name conflicts). It may have been renamed. */
const labelOfServer = ({ serverId, serverName }: Connected): string =>
  visibleLine(useServers.getState().servers.find(({ id }) => id === serverId)?.name ?? serverName);

/** A title, with the name that is sent if it is another. */
const named = (title: string, name: string | null): string =>
  visibleLine(name === null || name === title ? title : `${title} (${name})`);

async function toolsOf(session: Connected): Promise<PaletteEntry[]> {
  const { id: sessionId, serverId } = session;
  const { entries } = await call('catalog/tools', { sessionId });
  return catalogLines(entries).map(({ key, title, name }) => ({
    id: `tool.${serverId}.${key}`,
    title: `Tool: ${named(title, name)} — ${labelOfServer(session)}`,
    group: 'Tools of connected servers',
    run: () => {
      selectServer(serverId);
      selectPane('tools');
      void import('#features/tools/drafts.ts').then(({ selectTool }) => selectTool(serverId, key));
    },
  }));
}

async function resourcesOf(session: Connected): Promise<PaletteEntry[]> {
  const { id: sessionId, serverId } = session;
  const { entries } = await call('catalog/resources', { sessionId });
  return catalogLines(entries).flatMap(({ key, title, name, entry }) =>
    entry.usable
      ? [
          {
            id: `${RESOURCE}${serverId}.${key}`,
            title: `Resource: ${named(title, name)} — ${labelOfServer(session)}`,
            group: 'Resources of connected servers',
            keywords: [visibleLine(entry.resource.uri)],
            run: () => {
              selectServer(serverId);
              showResource(serverId, entry.resource.uri);
              selectPane('resources');
            },
          },
        ]
      : [],
  );
}

/** The prompts of the other servers: those of the one on screen are commands. */
async function promptsOf(session: Connected): Promise<PaletteEntry[]> {
  const { id: sessionId, serverId } = session;
  const { openedId, serverId: shownId } = useSelection.getState();
  if (openedId === null && shownId === serverId) return [];
  const { entries } = await call('catalog/prompts', { sessionId });
  return catalogLines(entries).map(({ key, title, name }) => ({
    id: `prompt.${serverId}.${key}`,
    title: `Prompt: ${named(title, name)} — ${labelOfServer(session)}`,
    group: 'Prompts of connected servers',
    run: () => {
      selectServer(serverId);
      selectPane('prompts');
      void import('#features/prompts/prompts-state.ts').then(({ selectPrompt }) =>
        selectPrompt(serverId, key),
      );
    },
  }));
}
