import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Server } from '#shared/contract/servers.ts';

/** The servers the user knows, as the engine last told. */
export const useServers = create<{ servers: readonly Server[] }>()(() => ({ servers: [] }));

export async function followServers(): Promise<void> {
  on('servers/changed', (servers) => useServers.setState({ servers }));
  useServers.setState({ servers: await call('servers/list', {}) });
}
