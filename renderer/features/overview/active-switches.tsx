import { memo, useEffect } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { noteFault } from '#model/connection.ts';
import { followValue } from '#model/follow.ts';
import { selectPane, selectServer } from '#model/selection.ts';
import { activeSwitches } from '#shared/client-switches/switch-table.ts';
import type { Switches } from '#shared/client-switches/switches.ts';
import { formatQuantity } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { Tooltip } from '#ui/tooltip.tsx';

/** Warns that client switches are active for this server, and links to them. The status bar renders with each message. */
export const ActiveSwitches = memo(function ActiveSwitches({ serverId }: { readonly serverId: string }) {
  const switches = useSwitches(serverId);
  const active = switches === null ? [] : activeSwitches(switches);
  if (active.length === 0) return null;
  return (
    <Tooltip side="top" text={active.map(({ label }) => label).join(', ')}>
      <button
        type="button"
        onClick={() => showSwitches(serverId)}
        className="flex rounded-full outline-offset-1"
      >
        <Chip tone="warn" className="bg-warn/10 hover:border-warn">
          bad client: {formatQuantity(active.length, 'switch', 'switches')}
        </Chip>
      </button>
    </Tooltip>
  );
});

interface SectionState {
  /** Whether the user opened or closed the section, by server; by default it is open while a switch is active. */
  readonly isOpen: Readonly<Record<string, boolean>>;
  /** The server whose section should be scrolled into view. */
  readonly wanted: string | null;
}

/** State of the section, kept while the app runs. */
export const useSectionState = create<SectionState>()(() => ({ isOpen: {}, wanted: null }));

export const setSectionOpen = (serverId: string, isOpen: boolean): void =>
  useSectionState.setState((now) => ({ isOpen: { ...now.isOpen, [serverId]: isOpen } }));

/** Opens the client switches of a server, from any pane. */
function showSwitches(serverId: string): void {
  selectServer(serverId);
  selectPane('overview');
  setSectionOpen(serverId, true);
  useSectionState.setState({ wanted: serverId });
}

/** Marks the section as scrolled into view. */
export const clearWanted = (): void => useSectionState.setState({ wanted: null });

/** Client switches by server id. */
const useSwitchStore = create<Readonly<Record<string, Switches>>>()(() => ({}));

/** The client switches of a server; null until they are loaded. */
export function useSwitches(serverId: string): Switches | null {
  useEffect(() => {
    const { loaded, stop } = followValue<Switches>({
      read: () => call('sessions/switches', { serverId }),
      listen: (changed) =>
        on('sessions/switches-changed', (change) => {
          if (change.serverId === serverId) changed(change.switches);
        }),
      set: (switches) => useSwitchStore.setState({ [serverId]: switches }),
    });
    loaded.catch((error: unknown) => noteFault(serverId, error));
    return stop;
  }, [serverId]);
  return useSwitchStore((known) => known[serverId] ?? null);
}

/** Sets the client switches of a server. Never rejects: a failure is shown in the server's Overview. */
export async function changeSwitches(serverId: string, switches: Switches): Promise<void> {
  try {
    const changed = await call('sessions/set-switches', { serverId, switches });
    useSwitchStore.setState({ [serverId]: changed });
  } catch (error) {
    noteFault(serverId, error);
  }
}
