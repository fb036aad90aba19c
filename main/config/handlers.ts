import type { Handlers } from '#shared/contract/index.ts';
import type { ServerList } from './server-list.ts';
import type { SettingsStore } from './settings-store.ts';

type ServersCommand = Extract<keyof Handlers, `servers/${string}`>;
type SettingsCommand = Extract<keyof Handlers, `settings/${string}`>;

export function serversHandlers(servers: ServerList): Pick<Handlers, ServersCommand> {
  return {
    'servers/list': () => servers.list(),
    'servers/save': ({ id, settings }) => servers.save(id, settings),
    'servers/remove': async ({ id }) => {
      await servers.remove(id);
      return null;
    },
    'servers/demo': () => servers.addDemo(),
    'servers/reveal': async ({ id, name }) => ({ value: await servers.reveal(id, name) }),
  };
}

export function settingsHandlers(settings: SettingsStore): Pick<Handlers, SettingsCommand> {
  return {
    'settings/read': () => settings.read(),
    'settings/write': (changes) => settings.write(changes),
  };
}
