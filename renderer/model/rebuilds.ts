import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Rebuild, RebuildOutcome } from '#shared/contract/rebuild.ts';
import { formatQuantity } from '#shared/format.ts';
import { followList } from './follow.ts';
import { useQuery } from './use-query.ts';

/** The rebuild loops by server id. */
const useRebuilds = create<Readonly<Record<string, Rebuild>>>()(() => ({}));

const put = (rebuilds: readonly Rebuild[]): void =>
  useRebuilds.setState(Object.fromEntries(rebuilds.map((rebuild) => [rebuild.serverId, rebuild])));

/** Rejects when the engine cannot be reached. */
export const followRebuilds = (): Promise<void> =>
  followList<Rebuild>({
    list: () => call('rebuild/list', {}),
    listen: (changed) => on('rebuild/changed', changed),
    idOf: ({ serverId }) => serverId,
    put,
  }).loaded;

/** The rebuild loop of a server; null unless it is watched, or was restarted. */
export const useRebuild = (serverId: string): Rebuild | null =>
  useRebuilds((rebuilds) => rebuilds[serverId]) ?? null;

/** The same, also of a server that is not watched: what would be. Null until it is known. */
export function useRebuildOrPlan(serverId: string): Rebuild | null {
  const known = useRebuild(serverId);
  const { latest } = useQuery(known === null ? serverId : null, () => call('rebuild/read', { serverId }));
  return known ?? (latest?.serverId === serverId ? latest : null);
}

/** Restarts a server and compares. Rejects with a fault. */
export async function rebuildNow(serverId: string): Promise<void> {
  put([await call('rebuild/now', { serverId })]);
}

/** Takes over the answer of a command. */
export const noteRebuild = (rebuild: Rebuild): void => put([rebuild]);

/** How many changes a restart brought: of the lists, and of the calls that ran again. */
export function countChanges({ comparison, suite }: RebuildOutcome): number {
  const { catalog = [], calls = [] } = comparison ?? {};
  const differing = calls.filter(({ class: of }) => of !== 'same' && of !== 'noise' && of !== 'skipped');
  const flipped = (suite ?? []).filter(({ state, before }) => before !== null && state !== before);
  return catalog.length + Math.max(differing.length, flipped.length);
}

/** Such as `watching 3 files · rebuilt 14:02:11 · 2 changes`; empty if there is nothing to say. */
export function rebuildSummary(rebuild: Rebuild): string {
  const { last } = rebuild;
  const happened =
    last === null
      ? []
      : [`rebuilt ${clockOf(last.at)}`, formatQuantity(countChanges(last), 'change').replace(/^0 /, 'no ')];
  return [stateText(rebuild), ...happened].filter((part) => part !== '').join(' · ');
}

/** The time of day to the second. */
export const clockOf = (wall: number): string => new Date(wall).toTimeString().slice(0, 8);

function stateText({ state, files, crashes, isOurs, watched }: Rebuild): string {
  const what = isOurs ? 'ended' : 'lost';
  switch (state) {
    case 'off':
      return '';
    case 'idle':
      return 'watching starts when you connect';
    case 'watching':
      return watched.length === 0 ? 'nothing to watch' : `watching ${formatQuantity(files, 'file')}`;
    case 'restarting':
      return isOurs ? 'restarting' : 'connecting again';
    case 'waiting':
      return crashes === 0 ? 'waiting' : `${what} ${formatQuantity(crashes, 'time')}, waiting`;
    case 'stopped':
      return crashes === 0 ? 'not restarted' : `${what} ${formatQuantity(crashes, 'time')}, stopped`;
  }
}
