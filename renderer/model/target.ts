import type { Server } from '#shared/contract/servers.ts';
import { useAppInfo } from './app-info.ts';
import { joinCommandLine } from './command-line.ts';

/** What a session with a server reaches, in one line: its command line, or its URL. Untrusted text. */
export function describeTarget({ transport }: Pick<Server, 'transport'>): string {
  if (transport.kind === 'http') return transport.url;
  const isWindows = useAppInfo.getState().info?.platform === 'win32';
  return joinCommandLine([transport.command, ...transport.args], { isWindows });
}
