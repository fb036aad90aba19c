import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Approval } from '#shared/contract/approvals.ts';
import type { Server } from '#shared/contract/servers.ts';
import { useAppInfo } from './app-info.ts';
import { joinCommandLine } from '#shared/command-line.ts';
import { followValue } from './follow.ts';

/** The configured servers. */
export const useServers = create<{ servers: readonly Server[] }>()(() => ({ servers: [] }));

/** Rejects when the engine cannot be reached. */
export const followServers = (): Promise<void> =>
  followValue({
    read: () => call('servers/list', {}),
    listen: (changed) => on('servers/changed', changed),
    set: (servers: readonly Server[]) => useServers.setState({ servers }),
  }).loaded;

/** The configured server of a name; null if there is none. */
export const serverNamed = (
  name: string | undefined,
  servers: readonly Server[] = useServers.getState().servers,
): Server | null => servers.find((server) => server.name === name) ?? null;

/** The command lines the user has approved to run. */
export const useApprovals = create<{ approvals: readonly Approval[] }>()(() => ({ approvals: [] }));

/** Rejects when the engine cannot be reached. */
export const followApprovals = (): Promise<void> =>
  followValue({
    read: () => call('approvals/list', {}),
    listen: (changed) => on('approvals/changed', changed),
    set: (approvals: readonly Approval[]) => useApprovals.setState({ approvals }),
  }).loaded;

/** The command line or the URL of a server. Untrusted text. */
export function describeTarget({ transport }: Pick<Server, 'transport'>): string {
  if (transport.kind === 'http') return transport.url;
  const isWindows = useAppInfo.getState().info?.platform === 'win32';
  return joinCommandLine([transport.command, ...transport.args], { isWindows });
}

/** Whether the user accepted a certificate of a server by its fingerprint. */
export const useAcceptsCertificate = (serverId: string): boolean =>
  useServers(({ servers }) => {
    const transport = servers.find(({ id }) => id === serverId)?.transport;
    return transport?.kind === 'http' && transport.tls.accepted !== null;
  });
