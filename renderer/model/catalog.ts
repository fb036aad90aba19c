import { useCallback, useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import {
  type CatalogEntry,
  type CatalogListName,
  type CatalogLists,
  entryDescription,
  entryName,
  entryTitle,
} from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { ListChanges } from '#shared/contract/definitions.ts';
import { listChanges } from '#shared/list-changes.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import type { SessionStatus } from './sessions.ts';

export interface CatalogView<L> {
  /** Null until it is loaded. */
  readonly list: L | null;
  readonly fault: Fault | null;
  /** Changes since the user last looked, also across reconnects; null if there are none. */
  readonly changes: ListChanges | null;
  /** Requests the list from the server again. */
  readonly refresh: () => void;
  /** Marks the changes as seen. */
  readonly acknowledge: () => void;
  readonly paging: {
    /** Reads the next page, or all that are left. */
    readonly onMore: (pages: 'next' | 'all') => void;
    readonly onStop: () => void;
    readonly onPageByPage: (pageByPage: boolean) => void;
  };
}

/** The lists of a session, each kept up to date. */
export const useToolList = listHook('tools', (session) => call('catalog/tools', session));
export const useResourceList = listHook('resources', (session) => call('catalog/resources', session));
export const useTemplateList = listHook('templates', (session) => call('catalog/templates', session));
export const usePromptList = listHook('prompts', (session) => call('catalog/prompts', session));

type AnyList = CatalogLists[CatalogListName];

interface KnownLists<L extends AnyList> {
  /** The last loaded list, by session. */
  readonly lists: Readonly<Record<string, L>>;
  /** The entries the user has seen, by server: the first complete list, or the one last acknowledged. */
  readonly known: Readonly<Record<string, readonly CatalogEntry[]>>;
}

function listHook<L extends AnyList>(
  name: CatalogListName,
  read: (session: { readonly sessionId: string }) => Promise<L>,
): (session: SessionStatus) => CatalogView<L> {
  const useLists = create<KnownLists<L>>()(() => ({ lists: {}, known: {} }));
  const faultKey = (sessionId: string): string => `${name} of ${sessionId}`;
  /** The latest load of each session: the results of older ones are dropped. */
  const latestLoads = new Map<string, symbol>();

  async function load({ id, serverId }: Pick<SessionStatus, 'id' | 'serverId'>): Promise<void> {
    const thisLoad = Symbol();
    latestLoads.set(id, thisLoad);
    const isCurrent = () => latestLoads.get(id) === thisLoad;
    try {
      const list = await read({ sessionId: id });
      if (!isCurrent()) return;
      setFault(faultKey(id), null);
      useLists.setState(({ lists, known }) => ({
        lists: { ...lists, [id]: list },
        known:
          isWhole(list) && known[serverId] === undefined ? { ...known, [serverId]: list.entries } : known,
      }));
    } catch (error) {
      if (isCurrent()) setFault(faultKey(id), faultOf(error));
    }
  }

  const report = (sessionId: string, command: Promise<null>): void => {
    command.catch((error: unknown) => setFault(faultKey(sessionId), faultOf(error)));
  };

  return function useList({ id, serverId, phase }) {
    useEffect(() => {
      void load({ id, serverId });
      return on('catalog/changed', ({ sessionId, list }) => {
        if (sessionId === id && list === name) void load({ id, serverId });
      });
      // The list may differ once a session is ready or has ended.
    }, [id, serverId, phase]);

    const list = useLists(({ lists }) => lists[id] ?? null);
    const known = useLists((state) => state.known[serverId]);
    const fault = useFault(faultKey(id));
    const changes = useMemo(
      () => (known !== undefined && list !== null && isWhole(list) ? listChanges(known, list.entries) : null),
      [known, list],
    );
    const refresh = useCallback(
      () => report(id, call('catalog/refresh', { sessionId: id, list: name })),
      [id],
    );
    const paging = useMemo(() => {
      const ofList = { sessionId: id, list: name };
      return {
        onMore: (pages: 'next' | 'all') => report(id, call('catalog/read-more', { ...ofList, pages })),
        onStop: () => report(id, call('catalog/stop', ofList)),
        onPageByPage: (pageByPage: boolean) =>
          report(id, call('catalog/set-page-by-page', { sessionId: id, pageByPage })),
      };
    }, [id]);
    const acknowledge = useCallback(() => {
      const entries = useLists.getState().lists[id]?.entries;
      if (entries) useLists.setState((state) => ({ known: { ...state.known, [serverId]: entries } }));
    }, [id, serverId]);
    return useMemo(
      () => ({ list, fault, changes, refresh, acknowledge, paging }),
      [list, fault, changes, refresh, acknowledge, paging],
    );
  };
}

/** Whether a list was read to its end. Only then its entries are compared with others. */
const isWhole = ({ state, nextCursor }: AnyList): boolean => state === 'ready' && nextCursor === null;

/** One entry of a list. */
export interface CatalogLine<E extends CatalogEntry = CatalogEntry> {
  /** Stable across reloads of the list, so that a selection survives them. */
  readonly key: string;
  /** Index in the list. */
  readonly index: number;
  readonly title: string;
  /** The name to call or the URI to read; null if the entry has none. */
  readonly name: string | null;
  readonly entry: E;
}

/** Makes a line of each entry. Duplicate names are told apart by their order. */
export function catalogLines<E extends CatalogEntry>(entries: readonly E[]): CatalogLine<E>[] {
  const seen = new Map<string, number>();
  return entries.map((entry, index) => {
    const name = entryName(entry);
    const nth = (seen.get(name ?? '') ?? 0) + 1;
    seen.set(name ?? '', nth);
    return { key: JSON.stringify([name, nth]), index, title: entryTitle(entry), name, entry };
  });
}

/** The lines whose title, name or description contains every word of the search, ignoring case. */
export function searchLines<L extends CatalogLine>(lines: readonly L[], search: string): readonly L[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ title, name, entry }) => {
    const text = [title, name, entryDescription(entry)].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
