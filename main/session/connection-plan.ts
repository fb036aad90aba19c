import { homedir } from 'node:os';
import type { HttpSettings, Server, StdioSettings } from '#shared/contract/servers.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { serverEnvironment, findCommand } from '#transports/spawn.ts';
import { HttpTransport } from '#transports/http-transport.ts';
import { StdioTransport, type StdioTarget } from '#transports/stdio.ts';
import type { MakeTransport } from './connection.ts';

/** Where the values come from that a server's settings only name. */
export interface ServerValues {
  /** Variables the user set; `secrets` by what they are, such as `env:API_KEY`. */
  environmentOf(server: Server): Promise<{ values: Record<string, string>; secrets: Map<string, string> }>;
  /** Header lines the user set; `secrets` by what they are, such as `header:Authorization`. */
  headersOf(
    server: Server,
  ): Promise<{ lines: readonly (readonly [string, string])[]; secrets: Map<string, string> }>;
  /** The whole URL; `secrets` by what they are, such as `url:token`. @throws FaultError when a part is not held */
  addressOf(server: Server, settings: HttpSettings): Promise<{ url: string; secrets: Map<string, string> }>;
}

/** How to connect to one server. */
export interface ConnectionPlan {
  readonly connect: MakeTransport;
  /** Values that must not be written anywhere. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What would be run on this machine; null when nothing is. */
  readonly launch: PreparedLaunch | null;
  /** What it leads to, for the header of the trace. */
  readonly described:
    | { transport: 'stdio'; command: string; args: string[] }
    | { transport: 'http'; url: string };
}

/** Gathers what connecting to a server takes. */
export function planConnection(server: Server, source: ServerValues): Promise<ConnectionPlan> {
  const { transport } = server;
  return transport.kind === 'stdio'
    ? planStdio(server, transport, source)
    : planHttp(server, transport, source);
}

async function planStdio(
  server: Server,
  settings: StdioSettings,
  source: ServerValues,
): Promise<ConnectionPlan> {
  const { values, secrets } = await source.environmentOf(server);
  const { target, ...launch } = await prepareLaunch(settings, values);
  return {
    connect: ({ sink }) => ({ kind: 'stdio', transport: new StdioTransport(target, sink) }),
    secrets,
    launch,
    described: { transport: 'stdio', command: target.command, args: [...target.args] },
  };
}

async function planHttp(
  server: Server,
  settings: HttpSettings,
  source: ServerValues,
): Promise<ConnectionPlan> {
  const { lines, secrets } = await source.headersOf(server);
  const address = await source.addressOf(server, settings);
  const whole = { ...settings, url: address.url };
  const endpointTimeout = server.timeouts.initialize;
  return {
    connect: ({ sink, headers, onStreams, redacted }) => ({
      kind: 'http',
      transport: new HttpTransport({ settings: whole, headers, endpointTimeout, onStreams, redacted }, sink),
      // What is told of the connection is told without the secrets of its URL.
      settings,
      headers: lines,
    }),
    secrets: new Map([...secrets, ...address.secrets]),
    launch: null,
    // The trace takes secrets out of it, and learns what they are.
    described: { transport: 'http', url: whole.url },
  };
}

/** What will be run for a server, ready to be approved. */
export interface PreparedLaunch {
  /** As the user sees it before it runs. */
  readonly launch: Launch;
  /** The variables the user set, secret values included. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What will be run for a server, for the wire to run and for the user to see before: the same file for both. */
async function prepareLaunch(
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
