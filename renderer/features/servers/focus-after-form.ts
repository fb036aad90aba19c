import { type RefObject, useEffect, useRef } from 'react';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';

/** The button of a server in the list. */
export const rowOf = (list: RefObject<HTMLElement | null>, serverId: string | null): HTMLElement | null =>
  serverId === null
    ? null
    : (list.current?.querySelector<HTMLElement>(`[data-server="${CSS.escape(serverId)}"]`) ?? null);

/** Gives the focus that the settings form leaves behind when it closes to the server in the list. */
export function useFocusAfterForm(list: RefObject<HTMLElement | null>): void {
  const isOpen = useSelection(({ editor }) => editor !== null);
  const selected = useSelection(({ serverId }) => serverId);
  // A new server may come into the list only after its form has closed.
  const servers = useServers((known) => known.servers);
  const isOwed = useRef(false);
  useEffect(() => {
    if (isOpen) isOwed.current = true;
    if (isOpen || !isOwed.current) return;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const row = rowOf(list, selected);
    if (isLost && row === null) return;
    isOwed.current = false;
    if (isLost) row?.focus();
  }, [isOpen, selected, servers, list]);
}
