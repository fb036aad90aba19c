import type { RecentItem } from '#shared/contract/settings.ts';
import { useSelection } from './selection.ts';
import { isOpen, latestSession, useSessions } from './sessions.ts';
import { changeSettings, useSettings } from './settings.ts';
import { useTraces } from './traces.ts';

/** Items that are kept. */
const MAX_RECENT = 12;

const keyOf = (item: RecentItem): string =>
  item.kind === 'server' ? `server ${item.serverId}` : `${item.kind} ${item.path}`;

/** Puts an item first in the list of what was opened. Never rejects: without the list the app works. */
export function noteRecent(item: RecentItem): void {
  const { recent } = useSettings.getState();
  const [first] = recent;
  if (first !== undefined && JSON.stringify(first) === JSON.stringify(item)) return;
  const others = recent.filter((one) => keyOf(one) !== keyOf(item));
  save([item, ...others].slice(0, MAX_RECENT));
}

/** Drops an item that can no longer be opened. */
export function forgetRecent(item: RecentItem): void {
  save(useSettings.getState().recent.filter((one) => keyOf(one) !== keyOf(item)));
}

function save(recent: RecentItem[]): void {
  // What is not saved is missing after the next start, no more.
  changeSettings({ recent }).catch(() => undefined);
}

/** Notes each trace file that is shown, and each server that is shown while it is connected. Begin once the settings are read. */
export function followRecent(): void {
  let last = '';
  const note = () => {
    const item = shownItem();
    const key = item === null ? '' : keyOf(item);
    if (key === last) return;
    last = key;
    if (item !== null) noteRecent(item);
  };
  useSelection.subscribe(note);
  useTraces.subscribe(note);
  useSessions.subscribe(note);
  note();
}

function shownItem(): RecentItem | null {
  const { openedId, serverId } = useSelection.getState();
  if (openedId !== null) {
    const path = useTraces.getState().opened[openedId]?.path;
    return path === undefined ? null : { kind: 'trace', path };
  }
  const session = latestSession(useSessions.getState().sessions, serverId);
  return session === null || !isOpen(session) || serverId === null ? null : { kind: 'server', serverId };
}
