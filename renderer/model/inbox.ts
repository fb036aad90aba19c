import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { faultOf } from './connection.ts';
import { selectPane } from './selection.ts';

interface Inbox {
  /** By session, then by entry. */
  readonly entries: Readonly<Record<string, Readonly<Record<string, InboxEntry>>>>;
  /** Why an answer could not be given, by entry; why the list could not be read, by session. */
  readonly faults: Readonly<Record<string, Fault>>;
  /** The entry on screen, by session. */
  readonly shown: Readonly<Record<string, string>>;
}

/** What servers have asked, and which question the user looks at. */
const useInbox = create<Inbox>()(() => ({ entries: {}, faults: {}, shown: {} }));

/** Takes in what was told of entries of a session. */
const keep = (sessionId: string, told: readonly InboxEntry[]) =>
  useInbox.setState(({ entries }) => ({
    entries: {
      ...entries,
      [sessionId]: { ...entries[sessionId], ...Object.fromEntries(told.map((entry) => [entry.id, entry])) },
    },
  }));

const setFault = (key: string, fault: Fault | null) =>
  useInbox.setState(({ faults: { [key]: _, ...others } }) => ({
    faults: fault === null ? others : { ...others, [key]: fault },
  }));

/** Those that wait, then the others; in both the newest first. */
function inOrder(entries: readonly InboxEntry[]): InboxEntry[] {
  const rank = ({ state }: InboxEntry) => (state === 'waiting' ? 0 : 1);
  return entries
    .map((entry, place) => ({ entry, place }))
    .sort((a, b) => rank(a.entry) - rank(b.entry) || b.entry.askedAt - a.entry.askedAt || b.place - a.place)
    .map(({ entry }) => entry);
}

export interface InboxView {
  /** Null before the first answer. */
  readonly entries: readonly InboxEntry[] | null;
  readonly fault: Fault | null;
}

/** All questions of a session as they change, in the order of the list. */
export function useEntries(sessionId: string): InboxView {
  useEffect(() => {
    const told = new Set<string>();
    const stop = on('inbox/changed', (entry) => {
      told.add(entry.id);
      keep(entry.sessionId, [entry]);
    });
    call('inbox/list', { sessionId }).then(
      (list) => {
        // A notice that came meanwhile knows more; what was known before knows less, for nobody listened.
        keep(
          sessionId,
          list.filter(({ id }) => !told.has(id)),
        );
        setFault(sessionId, null);
      },
      (error: unknown) => setFault(sessionId, faultOf(error)),
    );
    return stop;
  }, [sessionId]);
  const known = useInbox(({ entries }) => entries[sessionId]);
  const fault = useInbox(({ faults }) => faults[sessionId] ?? null);
  const entries = useMemo(() => (known === undefined ? null : inOrder(Object.values(known))), [known]);
  return { entries, fault };
}

/** The entry that the user looks at, by its id; undefined when there is none yet. */
export const useShownEntry = (sessionId: string): string | undefined =>
  useInbox(({ shown }) => shown[sessionId]);

export const showEntry = (sessionId: string, entryId: string): void =>
  useInbox.setState(({ shown }) => ({ shown: { ...shown, [sessionId]: entryId } }));

/** Leads to a question, whatever pane is open. */
export function goToEntry(sessionId: string, entryId: string): void {
  showEntry(sessionId, entryId);
  selectPane('inbox');
}

/** Why the last answer to an entry could not be given; null when it could. */
export const useAnswerFault = (entryId: string): Fault | null =>
  useInbox(({ faults }) => faults[entryId] ?? null);

/** Answers a question; true when the answer is on its way. Never rejects: what goes wrong is kept with the entry. */
export async function answerEntry(
  { sessionId, id }: Pick<InboxEntry, 'sessionId' | 'id'>,
  answer: InboxAnswer,
): Promise<boolean> {
  setFault(id, null);
  try {
    await call('inbox/answer', { sessionId, entryId: id, answer });
    return true;
  } catch (error) {
    setFault(id, faultOf(error));
    return false;
  }
}
