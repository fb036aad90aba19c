import { joinCommandLine } from '#shared/command-line.ts';
import { type Approval, isLaunchApproval } from '#shared/contract/approvals.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { isOfThisRun } from '#shared/contract/servers.ts';
import type { Approvals } from './approvals.ts';
import type { ClientConfigurations } from './clients/client-configurations.ts';
import type { ClientLogs } from './clients/client-logs.ts';
import type { RemovedApproval, RemovedServer } from './removed-kinds.ts';
import type { NoteRemoval } from './removals.ts';
import type { ServerList } from './server-list.ts';
import type { SettingsStore } from './settings.ts';

type ServersCommand = Extract<keyof Handlers, `servers/${string}`>;
type ApprovalsCommand = Extract<keyof Handlers, `approvals/${string}`>;
type SettingsCommand = Extract<keyof Handlers, `settings/${string}`>;

export function serversHandlers(
  servers: ServerList,
  approvals: Approvals,
  configurations: ClientConfigurations,
  logs: ClientLogs,
  noteRemoval: {
    readonly server: NoteRemoval<RemovedServer>;
    readonly approval: NoteRemoval<RemovedApproval>;
  },
): Pick<Handlers, ServersCommand | ApprovalsCommand> {
  return {
    'servers/list': () => servers.list(),
    'servers/save': ({ id, settings }) => servers.save(id, settings),
    'servers/remove': async ({ id }) => {
      const { server, index } = await servers.kept(id);
      const granted = (await approvals.list()).flatMap((one) =>
        one.serverIds.includes(id) ? [{ ...one, serverIds: [id] }] : [],
      );
      await noteRemoval.server(server.name, { server, index, approvals: granted }, isOfThisRun(server));
      await servers.remove(id);
      await approvals.forgetServer(id);
      return null;
    },
    'servers/demo': () => servers.addDemo(),
    'approvals/list': () => approvals.list(),
    'approvals/revoke': async ({ id }) => {
      const approval = (await approvals.list()).find((one) => one.id === id);
      if (approval === undefined) return null;
      await noteRemoval.approval(nameOf(approval), { approval });
      await approvals.revoke(id);
      return null;
    },
    'servers/import-preview': ({ source }) => configurations.preview(source),
    'servers/import': (params) => configurations.import(params),
    'servers/export': (params) => configurations.export(params),
    'servers/found': () => configurations.found(),
    'servers/logs': () => logs.found(),
    'servers/log': ({ path }) => logs.read(path),
    'servers/reveal-url': async ({ id }) => ({ url: await servers.revealUrl(id) }),
    'servers/reveal': async ({ id, name }) => ({ value: await servers.reveal(id, name) }),
  };
}

export function settingsHandlers(settings: SettingsStore): Pick<Handlers, SettingsCommand> {
  return {
    'settings/read': () => settings.read(),
    'settings/write': (changes) => settings.write(changes),
  };
}

/** What was approved, in one line: the command, or the variables and where they are sent. */
function nameOf(approval: Approval): string {
  if (isLaunchApproval(approval)) return joinCommandLine([approval.launch.command, ...approval.launch.args]);
  const { origin, variables } = approval.sent;
  return `${variables.map(({ variable }) => variable).join(', ')} to ${origin}`;
}
