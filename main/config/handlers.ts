import type { Handlers } from '#shared/contract/index.ts';
import type { ServerList } from './server-list.ts';

type ServersCommand = Extract<keyof Handlers, `servers/${string}`>;

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
