import { create } from 'zustand';
import { selectPane, selectServer } from '#model/selection.ts';

interface SectionState {
  /** Whether the user opened or closed the section, by server; before that it is open while a switch is on. */
  readonly isOpen: Readonly<Record<string, boolean>>;
  /** The server whose section is to be brought into view. */
  readonly wanted: string | null;
}

/** Where the section of client switches stands, kept while the app runs. */
export const useSectionState = create<SectionState>()(() => ({ isOpen: {}, wanted: null }));

export const setSectionOpen = (serverId: string, isOpen: boolean): void =>
  useSectionState.setState((now) => ({ isOpen: { ...now.isOpen, [serverId]: isOpen } }));

/** Leads to the client switches of a server, from wherever the user is. */
export function showSwitches(serverId: string): void {
  selectServer(serverId);
  selectPane('overview');
  setSectionOpen(serverId, true);
  useSectionState.setState({ wanted: serverId });
}

/** The section is in view. */
export const sectionShown = (): void => useSectionState.setState({ wanted: null });
