import { create } from 'zustand';
import { call, on } from '#bridge';
import type { RootState } from '#shared/contract/roots.ts';
import { followValue } from './follow.ts';
import { useQuery } from './use-query.ts';

/** The states of the roots of all servers. The engine watches them. */
export const useRoots = create<{ states: readonly RootState[] }>()(() => ({ states: [] }));

/** Rejects when the engine cannot be reached. */
export const followRoots = (): Promise<void> =>
  followValue({
    read: () => call('roots/states', {}),
    listen: (changed) => on('roots/changed', changed),
    set: (states: readonly RootState[]) => useRoots.setState({ states }),
  }).loaded;

/** The state of a root; null until it is known. One that no server has, such as an unsaved one, is checked once. */
export function useRootState(uri: string): RootState | null {
  const watched = useRoots(({ states }) => states.find((state) => state.uri === uri));
  const key = watched !== undefined || uri === '' ? null : uri;
  const { result } = useQuery(key, () => call('roots/check', { uri }));
  return watched ?? result;
}
