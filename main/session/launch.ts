import { homedir } from 'node:os';
import type { StdioSettings } from '#shared/contract/servers.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { serverEnvironment } from '#wire/environment.ts';
import { findCommand } from '#wire/find-command.ts';
import type { StdioTarget } from '#wire/stdio.ts';

/** What will be run for a server, ready to be approved. */
export interface PreparedLaunch {
  /** As the user sees it before it runs. */
  readonly launch: Launch;
  /** The variables the user set, secret values included. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What will be run for a server, for the wire to run and for the user to see before: the same file for both. */
export async function prepareLaunch(
  settings: StdioSettings,
  environment: Readonly<Record<string, string>>,
): Promise<PreparedLaunch & { target: StdioTarget }> {
  const { command, args, inherit } = settings;
  const secret = new Set(settings.env.flatMap((entry) => (entry.secret ? [entry.name] : [])));
  // A server's working folder would otherwise be wherever this app was started from.
  const cwd = settings.cwd ?? homedir();
  const whole = serverEnvironment(inherit, environment);
  const resolved = await findCommand(command, cwd, whole);
  const env = Object.entries(environment).map(([name, value]) => ({
    name,
    value: secret.has(name) ? null : value,
  }));
  return {
    target: { command, args, cwd, environment: whole, file: resolved },
    launch: { command, args: [...args], cwd, env, inherit, resolved },
    environment,
  };
}
