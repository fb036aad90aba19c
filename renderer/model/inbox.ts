import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry, InboxRule } from '#shared/contract/inbox.ts';
import type { Server } from '#shared/contract/servers.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';
import { selectPane, useCurrentServer, useSelection } from './selection.ts';

/** Entries by session, then by id. */
const useEntryStore = create<Readonly<Record<string, Readonly<Record<string, InboxEntry>>>>>()(() => ({}));

interface InboxView {
  /** Null until the list is loaded. */
  readonly entries: readonly InboxEntry[] | null;
  /** Whether the entries include what changed while nobody looked at them. */
  readonly isCurrent: boolean;
  readonly fault: Fault | null;
}

/** All requests of a server to the user in one session, as they change, in the order of the list. */
export function useEntries(sessionId: string): InboxView {
  const [currentId, setCurrentId] = useState<string | null>(null);
  useEffect(() => {
    const { loaded, stop } = followList<InboxEntry>({
      list: () => call('inbox/list', { sessionId }),
      listen: (changed) =>
        on('inbox/changed', (entry) => {
          if (entry.sessionId === sessionId) changed(entry);
        }),
      idOf: ({ id }) => id,
      put: (entries) => putEntries(sessionId, entries),
    });
    loaded.then(
      () => {
        setFault(listFaultKey(sessionId), null);
        setCurrentId(sessionId);
      },
      (error: unknown) => setFault(listFaultKey(sessionId), faultOf(error)),
    );
    return stop;
  }, [sessionId]);
  const known = useEntryStore((bySession) => bySession[sessionId]);
  const fault = useFault(listFaultKey(sessionId));
  const entries = useMemo(() => (known === undefined ? null : inOrder(Object.values(known))), [known]);
  return { entries, isCurrent: currentId === sessionId, fault };
}

const listFaultKey = (sessionId: string): string => `inbox of ${sessionId}`;

const putEntries = (sessionId: string, entries: readonly InboxEntry[]) =>
  useEntryStore.setState(({ [sessionId]: known }) => ({
    [sessionId]: { ...known, ...Object.fromEntries(entries.map((entry) => [entry.id, entry])) },
  }));

/** Waiting entries first, in the order in which they came; then the others, newest first. */
function inOrder(entries: readonly InboxEntry[]): InboxEntry[] {
  const byTime = entries
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.receivedAt - b.entry.receivedAt || a.index - b.index)
    .map(({ entry }) => entry);
  const isWaiting = ({ state }: InboxEntry) => state === 'waiting';
  return [...byTime.filter(isWaiting), ...byTime.filter((entry) => !isWaiting(entry)).reverse()];
}

/** The entry on screen, by session. */
const useShownEntries = create<Readonly<Record<string, string>>>()(() => ({}));

/** The id of the entry the user looks at; undefined when there is none yet. */
export const useShownEntry = (sessionId: string): string | undefined =>
  useShownEntries((shown) => shown[sessionId]);

export const showEntry = (sessionId: string, entryId: string): void =>
  useShownEntries.setState({ [sessionId]: entryId });

/** Sessions whose Inbox was opened at an entry, until it is left: another entry does not take its place. */
const openedAtEntry = new Set<string>();

export const isOpenedAtEntry = (sessionId: string): boolean => openedAtEntry.has(sessionId);
export const leaveInbox = (sessionId: string): void => void openedAtEntry.delete(sessionId);

/** Opens the Inbox at an entry. */
export function goToEntry(sessionId: string, entryId: string): void {
  showEntry(sessionId, entryId);
  openedAtEntry.add(sessionId);
  showPanel(null);
  selectPane('inbox');
}

/** Answers an entry; true when the engine took the answer. Never rejects: see `useAnswerFault`. */
export async function answerEntry(
  { sessionId, id }: Pick<InboxEntry, 'sessionId' | 'id'>,
  answer: InboxAnswer,
): Promise<boolean> {
  setFault(answerFaultKey(id), null);
  try {
    await call('inbox/answer', { sessionId, entryId: id, answer });
    return true;
  } catch (error) {
    setFault(answerFaultKey(id), faultOf(error));
    return false;
  }
}

/** Declines everything that the server of a session requests, or ends that. @throws FaultError */
export async function declineAll(sessionId: string, isOn: boolean): Promise<void> {
  await call('inbox/decline-all', { sessionId, isOn });
}

/** The server whose questions the Inbox shows; null for those of a recorded session. */
export function useInboxServer(): Server | null {
  const server = useCurrentServer();
  const isRecorded = useSelection(({ openedId }) => openedId !== null);
  return isRecorded ? null : server;
}

/** Saves the rules of a server. They apply at once. @throws FaultError */
export async function saveRules(server: Server, rules: readonly InboxRule[]): Promise<void> {
  const settings = { ...server, client: { ...server.client, rules: [...rules] } };
  await call('servers/save', { id: server.id, settings });
}

/** What the Inbox shows in place of a question: the rules of the server, or the settings of the model. */
export type InboxPanel = 'rules' | 'model';

const usePanels = create<{ readonly shown: InboxPanel | null }>()(() => ({ shown: null }));

export const useShownPanel = (): InboxPanel | null => usePanels(({ shown }) => shown);

/** Shows the rules that answer for the user, in the Inbox. */
export function showRules(): void {
  showPanel('rules');
  selectPane('inbox');
}

export const showPanel = (shown: InboxPanel | null): void => usePanels.setState({ shown });

/** Why the last answer to an entry could not be sent; null when it was. */
export const useAnswerFault = (entryId: string): Fault | null => useFault(answerFaultKey(entryId));

const answerFaultKey = (entryId: string): string => `answer to ${entryId}`;
