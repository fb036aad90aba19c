import { useEffect } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Switches } from '#shared/contract/sessions.ts';
import { noteFailure } from './connection.ts';

/** The client switches of servers that are or were on screen, by server id, as the engine last told. */
const useKnown = create<Readonly<Record<string, Switches>>>()(() => ({}));

const keep = (serverId: string, switches: Switches) => useKnown.setState({ [serverId]: switches });

/** The client switches of a server; null until the engine has told. */
export function useSwitches(serverId: string): Switches | null {
  useEffect(() => {
    const stop = on('sessions/switches-changed', (change) => keep(change.serverId, change.switches));
    call('sessions/switches', { serverId }).then(
      (switches) => keep(serverId, switches),
      (error: unknown) => noteFailure(serverId, error),
    );
    return stop;
  }, [serverId]);
  return useKnown((known) => known[serverId] ?? null);
}

/** Turns the client switches of a server. Never rejects; what goes wrong is shown in the server's Overview. */
export async function changeSwitches(serverId: string, switches: Switches): Promise<void> {
  try {
    keep(serverId, await call('sessions/set-switches', { serverId, switches }));
  } catch (error) {
    noteFailure(serverId, error);
  }
}
