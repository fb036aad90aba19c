import { openPath } from '#features/recorded/opening.ts';
import type { Command } from '#model/commands.ts';
import { connect } from '#model/connection.ts';
import { forgetRecent } from '#model/recent.ts';
import { selectServer } from '#model/selection.ts';
import { isOpen, latestSession, useSessions } from '#model/sessions.ts';
import { openTestFile } from '#model/tests-pane.ts';
import { removeFromSettings } from '#model/removed-settings.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { RecentItem } from '#shared/contract/settings.ts';
import { reportFault } from '#ui/toaster.tsx';

/** A command for each item that was opened lately, as far as its server still exists; and one that clears the list. */
export function recentCommands(recent: readonly RecentItem[], servers: readonly Server[]): Command[] {
  const commands = recent.flatMap((item): Command[] => {
    const server = item.kind === 'trace' ? null : servers.find(({ id }) => id === item.serverId);
    if (server === undefined) return [];
    switch (item.kind) {
      case 'trace':
        return [command(item, `Open ${fileTitle(item.path, recent)}`, [item.path], () => void reopen(item))];
      case 'server':
        return [command(item, `Connect to ${server?.name}`, ['server', 'open'], () => open(item.serverId))];
      case 'calls':
        return [
          command(item, `Open ${fileTitle(item.path, recent)} for ${server?.name}`, [item.path], () =>
            openTestFile(item.serverId, item.path),
          ),
        ];
    }
  });
  if (commands.length === 0) return [];
  return [
    ...commands,
    {
      id: 'recent.clear',
      title: 'Clear recent items',
      group: 'Open Recent',
      keywords: [],
      isDestructive: true,
      run: () => reportFault(removeFromSettings('recent', recent, 'Cleared the recent items')),
    },
  ];
}

const command = (item: RecentItem, title: string, keywords: readonly string[], run: () => void): Command => ({
  id: `recent.${item.kind}.${item.kind === 'server' ? item.serverId : item.path}`,
  title,
  group: 'Open Recent',
  keywords: ['recent', ...keywords],
  run,
});

/** The name of a file, with its folder if another item has that name. */
function fileTitle(path: string, recent: readonly RecentItem[]): string {
  const parts = (one: string) => one.split(/[\\/]/);
  const name = parts(path).at(-1) ?? path;
  const isShared = recent.some(
    (one) => one.kind !== 'server' && one.path !== path && parts(one.path).at(-1) === name,
  );
  return isShared ? parts(path).slice(-2).join('/') : name;
}

/** Opens a trace; one that cannot be opened says so, and is no longer listed. */
async function reopen(item: RecentItem & { readonly kind: 'trace' }): Promise<void> {
  if (!(await openPath(item.path))) forgetRecent(item);
}

/** Shows a server, and connects it unless it is connected. */
function open(serverId: string): void {
  selectServer(serverId);
  const session = latestSession(useSessions.getState().sessions, serverId);
  if (session === null || !isOpen(session)) void connect(serverId);
}
