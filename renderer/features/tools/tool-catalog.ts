import { useCallback, useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { faultOf } from '#model/connection.ts';
import { type ToolEntry, type ToolList, toolDisplayName } from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { type ListChanges, listChanges, entryName } from './list-changes.ts';

export interface ToolListView {
  /** Null before the first answer. */
  readonly list: ToolList | null;
  readonly fault: Fault | null;
  /** What became different since the user last looked, over reconnects too; null when nothing did. */
  readonly changes: ListChanges | null;
  /** Asks the server for its tools again. */
  readonly refresh: () => void;
  /** The user has seen the changes. */
  readonly acknowledge: () => void;
}

/** The tools of a session, up to date. */
export function useToolList(session: SessionView): ToolListView {
  const { id, serverId, phase } = session;
  useEffect(() => {
    void load({ id, serverId });
    return on('catalog/changed', ({ sessionId, list }) => {
      if (sessionId === id && list === 'tools') void load({ id, serverId });
    });
    // A session that became ready, or ended, may have another list.
  }, [id, serverId, phase]);

  const list = useToolLists(({ lists }) => lists[id] ?? null);
  const fault = useToolLists(({ faults }) => faults[id] ?? null);
  const known = useToolLists((state) => state.known[serverId]);
  const changes = useMemo(
    () => (known !== undefined && list?.state === 'ready' ? listChanges(known, list.entries) : null),
    [known, list],
  );
  const refresh = useCallback(() => {
    call('catalog/refresh', { sessionId: id, list: 'tools' }).catch((error: unknown) =>
      useToolLists.setState(({ faults }) => ({ faults: { ...faults, [id]: faultOf(error) } })),
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
  /** The list of each session, as last asked for. */
  readonly lists: Readonly<Record<string, ToolList>>;
  /** Why the engine could not be asked, by session. */
  readonly faults: Readonly<Record<string, Fault>>;
  /** The entries of each server that the user knows: the first full list, or the one last acknowledged. */
  readonly known: Readonly<Record<string, readonly ToolEntry[]>>;
}

const useToolLists = create<ToolLists>()(() => ({ lists: {}, faults: {}, known: {} }));

/** The newest question about each session: an answer to an older one is out of date. */
const asked = new Map<string, symbol>();

async function load(session: { readonly id: string; readonly serverId: string }): Promise<void> {
  const question = Symbol();
  asked.set(session.id, question);
  try {
    const list = await call('catalog/tools', { sessionId: session.id });
    if (asked.get(session.id) !== question) return;
    useToolLists.setState(({ lists, faults: { [session.id]: _, ...faults }, known }) => ({
      lists: { ...lists, [session.id]: list },
      faults,
      known:
        list.state === 'ready' && known[session.serverId] === undefined
          ? { ...known, [session.serverId]: list.entries }
          : known,
    }));
  } catch (error) {
    if (asked.get(session.id) !== question) return;
    useToolLists.setState(({ faults }) => ({ faults: { ...faults, [session.id]: faultOf(error) } }));
  }
}

/** One line of the list. */
export interface ToolLine {
  /** Stays the same when the list comes again, so that a selection outlives it. */
  readonly key: string;
  /** In the list, from 0. */
  readonly index: number;
  readonly title: string;
  /** What a call names; null when the entry has no name and cannot be called. */
  readonly name: string | null;
  readonly entry: ToolEntry;
}

/** The lines of a list. Names that come twice stay apart by their order. */
export function toolLines(entries: readonly ToolEntry[]): ToolLine[] {
  const seen = new Map<string, number>();
  return entries.map((entry, index) => {
    const name = entryName(entry);
    const nth = (seen.get(name ?? '') ?? 0) + 1;
    seen.set(name ?? '', nth);
    return {
      key: JSON.stringify([name, nth]),
      index,
      title: entry.usable ? toolDisplayName(entry.tool) : (name ?? 'Entry without a name'),
      name,
      entry,
    };
  });
}

/** The lines that contain every word of the search in title, name or description, whatever its case. */
export function searchLines(lines: readonly ToolLine[], search: string): readonly ToolLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ title, name, entry }) => {
    const description = entry.usable ? entry.tool.description : entry.why;
    const text = [title, name, description].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
