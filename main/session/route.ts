import type { HttpSettings, Server, StdioSettings } from '#shared/contract/servers.ts';
import { HttpTransport } from '#wire/http-transport.ts';
import { StdioTransport } from '#wire/stdio.ts';
import { type PreparedLaunch, prepareLaunch } from './launch.ts';
import type { MakeTransport } from './connection.ts';

/** Where the values come from that a server's settings only name. */
export interface RouteSource {
  /** Variables the user set; `secrets` by what they are, such as `env:API_KEY`. */
  environmentOf(server: Server): Promise<{ values: Record<string, string>; secrets: Map<string, string> }>;
  /** Header lines the user set; `secrets` by what they are, such as `header:Authorization`. */
  headersOf(
    server: Server,
  ): Promise<{ lines: readonly (readonly [string, string])[]; secrets: Map<string, string> }>;
  /** The whole URL; `secrets` by what they are, such as `url:token`. @throws FaultError when a part is not held */
  addressOf(server: Server, settings: HttpSettings): Promise<{ url: string; secrets: Map<string, string> }>;
}

/** The way to one server, ready to be gone. */
export interface Route {
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
export function prepareRoute(server: Server, source: RouteSource): Promise<Route> {
  const { transport } = server;
  return transport.kind === 'stdio'
    ? stdioRoute(server, transport, source)
    : httpRoute(server, transport, source);
}

async function stdioRoute(server: Server, settings: StdioSettings, source: RouteSource): Promise<Route> {
  const { values, secrets } = await source.environmentOf(server);
  const { target, ...launch } = await prepareLaunch(settings, values);
  return {
    connect: ({ sink }) => ({ kind: 'stdio', transport: new StdioTransport(target, sink) }),
    secrets,
    launch,
    described: { transport: 'stdio', command: target.command, args: [...target.args] },
  };
}

async function httpRoute(server: Server, settings: HttpSettings, source: RouteSource): Promise<Route> {
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
