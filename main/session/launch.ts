import { homedir } from 'node:os';
import type { StdioSettings } from '#shared/contract/servers.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { serverEnvironment } from '#wire/environment.ts';
import { findCommand } from '#wire/find-command.ts';
import type { StdioTarget } from '#wire/stdio.ts';

/** What will be run for a server, for the wire to run and for the user to see before. */
export async function prepareLaunch(
  settings: StdioSettings,
  environment: Readonly<Record<string, string>>,
): Promise<{ target: StdioTarget; launch: Launch }> {
  const { command, args, inherit } = settings;
  // A server's working folder would otherwise be wherever this app was started from.
  const cwd = settings.cwd ?? homedir();
  const whole = serverEnvironment(inherit, environment);
  return {
    target: { command, args, cwd, environment: whole },
    launch: {
      command,
      args: [...args],
      cwd,
      env: Object.keys(environment),
      resolved: await findCommand(command, cwd, whole),
    },
  };
}
