import { useCallback, useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { faultOf, setFault, useFault } from '#model/faults.ts';
import { type ToolEntry, type ToolList, toolDisplayName } from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { type ListChanges, listChanges, entryName } from './list-changes.ts';

export interface ToolListView {
  /** Null until it is loaded. */
  readonly list: ToolList | null;
  readonly fault: Fault | null;
  /** Changes since the user last looked, also across reconnects; null if there are none. */
  readonly changes: ListChanges | null;
  /** Requests the list from the server again. */
  readonly refresh: () => void;
  /** Marks the changes as seen. */
  readonly acknowledge: () => void;
}

/** The tools of a session, kept up to date. */
export function useToolList(session: SessionStatus): ToolListView {
  const { id, serverId, phase } = session;
  useEffect(() => {
    void load({ id, serverId });
    return on('catalog/changed', ({ sessionId, list }) => {
      if (sessionId === id && list === 'tools') void load({ id, serverId });
    });
    // The list may differ once a session is ready or has ended.
  }, [id, serverId, phase]);

  const list = useToolLists(({ lists }) => lists[id] ?? null);
  const fault = useFault(faultKey(id));
  const known = useToolLists((state) => state.known[serverId]);
  const changes = useMemo(
    () => (known !== undefined && list?.state === 'ready' ? listChanges(known, list.entries) : null),
    [known, list],
  );
  const refresh = useCallback(() => {
    call('catalog/refresh', { sessionId: id, list: 'tools' }).catch((error: unknown) =>
      setFault(faultKey(id), faultOf(error)),
    );
  }, [id]);
  const acknowledge = useCallback(() => {
    const entries = useToolLists.getState().lists[id]?.entries;
    if (entries) useToolLists.setState((state) => ({ known: { ...state.known, [serverId]: entries } }));
  }, [id, serverId]);
  return useMemo(
    () => ({ list, fault, changes, refresh, acknowledge }),
    [list, fault, changes, refresh, acknowledge],
  );
}

interface ToolLists {
  /** The last loaded list, by session. */
  readonly lists: Readonly<Record<string, ToolList>>;
  /** The entries the user has seen, by server: the first complete list, or the one last acknowledged. */
  readonly known: Readonly<Record<string, readonly ToolEntry[]>>;
}

const useToolLists = create<ToolLists>()(() => ({ lists: {}, known: {} }));

const faultKey = (sessionId: string): string => `tools of ${sessionId}`;

/** The latest load of each session: the results of older ones are dropped. */
const latestLoads = new Map<string, symbol>();

async function load({ id, serverId }: Pick<SessionStatus, 'id' | 'serverId'>): Promise<void> {
  const thisLoad = Symbol();
  latestLoads.set(id, thisLoad);
  const isCurrent = () => latestLoads.get(id) === thisLoad;
  try {
    const list = await call('catalog/tools', { sessionId: id });
    if (!isCurrent()) return;
    setFault(faultKey(id), null);
    useToolLists.setState(({ lists, known }) => ({
      lists: { ...lists, [id]: list },
      known:
        list.state === 'ready' && known[serverId] === undefined
          ? { ...known, [serverId]: list.entries }
          : known,
    }));
  } catch (error) {
    if (isCurrent()) setFault(faultKey(id), faultOf(error));
  }
}

/** One entry of the list. */
export interface ToolLine {
  /** Stable across reloads of the list, so that a selection survives them. */
  readonly key: string;
  /** Index in the list. */
  readonly index: number;
  readonly title: string;
  /** The name to call; null if the entry has none. */
  readonly name: string | null;
  readonly entry: ToolEntry;
}

/** Makes a line of each entry. Duplicate names are told apart by their order. */
export function toolLines(entries: readonly ToolEntry[]): ToolLine[] {
  const seen = new Map<string, number>();
  return entries.map((entry, index) => {
    const name = entryName(entry);
    const nth = (seen.get(name ?? '') ?? 0) + 1;
    seen.set(name ?? '', nth);
    return {
      key: JSON.stringify([name, nth]),
      index,
      title: entry.usable ? toolDisplayName(entry.tool) : (name ?? 'Unnamed entry'),
      name,
      entry,
    };
  });
}

/** The lines whose title, name or description contains every word of the search, ignoring case. */
export function searchLines(lines: readonly ToolLine[], search: string): readonly ToolLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ title, name, entry }) => {
    const description = entry.usable ? entry.tool.description : entry.error;
    const text = [title, name, description].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
