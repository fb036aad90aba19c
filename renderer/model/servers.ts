import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Approval } from '#shared/contract/approvals.ts';
import type { Server } from '#shared/contract/servers.ts';
import { useAppInfo } from './app-info.ts';
import { joinCommandLine } from './command-line.ts';

/** The servers the user knows, as the engine last told. */
export const useServers = create<{ servers: readonly Server[] }>()(() => ({ servers: [] }));

export async function followServers(): Promise<void> {
  on('servers/changed', (servers) => useServers.setState({ servers }));
  useServers.setState({ servers: await call('servers/list', {}) });
}

/** The command lines that the user has approved, as the engine last told. */
export const useApprovals = create<{ approvals: readonly Approval[] }>()(() => ({ approvals: [] }));

export async function followApprovals(): Promise<void> {
  on('approvals/changed', (approvals) => useApprovals.setState({ approvals }));
  useApprovals.setState({ approvals: await call('approvals/list', {}) });
}

/** What a session with a server reaches, in one line: its command line, or its URL. Untrusted text. */
export function describeTarget({ transport }: Pick<Server, 'transport'>): string {
  if (transport.kind === 'http') return transport.url;
  const isWindows = useAppInfo.getState().info?.platform === 'win32';
  return joinCommandLine([transport.command, ...transport.args], { isWindows });
}
