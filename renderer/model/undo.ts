import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { Removal, RemovalKind } from '#shared/contract/removals.ts';
import { registerCommands } from './commands.ts';
import { faultOf } from './faults.ts';
import { selectServer } from './selection.ts';
import { useServers } from './servers.ts';

/** Something that was removed, and what brings it back. */
export interface UndoOffer {
  readonly id: string;
  /** What was done, such as `Removed the server “mine”`. */
  readonly what: string;
  readonly undo: () => unknown;
  /** Whether it was removed in this page, which then says so. */
  readonly isNew: boolean;
}

/** What can be undone, the latest last; and why the last attempt failed. */
export const useUndo = create<{ readonly offers: readonly UndoOffer[]; readonly fault: Fault | null }>()(
  () => ({ offers: [], fault: null }),
);

/** Limit of what can be undone. */
const MAX_OFFERS = 50;

let lastId = 0;

/** Offers to undo what the page has just removed. @param bringBack may reject with a fault */
export const offerUndo = (what: string, bringBack: () => unknown): void =>
  put([...useUndo.getState().offers, { id: `page ${++lastId}`, what, undo: bringBack, isNew: true }]);

/** Brings back what was removed. Never rejects: the state has the fault. */
export async function undo(id: string): Promise<void> {
  const offer = useUndo.getState().offers.find((one) => one.id === id);
  if (offer === undefined) return;
  useUndo.setState({ fault: null });
  try {
    await offer.undo();
    put(useUndo.getState().offers.filter((one) => one.id !== id));
  } catch (error) {
    useUndo.setState({ fault: faultOf(error) });
  }
}

function put(offers: readonly UndoOffer[]): void {
  useUndo.setState({ offers: offers.slice(-MAX_OFFERS) });
}

const verbs: Readonly<Record<RemovalKind, string>> = {
  server: 'Removed the server',
  trace: 'Deleted the trace',
  'saved-call': 'Removed the saved call',
  approval: 'Revoked the approval of',
  credentials: 'Forgot the credentials of',
  'model-key': 'Removed the key for',
};

const offerOf = ({ id, kind, name }: Removal, isNew: boolean): UndoOffer => ({
  id: `engine ${id}`,
  what: `${verbs[kind]} “${name}”`,
  undo: async () => {
    const showRestored = kind === 'server' ? restoredServer() : null;
    await call('removals/restore', { id });
    showRestored?.();
  },
  isNew,
});

/** Returns a function that shows the server which is listed again. */
function restoredServer(): () => void {
  const before = new Set(useServers.getState().servers.map(({ id }) => id));
  const show = (): boolean => {
    const back = useServers.getState().servers.find(({ id }) => !before.has(id));
    if (back !== undefined) selectServer(back.id);
    return back !== undefined;
  };
  return () => {
    // The event with the list may come after the answer.
    if (show()) return;
    const stop = useServers.subscribe(() => {
      if (show()) stop();
    });
  };
}

/** Offers what the engine can bring back, from now on. Rejects when the engine cannot be reached. */
export async function followRemovals(): Promise<void> {
  const follow = (removals: readonly Removal[], isNew: boolean) => {
    const { offers } = useUndo.getState();
    const own = offers.filter(
      ({ id }) => !id.startsWith('engine ') || removals.some((one) => `engine ${one.id}` === id),
    );
    const added = removals
      .map((removal) => offerOf(removal, isNew))
      .filter(({ id }) => !offers.some((one) => one.id === id));
    put([...own, ...added]);
  };
  on('removals/changed', (removals) => follow(removals, true));
  follow(await call('removals/list', {}), false);
}

const owner = Symbol('undo');

// The palette has each of them; the keys undo the latest.
useUndo.subscribe(({ offers }, before) => {
  if (offers === before.offers) return;
  registerCommands(
    owner,
    offers.toReversed().map(({ id, what }, place) => ({
      id: place === 0 ? 'app.undo' : `app.undo ${id}`,
      title: `Undo: ${what}`,
      group: 'Sightglass',
      keywords: ['restore', 'bring back', 'removed', 'deleted'],
      ...(place === 0 && { shortcut: 'Mod+Z' }),
      run: () => void undo(id),
    })),
  );
});
